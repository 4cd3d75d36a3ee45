/** `models.*`: what is sold, at which prices, and from which upstreams. */

import type { OperationOutput } from '../../contract/operations.ts'
import { formatUsd } from '../../contract/usd.ts'
import { TollgateError } from '../base/errors.ts'
import { eventLoopTurns, runInTurns, type Steps } from '../base/steps.ts'
import type { CatalogChange } from '../catalog/catalog.ts'
import { priceOut } from '../catalog/listing.ts'
import { type BelowCost, belowCost } from '../catalog/offers/below-cost.ts'
import { weekTimeText } from '../catalog/prices/price-schedule.ts'
import { wholeRates, writtenRates } from '../catalog/prices/prices.ts'
import {
  billingProviders,
  type PriceVersion,
  priceAt,
  pricesOfWeek,
  type Snapshot,
} from '../catalog/types.ts'
import type { ControlDeps, OperationHandlers } from './control-deps.ts'
import { upstreamNotFound } from './upstream-status.ts'
import { isoTimeOrNull } from './values.ts'

export const modelHandlers = {
  'models.list': async (deps, { all = false }) => {
    const { snapshot } = deps.catalog
    const nowMs = deps.clock.wallMs()
    const listed = [...snapshot.models].filter(([, { testModel }]) => all || testModel !== 'special')
    const names = [...listed.map(([name]) => name).sort(), ...[...snapshot.unsold.keys()].sort()]
    return await runInTurns(modelOutputSteps(snapshot, names, nowMs), turns)
  },

  'models.add': async (deps, asked) => {
    const change = await deps.catalog.add({
      id: asked.model,
      provider: asked.provider,
      upstreamId: asked.upstreamModel,
      offers: asked.upstreams?.map((upstream) => ({ upstream })),
      formats: asked.formats,
      displayName: asked.displayName,
      context: asked.contextTokens,
      maxOutput: asked.outputTokensMax,
      inputs: asked.inputs,
      outputs: asked.outputs,
      reasoning: asked.reasons,
      tools: asked.takesTools,
      prices: asked.price === undefined ? undefined : [asked.price],
    })
    return showChanged(deps, change, asked.model)
  },

  'models.price': async (deps, { model, price }) =>
    showChanged(deps, await deps.catalog.price(model, price), model),

  'models.prices': async ({ catalog }, { model }) => {
    const { models, unsold } = catalog.snapshot
    const rows = await catalog.prices(model)
    if (rows.length === 0 && !models.has(model) && !unsold.has(model)) throw modelNotFound(model, [])
    return rows.map((row) => priceOut(row) as Price)
  },

  'models.routing': async (deps, { model, ...asked }) =>
    showChanged(deps, await deps.catalog.setRouting(model, asked), model),

  'models.offer': async (deps, asked) => {
    const { model, upstream, upstreamModel } = asked
    const change = await deps.catalog.offer({
      ...{ model, upstream, upstreamModel, priority: asked.priority, weight: asked.weight, cost: asked.cost },
      definition: {
        formats: asked.formats,
        context: asked.contextTokens,
        maxOutput: asked.outputTokensMax,
        outputs: asked.outputs,
        markup: asked.markup,
        prices: asked.price === undefined ? undefined : [asked.price],
      },
    })
    if (change.kind === 'unknown_upstream') throw upstreamNotFound(upstream)
    return showChanged(deps, change, model, ['models', 'upstreams'])
  },

  'models.disable': async (deps, { model }) => showChanged(deps, await deps.catalog.disable(model), model),

  'models.enable': async (deps, { model }) => showChanged(deps, await deps.catalog.enable(model), model),
} satisfies Partial<OperationHandlers>

/** A model takes some 40 microseconds. */
const turns = eventLoopTurns(25)

type Price = OperationOutput<'models.prices'>[number]

/** The model as it is after the change, of which every window learns. Throws unless the catalog took it. */
function showChanged(
  { catalog, changes, clock }: Pick<ControlDeps, 'catalog' | 'changes' | 'clock'>,
  change: CatalogChange,
  model: string,
  topics: Parameters<ControlDeps['changes']['publishToAll']>[0] = ['models'],
): ModelOutput {
  assertChanged(change, model)
  changes.publishToAll(topics)
  return modelOutput(catalog.snapshot, model, clock.wallMs())
}

/** Throws unless the catalog took the change. */
export function assertChanged(change: CatalogChange, model: string): void {
  switch (change.kind) {
    case 'changed':
      return
    case 'unknown_model':
      throw modelNotFound(model, change.nearest)
    case 'mistake':
      throw new TollgateError('invalid_value', { message: `${change.message}.` })
  }
}

export function modelNotFound(model: string, nearest: readonly string[]): TollgateError {
  return new TollgateError('model_not_found', {
    message: `Unknown model ${JSON.stringify(model)}.${nearest.length === 0 ? '' : ` Did you mean ${nearest.join(', ')}?`}`,
    param: 'model',
    facts: { nearest },
  })
}

type ModelOutput = OperationOutput<'models.list'>[number]
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
      formats: [...model.formats],
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
