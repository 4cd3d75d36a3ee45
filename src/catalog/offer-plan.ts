/**
 * What offering a model at an upstream changes: the upstream's list, or the model's own definition. The plan is made
 * against the whole catalog, so that what would not be available afterwards is rejected before anything is stored. Pure.
 */
import type { ConsoleUpstream } from './console-upstreams.ts'
import type { CostDefinition, ModelDefinition, UpstreamDefinition, UpstreamModels } from './definition.ts'
import { type Draft, draftOf } from './drafts.ts'
import type { KnownCatalog } from './listed-upstreams.ts'
import { mergedOf } from './merged-definitions.ts'
import type { OfferChoice, OfferRow } from './offer-list.ts'
import { familyOf, modelsOf, nameThere, providerOf } from './offers.ts'
import type { Override } from './sources.ts'

export interface OfferAsk {
  /** The public name. */
  readonly model: string
  readonly upstream: string
  /** What it is called there, where that differs. */
  readonly upstreamModel?: string | undefined
  /** How its offers share requests and what this one costs; given any, the model has a list of offers from now on. */
  readonly priority?: number | undefined
  readonly weight?: number | undefined
  /** null: none. */
  readonly cost?: CostDefinition | null | undefined
  /** Facts and prices of the model that replace or come to those that are known; prices have dates. */
  readonly definition: Omit<ModelDefinition, 'id'>
}

export type OfferPlan =
  | {
      readonly kind: 'plan'
      readonly override: Override
      /** What the upstream lists from now on; null: its list stays. */
      readonly models: UpstreamModels | null
    }
  | { readonly kind: 'unknown_upstream' }
  | { readonly kind: 'mistake'; readonly message: string }

interface OfferSources extends KnownCatalog {
  /** Those that were added while the server runs. */
  readonly added: readonly ConsoleUpstream[]
}

/** What is written, or why nothing is. */
export function planOffer(ask: OfferAsk, known: OfferSources): OfferPlan {
  const { sources, added, merged } = known
  const { model, upstream: name } = ask
  const addedOne = added.find((one) => one.name === name)
  const upstream = sources.upstreams.find((one) => one.name === name) ?? addedOne
  if (upstream === undefined) return { kind: 'unknown_upstream' }
  const definition = merged.get(model)
  const own = (definition && providerOf(definition, sources)) ?? familyOf(model, sources.providers)
  const provider = ask.definition.provider ?? own ?? upstream.provider
  if (provider !== upstream.provider) {
    const message = `${model} is a model of ${provider}, but ${name} is an upstream of ${upstream.provider}: choose another name for it`
    return { kind: 'mistake', message }
  }
  const facts = sources.providers.find((one) => one.provider === provider)
  const hasList = addedOne !== undefined && facts !== undefined && modelsOf(upstream, facts) !== 'all'
  const before = sources.overrides.find((one) => one.name === model)
  const plain = withChange(before, model, {
    ...ask.definition,
    provider: own === undefined ? provider : undefined,
  })
  const there = ask.upstreamModel ?? nameThere({ id: model, provider }, sources.providers)
  const candidates = [
    // As it is: the upstream serves all of its provider's own models, or lists it already.
    { override: plain, models: null },
    hasList
      ? { override: plain, models: withListed(upstream, { id: model, upstreamId: ask.upstreamModel }) }
      : { override: naming(plain, ask, known), models: null },
  ]
  let reason = 'the upstream is disabled'
  for (const { override, models } of candidates) {
    const draft = draftWith({ override, upstream, models }, known)
    if (draft?.kind === 'unsold') reason = draft.reason
    const offer =
      draft?.kind === 'sold' ? draft.model.offers.find((one) => one.upstream.name === name) : undefined
    if (offer?.upstreamModel === there)
      return { kind: 'plan', override: { ...override, disabled: false }, models }
  }
  return { kind: 'mistake', message: `${model} cannot be offered at ${name}: ${reason}` }
}

/** Whether the offer is written to the model's own list of offers. */
export function isForList(
  { priority, weight, cost }: OfferAsk,
  present: ModelDefinition | undefined,
): boolean {
  return present?.offers !== undefined || [priority, weight, cost].some((given) => given !== undefined)
}

/** The list with this offer changed or added. */
export function choicesWith(rows: readonly OfferRow[], ask: OfferAsk): readonly OfferChoice[] {
  const { upstream, upstreamModel } = ask
  const here = rows.filter((row) => row.upstream === upstream)
  const same = here.find((row) => row.upstreamModel === upstreamModel)
  const changed = same ?? (here.length === 1 || upstreamModel === undefined ? here[0] : undefined)
  const choice: OfferChoice = {
    upstream,
    upstreamModel: upstreamModel ?? changed?.upstreamModel,
    priority: ask.priority ?? changed?.priority ?? 1,
    weight: ask.weight ?? changed?.written.weight,
    cost: ask.cost === undefined ? changed?.written.cost : ask.cost,
    dialects: ask.definition.dialects ?? changed?.written.dialects,
    enabled: true,
  }
  const kept = rows.map((row) => {
    const { upstream: at, upstreamModel: name, priority } = row
    return row === changed ? choice : { upstream: at, upstreamModel: name, priority }
  })
  return changed === undefined ? [...kept, choice] : kept
}

/** The row of a model with facts that replace others, and prices that come to them; it is enabled. */
export function withChange(
  before: Override | undefined,
  id: string,
  definition: Omit<ModelDefinition, 'id'>,
): Override & { readonly definition: ModelDefinition } {
  const given = Object.entries(definition).filter(([, value]) => value !== undefined)
  const prices = [...(before?.definition?.prices ?? []), ...(definition.prices ?? [])]
  return {
    name: id,
    definition: { ...before?.definition, ...Object.fromEntries(given), id, prices },
    disabled: false,
  }
}

/** An upstream without a list that could be changed here is named by the model, next to those that serve it now. */
function naming(
  override: Override,
  { model, upstream, upstreamModel }: OfferAsk,
  { sources, merged }: KnownCatalog,
): Override {
  const present = draftOf(model, sources, merged)
  const others = present?.kind === 'sold' ? present.model.offers.map((offer) => offer.upstream.name) : []
  const definition: ModelDefinition = {
    ...override.definition,
    id: model,
    upstreams: [...new Set([...(present?.upstreams ?? others), upstream])],
    ...(upstreamModel === undefined ? {} : { upstreamId: upstreamModel }),
  }
  return { ...override, definition }
}

function withListed(
  { models }: Pick<UpstreamDefinition, 'models'>,
  listed: { readonly id: string; readonly upstreamId: string | undefined },
): UpstreamModels {
  const others = (models === 'all' ? [] : (models ?? [])).filter(({ id }) => id !== listed.id)
  return [...others, listed.upstreamId === undefined ? { id: listed.id } : listed]
}

interface Candidate {
  readonly override: Override
  readonly upstream: Omit<UpstreamDefinition, 'credential'>
  readonly models: UpstreamModels | null
}

function draftWith(
  { override, upstream, models }: Candidate,
  { sources, merged }: KnownCatalog,
): Draft | undefined {
  const changed = {
    ...sources,
    overrides: [...sources.overrides.filter(({ name }) => name !== override.name), override],
    upstreams: sources.upstreams.map((one) =>
      one.name === upstream.name && models !== null ? { ...one, models } : one,
    ),
  }
  const definition = mergedOf(override.name, changed)
  const known = new Map(merged)
  if (definition !== undefined) known.set(override.name, definition)
  return draftOf(override.name, changed, known)
}
