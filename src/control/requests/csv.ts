/** `requests.csv`: the receipts of an account's requests as a file, the latest first, made in batches. */
import { meterNames, meters } from '../../../contract/meters.ts'
import { formatUsd } from '../../../contract/usd.ts'
import { formatId } from '../../base/ids.ts'
import { type CsvCell, csvLines, csvText } from '../csv.ts'
import { accountOperationHandler } from '../handle-operation.ts'
import { isoTime, isoTimeOrNull } from '../iso-time.ts'
import { findPersonNames, receiptFor, type ShownReceipt } from './receipt-output.ts'
import { rangeTooWide, receiptBatches, searchOf } from './search.ts'

const usd = (nano: bigint): CsvCell => ({ amount: formatUsd(nano) })

/** Column by column: its name, and what it tells of a receipt. */
const columns: readonly (readonly [
  name: string,
  cell: (row: ShownReceipt, names: ReadonlyMap<string, string>) => CsvCell,
])[] = [
  ['id', ({ id }) => formatId('req', id)],
  ['started', ({ startedMs }) => isoTime(startedMs)],
  ['first_byte', ({ firstByteMs }) => isoTimeOrNull(firstByteMs)],
  ['ended', ({ endedMs }) => isoTime(endedMs)],
  ['key', ({ key }) => formatId('key', key)],
  ['model', ({ model }) => model],
  ['dialect', ({ dialect }) => dialect],
  ['streamed', ({ streamed }) => String(streamed)],
  ['provider', ({ provider }) => provider],
  ['upstream_request_id', ({ upstreamRequestId }) => upstreamRequestId],
  ['status', ({ status }) => status],
  ['end_reason', ({ endReason }) => endReason],
  ['error', ({ errorCode }) => errorCode],
  ['usage_source', ({ usageSource }) => usageSource],
  ...meterNames.map((name) => [`${meters[name].column}_tokens`, (row: ShownReceipt) => row[name]] as const),
  ['reasoning_tokens', ({ reasoning }) => reasoning],
  ['fees', ({ fees }) => (Object.keys(fees).length === 0 ? null : JSON.stringify(fees))],
  ['price', ({ priceVersion }) => formatId('prc', priceVersion)],
  ['held_usd', ({ hold }) => usd(hold)],
  ['charged_usd', ({ charged }) => usd(charged)],
  ['upstream_cost_usd', ({ upstreamCost }) => (upstreamCost === null ? null : usd(upstreamCost))],
  ['attempts', ({ attempts }) => attempts.length],
  ['member', ({ person }, names) => (person === null ? null : (names.get(person) ?? person))],
  ['input_bound', ({ inputBound }) => inputBound],
  ['background', ({ background }) => String(background)],
  ['own_key', ({ ownKey }) => String(ownKey)],
]

export const requestsCsv = accountOperationHandler('requests.csv', (deps, input, { account, actor }) =>
  deps.usage.makingFile(account.id, async () => {
    const { csvRowsMax, csvReceiptsScannedMax } = deps.limits
    const texts = [
      csvText(
        columns.map(([name]) => name),
        [],
      ),
    ]
    let looked = 0
    for await (const { receipts, scanned } of receiptBatches(
      deps,
      searchOf(account.id, input, null),
      csvRowsMax,
    )) {
      looked += scanned
      if (looked > csvReceiptsScannedMax) throw rangeTooWide(csvReceiptsScannedMax)
      const names = await findPersonNames(deps, receipts)
      const shown = receipts.map((row) => receiptFor(actor, deps, row))
      texts.push(csvLines(shown.map((row) => columns.map(([, cell]) => cell(row, names)))))
    }
    return { name: `requests-${formatId('acct', account.id)}.csv`, text: texts.join('') }
  }),
)
