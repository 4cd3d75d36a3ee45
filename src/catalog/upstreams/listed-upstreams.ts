/**
 * Upstreams as operators see them: configured and added ones, with the models that each serves, and
 * the effects of a new one. Pure; shows no credential.
 */
import { assert } from '../../base/assert.ts'
import type { Steps } from '../../base/steps.ts'
import type { UpstreamDefinition, UpstreamModels } from '../definition.ts'
import { draftSteps, type PriceDraft } from '../drafts.ts'
import type { MergedModels } from '../merged-definitions.ts'
import { addressProblem, needsModels } from '../mistakes.ts'
import { type DisabledOffers, isUpstreamDisabled } from '../offers/disabled-offers.ts'
import { isOwnAddress, modelsOf, providerOf } from '../offers/offers.ts'
import type { CatalogSources } from '../sources.ts'
import type { Rates, Snapshot } from '../types.ts'
import { type ConsoleUpstream, endOf, type UpstreamInput } from './console-upstreams.ts'
import { customNameMistake, withCustomProviders } from './custom-providers.ts'
import { credentialFormMistake } from './upstream-credential.ts'

/** An upstream as people may see it. */
export interface ListedUpstream extends Omit<UpstreamDefinition, 'credential' | 'models'> {
  /** null: none were chosen, although its address is not the provider's own. */
  readonly models: UpstreamModels | null
  /** The public names that are sold and have an offer there, in order. */
  readonly serves: readonly string[]
  readonly credentialEnd: string
  readonly from: 'configuration' | 'console'
  readonly disabled: boolean
  /** Why it cannot be used although it is not disabled, in words. */
  readonly problem: string | null
}

export type UpstreamChange =
  | { readonly kind: 'written' }
  | { readonly kind: 'needs_credential' }
  /** The address is not the provider's own, and no models are listed. */
  | { readonly kind: 'needs_models'; readonly message: string }
  /** The address or the credential does not fit the provider. */
  | { readonly kind: 'wrong_url' | 'wrong_credential'; readonly message: string }
  | { readonly kind: 'wrong_model'; readonly model: string; readonly message: string }
  | { readonly kind: 'unknown_provider'; readonly providers: readonly string[] }
  /** The configuration has the name. */
  | { readonly kind: 'configured' }
  | { readonly kind: 'wrong_name'; readonly message: string }

/** The catalog that a change is compared with. */
export interface KnownCatalog {
  readonly sources: CatalogSources
  readonly merged: MergedModels
}

type ConfiguredSources = Pick<CatalogSources, 'upstreams' | 'providers'>

/** Lists the configured upstreams, then the added ones. */
export function listUpstreams(
  sources: ConfiguredSources,
  added: readonly ConsoleUpstream[],
  { snapshot, disabled }: { readonly snapshot: Snapshot; readonly disabled: DisabledOffers },
): readonly ListedUpstream[] {
  const given = {
    ...sources,
    providers: withCustomProviders(sources.providers, [...added, ...sources.upstreams]),
  }
  const served = servedNames(snapshot)
  return [
    ...given.upstreams.map(({ credential, ...upstream }): ListedUpstream => {
      const models = chosenModels(upstream, given)
      const serves = served.get(upstream.name) ?? []
      const credentialEnd = endOf(credential)
      return {
        ...upstream,
        models,
        serves,
        credentialEnd,
        from: 'configuration',
        disabled: isUpstreamDisabled(disabled, upstream.name),
        problem: null,
      }
    }),
    ...added.map(({ credential, ...upstream }): ListedUpstream => {
      const models = chosenModels(upstream, given)
      const isTaken = isConfigured(upstream.name, given)
      const serves = isTaken ? [] : (served.get(upstream.name) ?? [])
      const problem = isTaken
        ? 'An upstream with the same name in the configuration is used instead.'
        : credential === null
          ? 'Its API key cannot be decrypted. Enter it again.'
          : models === null && serves.length === 0
            ? 'It serves no models. Choose at least one.'
            : null
      const isDisabled = upstream.disabled || (!isTaken && isUpstreamDisabled(disabled, upstream.name))
      return { ...upstream, models, serves, from: 'console', disabled: isDisabled, problem }
    }),
  ]
}

function servedNames({ models }: Snapshot): ReadonlyMap<string, readonly string[]> {
  const served = new Map<string, string[]>()
  for (const name of [...models.keys()].sort()) {
    for (const { upstream } of models.get(name)?.offers ?? []) {
      const names = served.get(upstream.name) ?? []
      names.push(name)
      served.set(upstream.name, names)
    }
  }
  return served
}

function chosenModels(
  { provider, url, models }: Pick<UpstreamDefinition, 'provider' | 'url' | 'models'>,
  { providers }: ConfiguredSources,
): UpstreamModels | null {
  const facts = providers.find((known) => known.provider === provider)
  if (facts === undefined || (models === undefined && !isOwnAddress(url, facts))) return models ?? null
  return modelsOf({ url, models }, facts)
}

function isConfigured(name: string, { upstreams }: Pick<ConfiguredSources, 'upstreams'>): boolean {
  return upstreams.some((upstream) => upstream.name === name)
}

/** An added upstream as a configured one; none if it is disabled, unreadable, or its name has since been configured. */
export function usableUpstream(upstream: ConsoleUpstream, given: ConfiguredSources): UpstreamDefinition[] {
  const { disabled, credential, credentialEnd: _shown, ...definition } = upstream
  if (disabled || credential === null || isConfigured(definition.name, given)) return []
  return [{ ...definition, credential }]
}

/** The reason to reject an upstream; undefined: none. A credential is checked if given. */
export function rejectionOf(
  input: Omit<UpstreamInput, 'credential'> & Partial<Pick<UpstreamInput, 'credential'>>,
  given: ConfiguredSources & Pick<CatalogSources, 'aliases'>,
  { sources, merged }: KnownCatalog,
): UpstreamChange | undefined {
  if (isConfigured(input.name, given)) return { kind: 'configured' }
  const wrongName = customNameMistake(input, given.providers)
  if (wrongName !== undefined) return { kind: 'wrong_name', message: wrongName }
  const providers = withCustomProviders(given.providers, [input])
  const facts = providers.find(({ provider }) => provider === input.provider)
  if (facts === undefined) {
    return { kind: 'unknown_provider', providers: given.providers.map(({ provider }) => provider) }
  }
  const wrongUrl = addressProblem(input.url, facts)
  if (wrongUrl !== undefined) return { kind: 'wrong_url', message: wrongUrl }
  const wrongCredential = credentialFormMistake(input.credential ?? '', facts, { isOperators: false })
  if (wrongCredential !== undefined) return { kind: 'wrong_credential', message: wrongCredential }
  if (input.models === undefined && !isOwnAddress(input.url, facts)) {
    return { kind: 'needs_models', message: needsModels(facts) }
  }
  const known = { sources: { ...sources, aliases: given.aliases }, merged }
  return wrongModel(input, facts.provider, known)
}

function wrongModel(
  { models = [] }: Pick<UpstreamInput, 'models'>,
  provider: string,
  { sources, merged }: KnownCatalog,
): UpstreamChange | undefined {
  if (models === 'all' || models.length === 0) return undefined
  for (const { id } of models) {
    if (Object.hasOwn(sources.aliases, id)) {
      const message = `${id} is an alias: list ${sources.aliases[id]}`
      return { kind: 'wrong_model', model: id, message }
    }
    const definition = merged.get(id)
    const other = definition && providerOf(definition, sources)
    if (other !== undefined && other !== provider) {
      const message = `${id} is a model of ${other}, but this is an upstream of ${provider}: add a model with another name for it`
      return { kind: 'wrong_model', model: id, message }
    }
  }
  return undefined
}

/** Effects of writing an upstream. */
export interface UpstreamPreview {
  /** Models that would have an offer there; `isNew`: not sold at present. */
  readonly sells: readonly {
    readonly model: string
    readonly upstreamModel: string
    readonly isNew: boolean
    /** Nano-USD per million tokens, with the markup. */
    readonly price: Pick<Rates, 'input' | 'output'>
  }[]
  /** Models that it lists and that would not be sold there, and why. */
  readonly notSold: readonly { readonly model: string; readonly reason: string }[]
  /** Models that are sold now and would not be any more. */
  readonly stops: readonly string[]
}

/** Previews which models would become enabled, in small steps; writes nothing. `nowMs`: time of the prices. */
export function* previewSteps(
  input: Omit<UpstreamInput, 'credential'>,
  { sources }: Pick<KnownCatalog, 'sources'>,
  { snapshot: { models: present }, nowMs }: { readonly snapshot: Snapshot; readonly nowMs: number },
): Steps<UpstreamPreview> {
  const { name, provider, url, weight, models, custom } = input
  const others = sources.upstreams.filter((upstream) => upstream.name !== name)
  const formats = input.formats ?? undefined
  const asked = { name, provider, url, weight, models, custom, formats, credential: '' }
  const changed = {
    ...sources,
    providers: withCustomProviders(sources.providers, [input]),
    upstreams: input.disabled ? others : [...others, asked],
  }
  const { drafts } = yield* draftSteps(changed)
  const sells: UpstreamPreview['sells'][number][] = []
  const reasons = new Map<string, string>()
  const anywhere = new Set<string>()
  for (const draft of drafts) {
    const { name: model } = draft
    if (draft.kind === 'unsold') reasons.set(model, draft.reason)
    else {
      anywhere.add(model)
      const offer = draft.model.offers.find(({ upstream }) => upstream.name === name)
      if (offer !== undefined) {
        const price = draftPriceAt(draft.prices, nowMs)
        sells.push({ model, upstreamModel: offer.upstreamModel, isNew: !present.has(model), price })
      }
    }
    yield
  }
  const here = new Set(sells.map(({ model }) => model))
  const listed = models === undefined || models === 'all' ? [] : models
  return {
    sells: sells.sort((one, other) => (one.model < other.model ? -1 : 1)),
    notSold: listed
      .filter(({ id }) => !here.has(id))
      .map(({ id }) => ({ model: id, reason: reasons.get(id) ?? 'it names other upstreams' })),
    stops: [...present.keys()].filter((model) => !anywhere.has(model)).sort(),
  }
}

/** The regular price in force, not a scheduled one; before the first price, the earliest. */
function draftPriceAt(prices: readonly PriceDraft[], nowMs: number): Pick<Rates, 'input' | 'output'> {
  const usual = prices.filter(({ body }) => body.schedule === undefined)
  const current = usual.findLast(({ effectiveFromMs }) => effectiveFromMs <= nowMs) ?? usual[0]
  assert(current !== undefined, 'a model that is sold has a price')
  const { input, output } = current.body.rates
  return { input, output }
}
