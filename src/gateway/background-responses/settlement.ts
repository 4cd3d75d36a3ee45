/**
 * Settles a background response after its request has ended: the facts that settlement needs are stored when the
 * response starts, and its cost is computed here from the provider's final report, and from a count where the report cannot be
 * right. Pure except for ids, the date, the count and warnings.
 */
import { noInput, noOutput, noTokens, outputTokens } from '../../../contract/meters.ts'
import type { Clock } from '../../base/clock.ts'
import type { ErrorCode } from '../../base/errors.ts'
import type { NextId } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import type { PriceVersion } from '../../catalog/types.ts'
import type { OpenResponse } from '../../ledger/background-response-types.ts'
import { plausibility, type UsageMax, usageMaxOf, withoutWaived } from '../../ledger/rules/plausibility.ts'
import {
  costOf,
  type InputBoundSource,
  type OfferCost,
  offerCostText,
  upstreamCostOf,
  withRequestFee,
} from '../../ledger/rules/price.ts'
import type {
  Attempt,
  EndReason,
  ExcessCause,
  ReceiptDraft,
  Settlement,
  UsageSource,
} from '../../ledger/types.ts'
import type { Counter } from '../../tokens/count.ts'
import type { ResponseState } from '../../wire/openai-responses/extract-response.ts'
import { backgroundResponses as format } from '../../wire/openai-responses/index.ts'
import type { Usage } from '../../wire/usage.ts'
import { contradictions, countedOutput, estimatedInput, type TokenCount } from '../bounds/usage.ts'
import type { Hold, RequestContext, RequestPlan, UpstreamResponse } from '../request.ts'

/** Stored data of a request whose response is still running. */
export interface ResponseFacts {
  readonly provider: string
  readonly upstreamModel: string
  readonly upstreamRequestId: string | null
  readonly startedMs: number
  readonly firstByteMs: number | null
  readonly attempts: readonly Attempt[]
  readonly person: string | null
  readonly outputLimit: number
  readonly outputLowered: boolean
  readonly inputBound: InputBoundSource
  readonly excessCausedBy: ExcessCause
  readonly usageMax: Omit<UsageMax, 'pricedMeters'>
  /** The input to charge if the provider's report cannot be right. */
  readonly inputCount: TokenCount
  readonly cacheLifetime: '5m' | '1h'
  readonly waived: readonly string[]
  readonly price: PriceVersion
  /** The offer's own cost; left out: the list price. */
  readonly offerCost?: OfferCost
}

export function factsOf(
  { startedMs }: Pick<RequestContext, 'startedMs'>,
  {
    plan,
    hold,
    upstreamResponse,
  }: { readonly plan: RequestPlan; readonly hold: Hold; readonly upstreamResponse: UpstreamResponse },
): ResponseFacts {
  const header = upstreamResponse.candidate?.target.connector.requestIdHeader
  const offerCost = upstreamResponse.candidate?.offer.cost
  const { pricedMeters: _inPrice, ...usageMax } = usageMaxOf(plan, hold.outputLimit)
  return {
    provider: plan.model.provider,
    upstreamModel: upstreamResponse.candidate?.upstreamModel ?? plan.model.upstreamModel,
    upstreamRequestId: header === undefined ? null : (upstreamResponse.upstreamHeaders.get(header) ?? null),
    startedMs,
    firstByteMs: upstreamResponse.firstByteMs,
    attempts: upstreamResponse.attempts,
    person: hold.person,
    outputLimit: hold.outputLimit,
    outputLowered: hold.lowered,
    inputBound: hold.input.source,
    excessCausedBy: hold.excessCausedBy,
    usageMax,
    inputCount: estimatedInput({ plan, hold }),
    cacheLifetime: plan.cacheLifetime,
    waived: plan.serverTools.waived,
    price: plan.price,
    ...(offerCost === undefined ? {} : { offerCost }),
  }
}

/** Serializes to JSON: amounts as `{"nano":"1"}`, infinite counts as null. */
export function writeFacts(facts: ResponseFacts): string {
  return JSON.stringify(facts, (_, value: unknown) =>
    typeof value === 'bigint' ? { nano: value.toString() } : value,
  )
}

function readFacts(text: string): ResponseFacts {
  const facts = JSON.parse(text, (_, value: unknown) => amountIn(value)) as ResponseFacts
  const toolUses = Object.entries(facts.usageMax.toolUses as Record<string, number | null>).map(
    ([meter, uses]) => [meter, uses ?? Number.POSITIVE_INFINITY] as const,
  )
  return { ...facts, usageMax: { ...facts.usageMax, toolUses: Object.fromEntries(toolUses) } }
}

function amountIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 1) return value
  const { nano } = value as { readonly nano?: unknown }
  return typeof nano === 'string' ? BigInt(nano) : value
}

/** How an open response ended; `lost`: its provider does not have it. `expired`: it ran longer than the limit. */
export type ResponseEnd = ResponseState | { readonly status: 'lost' | 'expired' }

/** Why a response was canceled. */
export type CancelCause = 'client' | 'suspension' | 'age'

interface EndRule {
  readonly payer: 'customer' | 'platform'
  readonly reason: EndReason
  readonly status: number
  readonly error: ErrorCode | null
}

/** Who pays the usage of each end. Nothing is counted for a response that was not delivered. */
const endRules: Readonly<Record<Exclude<ResponseEnd['status'], 'running' | 'cancelled'>, EndRule>> = {
  completed: { payer: 'customer', reason: 'complete', status: 200, error: null },
  failed: { payer: 'platform', reason: 'upstream_error', status: 502, error: 'upstream_error' },
  lost: { payer: 'platform', reason: 'upstream_error', status: 404, error: 'response_not_found' },
  expired: { payer: 'platform', reason: 'timeout', status: 504, error: 'upstream_timeout' },
}
const cancelRules: Readonly<Record<CancelCause, EndRule>> = {
  client: { payer: 'customer', reason: 'client_abort', status: 499, error: null },
  suspension: { payer: 'customer', reason: 'interrupted', status: 403, error: 'account_suspended' },
  age: { payer: 'customer', reason: 'timeout', status: 504, error: 'upstream_timeout' },
}

const nothing: Usage = { ...noTokens, fees: {}, servedOptions: [], unknown: [] }

export interface SettleResponseDeps {
  readonly nextId: NextId
  readonly clock: Clock
  readonly log: Log
  readonly counter: Pick<Counter, 'count'>
  readonly limits: { readonly hiddenReasoningTokensPerSecond: number }
}

export interface SettledResponse {
  readonly settlement: Settlement
  /** Public name. */
  readonly model: string
}

export async function settlementOf(
  { nextId, clock, log, counter, limits }: SettleResponseDeps,
  open: OpenResponse,
  of: { readonly end: ResponseEnd; readonly cause: CancelCause },
): Promise<SettledResponse> {
  const { end, cause } = of
  const facts = readFacts(open.facts)
  const row =
    end.status === 'cancelled'
      ? cancelRules[cause]
      : endRules[end.status === 'running' ? 'expired' : end.status]
  const reported = await billedUsage(counter, facts, end)
  const usage = end.status === 'completed' ? withRequestFee(reported.usage, facts.price) : reported.usage
  const { cost, unpriced } = costOf(usage, facts.price, 'rates')
  const upstreamCost = upstreamCostOf(usage, facts.price, facts.offerCost)
  const unknown = [...unpriced, ...usage.unknown]
  const isHidden = end.status === 'cancelled' && reported.source === 'none'
  const unreported = isHidden ? costByTime(facts, limits, clock.wallMs()) : 0n
  const about = { response: open.responseId, upstream: open.upstream, model: facts.price.model }
  if (unknown.length > 0) log.warn({ ...about, meters: unknown }, 'a response reports usage without a price')
  if (reported.source !== 'reported')
    log.warn(
      { ...about, status: end.status, implausible: reported.implausible },
      reported.source === 'none'
        ? 'a background response ended without usage'
        : 'a background response ended without usage that can be right; it was counted instead',
    )
  const writtenOff = row.payer === 'platform' ? upstreamCost : unreported
  const settlement: Settlement = {
    id: open.id,
    nowMs: clock.wallMs(),
    cost: row.payer === 'customer' ? cost : 0n,
    writtenOff,
    causedWriteOff: row.reason === 'client_abort' ? writtenOff : 0n,
    writeOffEntryId: nextId(),
    excessCausedBy: facts.excessCausedBy,
    providerObjects: 'providerObjects' in end ? end.providerObjects : [],
    receipt: {
      ...draftOf(facts, usage),
      upstream: open.upstream,
      status: row.status,
      endReason: row.reason,
      errorCode: row.error,
      usageSource: reported.source,
      unpricedUsage: unknown.length > 0,
      implausible: reported.implausible,
      upstreamCost,
    },
  }
  return { settlement, model: facts.price.model }
}

/**
 * Estimates by time, as for hidden reasoning of disconnected clients, the cost of a canceled response that its provider does not
 * report. The customer is not charged; the cost counts toward the losses that the account caused.
 */
function costByTime(
  { startedMs, outputLimit, price }: ResponseFacts,
  { hiddenReasoningTokensPerSecond }: SettleResponseDeps['limits'],
  nowMs: number,
): bigint {
  const seconds = Math.max(0, nowMs - startedMs) / 1_000
  const output = Math.min(Math.ceil(seconds * hiddenReasoningTokensPerSecond), outputLimit)
  return costOf({ ...nothing, output }, price, 'list').cost
}

interface BilledUsage {
  readonly usage: Usage
  readonly source: UsageSource
  readonly implausible: ReceiptDraft['implausible']
}

/** The plausible part of the reported usage; of a response that was delivered the rest is counted. */
async function billedUsage(
  counter: SettleResponseDeps['counter'],
  { price, usageMax, waived, cacheLifetime, inputCount }: ResponseFacts,
  end: ResponseEnd,
): Promise<BilledUsage> {
  if (!('rawUsage' in end)) return { usage: nothing, source: 'none', implausible: null }
  const totals = format.reportedTotals(end.rawUsage)
  const billable = withoutWaived(format.toUsage(end.rawUsage, cacheLifetime), waived)
  const max = { ...usageMax, pricedMeters: price.fees }
  const known = plausibility(billable, max, contradictions(format, end.rawUsage, end.sample))
  const { usage, implausible } = known
  const isReported = { input: totals.input && known.input, output: totals.output && known.output }
  if (isReported.input && isReported.output) return { usage, source: 'reported', implausible }
  const hasReport = totals.input || totals.output
  if (end.status !== 'completed' && (end.status !== 'cancelled' || !hasReport))
    return { usage, source: hasReport ? 'reported' : 'none', implausible }
  const output = await countedOutput(counter, end.sample, usageMax.outputTokens)
  const isEstimated =
    (!isReported.input && inputCount.isEstimated) || (!isReported.output && output.isEstimated)
  return {
    usage: {
      ...usage,
      ...(isReported.input ? {} : { ...noInput, inputUncached: inputCount.tokens }),
      // A report that is too small to be right is the least that was produced.
      ...(isReported.output || output.tokens < outputTokens(usage)
        ? {}
        : { ...noOutput, output: output.tokens }),
    },
    source: isEstimated ? 'estimated' : 'counted',
    implausible,
  }
}

type DraftFields = Omit<
  ReceiptDraft,
  | 'upstream'
  | 'status'
  | 'endReason'
  | 'errorCode'
  | 'usageSource'
  | 'unpricedUsage'
  | 'implausible'
  | 'upstreamCost'
>

function draftOf(facts: ResponseFacts, { unknown: _flagged, servedOptions, ...usage }: Usage): DraftFields {
  return {
    ...usage,
    ranAt: servedOptions,
    provider: facts.provider,
    upstreamModel: facts.upstreamModel,
    upstreamRequestId: facts.upstreamRequestId,
    inputBound: facts.inputBound,
    background: true,
    outputLimit: facts.outputLimit,
    outputLowered: facts.outputLowered,
    settledLate: false,
    startedMs: facts.startedMs,
    firstByteMs: facts.firstByteMs,
    attempts: facts.attempts,
    person: facts.person,
    ownKey: false,
    ownKeyFee: null,
    offerCost: offerCostText(facts.offerCost),
  }
}
