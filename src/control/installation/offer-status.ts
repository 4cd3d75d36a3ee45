/** How an offer does, as operators see it: its health, and what it did over a period. */
import type { OperationOutput } from '../../../contract/operations.ts'
import { formatUsd } from '../../../contract/usd.ts'
import type { ControlDeps } from '../control-deps.ts'
import { isoTimeOrNull } from '../iso-time.ts'

export type OfferStatusOut = OperationOutput<'offers.show'>['offers'][number]['status']

interface AskedOffer {
  readonly upstream: string
  readonly upstreamModel: string
  readonly disabled: boolean
  readonly period: 'hour' | 'day'
}

export function offerStatusOut(
  { health, offerStatistics }: Pick<ControlDeps, 'health' | 'offerStatistics'>,
  { upstream, upstreamModel, disabled, period }: AskedOffer,
): OfferStatusOut {
  const { state, untilMs } = health.offerState(upstream, upstreamModel)
  const { cost, ...sums } = offerStatistics.sums(upstream, upstreamModel, period)
  return {
    state: disabled ? 'disabled' : state,
    until: disabled ? null : isoTimeOrNull(untilMs),
    ...sums,
    cost: formatUsd(cost),
  }
}
