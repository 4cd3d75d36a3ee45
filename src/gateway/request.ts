/**
 * The values that travel through one request, each made by one phase and read by the next:
 * RequestContext → Caller → ParsedRequest → Route → PreparedRequest → Hold → UpstreamResponse → RelayOutcome →
 * SettlementResult. Types only.
 */
import type { IncomingMessage } from 'node:http'
import type { OutputClasses } from '../../contract/meters.ts'
import type { TollgateError } from '../base/errors.ts'
import type { Interruptible } from '../base/interruption.ts'
import type { MemoryReservation } from '../base/shared-budget.ts'
import type { CustomerView } from '../catalog/customer-view.ts'
import type { Model, Offer, PriceVersion } from '../catalog/types.ts'
import type { Body } from '../http/body.ts'
import type { Downstream } from '../http/downstream.ts'
import type { InputBoundSource, OwnKeyFee } from '../ledger/rules/price.ts'
import type { Attempt, EndReason, ExcessCause, Held } from '../ledger/types.ts'
import type { Connector } from '../providers/connector.ts'
import type { Exchange } from '../providers/send-types.ts'
import type { RequestTrace } from '../telemetry/request-trace.ts'
import type { InputSample } from '../tokens/text.ts'
import type { FormatOperation, UploadOperation, UrlFields } from '../wire/client-routes.ts'
import type {
  ClientFormat,
  ExtractedFields,
  ExtractedResponse,
  OutputSample,
  StreamEnvelope,
  UpstreamFormat,
  UsageTap,
} from '../wire/format.ts'
import type { BytePatch } from '../wire/json/byte-patch.ts'
import type { EventPadding } from '../wire/stream/event-padding.ts'
import type { ClientCodec, UpstreamCodec } from '../wire/translation/codec.ts'
import type { Adjustment, Emulation, Frame, ToolNames } from '../wire/translation/neutral.ts'
import type { UpstreamOperation } from '../wire/upstream-paths.ts'
import type { RawUsage } from '../wire/usage.ts'

/** The operation of a request: one of its format, or one that is the same in every format. */
export type GatewayOperation =
  | FormatOperation
  | UploadOperation
  | 'list_models'
  | 'show_model'
  | 'show_credits'
  | 'show_key'
  | 'show_generation'
  | 'list_files'
  | 'show_file'
  | 'read_file'
  | 'delete_file'
  | 'probe'

/** accept: what can be known from the request line and the headers alone. */
export interface RequestContext {
  readonly id: bigint
  /** The id as every response shows it. */
  readonly requestId: string
  readonly format: ClientFormat
  /** Wraps a stream for callers that asked for another shape than events; usually null. */
  readonly envelope: StreamEnvelope | null
  /** Keep-alive padding for formats that allow nothing between events; usually null. */
  readonly padding: EventPadding | null
  readonly operation: GatewayOperation
  /** The fields of the URL, in formats that put the model there. */
  readonly address: UrlFields
  /** The part of the path that names one thing (`/models/{subject}`), '' otherwise. */
  readonly subject: string
  /** The query as the caller wrote it, without `key`. */
  readonly query: string
  /** An error of the request line, or of a server that is shutting down; sent before anything else. */
  readonly rejection: TollgateError | undefined
  readonly request: IncomingMessage
  readonly client: Downstream
  /** The network that it comes from, behind trusted proxies: an IPv4 address, or a /64 of IPv6. */
  readonly network: string
  /** Which upstream details the sender may see. */
  readonly customerView: CustomerView
  /** Interrupts the work on the request when the client leaves or an operator stops it. */
  readonly work: Interruptible
  readonly startedMs: number
  readonly startedMonoMs: number
  /** null: telemetry is not configured. */
  readonly trace: RequestTrace | null
}

/** decode: the body and its extracted fields. The body is dropped as soon as a response has begun. */
export interface ParsedRequest {
  readonly body: Body
  readonly facts: ExtractedFields
}

/** Input sizes from which an upper bound is computed without counting. */
export interface InputSize {
  readonly textBytes: number
  /** Tokens of media, by the provider's formulas. */
  readonly mediaTokens: number
  /** Tokens of documents and of other media that no formula bounds, by their size. */
  readonly sizedTokens: number
  /** How much of all input may be audio, which some models price apart. */
  readonly audioTokens: number
  /** The most that the provider adds on its own. */
  readonly hiddenTokens: number
  /** Tokens of items stored at the provider; `reasoning` is the part that the model may skip. */
  readonly referenced: { readonly tokens: number; readonly reasoning: number }
  /** Uses of tools that run upstream; each makes the model read its input again. */
  readonly toolUses: number
  /** The most tokens that one tool use adds. */
  readonly tokensPerToolUse: number
  /** The referenced items can be as long as the whole context window. */
  readonly fillsWindow: boolean
  readonly inputTokensMax: number
  readonly tokenFactor: { readonly numerator: number; readonly denominator: number }
}

/** The most input that is held for, and where the number comes from. */
export interface InputBound {
  readonly tokens: number
  /** `bytes`: by size alone. `pages`: text counted here, documents by their pages. `reported`: the provider's own count. */
  readonly source: InputBoundSource
  /** The provider's count; null where it was not requested or not available. */
  readonly reported: number | null
}

/** A model at one provider in one format, at one price. A request is prepared once for each target. */
export interface Target {
  /** The model as this provider knows it. */
  readonly model: Model
  readonly price: PriceVersion
  readonly format: UpstreamFormat
  readonly connector: Connector
  /** The model name in a translated response: as the caller wrote it, or the name of a fallback. */
  readonly responseModel: string
  /** Another model than the requested one. */
  readonly isFallback: boolean
  /** On a provider key of the account: the share of the list price that is charged; null: the operator's price is. */
  readonly ownKeyFee: OwnKeyFee
  /** Options that the model's offers apply by default, at a higher price. */
  readonly unrequestedOptions: readonly string[]
}

/** An offer that can serve the request. */
export interface Candidate extends Offer {
  /** The same object for all candidates that are sent the same request. */
  readonly target: Target
  /** The offer itself, where `upstreamModel` is the dated name that the caller wrote. */
  readonly offer: Offer
}

/** Request data that decides between equal offers. */
export interface OrderedRequest {
  readonly account: bigint
  readonly parsed: ParsedRequest
  readonly headers: IncomingMessage['headers']
}

/** route: where, in which order, in which formats, at what prices. */
export interface Route {
  readonly operation: UpstreamOperation
  /** In the order in which they are tried; never empty. */
  readonly candidates: readonly Candidate[]
}

/** The part of a route that leads to one target. */
export interface TargetRoute extends Route, Target {
  readonly target: Target
}

/** How a response is translated from the upstream's format into the caller's. */
export interface Translation {
  readonly from: UpstreamCodec
  readonly to: ClientCodec
  readonly names: ToolNames
  /** Headers that the translated body needs upstream. */
  readonly headers: Readonly<Record<string, string>>
  readonly adjusted: readonly Adjustment[]
  /** Emulates in the response what the upstream does not support; usually undefined. */
  readonly emulation: Emulation | undefined
  readonly frame: Frame
}

/** prepare: the request as it goes upstream, and the plan that is made for it. */
export interface PreparedRequest {
  readonly parsed: ParsedRequest
  readonly plan: RequestPlan
}

/** The plan of a request for a target, the same for all of the target's candidates. */
export interface RequestPlan extends TargetRoute {
  /** null: passed through in both directions. */
  readonly translation: Translation | null
  /** Patches that remove our reasoning carriers from a body that is passed through, and that adapt it to its host. */
  readonly bodyPatches: readonly BytePatch[]
  /** Changes to the caller's request, such as dropped fields. */
  readonly adjusted: readonly Adjustment[]
  readonly inputSize: InputSize
  /** The output limit the caller wants in tokens, at most the model's maximum. */
  readonly outputWanted: number
  /** A fallback does not support as much as the caller wants, who did not choose it. */
  readonly exceedsFallback: boolean
  /** The smallest output limit with which the model can respond. */
  readonly outputFloor: number
  /** Answers that run in parallel. */
  readonly choices: number
  /** Whether audio can be among the output. */
  readonly outputs: OutputClasses
  readonly serverTools: ServerToolPlan
  /** Options that can multiply the price: the requested ones, and those that its offers apply by default. */
  readonly options: readonly string[]
  /** The longest of the cache marks that are sent: what is written to the cache is charged by it where no report says for how long. */
  readonly cacheLifetime: '5m' | '1h'
}

/** Provider-side tools that the request may use, by meter. */
export interface ServerToolPlan {
  /** Uses that are held for at their fee, and the fee for the request itself. */
  readonly fees: Readonly<Record<string, number>>
  /** Uses that an upstream may report; infinite where the format cannot cap them. */
  readonly usesMax: Readonly<Record<string, number>>
  /** Billing units that the provider waives because of another tool of the request. */
  readonly waived: readonly string[]
}

/** reserve: the hold, and what it allows. */
export interface Hold extends Held {
  readonly account: bigint
  /** When the rates that it was admitted with held. */
  readonly admittedMs: number
  /** Input as bounded when the hold was taken. */
  readonly input: InputBound
  readonly lowered: boolean
  readonly streamed: boolean
  /** Who causes a cost above the hold. */
  readonly excessCausedBy: ExcessCause
  /** The request has unknown members or betas, and may be sent to a provider with them. */
  readonly hasUnknown: boolean
  /** The signed-in user; null for requests with an API key. */
  readonly person: string | null
}

/** State of one request that dispatch and relay share. */
export interface RequestLifecycle {
  /** The response headers of a plan, its hold, and the candidate that responded; null: none has yet. */
  headersOf(work: PlannedWork, candidate: Candidate | null): readonly string[]
  /** Whether responses that are passed through get `usage.cost`. */
  readonly showsCost: boolean
  /** Memory reserved for bytes that wait to be relayed. */
  readonly room: MemoryReservation
  /** How long an upstream may go without content under this plan. */
  contentGapMs(plan: RequestPlan): number
  /** Capacity that the last attempt holds at its upstream; released by `vacate` and `end`. */
  readonly place: CapacityLease
  occupy(place: CapacityLease): void
  vacate(): void
  /** Time left until the request's total timeout. */
  leftMs(): number
  /** The client disconnected: how long the response is read on for its usage; 0: it is canceled upstream. */
  readOnMs(connector: Connector): number
  end(): void
}

/** Capacity that a request holds under the limits of an upstream. */
export interface CapacityLease {
  readonly release: () => void
  /** Replaces the expected tokens by the used ones; only the first call counts. */
  readonly used: (tokens: UsedTokens) => void
}

export interface UsedTokens {
  readonly input: number
  readonly output: number
}

/** A plan, and the hold with the output limit that it pays for under this plan. */
export interface PlannedWork {
  readonly plan: RequestPlan
  readonly hold: Hold
}

/** A request that was sent, and its response. */
export interface AnsweredWork extends PlannedWork {
  readonly upstreamResponse: UpstreamResponse
}

/** A request as a candidate is sent it. */
export interface CandidateWork extends PlannedWork {
  readonly parsed: ParsedRequest
}

/** The usage of an attempt whose response was not delivered, and how it was requested. */
export interface WastedUsage extends PlannedWork {
  readonly candidate: Candidate
  /** null: it reported none. */
  readonly rawUsage: RawUsage | null
  /** The response rejected the content, so another model was tried. */
  readonly refused: boolean
  /** How long the response was awaited before another offer was tried, leaving its usage unknown; null: it ended by itself. */
  readonly waitedMs: number | null
}

/** An attempt that was not delivered, and what it cost the operator. */
export interface WastedAttempt extends Pick<WastedUsage, 'candidate' | 'plan'> {
  /** At list price. */
  readonly cost: bigint
}

/** dispatch: an upstream that has begun to respond, or why none did. */
export interface UpstreamResponse {
  /** The candidate of the last attempt; null without an attempt. */
  readonly candidate: Candidate | null
  /** The request that the candidate was sent; without a candidate, the one for the first. */
  readonly work: PlannedWork
  /** Empty where not a byte was sent; else with the candidates that were skipped, and why. */
  readonly attempts: readonly Attempt[]
  /** The usage that failed attempts before the last one reported. */
  readonly wasted: readonly WastedUsage[]
  /** Reports the used tokens to the limits of the upstream. */
  readonly tokensUsed: (tokens: UsedTokens) => void
  readonly firstByteMs: number | null
  /** When the first content was seen; null when there was none. */
  readonly firstContentMs: number | null
  readonly upstreamHeaders: ReadonlyMap<string, string>
  /** A sample of the input to count from, where the upstream may not report it. */
  readonly input: InputSample | null
  readonly body: StreamedBody | AnswerBody | RejectionBody | NoBody
}

export interface StreamedBody {
  readonly kind: 'stream'
  readonly exchange: Exchange
  readonly usageTap: UsageTap
  /** Chunks received during the first-byte wait, not yet sent. */
  readonly seen: readonly Uint8Array[]
  /** The client has disconnected; the stream is read to its end for its usage. */
  readonly readsAfterDisconnect: boolean
}

export interface AnswerBody {
  readonly kind: 'answer'
  readonly status: number
  readonly bytes: Uint8Array
  readonly answer: ExtractedResponse
}

/** The upstream rejected the caller's request; its error body is relayed. */
export interface RejectionBody {
  readonly kind: 'rejection'
  readonly status: number
  /** The upstream's body, without what identifies the operator. */
  readonly bytes: Uint8Array
  readonly error: TollgateError
}

export interface NoBody {
  readonly kind: 'none'
  /** Whether an upstream may have begun to work when it ended. */
  readonly dispatched: boolean
  readonly reason: EndReason
  readonly rawUsage: RawUsage | null
  /** null when the client is gone. */
  readonly error: TollgateError | null
}

/** relay: how the request ended, for settlement. */
export interface RelayOutcome {
  readonly reason: EndReason
  /** Whether an upstream may have begun to work on it. */
  readonly dispatched: boolean
  /** `final`: the upstream's usage of the whole response. `partial`: what it had reported until then. */
  readonly report: { readonly kind: 'final' | 'partial'; readonly usage: RawUsage } | null
  /** A sample of the output, to count from where no usage was reported. */
  readonly sample: OutputSample | null
  /** The part of it that was sent before the terminal event; absent: nothing. */
  readonly relayed?: OutputSample
  readonly error: TollgateError | null
  readonly status: number
}

/** settle: whether the charge is durable, and how much it is. */
export type SettlementResult =
  | {
      readonly kind: 'settled'
      readonly charged: bigint
      /** The account's available balance after the charge; null: unknown without a read. */
      readonly available: bigint | null
    }
  /** Not durable in time: a complete answer is withheld, and its settlement stays queued. */
  | { readonly kind: 'late' }
