/**
 * Merges all definitions of each model into a draft per name: ready to be enabled, or with the reason why not. Pure;
 * prices have no IDs yet.
 */

import { isConversationFormat } from '../../contract/formats.ts'
import { runSteps, type Steps } from '../base/steps.ts'
import type { ModelDefinition, PriceDefinition, UpstreamDefinition } from './definition.ts'
import { type MergedModels, mergeSteps } from './merged-definitions.ts'
import {
  formatsAt,
  nameThere,
  type OfferedModel,
  type OfferFinder,
  offerFinder,
  providerOf,
} from './offers/offers.ts'
import { type PriceBody, parseMarkup, priceBodies, priceText } from './prices/prices.ts'
import type { CatalogSources } from './sources.ts'
import { billingProviders, type Model } from './types.ts'

export interface PriceDraft {
  readonly model: string
  readonly effectiveFromMs: number
  readonly body: PriceBody
  /** The body as canonical text: the same text is the same version. */
  readonly text: string
  readonly source: string
}

interface DraftFacts {
  readonly name: string
  readonly provider?: string | undefined
  /** The upstreams that the model names for itself. */
  readonly upstreams?: readonly string[] | undefined
}

export type Draft =
  | (DraftFacts & { readonly kind: 'unsold'; readonly reason: string })
  | (DraftFacts & {
      readonly kind: 'sold'
      readonly model: Omit<Model, 'prices'>
      /** Ascending by time; never empty. */
      readonly prices: readonly PriceDraft[]
    })

/** Drafts a model for every name, aliases included. */
export function draftModels(sources: CatalogSources): readonly Draft[] {
  return runSteps(draftSteps(sources)).drafts
}

/** Drafts with the merged definitions, in steps of about one model. */
export function* draftSteps(
  sources: CatalogSources,
): Steps<{ readonly drafts: readonly Draft[]; readonly merged: MergedModels }> {
  const merged = yield* mergeSteps(sources)
  const deps = { sources, disabled: disabledNames(sources), finder: offerFinder(sources) }
  const drafts = new Map<string, Draft>()
  for (const [id, definition] of merged) {
    drafts.set(id, draft(definition, deps))
    yield
  }
  for (const [alias, target] of Object.entries(sources.aliases)) {
    if (!drafts.has(alias)) drafts.set(alias, aliasDraft(alias, target, { ...deps, drafts }))
    yield
  }
  for (const { models = [] } of sources.upstreams) {
    if (models === 'all') continue
    for (const { id } of models) {
      if (!drafts.has(id)) drafts.set(id, { kind: 'unsold', name: id, reason: notDefined })
    }
  }
  return { drafts: [...drafts.values()], merged }
}

/** The draft of a model that is not an alias, from its merged definition; undefined: the model is unknown. */
export function draftOf(name: string, sources: CatalogSources, merged: MergedModels): Draft | undefined {
  const known = merged.get(name)
  if (known !== undefined) {
    return draft(known, { sources, disabled: disabledNames(sources), finder: offerFinder(sources) })
  }
  const isListed = sources.upstreams.some(
    ({ models = [] }) => models !== 'all' && models.some(({ id }) => id === name),
  )
  return isListed ? { kind: 'unsold', name, reason: notDefined } : undefined
}

/** Output without a rate; a model that produces it cannot be billed. */
const outputsWithoutRate = ['image', 'video']

/** Only conversations have tokens of output. */
export function outputTokensMax({ formats, maxOutput }: ModelDefinition): number | undefined {
  const converses = formats === undefined || formats.some(isConversationFormat)
  return maxOutput ?? (converses ? undefined : 0)
}

const notReachable = 'not reachable yet in any format that this version speaks'

const noLimits = 'context and maxOutput are unknown'
const noPrice = 'no price is known'

const notDefined = 'an upstream lists it, but it is not a known model: add it with its limits and price'
const noOffer = 'it has no upstream: add it to an upstream, or name the upstreams that serve it'

/** Whether an operator can enable the model by adding missing facts. */
export function isMendable(reason: string): boolean {
  return [noLimits, noPrice, notDefined, noOffer].includes(reason)
}

/** Why no upstream serves a model. */
function withoutOffer(
  model: OfferedModel,
  finder: OfferFinder,
  { providers, upstreams }: CatalogSources,
): string {
  const named = namedUpstreams(model)
  if (named !== undefined) return `none of its upstreams (${named.join(', ')}) can serve it`
  if (!finder.isProvidersOwn(model)) return noOffer
  const facts = providers.find(({ provider }) => provider === model.provider)
  const name = facts?.displayName ?? model.provider
  const own = upstreams.filter(({ provider }) => provider === model.provider)
  const isListed = own.some(({ formats, models }) => formats !== undefined && lists(models, model.id))
  if (isListed) return `no upstream of ${name} has an API format for it`
  return own.length > 0
    ? `no upstream of ${name} serves it: add it to the models of one`
    : `no upstream with an API key is configured for ${name}`
}

function lists(models: UpstreamDefinition['models'], id: string): boolean {
  return models === 'all' || models?.some((listed) => listed.id === id) === true
}

function namedUpstreams({ offers }: Pick<ModelDefinition, 'offers'>): readonly string[] | undefined {
  return offers && [...new Set(offers.map(({ upstream }) => upstream))]
}

interface DraftDeps {
  readonly sources: CatalogSources
  readonly disabled: ReadonlySet<string>
  readonly finder: OfferFinder
}

function draft(definition: ModelDefinition, { sources, disabled, finder }: DraftDeps): Draft {
  const { id } = definition
  const provider = providerOf(definition, sources)
  const facts = { name: id, provider, upstreams: namedUpstreams(definition) }
  const unsold = (reason: string): Draft => ({ kind: 'unsold', ...facts, reason })
  if (disabled.has(id)) return unsold('disabled by an administrator')
  if (provider === undefined) return unsold('the provider is missing and cannot be detected from the name')
  const providerFacts = sources.providers.find((known) => known.provider === provider)
  const offered = { ...definition, provider }
  const catalogName = nameThere(offered, sources.providers)
  const reachable =
    providerFacts === undefined ? [] : formatsAt(definition.formats, providerFacts, catalogName)
  if (definition.offers === undefined && reachable.length === 0) return unsold(notReachable)
  const offers = finder.offersOf(offered)
  if (offers.length === 0) return unsold(withoutOffer(offered, finder, sources))
  const { context, outputs = ['text'] } = definition
  const maxOutput = outputTokensMax(definition)
  if (context === undefined || maxOutput === undefined) return unsold(noLimits)
  const unpriced = outputs.find((output) => outputsWithoutRate.includes(output))
  if (unpriced !== undefined) return unsold(`its ${unpriced} output has no price`)
  const prices = priceDrafts(definition, billingProviders({ name: id, provider, offers }), sources)
  if (prices.length === 0) return unsold(noPrice)
  const released = definition.released === undefined ? null : Date.parse(definition.released)
  const model = {
    name: id,
    provider,
    upstreamModel: catalogName,
    formats: [...new Set(offers.flatMap(({ formats }) => formats))],
    displayName: definition.displayName ?? id,
    releasedMs: released,
    contextTokens: context,
    inputTokensMax: definition.maxInput ?? context,
    outputTokensMax: maxOutput,
    inputs: definition.inputs ?? ['text'],
    outputs,
    reasons: definition.reasoning ?? false,
    takesTools: definition.tools ?? true,
    deprecated: definition.deprecated ?? false,
    testModel: definition.testModel ?? null,
    offers,
    strategy: definition.strategy ?? 'weight',
    fallbacks: definition.fallbacks ?? [],
  }
  return { kind: 'sold', ...facts, model, prices }
}

/** An alias is the same model under another name, with the same upstream request and price. */
function aliasDraft(
  alias: string,
  target: string,
  known: Omit<DraftDeps, 'finder'> & { readonly drafts: ReadonlyMap<string, Draft> },
): Draft {
  const unsold = (reason: string): Draft => ({ kind: 'unsold', name: alias, reason })
  if (known.disabled.has(alias)) return unsold('disabled by an administrator')
  const model = known.drafts.get(target)
  if (model === undefined || Object.hasOwn(known.sources.aliases, target)) {
    return unsold(`it is an alias of ${target}, which is not a model`)
  }
  if (model.kind === 'unsold')
    return unsold(`it is an alias of ${target}, which is not enabled: ${model.reason}`)
  return { ...model, name: alias, model: { ...model.model, name: alias } }
}

function disabledNames({ disabled, overrides }: CatalogSources): ReadonlySet<string> {
  return new Set([...disabled, ...overrides.flatMap((row) => (row.disabled ? [row.name] : []))])
}

function priceDrafts(
  definition: ModelDefinition,
  providers: readonly string[],
  { markup, markupFromMs }: Pick<CatalogSources, 'markup' | 'markupFromMs'>,
): readonly PriceDraft[] {
  const raised = definition.markup ?? markup
  const factor = raised === null ? undefined : parseMarkup(raised)
  const groups = (definition.prices ?? [])
    .map((price) => priceGroup(definition.id, price, priceBodies(price, providers, factor ?? null)))
    .sort((earlier, later) => earlier.effectiveFromMs - later.effectiveFromMs)
  const isEverybodys = definition.markup === undefined
  const used = isEverybodys && markupFromMs !== undefined ? since(groups, markupFromMs) : groups
  return used.flatMap(({ drafts }) => drafts)
}

interface PriceGroup {
  readonly effectiveFromMs: number
  readonly drafts: readonly PriceDraft[]
}

/** The price in force at a moment starts there as a new version; earlier ones are history. */
function since(groups: readonly PriceGroup[], fromMs: number): readonly PriceGroup[] {
  const present = groups.findLastIndex(({ effectiveFromMs }) => effectiveFromMs <= fromMs)
  return groups.slice(Math.max(0, present)).map((group, index) => {
    if (index > 0 || present < 0) return group
    const drafts = group.drafts.map((draft) => ({ ...draft, effectiveFromMs: fromMs }))
    return { effectiveFromMs: fromMs, drafts }
  })
}

function priceGroup(model: string, price: PriceDefinition, bodies: readonly PriceBody[]): PriceGroup {
  const drafts = bodies.map((body) => priceDraft(model, price, body))
  return { effectiveFromMs: drafts[0]?.effectiveFromMs ?? 0, drafts }
}

function priceDraft(model: string, price: PriceDefinition, body: PriceBody): PriceDraft {
  return {
    model,
    effectiveFromMs: price.effectiveFrom === undefined ? 0 : Date.parse(price.effectiveFrom),
    body,
    text: priceText(body),
    source: price.source ?? 'an administrator',
  }
}
