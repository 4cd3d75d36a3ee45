/**
 * Offers: which model is requested at which upstream, under which name. An upstream serves only the models that it has an
 * offer for. An offer depends only on the configuration of that upstream and that model, so that no change to another
 * upstream ever sends a prompt somewhere else. Pure.
 */

import { isConversationFormat } from '../../../contract/formats.ts'
import { parseUsd } from '../../../contract/usd.ts'
import { assert } from '../../base/assert.ts'
import type { UpstreamFormatName } from '../../wire/format-names.ts'
import type {
  CostDefinition,
  ModelDefinition,
  OfferDefinition,
  UpstreamDefinition,
  UpstreamModels,
} from '../definition.ts'
import type { CatalogSources, ProviderFacts } from '../sources.ts'
import type { Offer, Snapshot, Upstream } from '../types.ts'
import { parseAddress } from '../upstreams/upstream-address.ts'

/** A model as far as offers depend on it. */
export interface OfferedModel extends Pick<ModelDefinition, 'id' | 'upstreamId' | 'offers' | 'formats'> {
  readonly provider: string
}

type OfferSources = Pick<CatalogSources, 'builtin' | 'upstreams' | 'providers'>

export interface OfferFinder {
  offersOf(model: OfferedModel): readonly Offer[]
  /** Whether a model is one of its provider's own, which upstreams with `all` serve. */
  isProvidersOwn(model: OfferedModel): boolean
  /** Whether an upstream may have a model of this name; false: the name is not among its provider's known names. */
  mayBeNamed(upstream: Pick<UpstreamDefinition, 'provider' | 'custom'>, name: string): boolean
}

/** Precomputes values that all models share. */
export function offerFinder(sources: OfferSources): OfferFinder {
  const factsOf = new Map(sources.providers.map((facts) => [facts.provider, facts]))
  const builtinPrices = new Map(
    sources.builtin.map((model) => [
      nameKey(model.provider, nameAt(model, factsOf.get(model.provider ?? ''))),
      model.prices?.[0],
    ]),
  )
  const builtinNames: ReadonlySet<string> = new Set(builtinPrices.keys())
  const listCostOf = (provider: string, name: string) => {
    const price = builtinPrices.get(nameKey(provider, name))
    return price === undefined ? undefined : costOf(price)
  }
  const builtinProviders = new Set(sources.builtin.map(({ provider }) => provider))
  const families = sources.providers.flatMap((facts) => facts.families)
  const names: NameFacts = {
    isOf: ({ provider, families: own }, name) =>
      builtinNames.has(nameKey(provider, name)) || own.some((prefix) => name.startsWith(prefix)),
    // `eu.anthropic.claude-opus-4-8`, `openai/gpt-5.4`.
    hasFamily: (name) =>
      families.some(
        (prefix) => name.startsWith(prefix) || name.includes(`.${prefix}`) || name.includes(`/${prefix}`),
      ),
  }
  const upstreams = sources.upstreams.flatMap((definition) => {
    const facts = factsOf.get(definition.provider)
    return facts === undefined
      ? []
      : [{ ...servingUpstream(definition, facts), facts: factsAt(definition, facts) }]
  })
  const byName = new Map(upstreams.map((serving) => [serving.upstream.name, serving]))
  const isOwn = (model: OfferedModel) => isProvidersOwn(model, sources.providers, builtinNames)
  return {
    isProvidersOwn: isOwn,
    mayBeNamed({ provider, custom }, name) {
      const facts = factsOf.get(provider)
      // Customers with their own address also choose model names.
      if (custom !== undefined || facts === undefined || facts.addressExample !== undefined) return true
      const isFamily = facts.namesModelsBelow === undefined && familyOf(name, sources.providers) === provider
      const isKnown = !builtinProviders.has(provider) || builtinNames.has(nameKey(provider, name))
      return facts.servesAnyName === true || isFamily || isKnown
    },
    offersOf(model) {
      const catalogName = nameThere(model, sources.providers)
      if (model.offers !== undefined) {
        return model.offers.flatMap((offer) => {
          const serving = byName.get(offer.upstream)
          return serving === undefined
            ? []
            : writtenOffer(model, offer, { ...serving, catalogName, listCostOf, names })
        })
      }
      const isServedByAll = isOwn(model)
      return upstreams.flatMap(({ upstream, models, facts }) => {
        if (upstream.provider !== model.provider) return []
        const isListed = models === 'all' ? isServedByAll : models.has(model.id)
        if (!isListed) return []
        const listedName = models === 'all' ? undefined : models.get(model.id)
        const upstreamModel = listedName ?? catalogName
        const name = nameInTables(upstreamModel, { model, facts, catalogName, names })
        const formats = formatsAt(model.formats, facts, name)
        const { weight } = upstream
        return [
          {
            upstream,
            upstreamModel,
            catalogName: name,
            formats,
            priority: firstGroup,
            weight,
          },
        ].filter(canServe)
      })
    },
  }
}

const firstGroup = 1

/** An offer listed in the model's definition, at an upstream of any provider. */
function writtenOffer(
  model: OfferedModel,
  written: OfferDefinition,
  at: ServingUpstream &
    Omit<NamedModel, 'model'> & {
      readonly listCostOf: (provider: string, name: string) => Offer['listCost'] | undefined
    },
): readonly Offer[] {
  const { upstream, models, facts, catalogName } = at
  const ownFormats = upstream.provider === model.provider ? model.formats : elsewhere(model.formats)
  const listedName = models === 'all' ? undefined : models.get(model.id)
  const upstreamModel = written.model ?? listedName ?? catalogName
  const name = nameInTables(upstreamModel, { ...at, model })
  const listCost = at.listCostOf(upstream.provider, upstreamModel)
  const offer = {
    upstream,
    upstreamModel,
    catalogName: name,
    formats: formatsAt(written.formats ?? ownFormats, facts, name),
    priority: written.priority ?? firstGroup,
    weight: written.weight ?? upstream.weight,
    ...(written.cost === undefined ? {} : { cost: costOf(written.cost) }),
    ...(listCost === undefined ? {} : { listCost }),
  }
  return [offer].filter(canServe)
}

const bedrockArn = /^arn:aws[\w-]*:bedrock:.*\/([^/]+)$/

interface NameFacts {
  /** Whether a provider has models of this name: built in, or with the prefix of its family. */
  isOf(facts: ProviderFacts, name: string): boolean
  /** Whether a name contains the prefix of anybody's family. */
  hasFamily(name: string): boolean
}

interface NamedModel {
  readonly model: OfferedModel
  readonly facts: ProviderFacts
  /** The provider's name for the model. */
  readonly catalogName: string
  readonly names: NameFacts
}

/**
 * The model's name in its provider's tables: its name at the upstream, since an operator may call it anything here.
 * The name here counts instead if only it identifies the model, as for deployments at a cloud, mirrors, and an operator's
 * own inference profile, whose ARN ends with random letters instead of a model ID.
 */
function nameInTables(upstreamModel: string, { model, facts, catalogName, names }: NamedModel): string {
  const last = bedrockArn.exec(upstreamModel)?.[1]
  const name = last ?? upstreamModel
  if (name === catalogName || names.isOf(facts, name) || names.hasFamily(name)) return name
  if (last?.includes('.') === false) {
    return catalogName.startsWith('claude-') ? `anthropic.${catalogName}` : catalogName
  }
  const isChosen = facts.addressExample !== undefined && last === undefined
  const isFromHere = isChosen
    ? names.isOf(facts, catalogName) || names.hasFamily(catalogName)
    : model.provider === facts.provider && names.isOf(facts, catalogName)
  return isFromHere ? catalogName : name
}

/** A cost price as amounts. */
export function costOf({ input, output }: CostDefinition): NonNullable<Offer['cost']> {
  const [inputRate, outputRate] = [parseUsd(input), parseUsd(output)]
  assert(inputRate !== undefined && outputRate !== undefined, 'the cost of an offer is an amount')
  return { input: inputRate, output: outputRate }
}

/** If a provider lacks a format for the model, another host may have it; other operations have no substitute. */
function elsewhere(formats: readonly UpstreamFormatName[] | undefined): typeof formats {
  return formats?.some(isConversationFormat) === true ? undefined : formats
}

function canServe({ formats }: Offer): boolean {
  return formats.length > 0
}

/** The formats of a model at a provider: the chosen ones, else the provider's formats for it. */
export function formatsAt(
  chosen: readonly UpstreamFormatName[] | undefined,
  facts: Pick<ProviderFacts, 'formats' | 'formatsOf'>,
  catalogName: string,
): readonly UpstreamFormatName[] {
  const formats = chosen ?? facts.formatsOf?.(catalogName)
  return facts.formats.filter((format) => formats?.includes(format) ?? isConversationFormat(format))
}

/** Where a model's prompts may go is changed by saying so, not by leaving it out. */
export function destinationsOf(
  { offers, strategy, fallbacks }: ModelDefinition,
  before: ModelDefinition | null,
): Pick<ModelDefinition, 'offers' | 'strategy' | 'fallbacks'> {
  return {
    offers: offers ?? before?.offers,
    strategy: strategy ?? before?.strategy,
    fallbacks: fallbacks ?? before?.fallbacks,
  }
}

/** The provider of a model: from its definition, else by its name, else the provider of its first offer. */
export function providerOf(
  { id, provider, offers }: Pick<ModelDefinition, 'id' | 'provider' | 'offers'>,
  { providers, upstreams }: Pick<CatalogSources, 'providers' | 'upstreams'>,
): string | undefined {
  const first = offers?.[0]?.upstream
  return provider ?? familyOf(id, providers) ?? upstreams.find(({ name }) => name === first)?.provider
}

/** All upstreams, and the upstreams that serve all of their provider's own models. */
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
  /** Public name → upstream's name, if the list has one. */
  readonly models: 'all' | ReadonlyMap<string, string | undefined>
}

function servingUpstream(definition: UpstreamDefinition, facts: ProviderFacts): ServingUpstream {
  const { name, provider, url, credential, weight, tags, custom, limits } = definition
  const models = modelsOf(definition, facts)
  return {
    upstream: {
      ...{ name, provider, credential, weight, ...parseAddress(url ?? facts.defaultOrigin) },
      ...(tags === undefined ? {} : { tags }),
      ...(custom === undefined ? {} : { custom }),
      ...(limits === undefined ? {} : { limits }),
    },
    models: models === 'all' ? models : new Map(models.map(({ id, upstreamId }) => [id, upstreamId])),
  }
}

/** The provider's facts limited to the formats of the upstream's host. */
function factsAt({ formats }: Pick<UpstreamDefinition, 'formats'>, facts: ProviderFacts): ProviderFacts {
  if (formats === undefined) return facts
  return { ...facts, formats: facts.formats.filter((format) => formats.includes(format)) }
}

/** Models of an upstream: the configured ones, else all at the provider's own address and none elsewhere. */
export function modelsOf(
  { models, url }: Pick<UpstreamDefinition, 'models' | 'url'>,
  facts: Pick<ProviderFacts, 'defaultOrigin' | 'addressExample'>,
): UpstreamModels {
  return models ?? (isOwnAddress(url, facts) ? 'all' : [])
}

/** Whether an address is the provider's own. */
export function isOwnAddress(
  url: string | null,
  { defaultOrigin, addressExample }: Pick<ProviderFacts, 'defaultOrigin' | 'addressExample'>,
): boolean {
  if (addressExample !== undefined) return false
  return url === null || parseAddress(url).origin === new URL(defaultOrigin).origin
}

/** The provider's name for a model. */
export function nameThere(
  model: Pick<ModelDefinition, 'id' | 'upstreamId' | 'provider'>,
  providers: readonly ProviderFacts[],
): string {
  return nameAt(
    model,
    providers.find(({ provider }) => provider === model.provider),
  )
}

function nameAt(
  { id, upstreamId }: Pick<ModelDefinition, 'id' | 'upstreamId'>,
  facts: Pick<ProviderFacts, 'namesModelsBelow'> | undefined,
): string {
  if (upstreamId !== undefined) return upstreamId
  const prefix = facts?.namesModelsBelow
  return prefix !== undefined && id.startsWith(prefix) ? id.slice(prefix.length) : id
}

function nameKey(provider: string | undefined, name: string): string {
  return `${provider ?? ''} ${name}`
}

/** Whether the model's name at its provider is built in, of one of its families, or below its prefix. */
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

/** The provider with the longest family prefix of the name; undefined also for names served only by others. */
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
