/**
 * Offers: which model is requested at which upstream, under which name. An upstream serves only the models that it has an
 * offer for. An offer depends on the configuration of that upstream and that model alone, so that no change to another
 * upstream ever sends a prompt somewhere else. Pure.
 */
import type { ModelDefinition, UpstreamDefinition, UpstreamModels } from './definition.ts'
import type { CatalogSources, ProviderFacts } from './drafts.ts'
import type { Offer, Snapshot, Upstream } from './types.ts'
import { parseAddress } from './upstream-address.ts'

/** A model as far as offers depend on it. */
export interface OfferedModel extends Pick<ModelDefinition, 'id' | 'upstreamId' | 'upstreams'> {
  readonly provider: string
}

type OfferSources = Pick<CatalogSources, 'builtin' | 'upstreams' | 'providers'>

export interface OfferFinder {
  offersOf(model: OfferedModel): readonly Offer[]
  /** Whether a model is one of its provider's own, which an upstream serves that serves `all`. */
  isProvidersOwn(model: OfferedModel): boolean
}

/** What is the same for every model is looked up once. */
export function offerFinder(sources: OfferSources): OfferFinder {
  const builtinNames = new Set(
    sources.builtin.map((model) => nameKey(model.provider, nameThere(model, sources.providers))),
  )
  const upstreams = sources.upstreams.flatMap((definition) => {
    const facts = sources.providers.find(({ provider }) => provider === definition.provider)
    return facts === undefined ? [] : [servingUpstream(definition, facts)]
  })
  const isOwn = (model: OfferedModel) => isProvidersOwn(model, sources.providers, builtinNames)
  return {
    isProvidersOwn: isOwn,
    offersOf(model) {
      const isServedByAll = isOwn(model)
      return upstreams.flatMap(({ upstream, models }) => {
        if (upstream.provider !== model.provider) return []
        const isListed = models === 'all' ? isServedByAll : models.has(model.id)
        if (!(model.upstreams?.includes(upstream.name) ?? isListed)) return []
        const listedName = models === 'all' ? undefined : models.get(model.id)
        return [{ upstream, upstreamModel: listedName ?? nameThere(model, sources.providers) }]
      })
    },
  }
}

/** All upstreams, and those of them that serve all of their provider's own models. */
export function upstreamsOf({
  upstreams,
  providers,
}: Pick<CatalogSources, 'upstreams' | 'providers'>): Pick<Snapshot, 'upstreams' | 'ownUpstreams'> {
  const serving = upstreams.flatMap((definition) => {
    const facts = providers.find(({ provider }) => provider === definition.provider)
    return facts === undefined ? [] : [servingUpstream(definition, facts)]
  })
  return {
    upstreams: serving.map(({ upstream }) => upstream),
    ownUpstreams: serving.flatMap(({ upstream, models }) => (models === 'all' ? [upstream] : [])),
  }
}

interface ServingUpstream {
  readonly upstream: Upstream
  /** Public name → the name there, where the list has one. */
  readonly models: 'all' | ReadonlyMap<string, string | undefined>
}

function servingUpstream(definition: UpstreamDefinition, facts: ProviderFacts): ServingUpstream {
  const { name, provider, url, credential, weight, custom } = definition
  const models = modelsOf(definition, facts)
  return {
    upstream: {
      ...{ name, provider, credential, weight, ...parseAddress(url ?? facts.defaultOrigin) },
      ...(custom === undefined ? {} : { custom }),
    },
    models: models === 'all' ? models : new Map(models.map(({ id, upstreamId }) => [id, upstreamId])),
  }
}

/** What an upstream serves: as it says, else all at the provider's own address and nothing elsewhere. */
export function modelsOf(
  { models, url }: Pick<UpstreamDefinition, 'models' | 'url'>,
  facts: Pick<ProviderFacts, 'defaultOrigin' | 'addressExample'>,
): UpstreamModels {
  return models ?? (isOwnAddress(url, facts) ? 'all' : [])
}

/** Whether an address is the one at which the provider itself is reached. */
export function isOwnAddress(
  url: string | null,
  { defaultOrigin, addressExample }: Pick<ProviderFacts, 'defaultOrigin' | 'addressExample'>,
): boolean {
  if (addressExample !== undefined) return false
  return url === null || parseAddress(url).origin === new URL(defaultOrigin).origin
}

/** What a model is called at its provider. */
export function nameThere(
  { id, upstreamId, provider }: Pick<ModelDefinition, 'id' | 'upstreamId' | 'provider'>,
  providers: readonly ProviderFacts[],
): string {
  if (upstreamId !== undefined) return upstreamId
  const prefix = providers.find((facts) => facts.provider === provider)?.namesModelsBelow
  return prefix !== undefined && id.startsWith(prefix) ? id.slice(prefix.length) : id
}

function nameKey(provider: string | undefined, name: string): string {
  return `${provider ?? ''} ${name}`
}

/** Judged by the name there, which is what that host is asked for: those of the built-in table and of its families. */
function isProvidersOwn(
  model: OfferedModel,
  providers: readonly ProviderFacts[],
  builtinNames: ReadonlySet<string>,
): boolean {
  const { id, provider } = model
  const facts = providers.find((known) => known.provider === provider)
  const name = nameThere(model, providers)
  return (
    facts?.servesAnyName === true ||
    builtinNames.has(nameKey(provider, name)) ||
    (facts?.namesModelsBelow === undefined
      ? familyOf(name, providers) === provider
      : id.startsWith(facts.namesModelsBelow))
  )
}

/** The provider with the longest family prefix that the name begins with; undefined also for those served by others alone. */
export function familyOf(name: string, providers: readonly ProviderFacts[]): string | undefined {
  let longest = ''
  let found: string | undefined
  for (const { provider, families, servedElsewhere = [] } of providers) {
    if (servedElsewhere.some((prefix) => name.startsWith(prefix))) continue
    for (const prefix of families) {
      if (!name.startsWith(prefix) || prefix.length <= longest.length) continue
      longest = prefix
      found = provider
    }
  }
  return found
}
