/**
 * Models and prices as operators write them: in the built-in table, in `tollgate.yaml` and on the command
 * line. Amounts are decimal strings in USD, dates ISO 8601 in UTC. Types only; `prices.ts` and
 * `snapshot.ts` give them their meaning.
 */
import type { CustomHost } from '../../contract/custom-hosts.ts'
import type { WrittenRatesOf } from '../../contract/meters.ts'
import type { RoutingStrategy } from '../../contract/routing-strategies.ts'
import type { UpstreamFormatName } from '../wire/format-names.ts'
import type { TestModel, UpstreamLimits } from './types.ts'

/** Decimal USD per million tokens; omitted rates follow from `input` by the rules of `prices.ts`. */
export interface RatesDefinition extends Omit<WrittenRatesOf<string>, 'output'> {
  readonly output?: string | undefined
}

export interface TierDefinition extends RatesDefinition {
  readonly aboveInputTokens: number
}

/** Rates that replace the others at some times of the week; options and fees stay. */
export interface ScheduledRatesDefinition extends RatesDefinition {
  /** UTC: `Mon-Fri 01:00-04:00`, `22:00-02:00`. */
  readonly times: readonly string[]
  readonly output: string
  readonly tiers?: readonly TierDefinition[] | undefined
}

export interface PriceDefinition extends RatesDefinition {
  readonly output: string
  /** `2026-07-01` or `2026-07-01T12:00:00Z`; left out: in force since ever. */
  readonly effectiveFrom?: string | undefined
  readonly tiers?: readonly TierDefinition[] | undefined
  /** Where times overlap, the last entry counts. */
  readonly schedule?: readonly ScheduledRatesDefinition[] | undefined
  /** Option name → factor on every rate: `0.5`, `1.1` or `5/3`. */
  readonly options?: Readonly<Record<string, string>> | undefined
  /** Server-tool meter → decimal USD per use. */
  readonly fees?: Readonly<Record<string, string>> | undefined
  /** The source of the price, and its date. */
  readonly source?: string | undefined
}

export interface ModelDefinition {
  /** The name in requests, verbatim. */
  readonly id: string
  readonly provider?: string | undefined
  /** The provider's name for the model, if it differs. */
  readonly upstreamId?: string | undefined
  /** The only offers, of any provider, in priority groups; left out: upstreams that list it or serve all of its provider. */
  readonly offers?: readonly OfferDefinition[] | undefined
  readonly strategy?: RoutingStrategy | undefined
  /** Fallback models, in order, for requests that it cannot serve. */
  readonly fallbacks?: readonly string[] | undefined
  /** The formats that its upstreams have for it; left out: every conversation format that its provider speaks. */
  readonly formats?: readonly UpstreamFormatName[] | undefined
  readonly displayName?: string | undefined
  readonly released?: string | undefined
  /** Tokens of input and output together. */
  readonly context?: number | undefined
  readonly maxInput?: number | undefined
  readonly maxOutput?: number | undefined
  readonly inputs?: readonly string[] | undefined
  readonly outputs?: readonly string[] | undefined
  readonly reasoning?: boolean | undefined
  readonly tools?: boolean | undefined
  readonly deprecated?: boolean | undefined
  /** Built-in test models only. */
  readonly testModel?: TestModel | undefined
  readonly prices?: readonly PriceDefinition[] | undefined
  /** `5%`: what customers pay above the list price. */
  readonly markup?: string | undefined
}

/** Decimal USD per million tokens. */
export interface CostDefinition {
  readonly input: string
  readonly output: string
}

/** A model at an upstream, in the model's definition. */
export interface OfferDefinition {
  /** The upstream's name. */
  readonly upstream: string
  /** The upstream's name for the model; left out: the provider's. */
  readonly model?: string | undefined
  /** The group; groups with lower numbers are tried first. Left out: 1. */
  readonly priority?: number | undefined
  /** The share among the offers of a group; left out: the upstream's. */
  readonly weight?: number | undefined
  /** The upstream's price; left out: the list price under which the catalog knows the model there. */
  readonly cost?: CostDefinition | undefined
  /** The formats that the upstream has for it; left out: the model's at its own provider, else all for conversations. */
  readonly formats?: readonly UpstreamFormatName[] | undefined
}

/** A configured endpoint; `url` null: the provider's own address. */
export interface UpstreamDefinition {
  readonly name: string
  /** For a custom host, the upstream's name. */
  readonly provider: string
  /** With a path if the host needs one. */
  readonly url: string | null
  /** '' if none is needed. */
  readonly credential: string
  readonly weight: number
  /** The operator's labels for data handling, such as a region. */
  readonly tags?: readonly string[] | undefined
  /** Left out: all at the provider's own address, nothing elsewhere. */
  readonly models?: UpstreamModels | undefined
  /** The formats of its provider that its host has; left out: all. */
  readonly formats?: readonly UpstreamFormatName[] | undefined
  /** A custom server, and so a separate provider. */
  readonly custom?: CustomHost | undefined
  /** Left out: none. */
  readonly limits?: UpstreamLimits | undefined
}

/** `all`: the provider's own models, known by the built-in table or by their family. */
export type UpstreamModels = 'all' | readonly NamedUpstreamModel[]

export interface NamedUpstreamModel {
  /** The public name. */
  readonly id: string
  /** The upstream's name for the model, if it differs. */
  readonly upstreamId?: string | undefined
}
