/** Reading, previewing and replacing the offers of a model: each change is stored as a whole first and then in the snapshot. */
import type { Steps } from '../../base/steps.ts'
import { settingsOf } from '../../store/settings.ts'
import { inTransaction } from '../../store/transaction.ts'
import type { ModelDefinition } from '../definition.ts'
import { type Draft, draftOf } from '../drafts.ts'
import { mergedOf } from '../merged-definitions.ts'
import { nearestNames } from '../nearest.ts'
import { readOverride, writeOverrides } from '../override-rows.ts'
import { draftedModel } from '../snapshot.ts'
import type { Override } from '../sources.ts'
import { type CatalogState, inTurns, type Loaded, refresh } from '../state.ts'
import { type Model, priceAt, type Rates } from '../types.ts'
import { type BelowCost, belowCost } from './below-cost.ts'
import {
  type DisabledOffers,
  isPlaceDisabled,
  type OfferPlace,
  withoutDisabled,
  withPlace,
  writeDisabled,
} from './disabled-offers.ts'
import {
  choicesWith,
  type OfferChoice,
  type OfferDifference,
  type OfferInput,
  type OfferList,
  type OfferListSources,
  type OfferMistake,
  type OfferRow,
  offerDifferences,
  offerListOf,
  unknownNames,
  writtenOffers,
} from './offer-list.ts'

/** The offers of a model with what depends on them. */
export interface ModelOffers extends OfferList {
  readonly model: string
  /** Why the model is not enabled; null: it is. */
  readonly reason: string | null
  /** The customer's price now; null: none is known. */
  readonly price: Pick<Rates, 'input' | 'output'> | null
  /** The cost of an offer without its own; null: no price is known. */
  readonly listPrice: Pick<Rates, 'input' | 'output'> | null
  readonly belowCost: readonly BelowCost[]
}

export interface OffersPreview extends ModelOffers {
  readonly differences: readonly OfferDifference[]
  /** Offers by names that are not known there. */
  readonly unknownNames: readonly OfferRow[]
  /** Models that would have no upstream left. */
  readonly unserved: readonly string[]
  /** Other models whose offers would be disabled with an offer of this model. */
  readonly alsoDisabled: readonly string[]
}

export interface OffersInput {
  readonly model: string
  /** null: the configured offers. */
  readonly offers: readonly OfferChoice[] | null
  /** Facts and dated prices that are written with them, of a model that may be new; it is enabled then. */
  readonly definition?: Omit<ModelDefinition, 'id'> | undefined
}

interface OffersWriting extends OffersInput {
  readonly revision?: string | undefined
  readonly allowUnserved: boolean
}

export type OffersRejection =
  | { readonly kind: 'unknown_model'; readonly nearest: readonly string[] }
  | OfferMistake
  /** Another administrator changed the offers first. */
  | { readonly kind: 'changed_meanwhile' }
  | { readonly kind: 'leaves_unserved'; readonly models: readonly string[] }

/** The part of the catalog that lists and replaces the offers of a model. */
export interface OfferChanges {
  offersOf(model: string): ModelOffers | Extract<OffersRejection, { kind: 'unknown_model' | 'mistake' }>
  /** Previews a change; writes nothing. */
  previewOffers(
    input: OffersInput,
  ): Promise<OffersPreview | Extract<OffersRejection, { kind: 'unknown_model' | 'mistake' }>>
  /** Writes them as a whole, from the next request on. */
  setOffers(input: OffersWriting): Promise<ModelOffers | OffersRejection>
}

export function offerChanges(state: CatalogState): OfferChanges {
  return {
    offersOf: (model) => offersNow(state, model),
    async previewOffers(input) {
      const plan = await inTurns(state, planSteps(state, input))
      return plan.kind === 'plan' ? previewOf(plan) : plan
    },
    setOffers: (input) => state.inTurn(() => writeOffers(state, input)),
  }
}

/** Adds or changes an offer of a model. Only in turn. */
export async function writeOffer(
  state: CatalogState,
  input: OfferInput,
): Promise<ModelOffers | OffersRejection | { readonly kind: 'unknown_upstream' }> {
  const { model, upstream, upstreamModel, priority, weight, cost, definition } = input
  const { sources, console: added } = state.loaded
  if (![...sources.upstreams, ...added].some(({ name }) => name === upstream))
    return { kind: 'unknown_upstream' }
  const now = offersNow(state, model)
  const { from, rows } = 'kind' in now ? { from: undefined, rows: [] } : now
  const isOnlyNamed = [priority, weight, cost, definition.formats].every((given) => given === undefined)
  const isThere =
    from === 'upstreams' &&
    isOnlyNamed &&
    rows.some(
      (row) =>
        row.upstream === upstream &&
        row.enabled &&
        (upstreamModel === undefined || row.upstreamModel === upstreamModel),
    )
  // An upstream that is gone cannot be written again.
  const present = rows.filter(({ provider }) => provider !== null)
  const offers = isThere ? null : choicesWith(present, input)
  // The formats belong to the offer, not to the model.
  const facts = { ...definition, formats: undefined }
  return await writeOffers(state, { model, offers, definition: facts, allowUnserved: true })
}

/** Only in turn. */
async function writeOffers(
  state: CatalogState,
  input: OffersWriting,
): Promise<ModelOffers | OffersRejection> {
  if (input.revision !== undefined) {
    const now = offersNow(state, input.model)
    if ('kind' in now) return now
    if (input.revision !== now.revision) return { kind: 'changed_meanwhile' }
  }
  const plan = await inTurns(state, planSteps(state, input))
  if (plan.kind !== 'plan') return plan
  if (plan.unserved.length > 0 && !input.allowUnserved)
    return { kind: 'leaves_unserved', models: plan.unserved }
  const isWritten = await inTransaction(state.deps.store, async (transaction) => {
    // Another server may have written since this server read.
    const stored = await readOverride(transaction, input.model)
    if (JSON.stringify(stored) !== JSON.stringify(overrideOf(state.loaded, input.model))) return false
    await writeOverrides(transaction, [plan.override])
    const settings = settingsOf({ database: transaction })
    for (const { disabled, ...place } of plan.places) await writeDisabled(settings, place, disabled)
    return true
  })
  await refresh(state)
  return isWritten ? offersNow(state, input.model) : { kind: 'changed_meanwhile' }
}

function overrideOf({ sources }: Pick<Loaded, 'sources'>, name: string): Override {
  const found = sources.overrides.find((row) => row.name === name)
  return found ?? { name, definition: null, disabled: false }
}

function listSources({ loaded, deps }: CatalogState): OfferListSources {
  const { sources, disabled, all: snapshot } = loaded
  const names = new Set(sources.upstreams.map(({ name }) => name))
  const unused = loaded.console
    .filter(({ name }) => !names.has(name))
    .map(({ name, provider, disabled: isDisabled }) => {
      const problem = isDisabled ? 'the upstream is disabled' : 'its API key cannot be decrypted'
      return [name, { provider, problem }] as const
    })
  return { sources, disabled, snapshot, unused: new Map(unused), nowMs: deps.clock.wallMs() }
}

/** The merged definition of a model that is not an alias; or why there is none. */
function definitionOf(
  { loaded, sources: { aliases } }: CatalogState,
  name: string,
): ModelDefinition | Extract<OffersRejection, { kind: 'unknown_model' | 'mistake' }> {
  if (Object.hasOwn(aliases, name)) {
    const message = `${name} is an alias of ${aliases[name] ?? ''}, which has the offers`
    return { kind: 'mistake', message, param: 'model' }
  }
  const { merged, snapshot } = loaded
  const known = merged.get(name)
  if (known !== undefined) return known
  if (snapshot.models.has(name) || snapshot.unsold.has(name)) return { id: name }
  return {
    kind: 'unknown_model',
    nearest: nearestNames(name, [...snapshot.models.keys(), ...snapshot.unsold.keys()]),
  }
}

/** The offers of a model as they are; only for catalogs that are loaded. */
function offersNow(state: CatalogState, name: string): ReturnType<OfferChanges['offersOf']> {
  const definition = definitionOf(state, name)
  return 'kind' in definition ? definition : offersBy(state, definition)
}

function offersBy(state: CatalogState, definition: ModelDefinition): ModelOffers {
  const { loaded } = state
  const { id: model } = definition
  const known = listSources(state)
  const list = offerListOf(definition, overrideOf(loaded, model).definition, known)
  const reason = loaded.snapshot.unsold.get(model) ?? null
  return { model, reason, ...list, ...pricesOf(loaded.all.models.get(model), known) }
}

function pricesOf(
  model: Model | undefined,
  { snapshot, nowMs }: OfferListSources,
): Pick<ModelOffers, 'price' | 'listPrice' | 'belowCost'> {
  if (model === undefined) return { price: null, listPrice: null, belowCost: [] }
  const { rates, listRates } = priceAt(model, nowMs)
  return { price: rates, listPrice: listRates, belowCost: belowCost(snapshot, model, nowMs) }
}

interface OffersPlan {
  readonly kind: 'plan'
  readonly before: ModelOffers
  readonly after: ModelOffers
  readonly override: Override
  readonly places: readonly (Required<OfferPlace> & { readonly disabled: boolean })[]
  readonly unserved: readonly string[]
  readonly alsoDisabled: readonly string[]
  readonly unknownNames: readonly OfferRow[]
}

function previewOf({ before, after, ...plan }: OffersPlan): OffersPreview {
  const { unserved, alsoDisabled, unknownNames: unknown } = plan
  const differences = offerDifferences(before.rows, after.rows)
  return { ...after, differences, unserved, alsoDisabled, unknownNames: unknown }
}

type PlanRejection = Extract<OffersRejection, { kind: 'unknown_model' | 'mistake' }>

/** Plans a change, checked against the whole catalog; in small steps. */
function* planSteps(state: CatalogState, input: OffersInput): Steps<OffersPlan | PlanRejection> {
  const { model: name, offers } = input
  const found = definitionOf(state, name)
  const isNew = 'kind' in found && found.kind === 'unknown_model' && input.definition !== undefined
  const definition = isNew ? { id: name } : found
  if ('kind' in definition) return definition
  const before = offersBy(state, definition)
  const { loaded } = state
  const known = listSources(state)
  const { definition: given } = withChange(undefined, name, input.definition ?? {})
  const asked = { ...definition, ...given }
  const written = offers === null ? null : yield* writtenOffers(offers, asked, before.rows, known)
  if (written !== null && 'kind' in written) return written
  const override = overrideWith(loaded, input, written)
  const { draft, merged } = enabledDraft(loaded, override)
  if (draft?.kind !== 'sold') {
    const message = `${name} would not be enabled: ${draft?.reason ?? 'it is not known'}`
    return { kind: 'mistake', message, param: 'offers' }
  }
  const unswitched = offerListOf(merged, override.definition, known).rows
  const places = switchedPlaces(unswitched, offers ?? [], loaded.disabled)
  const disabled = places.reduce((set, place) => withPlace(set, place, place.disabled), loaded.disabled)
  const list = offerListOf(merged, override.definition, { ...known, disabled })
  const others = yield* othersDisabled(state, name, places)
  const isServed = list.rows.some(({ enabled, trouble }) => enabled && trouble === null)
  return {
    kind: 'plan',
    ...{ before, override },
    after: { model: name, reason: before.reason, ...list, ...pricesOf(draftedModel(draft), known) },
    places: [...places, ...forgottenPlaces(state, name, before.rows, list.rows)],
    alsoDisabled: others.alsoDisabled,
    unserved: [...(isServed ? [] : [name]), ...others.unserved].sort(),
    unknownNames: unknownNames(list.rows, known),
  }
}

/** The row of the model with other offers; null: with the configured offers. */
function overrideWith(
  loaded: Loaded,
  { model: name, definition }: OffersInput,
  offers: ModelDefinition['offers'] | null,
): Override & { readonly definition: ModelDefinition } {
  const before = overrideOf(loaded, name)
  const row = definition === undefined ? before : withChange(before, name, definition)
  const own: ModelDefinition = { ...row.definition, id: name }
  if (offers !== null) return { ...row, definition: { ...own, offers } }
  return { ...row, definition: { ...own, offers: undefined } }
}

/** The row of a model with merged facts and added prices; it is enabled. */
function withChange(
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

/** The model as if it were enabled: a disabled model can be prepared. */
function enabledDraft(
  { sources, merged }: Loaded,
  override: Override & { readonly definition: ModelDefinition },
): { readonly draft: Draft | undefined; readonly merged: ModelDefinition } {
  const { name } = override
  const others = sources.overrides.filter((one) => one.name !== name)
  const changed = {
    ...sources,
    overrides: [...others, { ...override, disabled: false }],
    disabled: sources.disabled.filter((one) => one !== name),
  }
  const definition = mergedOf(name, changed) ?? override.definition
  return { draft: draftOf(name, changed, new Map([...merged, [name, definition]])), merged: definition }
}

type SwitchedPlace = OffersPlan['places'][number]

/** The rows of the list are in the order of the choices. */
function switchedPlaces(
  rows: readonly OfferRow[],
  choices: readonly OfferChoice[],
  disabled: DisabledOffers,
): readonly SwitchedPlace[] {
  return choices.flatMap(({ enabled }, place) => {
    const row = rows[place]
    if (row === undefined || enabled === undefined || enabled === row.enabled) return []
    const { upstream, upstreamModel } = row
    return [{ upstream, upstreamModel, disabled: isPlaceDisabled(disabled, row) === false }]
  })
}

/** Re-enables removed places that were disabled for this model alone, so that a new offer there starts enabled. */
function forgottenPlaces(
  state: CatalogState,
  name: string,
  before: readonly OfferRow[],
  after: readonly OfferRow[],
): readonly SwitchedPlace[] {
  const isThere = (rows: readonly Required<OfferPlace>[], { upstream, upstreamModel }: OfferRow) =>
    rows.some((row) => row.upstream === upstream && row.upstreamModel === upstreamModel)
  const gone = before.filter((row) => !row.enabled && !isThere(after, row))
  return gone.flatMap((row) => {
    if (modelsAt(state, row).some((other) => !isSameModel(state, name, other))) return []
    return [{ upstream: row.upstream, upstreamModel: row.upstreamModel, disabled: false }]
  })
}

function modelsAt(
  { loaded }: CatalogState,
  { upstream, upstreamModel }: Required<OfferPlace>,
): readonly string[] {
  return [...loaded.all.models.values()].flatMap(({ name, offers }) =>
    offers.some((offer) => offer.upstream.name === upstream && offer.upstreamModel === upstreamModel)
      ? [name]
      : [],
  )
}

function isSameModel({ sources: { aliases } }: CatalogState, name: string, other: string): boolean {
  return other === name || aliases[other] === name
}

/** Other models whose offers are disabled with an offer of this model, because they share the name there. */
function* othersDisabled(
  state: CatalogState,
  name: string,
  places: readonly SwitchedPlace[],
): Steps<Pick<OffersPlan, 'alsoDisabled' | 'unserved'>> {
  const off = places.filter(({ disabled }) => disabled)
  if (off.length === 0) return { alsoDisabled: [], unserved: [] }
  const { all, disabled, snapshot } = state.loaded
  const next = off.reduce((set, place) => withPlace(set, place, true), disabled)
  const { models } = yield* withoutDisabled(all, next)
  const isOther = (other: string): boolean => !isSameModel(state, name, other)
  const also = new Set(off.flatMap((place) => modelsAt(state, place)))
  return {
    alsoDisabled: [...also].filter(isOther).sort(),
    unserved: [...snapshot.models.keys()].filter((other) => isOther(other) && !models.has(other)),
  }
}
