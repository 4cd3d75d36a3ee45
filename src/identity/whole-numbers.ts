/** Turns the integers of query results from bigint into numbers: nothing here counts beyond what a number holds. */
import type {
  KyselyPlugin,
  PluginTransformResultArgs,
  QueryResult,
  RootOperationNode,
  UnknownRow,
} from 'kysely'

export const wholeNumbers: KyselyPlugin = {
  transformQuery: ({ node }): RootOperationNode => node,
  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return { ...result, rows: result.rows.map(withNumbers) }
  },
}

function withNumbers(row: UnknownRow): UnknownRow {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
  )
}
