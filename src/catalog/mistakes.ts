/**
 * Mistakes in a configured catalog whose values are well-formed by themselves: names that mean
 * nothing here. Pure. Each mistake is named by its path; with one of them the server does not start.
 */
import { rateNames } from '../../contract/meters.ts'
import { parseUsd } from '../../contract/usd.ts'
import { nearest } from '../base/nearest.ts'
import type { ModelDefinition, PriceDefinition } from './definition.ts'
import { outputTokensMax } from './drafts.ts'
import { isOwnAddress, providerOf } from './offers/offers.ts'
import { parseWindow } from './prices/price-schedule.ts'
import { parseFactor, parseMarkup } from './prices/prices.ts'
import type { CatalogSources, ProviderFacts } from './sources.ts'
import { customNameMistake, withCustomProviders } from './upstreams/custom-providers.ts'
import { credentialFormMistake } from './upstreams/upstream-credential.ts'

type Checked = Pick<
  CatalogSources,
  'builtin' | 'configured' | 'aliases' | 'disabled' | 'upstreams' | 'providers'
>

/** Empty if there are no mistakes. */
export function catalogMistakes(given: Checked): readonly string[] {
  const wrongNames = given.upstreams.flatMap((upstream) => customNameMistake(upstream, given.providers) ?? [])
  if (wrongNames.length > 0) return wrongNames.map((message) => `upstreams: ${message}`)
  const sources = { ...given, providers: withCustomProviders(given.providers, given.upstreams) }
  const names = new Set([...sources.builtin, ...sources.configured].map(({ id }) => id))
  return [
    ...upstreamMistakes(sources),
    ...offerMistakes(sources),
    ...modelMistakes(sources),
    ...aliasMistakes(sources.aliases, names),
    ...fallbackMistakes(sources, names),
    ...sources.disabled
      .filter((name) => !names.has(name) && !Object.hasOwn(sources.aliases, name))
      .map((name) => `disabled: unknown model ${name}${didYouMean(name, names)}`),
  ]
}

/** Providers that only the built-in table knows are accepted: a later version may support them. */
function upstreamMistakes({ upstreams, providers, builtin }: Checked): readonly string[] {
  const known = new Set([...providers, ...builtin].map(({ provider }) => provider ?? ''))
  return upstreams.flatMap(({ name, provider, url, credential, formats }) => {
    if (!known.has(provider))
      return [`upstreams: ${name}: unknown provider ${provider}${didYouMean(provider, known)}`]
    const facts = providers.find((one) => one.provider === provider)
    if (facts === undefined) return []
    const wrongUrl = addressProblem(url, facts)
    const wrongCredential = credentialFormMistake(credential, facts, { isOperators: true })
    const hasFormat = formats === undefined || facts.formats.some((format) => formats.includes(format))
    return [
      ...(hasFormat ? [] : [`upstreams: ${name}: formats: ${facts.displayName} has none of them`]),
      ...(wrongUrl === undefined ? [] : [`upstreams: ${name}: ${wrongUrl}`]),
      ...(wrongCredential === undefined ? [] : [`upstreams: ${name}: credential: ${wrongCredential}`]),
    ]
  })
}

/** The reason why an address cannot belong to a provider; undefined: none. */
export function addressProblem(
  url: string | null,
  {
    displayName,
    addressExample,
    addressMistake,
  }: Pick<ProviderFacts, 'displayName' | 'addressExample' | 'addressMistake'>,
): string | undefined {
  if (url !== null) return addressMistake?.(url)
  return addressExample === undefined
    ? undefined
    : `it needs its URL, as ${displayName} has no common one: ${addressExample}`
}

/** Mistakes in the file's upstreams and models together; later additions are checked when they are made. */
function offerMistakes(sources: Checked): readonly string[] {
  const { upstreams, builtin, configured, providers, aliases } = sources
  const configuredModels = new Map(configured.map((model) => [model.id, model]))
  const ownProviders = new Map(
    [...builtin, ...configured].map((model) => [model.id, providerOf(model, sources)]),
  )
  const unchosen = upstreams.flatMap(({ name, provider, url, models }) => {
    const facts = providers.find((known) => known.provider === provider)
    const isNamed = configured.some((model) => namedBy(model)?.includes(name))
    if (models !== undefined || isNamed || facts === undefined || isOwnAddress(url, facts)) return []
    return [`upstreams: ${name}: ${needsModels(facts)}`]
  })
  const listed = upstreams.flatMap((upstream) =>
    (upstream.models === 'all' ? [] : (upstream.models ?? [])).flatMap(({ id }) => {
      const path = `upstreams: ${upstream.name}: models`
      if (Object.hasOwn(aliases, id)) return [`${path}: ${id} is an alias; list ${aliases[id]}`]
      const provider = ownProviders.get(id)
      const isOffered = configuredModels.get(id)?.offers?.some((offer) => offer.upstream === upstream.name)
      if (isOffered === true) return []
      if (provider !== undefined && provider !== upstream.provider) {
        return [`${path}: ${id} is a model of ${provider}, but the upstream is one of ${upstream.provider}`]
      }
      const named = namedBy(configuredModels.get(id))
      if (named === undefined || named.includes(upstream.name)) return []
      return [
        `${path}: ${id} names its own upstreams (${named.join(', ')}), but ${upstream.name} is not one of them`,
      ]
    }),
  )
  return [...unchosen, ...listed]
}

/** The upstreams that a model names itself; undefined: none. */
function namedBy(model: ModelDefinition | undefined): readonly string[] | undefined {
  return model?.offers?.map(({ upstream }) => upstream)
}

/** An address other than the provider's own serves no models by default. */
export function needsModels({
  displayName,
  addressExample,
}: Pick<ProviderFacts, 'displayName' | 'addressExample'>): string {
  if (addressExample !== undefined)
    return `list the models that it serves, or set \`all\` for all that are known of ${displayName}`
  return `its URL is not ${displayName}'s own, so list the models that it serves, or set \`all\` if it is a mirror or proxy of ${displayName}`
}

function modelMistakes(sources: Checked): readonly string[] {
  const { builtin, configured, providers } = sources
  const known = new Set([...providers, ...builtin].map(({ provider }) => provider ?? ''))
  const builtinNames = new Set(builtin.map(({ id }) => id))
  const seen = new Set<string>()
  return configured.flatMap((model, index) => {
    const path = `models[${index}]`
    const mistakes: string[] = []
    if (seen.has(model.id)) mistakes.push(`${path}: ${model.id} is listed twice`)
    seen.add(model.id)
    if (model.provider !== undefined && !known.has(model.provider)) {
      mistakes.push(
        `${path}.provider: unknown provider ${model.provider}${didYouMean(model.provider, known)}`,
      )
    }
    for (const [place, price] of (model.prices ?? []).entries()) {
      const mistake = scheduleMistake(price)
      if (mistake !== undefined) mistakes.push(`${path}.prices[${place}].schedule: ${mistake}`)
    }
    if (builtinNames.has(model.id)) return mistakes
    if (providerOf(model, sources) === undefined) {
      mistakes.push(`${path}.provider: is missing and cannot be detected from the name ${model.id}`)
    }
    if (model.context === undefined) mistakes.push(`${path}.context: is missing`)
    if (outputTokensMax(model) === undefined) mistakes.push(`${path}.maxOutput: is missing`)
    return mistakes
  })
}

function fallbackMistakes({ configured, aliases }: Checked, names: ReadonlySet<string>): readonly string[] {
  return configured.flatMap(({ id, fallbacks = [] }, index) =>
    fallbacks.flatMap((name) => {
      const path = `models[${index}].fallbacks`
      if (name === id) return [`${path}: ${id} cannot be its own fallback`]
      return names.has(name) || Object.hasOwn(aliases, name)
        ? []
        : [`${path}: unknown model ${name}${didYouMean(name, names)}`]
    }),
  )
}

function aliasMistakes(aliases: CatalogSources['aliases'], names: ReadonlySet<string>): readonly string[] {
  return Object.entries(aliases).flatMap(([alias, target]) => {
    if (names.has(alias)) return [`aliases.${alias}: a model has this name`]
    if (Object.hasOwn(aliases, target)) return [`aliases.${alias}: ${target} is an alias itself`]
    return names.has(target) ? [] : [`aliases.${alias}: unknown model ${target}${didYouMean(target, names)}`]
  })
}

function didYouMean(wanted: string, names: ReadonlySet<string>): string {
  const [name] = nearest(wanted, [...names], 1)
  return name === undefined ? '' : `; did you mean ${name}?`
}

/** Error in amounts and dates that the configuration's schema did not check; undefined: none. */
export function definitionMistake(
  definition: Pick<ModelDefinition, 'prices' | 'markup'>,
): string | undefined {
  if (definition.markup !== undefined && parseMarkup(definition.markup) === undefined) {
    return `${definition.markup} is not a percentage such as 5%`
  }
  for (const price of definition.prices ?? []) {
    const mistake = priceMistake(price)
    if (mistake !== undefined) return mistake
  }
  return undefined
}

function priceMistake(price: PriceDefinition): string | undefined {
  const { effectiveFrom, options = {}, fees = {}, tiers = [], schedule = [] } = price
  if (effectiveFrom !== undefined && Number.isNaN(Date.parse(effectiveFrom)))
    return `${effectiveFrom} is not a date`
  const scheduled = schedule.flatMap((rates) => [rates, ...(rates.tiers ?? [])])
  const amounts = [price, ...tiers, ...scheduled].flatMap((rates) => rateNames.map((name) => rates[name]))
  for (const amount of [...amounts, ...Object.values(fees)]) {
    if (amount !== undefined && parseUsd(amount) === undefined)
      return `${amount} is not an amount in USD such as 0.15`
  }
  const scheduleProblem = scheduleMistake(price)
  if (scheduleProblem !== undefined) return scheduleProblem
  const factor = Object.values(options).find((text) => parseFactor(text) === undefined)
  return factor === undefined ? undefined : `${factor} is not a factor above zero such as 0.5 or 5/3`
}

/** A scheduled price without tiers would be cheaper for long inputs than the price it replaces. */
function scheduleMistake({ tiers = [], schedule = [] }: PriceDefinition): string | undefined {
  const time = schedule.flatMap(({ times }) => times).find((text) => parseWindow(text) === undefined)
  if (time !== undefined) return `${time} is not a UTC time of the week such as Mon-Fri 01:00-04:00`
  return tiers.length > 0 && schedule.some((rates) => (rates.tiers ?? []).length === 0)
    ? 'the price has tiers, so each part of its schedule needs tiers too'
    : undefined
}
