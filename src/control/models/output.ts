/** A model as the control plane shows it. */
import type { OperationOutput } from '../../../contract/operations.ts'
import { formatUsd } from '../../../contract/usd.ts'
import type { Steps } from '../../base/steps.ts'
import { type BelowCost, belowCost } from '../../catalog/below-cost.ts'
import { priceOut } from '../../catalog/listing.ts'
import { weekTimeText } from '../../catalog/price-schedule.ts'
import { wholeRates, writtenRates } from '../../catalog/prices.ts'
import {
  billingProviders,
  type PriceVersion,
  priceAt,
  pricesOfWeek,
  type Snapshot,
} from '../../catalog/types.ts'
import type { ControlDeps } from '../control-deps.ts'
import { isoTimeOrNull } from '../iso-time.ts'

export type ModelOutput = OperationOutput<'models.list'>[number]
type Details = NonNullable<ModelOutput['details']>

/** Whether requests can use it, without its details, which take some 20 microseconds. */
export function soldOutput(
  { models, unsold }: Pick<Snapshot, 'models' | 'unsold'>,
  name: string,
): Pick<ModelOutput, 'model' | 'sold' | 'reason'> {
  const sold = models.has(name)
  return { model: name, sold, reason: sold ? null : (unsold.get(name) ?? 'it is not known') }
}

/** `name` is one that the snapshot knows, sold or not. */
function modelOutput(snapshot: Snapshot, name: string, nowMs: number): ModelOutput {
  const model = snapshot.models.get(name)
  const named = snapshot.namedUpstreams.get(name)
  const namedUpstreams = named === undefined ? null : [...named]
  if (model === undefined) return { ...soldOutput(snapshot, name), namedUpstreams, details: null }
  const price = priceAt(model, nowMs)
  return {
    ...soldOutput(snapshot, name),
    namedUpstreams,
    details: {
      provider: model.provider,
      upstreamModel: model.upstreamModel,
      upstreams: model.offers.map(({ upstream }) => upstream.name),
      displayName: model.displayName,
      dialects: [...model.dialects],
      contextTokens: model.contextTokens,
      outputTokensMax: model.outputTokensMax,
      inputs: [...model.inputs],
      outputs: [...model.outputs],
      deprecated: model.deprecated,
      testModel: model.testModel,
      listPrice: listPriceOut(price, billingProviders(model)),
      price: priceOut(price) as Details['price'],
      strategy: model.strategy,
      fallbacks: [...model.fallbacks],
      scheduled: pricesOfWeek(model, nowMs).length > 1,
      belowCost: belowCost(snapshot, model, nowMs).map(belowCostOut),
    },
  }
}

export function belowCostOut({ price, cost, fromMs, atMs, ...row }: BelowCost): Details['belowCost'][number] {
  const at = atMs === null ? null : weekTimeText(atMs)
  return { ...row, price: formatUsd(price), cost: formatUsd(cost), from: isoTimeOrNull(fromMs), at }
}

/** The same for many models, one in each step. */
export function* modelOutputSteps(
  snapshot: Snapshot,
  names: readonly string[],
  nowMs: number,
): Steps<ModelOutput[]> {
  const outputs: ModelOutput[] = []
  for (const name of names) {
    outputs.push(modelOutput(snapshot, name, nowMs))
    yield
  }
  return outputs
}

/** A tier is written whole: what it left out grew with its base, which may be another one by then. */
function listPriceOut(
  { listRates, listTiers }: PriceVersion,
  providers: readonly string[],
): Details['listPrice'] {
  return {
    ...writtenRates(listRates, providers),
    tiers: listTiers.map(({ aboveInputTokens, rates }) => ({ aboveInputTokens, ...wholeRates(rates) })),
  }
}

/** The model as it is after a change. */
export function modelNow(
  { catalog, clock }: Pick<ControlDeps, 'catalog' | 'clock'>,
  name: string,
): ModelOutput {
  return modelOutput(catalog.snapshot, name, clock.wallMs())
}
