/** What a settled request cost at its offer, and its time to first byte, noted for operators. */
import type { Clock } from '../../../base/clock.ts'
import { costPrice } from '../../../catalog/below-cost.ts'
import type { PriceVersion, Snapshot } from '../../../catalog/types.ts'
import { costOf } from '../../../ledger/rules/price.ts'
import type { ReceiptDraft } from '../../../ledger/types.ts'
import type { OfferStatistics } from '../../../usage/offer-statistics.ts'
import type { Candidate, RequestPlan, UpstreamResponse } from '../../request.ts'
import type { UnrequestedTiers } from '../../unrequested-tiers.ts'
import type { WastedCost } from './wasted-cost.ts'

export interface OfferNoteDeps {
  readonly offerStatistics: Pick<OfferStatistics, 'settled'>
  readonly unrequestedTiers: Pick<UnrequestedTiers, 'note'>
  readonly snapshot: Pick<Snapshot, 'models'>
  readonly clock: Clock
}

/** Notes a settled request; on an account's own key it costs the operator nothing. */
export function noteOffer(
  deps: OfferNoteDeps,
  { body, candidate, attempts }: Pick<UpstreamResponse, 'body' | 'candidate' | 'attempts'>,
  receipt: ReceiptDraft,
  { price, options }: Pick<RequestPlan, 'price' | 'options'>,
): void {
  if (candidate === null || receipt.ownKey) return
  deps.unrequestedTiers.note(candidate.offer, receipt.ranAt, options, price.options)
  const attempt = attempts.at(-1)
  const isMeasured = body.kind === 'stream' && attempt !== undefined && attempt.firstByteMs !== null
  deps.offerStatistics.settled(candidate.upstream.name, candidate.offer.upstreamModel, {
    firstByteMs: isMeasured ? (attempt.firstByteMs ?? attempt.startedMs) - attempt.startedMs : null,
    cost: costAt(deps, candidate, receipt, price),
  })
}

/** Notes what the attempts cost whose responses were not delivered, each under the name of its offer. */
export function noteWasted(
  { offerStatistics }: Pick<OfferNoteDeps, 'offerStatistics'>,
  wasted: WastedCost,
): void {
  for (const { candidate, cost } of wasted.attempts)
    offerStatistics.settled(candidate.upstream.name, candidate.offer.upstreamModel, {
      firstByteMs: null,
      cost,
    })
}

/** Where the offer has no cost of its own, the list price under which the catalog knows the model at the upstream. */
function costAt(
  { snapshot, clock }: OfferNoteDeps,
  { offer }: Candidate,
  receipt: ReceiptDraft,
  price: PriceVersion,
): bigint {
  // The most frequent case needs no lookup: the model is sold under its own name at its own provider.
  const isOwnPrice = price.model === offer.upstreamModel && receipt.provider === offer.upstream.provider
  if (offer.cost !== undefined || isOwnPrice) return receipt.upstreamCost
  const known = costPrice(snapshot, offer, clock.wallMs())
  return known === undefined || known.model === price.model
    ? receipt.upstreamCost
    : costOf(receipt, known, 'list').cost
}
