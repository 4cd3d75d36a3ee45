/** How an offer does, as operators see it: its health, and what it did over a period. */
import type { OperationOutput } from '../../../contract/operations.ts'
import { formatUsd } from '../../../contract/usd.ts'
import type { PeriodSums } from '../../usage/offer-statistics.ts'
import type { ControlDeps } from '../control-deps.ts'
import { isoTimeOrNull } from '../iso-time.ts'

export type OfferStatusOut = OperationOutput<'offers.show'>['offers'][number]['status']

interface AskedOffer {
  readonly upstream: string
  readonly upstreamModel: string
  readonly disabled: boolean
}

export function offerStatusOut(
  { health, sums }: Pick<ControlDeps, 'health'> & { readonly sums: PeriodSums },
  { upstream, upstreamModel, disabled }: AskedOffer,
): OfferStatusOut {
  const { state, untilMs } = health.offerState(upstream, upstreamModel)
  const { cost, ...counts } = sums.of(upstream, upstreamModel)
  return {
    state: disabled ? 'disabled' : state,
    until: disabled ? null : isoTimeOrNull(untilMs),
    ...counts,
    cost: formatUsd(cost),
  }
}
