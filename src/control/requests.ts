/** `requests.*` and `request.*`: the receipts of an account's requests, and those that still run. */
import { meterNames, meters, tokensOf } from '../../contract/meters.ts'
import type { OperationInput, OperationOutput } from '../../contract/operations.ts'
import { formatUsd } from '../../contract/usd.ts'
import { TollgateError } from '../base/errors.ts'
import { firstIdAt, formatId } from '../base/ids.ts'
import { type ShownUpstreams, shownUpstreams } from '../catalog/customer-view.ts'
import type { Attempt, ReceiptRow } from '../ledger/types.ts'
import { usedRates } from '../ledger/used-rates.ts'
import type { ReceiptSearch, ReceiptsFound } from '../usage/types.ts'
import type { Actor } from './actor.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { type CsvCell, csvLines } from './csv.ts'
import { invalidValue, isoTime, isoTimeOrNull, parseGivenId } from './values.ts'

export const requestHandlers = {
  /** Returns the matches within the bound; an empty list would say that there are no more. */
  'requests.list': async (deps, input, { account, actor }) => {
    const search = toSearch(account.id, input, input.before)
    const { receiptsScannedMax } = deps.limits
    const outputs: Awaited<ReturnType<typeof receiptOutputs>> = []
    let looked = 0
    for await (const { receipts, scanned } of receiptBatches(deps, search, input.limit)) {
      outputs.push(...(await receiptOutputs(deps, receipts, actor)))
      looked += scanned
      if (looked < receiptsScannedMax) continue
      if (outputs.length === 0) throw rangeTooWide(receiptsScannedMax)
      break
    }
    return outputs
  },

  'requests.csv': (deps, input, { account, actor }) =>
    deps.usage.makingFile(account.id, async () => {
      const { csvRowsMax, csvReceiptsScannedMax } = deps.limits
      const texts = [csvLines([columns.map(([name]) => name)])]
      const search = toSearch(account.id, input, undefined)
      let looked = 0
      for await (const { receipts, scanned } of receiptBatches(deps, search, csvRowsMax)) {
        looked += scanned
        if (looked > csvReceiptsScannedMax) throw rangeTooWide(csvReceiptsScannedMax)
        const names = await findPersonNames(deps, receipts)
        const shown = receipts.map((row) => receiptFor(actor, deps, row))
        texts.push(csvLines(shown.map((row) => columns.map(([, cell]) => cell(row, names)))))
      }
      return { name: `requests-${formatId('acct', account.id)}.csv`, text: texts.join('') }
    }),

  'request.show': async (deps, { request }, { actor }) => {
    const receipt = await deps.ledger.receipt(parseGivenId('req', request))
    const [shown] = receipt === undefined ? [] : await receiptOutputs(deps, [receipt], actor)
    if (receipt !== undefined && shown !== undefined)
      return { ...shown, rates: await readRates(deps, receipt) }
    throw new TollgateError('generation_not_found', {
      message: `The request ${request} is still running. Its receipt is created when it ends.`,
      param: 'request',
    })
  },

  'requests.running': async ({ usage }, _input, { account }) => {
    const running = await usage.running(account.id)
    return running.map(({ id, key, model, format, streamed, held, startedMs }) => ({
      id: formatId('req', id),
      account: formatId('acct', account.id),
      key: formatId('key', key),
      model,
      format,
      streamed,
      held: formatUsd(held),
      started: isoTime(startedMs),
    }))
  },

  /** Delivered output is charged; the client gets an error in its stream. */
  'request.stop': async ({ server }, { request }) => {
    return { id: request, stopped: await server.stop(parseGivenId('req', request)) }
  },
} satisfies Partial<OperationHandlers>

const usdCell = (nano: bigint): CsvCell => ({ amount: formatUsd(nano) })

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
  ['format', ({ format }) => format],
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
  ['held_usd', ({ hold }) => usdCell(hold)],
  ['charged_usd', ({ charged }) => usdCell(charged)],
  ['upstream_cost_usd', ({ upstreamCost }) => (upstreamCost === null ? null : usdCell(upstreamCost))],
  ['attempts', ({ attempts }) => attempts.length],
  ['member', ({ person }, names) => (person === null ? null : (names.get(person) ?? person))],
  ['input_bound', ({ inputBound }) => inputBound],
  ['background', ({ background }) => String(background)],
  ['own_key', ({ ownKey }) => String(ownKey)],
]

async function readRates(
  { catalog }: Pick<ControlDeps, 'catalog'>,
  receipt: ReceiptRow,
): Promise<OperationOutput<'request.show'>['rates']> {
  const price = (await catalog.prices(receipt.model)).find(({ id }) => id === receipt.priceVersion)
  if (price === undefined) return null
  const { tokens, fees } = usedRates(receipt, price, receipt.ownKey ? 'list' : 'rates')
  return { tokens: inUsd(tokens), fees: inUsd(fees) }
}

function inUsd(amounts: Readonly<Record<string, bigint>>): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, formatUsd(amount)]))
}

type RequestFilter = OperationInput<'requests.csv'>
type Search = Omit<ReceiptSearch, 'limit' | 'scannedMax'>

const stepRows = 500
const afterAll = (1n << 63n) - 1n

/** Searches receipts by their fields. `before`: an ID that they are older than. A `from` that is left out has no bound. */
export function toSearch(
  account: bigint,
  { from, to, model, key, outcome }: RequestFilter,
  before: string | undefined,
): Search {
  const beforeId = parseGivenId('req', before) ?? afterAll
  const toId = to === undefined ? afterAll : firstIdAt(Date.parse(to))
  return {
    account,
    fromId: from === undefined ? 0n : firstIdAt(Date.parse(from)),
    beforeId: toId < beforeId ? toId : beforeId,
    key: parseGivenId('key', key),
    model: model ?? null,
    outcome: outcome ?? null,
  }
}

/**
 * Yields what is found in batches, the latest first, at most `rowsMax` receipts. Each occupies the reading thread briefly. The
 * caller counts what was scanned, and stops when it is enough.
 */
async function* receiptBatches(
  { usage, limits }: Pick<ControlDeps, 'usage' | 'limits'>,
  search: Search,
  rowsMax: number,
): AsyncGenerator<ReceiptsFound, void> {
  let rows = 0
  let next: bigint | null = search.beforeId
  while (rows < rowsMax && next !== null) {
    const found: ReceiptsFound = await usage.searchReceipts({
      ...search,
      beforeId: next,
      limit: Math.min(stepRows, rowsMax - rows),
      scannedMax: limits.usageSliceRowsMax,
    })
    yield found
    rows += found.receipts.length
    next = found.next
  }
}

function rangeTooWide(scannedMax: number): TollgateError {
  return invalidValue(
    'from',
    `more than ${scannedMax} requests would have to be scanned; choose a shorter period`,
  )
}

type ReceiptOutput = OperationOutput<'requests.list'>[number]

/** A receipt as the actor sees it. */
type ShownReceipt = Omit<ReceiptRow, keyof ShownUpstreams<Attempt>> & ShownUpstreams<Attempt>

/** Receipts with the names of those who asked; each person is looked up once. */
export async function receiptOutputs(
  deps: Pick<ControlDeps, 'identity' | 'customerView'>,
  rows: readonly ReceiptRow[],
  actor: Actor,
): Promise<ReceiptOutput[]> {
  const names = await findPersonNames(deps, rows)
  return rows.map((row) => receiptOutput(receiptFor(actor, deps, row), names))
}

/** Administrators see upstreams by name; others see what the operator shows to customers. */
export function receiptFor(
  actor: Actor,
  { customerView }: Pick<ControlDeps, 'customerView'>,
  row: ReceiptRow,
): ShownReceipt {
  const isOperator = actor.kind === 'local' || (actor.kind === 'person' && actor.person.operator)
  if (isOperator) return row
  const attempts = row.attempts.map(({ evidence: _forAdministrators, ...attempt }) => attempt)
  return { ...row, ...shownUpstreams(customerView, { ...row, attempts }) }
}

type PersonNames = ReadonlyMap<string, string>

/** The names of people who asked and still exist. */
async function findPersonNames(
  { identity }: Pick<ControlDeps, 'identity'>,
  rows: readonly ReceiptRow[],
): Promise<PersonNames> {
  const people = new Set(rows.flatMap(({ person }) => (person === null ? [] : [person])))
  const found = await Promise.all([...people].map((person) => identity.findPerson(person)))
  return new Map(found.flatMap((person) => (person === undefined ? [] : [[person.id, person.name]])))
}

function receiptOutput(row: ShownReceipt, names: PersonNames): ReceiptOutput {
  return {
    id: formatId('req', row.id),
    account: formatId('acct', row.account),
    key: formatId('key', row.key),
    member: row.person === null ? null : { id: row.person, name: names.get(row.person) ?? null },
    model: row.model,
    format: row.format,
    streamed: row.streamed,
    provider: row.provider,
    upstream: row.upstream,
    upstreamModel: row.upstreamModel,
    upstreamRequestId: row.upstreamRequestId,
    status: row.status,
    endReason: row.endReason,
    error: row.errorCode,
    usage: {
      ...tokensOf(row),
      fees: { ...row.fees },
    },
    usageSource: row.usageSource,
    ranAt: [...row.ranAt],
    unpricedUsage: row.unpricedUsage,
    implausible: row.implausible === null ? null : { ...row.implausible },
    price: formatId('prc', row.priceVersion),
    held: formatUsd(row.hold),
    inputBound: row.inputBound,
    background: row.background,
    charged: formatUsd(row.charged),
    writtenOff: formatUsd(row.writtenOff),
    upstreamCost: row.upstreamCost === null ? null : formatUsd(row.upstreamCost),
    ownKey: row.ownKey,
    outputLimit: row.outputLimit,
    outputLowered: row.outputLowered,
    settled: row.settledLate ? 'late' : 'in_time',
    started: isoTime(row.startedMs),
    firstByte: isoTimeOrNull(row.firstByteMs),
    ended: isoTime(row.endedMs),
    attempts: row.attempts.map(attemptOutput),
  }
}

function attemptOutput(attempt: ShownReceipt['attempts'][number]): ReceiptOutput['attempts'][number] {
  return {
    upstream: attempt.upstream,
    status: attempt.status,
    failure: attempt.failure,
    request: attempt.evidence?.request ?? null,
    message: attempt.evidence?.message ?? null,
    started: isoTime(attempt.startedMs),
    firstByte: isoTimeOrNull(attempt.firstByteMs),
    ended: isoTime(attempt.endedMs),
  }
}
