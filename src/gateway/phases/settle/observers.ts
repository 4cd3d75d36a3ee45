/**
 * Records each settlement once it is durable: one list of observers, made when the server starts. Observers decide nothing and must
 * not fail.
 */
import { inputTokens, outputTokens } from '../../../../contract/meters.ts'
import { steadyClock } from '../../../base/clock.ts'
import type { Log } from '../../../base/log.ts'
import type { Catalog } from '../../../catalog/catalog.ts'
import { costPrice } from '../../../catalog/offers/below-cost.ts'
import type { PriceVersion } from '../../../catalog/types.ts'
import { formatUsd } from '../../../ledger/rules/money.ts'
import { costOf } from '../../../ledger/rules/price.ts'
import type { ReceiptDraft } from '../../../ledger/types.ts'
import type { Speeds } from '../../../providers/speeds.ts'
import type { OfferStatistics } from '../../../usage/offer-statistics.ts'
import type { MeasuredSettlement, Metrics } from '../../observation/metrics.ts'
import { type TracingDeps, traceSettled } from '../../observation/request-tracing.ts'
import type { AnsweredWork, Candidate, RequestContext } from '../../request.ts'
import type { UnrequestedTiers } from '../../targets/routing.ts'
import { type WastedCost, withoutWasted } from './billing.ts'

export interface ObservedSettlement extends MeasuredSettlement {
  /** null: a background response, whose request has ended. */
  readonly served: ServedWork | null
}

interface ServedWork {
  readonly context: RequestContext
  readonly request: AnsweredWork
  readonly wasted: WastedCost
}

export type ObserveSettlement = (settled: ObservedSettlement) => void

export interface ObserverDeps extends TracingDeps {
  readonly metrics: Pick<Metrics, 'settled'>
  readonly speeds: Pick<Speeds, 'note'>
  readonly offerStatistics: Pick<OfferStatistics, 'settled'>
  readonly unrequestedTiers: Pick<UnrequestedTiers, 'note'>
  readonly catalog: { readonly snapshot: Pick<Catalog['snapshot'], 'models'> }
  readonly log: Log
}

/** Settlements of background responses are only measured and traced. */
export function settlementObserver(deps: ObserverDeps): ObserveSettlement {
  const ofServed = [noteUsedTokens, noteSpeed, noteOffer, noteWasted, warnOfExcess]
  return (settled) => {
    const { served } = settled
    deps.metrics.settled(settled)
    traceSettled(deps, served?.context ?? null, settled)
    if (served !== null) for (const note of ofServed) note(deps, served, settled)
  }
}

/**
 * Corrects the upstream's tokens per minute by the actual usage. Without a response, the upstream's count is unknown, so the
 * estimate stays until the minute is over.
 */
function noteUsedTokens(
  _: ObserverDeps,
  { request: { upstreamResponse } }: ServedWork,
  { settlement: { receipt } }: MeasuredSettlement,
): void {
  const { body, tokensUsed } = upstreamResponse
  if (body.kind !== 'stream' && body.kind !== 'answer') return
  tokensUsed({ input: inputTokens(receipt), output: outputTokens(receipt) })
}

/** Fewer tokens than this say nothing of an upstream's speed. */
const speedTokensMin = 16

/** How fast the offer streamed a complete response, for routing. */
function noteSpeed(
  { speeds, clock }: ObserverDeps,
  { context, request: { upstreamResponse } }: ServedWork,
  { settlement: { receipt } }: MeasuredSettlement,
): void {
  const { body, candidate, attempts, firstContentMs } = upstreamResponse
  const { endReason, output } = receipt
  const attempt = attempts.at(-1)
  if (body.kind !== 'stream' || candidate === null || endReason !== 'complete') return
  if (attempt === undefined || attempt.firstByteMs === null) return
  const streamedMs = firstContentMs === null ? 0 : steadyClock(clock, context).wallMs() - firstContentMs
  speeds.note(candidate.upstream.name, candidate.offer.upstreamModel, {
    firstByteMs: attempt.firstByteMs - attempt.startedMs,
    tokensPerSecond: output < speedTokensMin || streamedMs <= 0 ? null : (output * 1_000) / streamedMs,
  })
}

/** Records the cost and time to first byte of the offer; on an account's own key the request costs the operator nothing. */
function noteOffer(
  deps: ObserverDeps,
  { request: { plan, upstreamResponse }, wasted }: ServedWork,
  { settlement }: MeasuredSettlement,
): void {
  const { body, candidate, attempts } = upstreamResponse
  const { price, options } = plan
  const receipt = withoutWasted(wasted, settlement.receipt)
  if (candidate === null || receipt.ownKey) return
  deps.unrequestedTiers.note(candidate.offer, receipt.ranAt, options, price.options)
  const attempt = attempts.at(-1)
  const isMeasured = body.kind === 'stream' && attempt !== undefined && attempt.firstByteMs !== null
  deps.offerStatistics.settled(candidate.upstream.name, candidate.offer.upstreamModel, {
    firstByteMs: isMeasured ? (attempt.firstByteMs ?? attempt.startedMs) - attempt.startedMs : null,
    cost: costAt(deps, candidate, receipt, price),
  })
}

/** Where the offer has no cost of its own, the list price under which the catalog knows the model at the upstream. */
function costAt(
  { catalog, clock }: Pick<ObserverDeps, 'catalog' | 'clock'>,
  { offer }: Candidate,
  receipt: ReceiptDraft,
  price: PriceVersion,
): bigint {
  // The most frequent case needs no lookup: the model is sold under its own name at its own provider.
  const isOwnPrice = price.model === offer.upstreamModel && receipt.provider === offer.upstream.provider
  if (offer.cost !== undefined || isOwnPrice) return receipt.upstreamCost
  const known = costPrice(catalog.snapshot, offer, clock.wallMs())
  return known === undefined || known.model === price.model
    ? receipt.upstreamCost
    : costOf({ ...receipt, servedOptions: receipt.ranAt }, known, 'list').cost
}

/** Records the cost of undelivered attempts, each under the name of its offer. */
function noteWasted({ offerStatistics }: ObserverDeps, { wasted }: ServedWork): void {
  for (const { candidate, cost } of wasted.attempts)
    offerStatistics.settled(candidate.upstream.name, candidate.offer.upstreamModel, {
      firstByteMs: null,
      cost,
    })
}

/** Logs usage above the hold, which is not charged, and usage that was counted because none was reported that can be right. */
function warnOfExcess(
  { log }: ObserverDeps,
  { context, request: { plan, upstreamResponse } }: ServedWork,
  { settlement, result }: MeasuredSettlement,
): void {
  const excess = result.writtenOff - settlement.writtenOff
  const { implausible, usageSource, endReason } = settlement.receipt
  const isCounted = implausible !== null || (endReason === 'complete' && usageSource !== 'reported')
  if (excess === 0n && !isCounted) return
  log.warn(
    {
      request: context.requestId,
      upstream: upstreamResponse.candidate?.upstream.name ?? '',
      model: plan.model.name,
      writtenOffUsd: formatUsd(excess),
      implausible,
    },
    excess === 0n
      ? 'upstream reported no usage that can be right; it was counted instead'
      : 'upstream reported usage above the hold; the excess was not charged',
  )
}
