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
  /** The names that it is sold under. */
  readonly models: readonly string[]
  readonly disabled: boolean
}

export function offerStatusOut(
  { catalog, health, sums }: Pick<ControlDeps, 'catalog' | 'health'> & { readonly sums: PeriodSums },
  { upstream, upstreamModel, models, disabled }: AskedOffer,
): OfferStatusOut {
  const { state, untilMs } = health.offerState(upstream, upstreamModel)
  const { cost, ...counts } = sums.of(upstream, upstreamModel)
  return {
    state: disabled ? 'disabled' : state,
    until: disabled ? null : isoTimeOrNull(untilMs),
    testCase: models.some((name) => catalog.snapshot.models.get(name)?.testModel === 'special'),
    ...counts,
    cost: formatUsd(cost),
  }
}
