/** `entries.list` and `entries.csv`: an account's ledger, the latest first. */
import type { OperationInput } from '../../contract/operations.ts'
import { formatUsd } from '../../contract/usd.ts'
import { assert } from '../base/assert.ts'
import { formatId, parseId } from '../base/ids.ts'
import type { EntryFilter, EntryRow } from '../ledger/payment-types.ts'
import { entryOutput } from './billing.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { type CsvCell, csvLines, csvText } from './csv.ts'
import { isoTime } from './values.ts'

export const entryHandlers = {
  'entries.list': async (deps, input, { account }) => {
    const before = input.before === undefined ? null : parseId('ent', input.before)
    assert(before !== undefined, 'an id of parsed input is an id')
    const rows = await deps.ledger.entries({ ...filterOf(account.id, input), limit: input.limit, before })
    return rows.map(entryOutput)
  },

  'entries.csv': (deps, input, { account }) =>
    deps.usage.makingFile(account.id, async () => {
      const texts = [csvText(header, [])]
      for await (const rows of entryBatches(deps, filterOf(account.id, input)))
        texts.push(csvLines(rows.map(cellsOf)))
      return { name: `entries-${formatId('acct', account.id)}.csv`, text: texts.join('') }
    }),
} satisfies Partial<OperationHandlers>

const header = [
  'id',
  'time',
  'kind',
  'amount_usd',
  'balance_after_usd',
  'source',
  'reference',
  'note',
  'request',
]

function cellsOf(row: EntryRow): readonly CsvCell[] {
  return [
    formatId('ent', row.id),
    isoTime(row.atMs),
    row.kind,
    { amount: formatUsd(row.amount) },
    { amount: formatUsd(row.balanceAfter) },
    row.source,
    row.reference,
    row.note,
    row.request === null ? null : formatId('req', row.request),
  ]
}

type EntryRange = Pick<EntryFilter, 'account' | 'kind' | 'fromMs' | 'toMs'>

function filterOf(
  account: bigint,
  input: Pick<OperationInput<'entries.csv'>, 'kind' | 'from' | 'to'>,
): EntryRange {
  const { kind, from, to } = input
  return {
    account,
    kind: kind ?? null,
    fromMs: from === undefined ? null : Date.parse(from),
    toMs: to === undefined ? null : Date.parse(to),
  }
}

/** A file is read and written in batches, so that other requests are served in between. */
const batchSize = 500

async function* entryBatches(
  { ledger, limits }: ControlDeps,
  span: EntryRange,
): AsyncGenerator<readonly EntryRow[], void> {
  let rows = 0
  for (let before: bigint | null = null; rows < limits.csvRowsMax; ) {
    const limit = Math.min(batchSize, limits.csvRowsMax - rows)
    const next: readonly EntryRow[] = await ledger.entries({ ...span, limit, before })
    yield next
    rows += next.length
    if (next.length < limit) return
    before = next.at(-1)?.id ?? null
  }
}
