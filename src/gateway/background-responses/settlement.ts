/**
 * Settles a background response after its request has ended: the facts that settlement needs are stored when the
 * response starts, and its cost is computed here from the provider's final report. Pure except for ids, the date and
 * warnings.
 */
import { noTokens } from '../../../contract/meters.ts'
import type { Clock } from '../../base/clock.ts'
import type { ErrorCode } from '../../base/errors.ts'
import type { NextId } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import type { PriceVersion } from '../../catalog/types.ts'
import type { OpenResponse } from '../../ledger/background-response-types.ts'
import { plausibility, type UsageMax, usageMaxOf, withoutWaived } from '../../ledger/rules/plausibility.ts'
import { costOf, type InputBoundSource, withRequestFee } from '../../ledger/rules/price.ts'
import type { Attempt, EndReason, ExcessCause, ReceiptDraft, Settlement } from '../../ledger/types.ts'
import type { ResponseState } from '../../wire/openai-responses/extract-response.ts'
import { backgroundResponses as dialect } from '../../wire/openai-responses/index.ts'
import type { Usage } from '../../wire/usage.ts'
import type { Hold, RequestContext, RequestPlan, UpstreamResponse } from '../request.ts'

/** What is stored of a request whose response is still running. */
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
  readonly waived: readonly string[]
  readonly price: PriceVersion
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
    waived: plan.serverTools.waived,
    price: plan.price,
  }
}

/** As JSON; amounts are `{"nano":"1"}`, infinite counts are null. */
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

/** Who pays the reported usage of each end. Without reported usage nothing is charged. */
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

const nothing: Usage = { ...noTokens, fees: {}, ranAt: [], unknown: [] }

export interface SettleResponseDeps {
  readonly nextId: NextId
  readonly clock: Clock
  readonly log: Log
  readonly limits: { readonly hiddenReasoningTokensPerSecond: number }
}

export interface SettledResponse {
  readonly settlement: Settlement
  /** Public name. */
  readonly model: string
}

export function settlementOf(
  { nextId, clock, log, limits }: SettleResponseDeps,
  open: OpenResponse,
  of: { readonly end: ResponseEnd; readonly cause: CancelCause },
): SettledResponse {
  const { end, cause } = of
  const facts = readFacts(open.facts)
  const row =
    end.status === 'cancelled'
      ? cancelRules[cause]
      : endRules[end.status === 'running' ? 'expired' : end.status]
  const reported = reportedUsage(facts, end)
  const usage =
    end.status === 'completed' && reported.isReported
      ? withRequestFee(reported.usage, facts.price)
      : reported.usage
  const { cost, unpriced } = costOf(usage, facts.price, 'rates')
  const upstreamCost = costOf(usage, facts.price, 'list').cost
  const unknown = [...unpriced, ...usage.unknown]
  const isHidden = end.status === 'cancelled' && !reported.isReported
  const unreported = isHidden ? costByTime(facts, limits, clock.wallMs()) : 0n
  const about = { response: open.responseId, upstream: open.upstream, model: facts.price.model }
  if (unknown.length > 0) log.warn({ ...about, meters: unknown }, 'a response reports usage without a price')
  if (!reported.isReported)
    log.warn({ ...about, status: end.status }, 'a background response ended without usage')
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
      usageSource: reported.isReported ? 'reported' : 'none',
      unpricedUsage: unknown.length > 0,
      implausible: reported.implausible,
      upstreamCost,
    },
  }
  return { settlement, model: facts.price.model }
}

/**
 * What a canceled response may have cost where its provider does not report it: an estimate by time, as for hidden
 * reasoning of disconnected clients. The customer is not charged; it counts toward the losses that the account caused.
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

/** The plausible part of the reported usage; nothing can be counted here, because the request is not stored. */
function reportedUsage({ price, usageMax, waived }: ResponseFacts, end: ResponseEnd) {
  if (!('rawUsage' in end)) return { usage: nothing, isReported: false, implausible: null }
  const totals = dialect.reportedTotals(end.rawUsage)
  const billable = withoutWaived(dialect.toUsage(end.rawUsage), waived)
  const { usage, implausible } = plausibility(billable, { ...usageMax, pricedMeters: price.fees })
  return { usage, isReported: totals.input || totals.output, implausible }
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

function draftOf(facts: ResponseFacts, { unknown: _flagged, ...usage }: Usage): DraftFields {
  return {
    ...usage,
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
  }
}
