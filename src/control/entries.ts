/** `entries.*`: an account's ledger, the latest first. */
import type { OperationInput, OperationOutput } from '../../contract/operations.ts'
import { formatUsd } from '../../contract/usd.ts'
import { formatId } from '../base/ids.ts'
import type { EntryFilter, EntryRow } from '../ledger/payment-types.ts'
import { readBatches } from './batches.ts'
import type { OperationHandlers } from './control-deps.ts'
import { type CsvCell, csvLines, csvText } from './csv.ts'
import { isoTime, parseGivenId } from './values.ts'

export const entryHandlers = {
  'entries.list': async (deps, input, { account }) => {
    const { limit, before } = input
    const page = { limit, before: parseGivenId('ent', before) }
    const rows = await deps.ledger.entries({ ...toRange(account.id, input), ...page })
    return rows.map(entryOutput)
  },

  'entries.csv': ({ ledger, usage, limits }, input, { account }) =>
    usage.makingFile(account.id, async () => {
      const texts = [csvText(header, [])]
      const range = toRange(account.id, input)
      const sizes = { rowsMax: limits.csvRowsMax, batchRows: 500 }
      for await (const rows of readBatches(sizes, (page) => ledger.entries({ ...range, ...page })))
        texts.push(csvLines(rows.map(toCells)))
      return { name: `entries-${formatId('acct', account.id)}.csv`, text: texts.join('') }
    }),
} satisfies Partial<OperationHandlers>

type EntryOutput = OperationOutput<'entries.list'>[number]

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

function toCells(row: EntryRow): readonly CsvCell[] {
  const { id, at, kind, amount, balanceAfter, source, reference, note, request } = entryOutput(row)
  return [id, at, kind, { amount }, { amount: balanceAfter }, source, reference, note, request]
}

function toRange(
  account: bigint,
  { kind, from, to }: Pick<OperationInput<'entries.csv'>, 'kind' | 'from' | 'to'>,
): Pick<EntryFilter, 'account' | 'kind' | 'fromMs' | 'toMs'> {
  return {
    account,
    kind: kind ?? null,
    fromMs: from === undefined ? null : Date.parse(from),
    toMs: to === undefined ? null : Date.parse(to),
  }
}

function entryOutput(row: EntryRow): EntryOutput {
  return {
    id: formatId('ent', row.id),
    at: isoTime(row.atMs),
    kind: row.kind,
    amount: formatUsd(row.amount),
    balanceAfter: formatUsd(row.balanceAfter),
    source: row.source,
    reference: row.reference,
    note: row.note,
    request: row.request === null ? null : formatId('req', row.request),
  }
}
