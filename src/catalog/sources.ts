/** Sources of the catalog: definitions of models and upstreams, facts of providers, and settings. Values only. */
import type { UpstreamFormatName } from '../wire/format-names.ts'
import type { ModelDefinition, UpstreamDefinition } from './definition.ts'

/** The catalog's facts about a provider; every connector has them. */
export interface ProviderFacts {
  readonly provider: string
  readonly displayName: string
  readonly families: readonly string[]
  /** Name prefixes that look like a family but are served only by other hosts. */
  readonly servedElsewhere?: readonly string[]
  /** No other host has this provider's API, so its upstreams serve any model name. */
  readonly servesAnyName?: boolean
  /** Prefix of the models' public names that the provider's names lack: `groq/`. */
  readonly namesModelsBelow?: string
  readonly defaultOrigin: string
  /** Example of a customer's address; absent: all customers share one. */
  readonly addressExample?: string
  /** The reason why an address cannot belong to the provider; undefined: none. */
  addressMistake?(url: string): string | undefined
  /** Fields of a structured credential; absent: a credential is a single text. */
  readonly credentialForms?: readonly { readonly fields: readonly string[]; readonly isLocal?: true }[]
  readonly formats: readonly UpstreamFormatName[]
  /** The formats in which it serves a model of this name; absent: all. */
  formatsOf?(upstreamModel: string): readonly UpstreamFormatName[]
}

/** An operator's change on the command line or in the console; takes precedence over the file. */
export interface Override {
  readonly name: string
  /** Facts that replace others, and prices that are added to the others; null: only `disabled`. */
  readonly definition: ModelDefinition | null
  readonly disabled: boolean
}

/** Everything the catalog is made of. */
export interface CatalogSources {
  /** The built-in table and the sandbox. */
  readonly builtin: readonly ModelDefinition[]
  /** From `tollgate.yaml`. */
  readonly configured: readonly ModelDefinition[]
  readonly overrides: readonly Override[]
  /** Alias → model. */
  readonly aliases: Readonly<Record<string, string>>
  readonly disabled: readonly string[]
  /** For every model without its own. */
  readonly markup: string | null
  /** Since when that markup is added; left out: since ever. */
  readonly markupFromMs?: number
  readonly upstreams: readonly UpstreamDefinition[]
  readonly providers: readonly ProviderFacts[]
}
