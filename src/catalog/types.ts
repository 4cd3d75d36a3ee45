/**
 * The types of the catalog: models, prices with versions, upstreams, and the immutable snapshot
 * that a request reads. Prices are bigint nano-USD per million tokens, fees bigint nano-USD per use.
 */

import type { CustomHost } from '../../contract/custom-hosts.ts'
import type { RateName, UnsoldRate } from '../../contract/meters.ts'
import type { RoutingStrategy } from '../../contract/routing-strategies.ts'
import type { UpstreamFormatName } from '../wire/format-names.ts'
import { holdsAt, type PriceWindow } from './prices/price-schedule.ts'

/**
 * Every rate is set: what a price list leaves out was filled in by the rules of the money section. null: this model does
 * not sell the class.
 */
export type Rates = { readonly [Name in RateName]: Name extends UnsoldRate ? bigint | null : bigint }

/** Rates of the whole request once its input is larger than `aboveInputTokens`. */
export interface PriceTier {
  readonly aboveInputTokens: number
  readonly rates: Rates
}

/** `0.5` is {1n, 2n}: every rate of the request is multiplied, exactly. */
export interface Multiplier {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** A price of a model from a moment on; never changed once a hold refers to it. */
export interface PriceVersion {
  readonly id: bigint
  readonly model: string
  readonly effectiveFromMs: number
  readonly rates: Rates
  /** The upstream's rates; equal to `rates` unless the operator set a markup. */
  readonly listRates: Rates
  /** Rising by `aboveInputTokens`. */
  readonly tiers: readonly PriceTier[]
  readonly listTiers: readonly PriceTier[]
  /** By option name (`service_tier:flex`). An option that is not here is rejected. */
  readonly options: Readonly<Record<string, Multiplier>>
  /** By server-tool meter (`web_search`). A tool that is not here is rejected. */
  readonly fees: Readonly<Record<string, bigint>>
  /** Source of the price, and its date. */
  readonly source: string
  /** Times at which the price replaces the regular one; left out: always. */
  readonly schedule?: readonly PriceWindow[]
}

/**
 * Purpose of a built-in test model. `basic`: it answers normally. `special`: it simulates a failure or a rare case,
 * and is left out of lists.
 */
export type TestModel = 'basic' | 'special'

export interface Model {
  /** The name in requests, verbatim. */
  readonly name: string
  readonly provider: string
  /** The maker's name for the model, which determines the accepted input and the token counts. */
  readonly upstreamModel: string
  /** Wire formats of all offers together. */
  readonly formats: readonly UpstreamFormatName[]
  readonly displayName: string
  readonly releasedMs: number | null
  readonly contextTokens: number
  /** Maximum input tokens; the context if no other limit is known. */
  readonly inputTokensMax: number
  readonly outputTokensMax: number
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  readonly reasons: boolean
  readonly takesTools: boolean
  readonly deprecated: boolean
  /** null: a real model. */
  readonly testModel: TestModel | null
  /** The offers in order of preference; never empty in a snapshot. */
  readonly offers: readonly Offer[]
  readonly strategy: RoutingStrategy
  /** Fallback models, in order, for requests that it cannot serve. */
  readonly fallbacks: readonly string[]
  /** Ascending by `effectiveFromMs`, each before its scheduled prices; never empty in a snapshot. */
  readonly prices: readonly PriceVersion[]
}

/** The operator's limits for an upstream in one process; null: no limit. */
export interface UpstreamLimits {
  readonly concurrent: number | null
  readonly requestsPerMinute: number | null
  readonly tokensPerMinute: number | null
}

/** How the names of upstreams on accounts' own provider keys begin; others have no colon. */
export const ownKeyPrefix = 'own:'

/** A configured endpoint of a provider with a credential. The credential is sent only to `origin`. */
export interface Upstream {
  readonly name: string
  readonly provider: string
  /** Scheme, host and port; no path. */
  readonly origin: string
  /** The prefix of the paths of its formats: `` or `/openai/v1`. */
  readonly basePath: string
  readonly credential: string
  readonly weight: number
  /** Left out: none. */
  readonly tags?: readonly string[]
  readonly custom?: CustomHost | undefined
  /** Left out: none. */
  readonly limits?: UpstreamLimits | undefined
  /** The account that owns the credential; left out: the operator's. */
  readonly ownKey?: { readonly account: bigint; readonly displayName: string }
}

/** A model at an upstream. */
export interface Offer {
  readonly upstream: Upstream
  /** The upstream's name for the model. */
  readonly upstreamModel: string
  /** Name in the tables of the upstream's provider; determines the accepted input and the token counts there. */
  readonly catalogName: string
  /** The formats in which it is requested there; never empty. */
  readonly formats: readonly UpstreamFormatName[]
  /** The group; groups with lower numbers are tried first. */
  readonly priority: number
  /** The share of the group's requests. */
  readonly weight: number
  /** The configured price of the upstream; left out: none. */
  readonly cost?: Pick<Rates, 'input' | 'output'>
  /** The built-in list price of the model there, for a model of another name; left out: none is known. */
  readonly listCost?: Pick<Rates, 'input' | 'output'>
}

/**
 * All providers that may bill a request for the model: its own and those of its offers. Other hosts bill the cache of a
 * Claude model by the rules of Anthropic, as all their published prices of it do.
 */
export function billingProviders({
  name,
  provider,
  offers,
}: Pick<Model, 'name' | 'provider' | 'offers'>): readonly string[] {
  const names = offers.map(({ upstreamModel, catalogName }) => `${upstreamModel} ${catalogName}`)
  // A deployment or an inference profile may have any name at its host.
  const makers = /\bclaude\b/i.test(`${name} ${names.join(' ')}`) ? ['anthropic'] : []
  return [...new Set([provider, ...offers.map(({ upstream }) => upstream.provider), ...makers])]
}

/** Model data for requests: one immutable value, replaced whole. */
export interface Snapshot {
  readonly models: ReadonlyMap<string, Model>
  /** Family prefixes → provider, longest first. */
  readonly families: readonly { readonly prefix: string; readonly provider: string }[]
  /** The upstreams that models name for themselves, sold or not. */
  readonly namedUpstreams: ReadonlyMap<string, readonly string[]>
  /** All usable upstreams, with or without models. */
  readonly upstreams: readonly Upstream[]
  /** The upstreams that serve all of their provider's own models, and so keep its files. */
  readonly ownUpstreams: readonly Upstream[]
  /** Names that are known and not sold, and why, in words for the operator's log. */
  readonly unsold: ReadonlyMap<string, string>
}

/**
 * Whether a previously found offer still exists: models and upstreams change while a request waits for
 * its turn, and a removed upstream is not called. The same model object has the same offers.
 */
export function isStillOffered(
  { models }: Snapshot,
  model: Model,
  { upstream, upstreamModel }: Offer,
): boolean {
  const present = models.get(model.name)
  if (present === model) return true
  return (present?.offers ?? []).some(
    (offer) => offer.upstreamModel === upstreamModel && isSamePlace(offer.upstream, upstream),
  )
}

/** The same for an upstream that keeps files. */
export function stillStoresFiles({ ownUpstreams }: Snapshot, upstream: Upstream): boolean {
  return ownUpstreams.some((own) => isSamePlace(own, upstream))
}

/** Compares name, provider and address; credentials may differ. */
function isSamePlace(one: Upstream, other: Upstream): boolean {
  return (
    one.name === other.name &&
    one.provider === other.provider &&
    one.origin === other.origin &&
    one.basePath === other.basePath
  )
}

/** The price in force at a moment; before the first price, the earliest. */
export function priceAt(model: Model, nowMs: number): PriceVersion {
  let current = model.prices[0]
  for (const price of model.prices) {
    if (price.effectiveFromMs > nowMs) continue
    if (price.schedule === undefined || holdsAt(price.schedule, nowMs)) current = price
  }
  if (current === undefined) throw new RangeError(`no price for ${model.name}`)
  return current
}

/** The regular price, and the scheduled prices that replace it at some times. */
export function pricesOfWeek(model: Pick<Model, 'prices'>, nowMs: number): readonly PriceVersion[] {
  const { prices } = model
  const isBase = ({ schedule }: PriceVersion): boolean => schedule === undefined
  const start = Math.max(
    0,
    prices.findLastIndex((price) => isBase(price) && price.effectiveFromMs <= nowMs),
  )
  const end = prices.findIndex((price, place) => place > start && isBase(price))
  return prices.slice(start, end < 0 ? prices.length : end)
}
