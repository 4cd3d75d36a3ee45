/** Statements for the provider objects of a batch's answers; see sqlite/provider-objects.ts. Runs none of them. */
import { arrayOf, type ColumnType } from '../../store/postgres/arrays.ts'
import type { PostgresStatement } from '../../store/postgres/connection.ts'
import type { ReceiptState } from '../machine/rows.ts'
import { newObject, removedPerRow } from '../sqlite/provider-objects.ts'
import type { BoundStatement } from './derived-rows.ts'
import { columnType } from './tables.ts'

const { columns, names } = newObject

/** The provider's ID is a text. */
const typeOf = (column: string): ColumnType => (column === 'id' ? 'text' : columnType(column))

const given = `unnest(${columns.map((column, index) => `$${index + 1}::${typeOf(column)}[]`).join(', ')})`
const replace: PostgresStatement = {
  name: 'provider_object_replace',
  text: `DELETE FROM provider_object o USING unnest($1::bigint[], $2::text[]) AS given (account, id)
    WHERE o.id = given.id AND (o.account = given.account OR o.created_ms < $3)`,
}
const insert: PostgresStatement = {
  name: 'provider_object_insert',
  text: `INSERT INTO provider_object (${names}) SELECT * FROM ${given} ON CONFLICT (id) DO NOTHING`,
}
/** Skips rows that another process is removing. */
const removeExpired: PostgresStatement = {
  name: 'provider_object_expire',
  text: `DELETE FROM provider_object WHERE position IN (SELECT position FROM (
      SELECT position, created_ms FROM provider_object ORDER BY position LIMIT $1 FOR UPDATE SKIP LOCKED) oldest
    WHERE created_ms < $2)`,
}

/** An ID that a provider uses again belongs to the newer answer of the same account, and never to a second account. */
export function objectStatements(receipts: readonly ReceiptState[]): readonly BoundStatement[] {
  const objects = new Map<
    string,
    { readonly account: bigint; readonly row: ReturnType<typeof newObject.bind> }
  >()
  let oldestMs = 0
  for (const { account, id: receipt, endedMs: createdMs, providerObjects } of receipts) {
    if (providerObjects === null) continue
    const [sinceMs, ids, scopes] = providerObjects
    oldestMs = sinceMs
    for (const [index, id] of ids.entries()) {
      const referencedScope = scopes[index] ?? 'window'
      if ((objects.get(id)?.account ?? account) !== account) continue
      objects.set(id, { account, row: newObject.bind({ account, id, receipt, referencedScope, createdMs }) })
    }
  }
  if (objects.size === 0) return []
  const rows = [...objects.values()].map(({ row }) => row)
  const column = (name: string) => rows.map((row) => row[columns.indexOf(name)] ?? null)
  return [
    {
      statement: replace,
      values: [arrayOf('bigint', column('account')), arrayOf('text', column('id')), BigInt(oldestMs)],
    },
    { statement: insert, values: columns.map((name) => arrayOf(typeOf(name), column(name))) },
    { statement: removeExpired, values: [BigInt(rows.length) * removedPerRow, BigInt(oldestMs)] },
  ]
}
