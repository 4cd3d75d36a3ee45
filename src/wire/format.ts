/**
 * The parts that a format provides for clients and upstreams, and their shared request, response and error types. A
 * format fills one side or both. Interfaces and plain values only: no I/O, no promise, no clock, no Node; only types imported.
 */
import type { ErrorCategory } from '../../contract/errors.ts'
import type { ClientRoutes, UrlFields } from './client-routes.ts'
import type { ClientFormatName, SourceFormat, UpstreamFormatName } from './format-names.ts'
import type { HostField, RequestDifferences } from './host-differences.ts'
import type { BytePatch, NumberPatch, Span } from './json/byte-patch.ts'
import type { UpstreamPaths } from './upstream-paths.ts'
import type { RawUsage, ReportedTotals, Usage } from './usage.ts'

/** The codes of the error table that reading a body can end in. */
export type WireErrorCode =
  | 'invalid_json'
  | 'missing_field'
  | 'invalid_value'
  | 'ambiguous_field'
  | 'unpriced_option'
  | 'reference_not_owned'
  | 'untranslatable'

/** The only thing that a codec throws. `pointer` names the field as the caller wrote it, e.g. `messages[2].content`. */
export class WireError extends Error {
  override readonly name = 'WireError'
  readonly code: WireErrorCode
  readonly pointer: string | undefined
  /** The model that the body names, where it could be read. */
  model: string | undefined

  constructor(code: WireErrorCode, message: string, pointer?: string) {
    super(message)
    this.code = code
    this.pointer = pointer
  }
}

/** Limits that reading a request obeys; their defaults are in the configuration. */
export interface ReadLimits {
  readonly depthMax: number
  /** JSON values (objects, arrays, strings, numbers, literals) in one body. */
  readonly valuesMax: number
  /** See `JsonLimits`. */
  readonly otherValuesMax?: number
  readonly namesMax?: number
  readonly objectsMax?: number
  /** The largest token count or repetition that is taken seriously. */
  readonly integerMax: number
}

export type MediaKind = 'image' | 'audio' | 'video' | 'document'

/** Something in the input that is not text. */
export interface Media {
  readonly kind: MediaKind
  /** The position of its bytes in the body (the base64 text), or null if only a URL is given. */
  readonly span: Span | null
  /** The media type as the caller gave it, lower case, '' where there is none. */
  readonly mediaType: string
  /** The provider's id of a file that is named in place of its bytes; absent for all other media. */
  readonly fileId?: string
  /** The size of such a file in bytes, once it is known. */
  readonly bytes?: number
}

/** A tool that the provider runs itself and charges for. */
export interface ServerTool {
  /** The provider's name without its date: `web_search`, `code_execution`, … */
  readonly meter: string
  /** The type as the caller wrote it, e.g. `web_search_20250305`. */
  readonly type: string
  readonly pointer: string
  /** The caller's limit on uses; null without one. */
  readonly usesMax: number | null
  /** How to write the cap into the body; null for a tool whose uses the format cannot cap. */
  readonly capPatch: NumberPatch | null
  /** Meters that the provider uses inside of this tool, and does not charge for in a request with it. */
  readonly waives?: readonly string[]
}

/** A field whose value changes what the provider charges; rejected where the price row does not know it. */
export interface PricedOption {
  /** `service_tier:flex`, `speed:fast`, `inference_geo:us` …: the name under which a price row prices it. */
  readonly name: string
  readonly pointer: string
}

/** Betas of a vendor, by their names without a date. */
export interface BetaHeader {
  /** In lower case. */
  readonly header: string
  /** Betas that are priced by the fields they allow. */
  readonly known: ReadonlySet<string>
  /** Betas that change the price themselves, by name prefix. */
  readonly priced: readonly { readonly prefix: string; readonly option: string }[]
}

/** Something that its provider keeps, and that a request names in place of sending it. */
export interface Reference {
  readonly id: string
  /**
   * `response`: an answer with all that went before it; `item`: a part of one; `reasoning`: one without its content;
   * `file`: an uploaded file.
   */
  readonly kind: 'response' | 'item' | 'reasoning' | 'file'
  readonly pointer: string
}

/** Other models that may serve a request. */
export interface FallbackModels {
  /** Names as the caller wrote them. */
  readonly names: readonly string[]
  /** The bytes of the member, with a comma. */
  readonly spans: readonly Span[]
}

/** The few facts that routing, bounds and splices need, with their positions in the body. */
export interface ExtractedFields {
  readonly model: string
  /** The model's JSON string, quotes included; null where the address names the model. */
  readonly modelSpan: Span | null
  /** Other models that the caller accepts; absent: it names none, and the operator's fallbacks apply. */
  readonly fallbackModels?: FallbackModels | undefined
  readonly stream: boolean
  /** The answer is to be polled for; absent in formats that have no such thing. */
  readonly background?: boolean
  /** The output limit the caller asked for, in tokens; null when it asked for none. */
  readonly outputLimit: number | null
  /** The number of choices (`n`); 1 where the format has no such field. */
  readonly choices: number
  /** A thinking budget in tokens that must stay below the output limit; null when none is set. */
  readonly thinkingBudget: number | null
  readonly media: readonly Media[]
  /** Cache lifetimes the caller marks; the most expensive one bounds the input's price. */
  readonly cacheWrites: readonly ('5m' | '1h')[]
  readonly serverTools: readonly ServerTool[]
  readonly options: readonly PricedOption[]
  /**
   * The format that the body is written in: a chat address understands Responses bodies too. null: one that holds
   * no conversation.
   */
  readonly writtenAs: SourceFormat | null
  /** Whether the body can go upstream in its own format unchanged; false for one that mixes formats. */
  readonly canPassThrough: boolean
  /** Members that alone make the body mixed, where some hosts accept them; see `passesAsIs`. */
  readonly hostFields?: readonly HostField[]
  /** The caller declares its own functions. */
  readonly functionTools: boolean
  /** The effort as the caller wrote it; null where it wrote none. */
  readonly effort: string | null
  /** State at the provider that the body refers to, each id once; absent in formats where all of that is rejected. */
  readonly references?: readonly Reference[]
  /** Unknown members of the body, without positions, and unknown betas; see `known-members.ts`. */
  readonly unknownMembers?: readonly string[]
  /** Identifies a conversation for sticky routing: the first text of its user. */
  readonly conversationSpan: Span
  /** The caller's prompt cache key, which identifies the conversation better; absent where the format has none. */
  readonly cacheKeySpan?: Span | undefined
}

/** Differences between the body sent upstream and the caller's. */
export interface RequestPatch {
  /** The upstream's own id of the model, when it is not the name that the body has: the caller's, or in a translated one the one that translation wrote. */
  readonly model?: string
  /** The lowered output limit in tokens. */
  readonly outputLimit?: number
  readonly serverToolUsesMax?: number
  /** How the host differs from the format's vendor; absent: not at all. */
  readonly host?: RequestDifferences | undefined
}

/** An error as an upstream worded it. */
export interface UpstreamProblem {
  /** The provider's sentence, word for word; '' where it gave none. */
  readonly message: string
  /** The provider's own `type` and `code`, '' where absent. */
  readonly type: string
  readonly code: string
  /** The machine-readable reason in Google's `details`; absent where there is none. */
  readonly reason?: string
  /** The wait that the body asks for; absent where it asks for none. */
  readonly retryAfterMs?: number
}

/** A bounded sample of the output so far: text to count tokens from, and the total size. */
export interface OutputSample {
  /** The first part of the produced text (reasoning, text and tool arguments), at most `sampleCharactersMax`. */
  readonly text: string
  /** Characters of all that was produced. */
  readonly characters: number
  /** Events that carried content. */
  readonly events: number
}

/** A response or an item that the provider stores under its own ID, so that later requests can reference it. */
export interface ProviderObject {
  readonly id: string
  /**
   * The most that a reference to the object adds to the input: the answer's `output`, `all` of its input and output, or, where
   * that is unknown, the model's whole `window`.
   */
  readonly referencedScope: 'output' | 'all' | 'window'
}

/**
 * Watches one stream while its bytes are relayed; fed with chunks as they come, cut anywhere.
 *
 * `waiting` → `content` (something worth sending was seen) → `finishing` (the event that tells the
 * caller it is over has begun) → `complete` (the protocol's own end was seen). `failed` when the
 * stream carried an error or broke its format; `truncated` when it ended before its end.
 */
export interface UsageTap {
  push(chunk: Uint8Array): void
  /** The upstream sent its last byte. `isCut`: the connection ended before the body did. */
  end(isCut?: boolean): void
  readonly state: 'waiting' | 'content' | 'finishing' | 'complete' | 'failed' | 'truncated'
  /** Bytes from the beginning that may be sent before settlement: whole events, without a terminal event. */
  readonly relayableBytes: number
  /** Bytes from the beginning that belong to the answer once it is settled (in state `complete`). */
  readonly totalBytes: number
  /** The event that only we asked for; not sent to the caller. */
  readonly suppressedSpan: Span | null
  /** The end mark of the format, where a complete stream ended without it; '' otherwise. */
  readonly missingMark: string
  /** The error event's problem, in state `failed`. */
  readonly problem: UpstreamProblem | null
  readonly rawUsage: RawUsage
  readonly sample: OutputSample
  /** The content was refused before any of it came: another model may be asked in its place. */
  readonly refused: boolean
  /** A delta came with an empty role, which older libraries reject; absent where a format has none. */
  readonly hasEmptyRole?: boolean
  /** The part of it that is in the first `relayableBytes` bytes. */
  readonly relayableSample: OutputSample
  /** Objects that the provider says it stored, once the answer is complete; absent where a format has none. */
  readonly providerObjects?: readonly ProviderObject[]
}

/** Fields read from a whole JSON answer. */
export interface ExtractedResponse {
  readonly rawUsage: RawUsage
  /** Set when the body is an error although the status said 200, or no answer at all. */
  readonly problem: UpstreamProblem | null
  readonly sample: OutputSample
  /** The content was refused, or filtered away; absent where a format has no such thing. */
  readonly refused?: boolean
  /** Objects that the provider says it stored, as in a stream. */
  readonly providerObjects?: readonly ProviderObject[]
  /** The provider's id of a background response that has not ended; absent otherwise. */
  readonly pending?: string
}

/** An error for a caller; `category` has a word in every format. */
export interface ClientError {
  readonly code: string
  readonly category: ErrorCategory
  readonly status: number
  readonly message: string
  readonly param: string | null
  readonly details: Readonly<Record<string, string | number | boolean | readonly string[]>>
  readonly source: 'gateway' | 'upstream'
  readonly requestId: string
  /** When it is worth trying again, for formats that say so in the body. */
  readonly retryAfterMs?: number
}

export interface TapOptions {
  /** How the caller and we asked for the usage event: dropped when only we did. */
  readonly usageEvent: 'relay' | 'drop'
  /** How many answers run in parallel in this stream. */
  readonly choices: number
  readonly eventBytesMax: number
  readonly sampleCharactersMax: number
}

/** The names that lead to the usage object, in a whole response and in an event of a stream. */
export interface CostFields {
  readonly answer: readonly string[]
  readonly event: readonly string[]
}

/** Wraps the events of a stream for clients that asked for another shape. */
export interface StreamEnvelope {
  readonly contentType: string
  readonly keepAlive: string
  push(events: Uint8Array | string): string
  close(): string
  errorText(problem: ClientError): string
}

/** How a format reports the remaining rate limits to its clients. */
export type RateHeaderStyle = 'openai' | 'anthropic' | 'none'

interface FormatReader<Fields extends ExtractedFields> {
  /**
   * Reads a request body: strict JSON, every name compared after decoding.
   * Throws WireError for what is malformed, ambiguous, unpriced everywhere, or refers to state of a provider
   * that no account here can own.
   */
  extractRequest(body: Uint8Array, limits: ReadLimits, address: UrlFields): Fields
}

export interface ClientFormat<Fields extends ExtractedFields = ExtractedFields> extends FormatReader<Fields> {
  readonly name: ClientFormatName
  readonly routes: ClientRoutes
  /** The header by which callers switch on betas; null: it has none. */
  readonly betas: BetaHeader | null
  /** The format's libraries may put the key into the URL (`?key=`). */
  readonly hasKeyInUrl?: true
  /** The format's name for the output limit. */
  readonly outputLimitField: string
  readonly rateHeaders: RateHeaderStyle
  /** The whole JSON body of an error response. */
  errorBody(problem: ClientError): string
  /** The status that its clients expect for the error. */
  errorStatus(problem: ClientError): number
  /** Phrases in an error that make the format's agents shorten their context. */
  readonly contextMarks: readonly string[]
  /** The frame that reports an error inside a stream that has begun. */
  errorFrame(problem: ClientError): string
  readonly streamType: string
  /** How a stream is wrapped for a query that asks for something else than events; absent or null: it is not. */
  streamEnvelope?(query: string): StreamEnvelope | null
  /** Where a response has the usage object that `cost` is written into. */
  readonly costFields: CostFields
  /** Keep-alive for a silent stream, ignored by the format's clients; null: only padding inside an event works. */
  readonly keepAlive: string | null
  /** The same before the first event, where its libraries expect one event alone at that place. */
  readonly keepAliveFirst?: string
}

export interface UpstreamFormat<Fields extends ExtractedFields = ExtractedFields>
  extends FormatReader<Fields> {
  readonly name: UpstreamFormatName
  readonly paths: UpstreamPaths
  /** The byte patches that a change of the request needs, in body order; empty when the bytes can go as they are. */
  patchRequest(fields: Fields, patch: RequestPatch): readonly BytePatch[]
  /** Whether the caller asked for the usage event itself (always 'relay' where the format has none). */
  usageEvent(fields: Fields): 'relay' | 'drop'
  /** The smallest output limit that it takes. */
  readonly outputLimitMin: number
  /** Whether a stream reports its input before any output, and output only at its end. */
  readonly reportsInputEarly?: true
  /** Where it joins function tools to a reasoning effort, some models take only one of them. */
  readonly limitsToolsWithEffort?: true
  /** The provider adds a hidden prompt to requests with tools. */
  readonly hasToolPrompt?: true
  /** The `accept` header for streams; absent: server-sent events. */
  readonly acceptedStream?: string
  /** null: it has no streams. */
  readonly tapStream: ((options: TapOptions) => UsageTap) | null
  extractResponse(body: Uint8Array, sampleCharactersMax: number): ExtractedResponse
  /** Encodes a whole response as the request specified, for hosts that ignore it; absent: it stays unchanged. */
  encodeAsRequested?(body: Uint8Array, fields: Fields): readonly Uint8Array[]
  /** The same format for requests whose response is polled for; absent: it has none. */
  readonly inBackground?: UpstreamFormat
  /** Reads the body of a non-2xx response; never throws. */
  readError(body: Uint8Array): UpstreamProblem
  /** The HTTP status that an error inside a 200 response implies. */
  problemStatus(problem: UpstreamProblem): number
  /** Whether the totals of input and of output were reported, as numbers that can be true. */
  reportedTotals(rawUsage: RawUsage): ReportedTotals
  /** Meters that are charged once a request, however often the model that was asked for used them; absent: none. */
  chargedOnce?(upstreamModel: string): readonly string[]
  /**
   * Reported counters → disjoint classes. Negative, broken or contradictory numbers are clamped and flagged as unknown. `unsplit`:
   * the lifetime of what was written to the cache where the report does not say it.
   */
  toUsage(rawUsage: RawUsage, unsplit?: '5m' | '1h'): Usage
}

/** An upstream format whose responses can stream. */
export type StreamedFormat<Fields extends ExtractedFields = ExtractedFields> = UpstreamFormat<Fields> & {
  readonly tapStream: NonNullable<UpstreamFormat['tapStream']>
}
