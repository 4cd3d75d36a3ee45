/**
 * The interface of a provider: how requests are built for it, what its errors mean, and the facts about its billing that
 * the input bound and the billing rules depend on. `prepare` and `classify` are pure; only `send.ts` performs I/O.
 */

import type { ErrorCode } from '../base/errors.ts'
import type { CountingShape, UpstreamCountingFormat } from '../wire/counting.ts'
import type { Media, UpstreamProblem } from '../wire/format.ts'
import type { UpstreamFormatName } from '../wire/format-names.ts'
import type { RequestDifferences } from '../wire/host-differences.ts'
import type { Capabilities } from '../wire/translation/capabilities.ts'
import type { UpstreamOperation } from '../wire/upstream-paths.ts'
import type { CredentialForm } from './clouds/clouds-table.ts'
import type { PageFacts } from './media-size.ts'
import type { Authorizer } from './send-types.ts'

/** The betas that a host knows in each format; a format that is left out: none. */
export type HostBetas = Readonly<Partial<Record<UpstreamFormatName, readonly string[]>>>

/** The part of the caller's request that a provider may see. */
export interface OutgoingRequest {
  readonly format: UpstreamFormatName
  readonly operation: UpstreamOperation
  /** The model as the provider calls it, for addresses that name it. */
  readonly model: string
  /** The prefix of the formats' paths at this upstream: `` or `/openai/v1`. */
  readonly basePath: string
  readonly credential: string
  readonly streamed: boolean
  /** The query as the caller wrote it, without credentials; '' or `?…`. */
  readonly query: string
  /** The caller's headers, lower case; a connector picks from its allow-list. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly requestId: string
  /** How many gateways have forwarded the request, including this one; null: not sent, the address is the provider's own. */
  readonly hops: number | null
}

export interface SignedRequest {
  /** Path and query. */
  readonly path: string
  /** Flat list: name, value, name, value. Without host and content-length. */
  readonly headers: readonly string[]
  /** Where the credential alone does not authorize the request: adds the headers that do. */
  readonly authorizer?: Authorizer | undefined
}

/** The consequences of an upstream's failure for the request and for the upstream. */
export interface UpstreamFailure {
  readonly code: ErrorCode
  /** `elsewhere`: another candidate may serve the request. `never`: the result would be the same. */
  readonly retry: 'elsewhere' | 'never'
  /** The upstream's own status where the caller caused it (a 4xx); null: the status of the error table. */
  readonly status: number | null
  /** The message for the caller; the provider's own where it concerns the caller's request. */
  readonly message: string
  /** The provider's message, for users whose own provider account it concerns; '' if it sent none. */
  readonly providerMessage?: string
  /** The upstream's wait, sane and capped; null when it gave none. */
  readonly retryAfterMs: number | null
  /** How long what it concerns is avoided. */
  readonly cooldownMs: number
  /**
   * The scope of the failure. `model`: this model at this upstream only. `host`: the model, and the upstream if several in a row
   * fail. `credential`: everything at this upstream.
   */
  readonly concerns: 'model' | 'host' | 'credential'
  /** Another model may take a request that this one rejects: the reason as receipts state it; null: none may. */
  readonly otherModelMay: 'context_too_long' | 'content_refused' | null
  /** The part to omit to have the request accepted: another credential's reasoning, or the option for a stream's usage. */
  readonly retryWithout?: 'reasoning' | 'usage_option'
  /** Our credential or billing failed: the operator must be notified. */
  readonly operator: boolean
  /** Further details for the operator; they contain no secret. */
  readonly detail?: string
}

/** The effect of a provider tool on the input of a request. */
export interface ServerToolFacts {
  /** The most tokens that one use adds to the input, which is read again after every later use. */
  readonly tokensPerUse: number
  /** Uses that the bound assumes where the request cannot cap them; null: as many as a cap would allow. */
  readonly uncappedUses: number | null
}

export interface Connector {
  readonly provider: string
  readonly displayName: string
  /** Name prefixes that select this provider. */
  readonly families: readonly string[]
  /** Prefixes of names that begin like a family and are served by other hosts alone. */
  readonly servedElsewhere?: readonly string[]
  /** No other host speaks as this provider, so its upstreams serve whatever a model is called. */
  readonly servesAnyName?: boolean
  /** A server of the operator's own: what it reports of usage is not what a provider charges. */
  readonly isCustom?: true
  /** The prefix of its models' public names here, which their names at the provider lack: `groq/`. */
  readonly namesModelsBelow?: string
  readonly defaultOrigin: string
  /** Example of a customer's address, where upstreams need one; absent: all customers share an address. */
  readonly addressExample?: string
  /** Why an address cannot be one of its; undefined: it can. */
  addressMistake?(url: string): string | undefined
  /** The fields that a credential may have in place of one text; absent: none. */
  readonly credentialForms?: readonly CredentialForm[]
  /** The wire formats that this program can speak to it. */
  readonly formats: readonly [UpstreamFormatName, ...UpstreamFormatName[]]
  prepare(outgoing: OutgoingRequest): SignedRequest
  /** The prefix of a format's paths at an upstream whose URL has this path; absent: the URL's path. */
  pathPrefix?(format: UpstreamFormatName, basePath: string): string
  /** Where the models are listed; null: nowhere, absent: as in the first format. */
  readonly modelListPath?: string | null
  /** How requests of a format differ from what its vendor takes. */
  /** The betas that go there; left out: all. */
  readonly betas?: HostBetas
  readonly requestDifferences?: Readonly<Partial<Record<UpstreamFormatName, RequestDifferences>>>
  /** Called when the host rejects the option that requests the usage of a stream: it is omitted until this program ends. */
  stopAskingForUsage?(): void
  /** In which of its formats it serves a model of this name; absent: in all of them. */
  formatsOf?(upstreamModel: string): readonly UpstreamFormatName[]
  /**
   * How it takes requests that only count tokens, where it is not the format's vendor. It counts for some of its models alone, so
   * that it may reject such a request although it takes the request that is counted.
   */
  readonly countingShapes?: Readonly<Partial<Record<UpstreamCountingFormat, CountingShape>>>
  /** Whether the provider supports this operation in a format. */
  offers(operation: UpstreamOperation, format: UpstreamFormatName): boolean
  /** The capabilities of a model; an unknown model has those of the newest of its family. */
  capabilities(upstreamModel: string): Capabilities
  classify(status: number, headers: ReadonlyMap<string, string>, problem: UpstreamProblem): UpstreamFailure
  /** The response header with the upstream's request id. */
  readonly requestIdHeader: string
  /** Whether closing the connection stops the provider's meter; `bills_on`: read to the end. */
  readonly onCancel: 'stops' | 'bills_on'
  /** Tokens the provider may add to the input on its own (tool prompts, formatting). */
  readonly hiddenInputTokens: number
  /** The most tokens one medium can cost by the provider's formula; `window`: no formula bounds it. */
  mediaTokensMax(media: Media, upstreamModel: string): number | 'window'
  /** The maximum cost of a document page, and the maximum number of pages. */
  page(upstreamModel: string): PageFacts
  /** The effect of running a tool at the provider, by the tool's meter. */
  serverTool(meter: string): ServerToolFacts
  /** Counted o200k tokens × numerator / denominator bound this maker's tokens. */
  readonly tokenFactor: { readonly numerator: number; readonly denominator: number }
}
