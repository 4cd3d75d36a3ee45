/**
 * The neutral form of a conversation, a response and the events of a stream: what one
 * format decodes and another encodes. Types only. It contains what some other format can carry; what none
 * can is named in `OtherPart` and `fields`, so that it is rejected or reported, never lost silently.
 */

import type { AutomaticCaching } from '../../../contract/values.ts'
import type { JsonOut, RawJson } from '../json/text.ts'
import type { Charge, Usage } from '../usage.ts'
import type { Capabilities, Effort } from './capabilities.ts'

/** Who made an opaque value and alone can read it. */
export type Vendor = 'anthropic' | 'openai' | 'google'

/**
 * An opaque value that must come back to its vendor unchanged. `data` is the vendor's own text: Anthropic's
 * thinking signature (or `redacted_thinking.data`), Google's thought signature (base64), OpenAI's reasoning
 * item as `<item id>.<encrypted_content>` (the id may be empty).
 */
export interface EncryptedReasoning {
  readonly vendor: Vendor
  readonly data: string
}

export type CacheLifetime = '5m' | '1h'

/** The position of a part in the caller's body, for messages about it: `messages[2].content[0]`. */
export type Pointer = string

export interface TextPart {
  readonly kind: 'text'
  readonly text: string
  /** The caller wants the prompt cached up to and with this part. */
  readonly cache: CacheLifetime | null
  readonly citations: readonly Citation[]
}

/** A source that an answer names; only what has an address or a title means something elsewhere. */
export interface Citation {
  readonly url: string | null
  readonly title: string | null
  readonly quoted: string | null
}

export type MediaSource =
  /** Base64 without line breaks or prefix. */
  | { readonly kind: 'base64'; readonly mediaType: string; readonly data: string }
  | { readonly kind: 'url'; readonly mediaType: string | null; readonly url: string }
  /** A document that is plain text. */
  | { readonly kind: 'text'; readonly text: string }

export interface MediaPart {
  readonly kind: 'media'
  readonly medium: 'image' | 'audio' | 'document'
  readonly source: MediaSource
  /** File name or title. */
  readonly title: string | null
  /** OpenAI's `detail`, as written. */
  readonly detail: string | null
  readonly cache: CacheLifetime | null
  readonly pointer: Pointer
}

/** The model's reasoning before its answer. `text` may be empty next to an encrypted value, which must survive. */
export interface ThinkingPart {
  readonly kind: 'thinking'
  readonly text: string
  /** Anthropic's `redacted_thinking`: `encrypted value.data` is its data. */
  readonly redacted: boolean
  readonly encrypted: EncryptedReasoning | null
}

/** The model asks for a tool of the caller's. */
export interface CallPart {
  readonly kind: 'call'
  /** The call's id in its original format, without our carrier: see reasoning-carriers.ts. */
  readonly id: string
  readonly name: string
  /** The group that the tool was declared in (Responses namespaces); null: none. */
  readonly namespace: string | null
  /** `json`: `input` is the JSON text of an object as the model wrote it ('' and cut text occur); `text`: free text of a custom tool. */
  readonly form: 'json' | 'text'
  readonly input: string
  /** Google puts its signature on the call itself. */
  readonly encrypted: EncryptedReasoning | null
  readonly pointer: Pointer
}

/** The output of the caller's tool. */
export interface ResultPart {
  readonly kind: 'result'
  readonly callId: string
  /** The tool's name where the format has it (Gemini); else found by `callId`. */
  readonly name: string | null
  readonly content: readonly (TextPart | MediaPart)[]
  /** Gemini's `response` object as written, where it is not one of the texts `output` / `error`. */
  readonly json: string | null
  readonly isError: boolean
  readonly cache: CacheLifetime | null
  readonly pointer: Pointer
}

export interface RefusalPart {
  readonly kind: 'refusal'
  readonly text: string
}

/** Something that only its own format has (results of tools that ran upstream, …): dropped in other formats and listed in `x-tollgate-adjusted`. */
export interface OtherPart {
  readonly kind: 'other'
  /** The part's type as the format names it. */
  readonly type: string
  readonly pointer: Pointer
}

export type ConversationPart =
  | TextPart
  | MediaPart
  | ThinkingPart
  | CallPart
  | ResultPart
  | RefusalPart
  | OtherPart

/** `system` includes `developer`; leading ones are the instructions, later ones stay in place. */
export interface ConversationTurn {
  readonly role: 'system' | 'user' | 'assistant'
  readonly parts: readonly ConversationPart[]
}

/** A tool of the caller's. */
export interface Tool {
  readonly name: string
  readonly namespace: string | null
  readonly description: string | null
  readonly form: 'json' | 'text'
  /** The JSON schema of its input as the caller wrote it; null: it takes none (or it is free text). */
  readonly schema: RawJson | null
  /** `form: text`: the grammar or format object as written, null where there is none. */
  readonly format: RawJson | null
  readonly strict: boolean | null
  readonly cache: CacheLifetime | null
  readonly pointer: Pointer
}

/** A tool that the provider runs itself. Formats that can offer `name` translate it; others reject it. */
export interface ProviderTool {
  /** Undated meter name: `web_search`, `code_execution`, `web_fetch`, … */
  readonly name: string
  readonly usesMax: number | null
  readonly pointer: Pointer
}

export type ToolChoice =
  /** `validated`: the model decides, and what it calls must fit the schema (Google's VALIDATED). */
  | { readonly kind: 'auto' | 'none' | 'required' | 'validated' }
  | { readonly kind: 'one'; readonly name: string; readonly namespace: string | null }
  | { readonly kind: 'some'; readonly required: boolean; readonly names: readonly string[] }

/** How much the model may think, in whichever terms the caller chose; all null: the model's default. */
export interface Reasoning {
  readonly effort: Effort | null
  /** Tokens of thinking; `0`: off, `-1`: the model decides. */
  readonly budget: number | null
  /** The caller shows thoughts and wants them readable; false: wants none; null: did not say. */
  readonly summaries: boolean | null
}

export type OutputFormat =
  | { readonly kind: 'json' }
  | {
      readonly kind: 'schema'
      readonly name: string | null
      readonly description: string | null
      readonly schema: RawJson
      readonly strict: boolean | null
    }

/** Numbers as the caller wrote them (JSON text), so that no digit changes. */
export interface Sampling {
  readonly temperature: string | null
  readonly topP: string | null
  readonly topK: string | null
  readonly presencePenalty: string | null
  readonly frequencyPenalty: string | null
  readonly seed: string | null
}

/** A field of the caller's body and its position: the input of the policy tables. */
export interface RequestField {
  /** The field's name in the policy table: `temperature`, `generationConfig.seed`. */
  readonly name: string
  readonly pointer: Pointer
}

export interface Conversation {
  /** The model as the caller wrote it; requests are encoded with the target's name. */
  readonly model: string
  readonly stream: boolean
  readonly turns: readonly ConversationTurn[]
  readonly tools: readonly Tool[]
  readonly providerTools: readonly ProviderTool[]
  readonly toolChoice: ToolChoice | null
  readonly parallelCalls: boolean | null
  readonly outputLimit: number | null
  readonly sampling: Sampling
  readonly stops: readonly string[]
  readonly reasoning: Reasoning
  readonly format: OutputFormat | null
  /** `low | medium | high`. */
  readonly verbosity: string | null
  /** Who is behind the caller, for the provider's abuse checks; as written, of any length. */
  readonly user: string | null
  /** The caller's prompt cache key (`prompt_cache_key`). */
  readonly cacheKey: string | null
  /** How many alternatives for each token; 0: the chosen one alone; null: not asked for. */
  readonly logprobs: number | null
  /** Every field of the body that has a row in the format's policy table, and every one that has none. */
  readonly fields: readonly RequestField[]
  readonly responseOptions: ResponseOptions
}

/** Request options needed to encode the answer; small, since they are held while it runs. */
export interface ResponseOptions {
  /** A chat stream with a usage event. */
  readonly includeUsage: boolean
  /** Settings that a Responses object repeats, as written. */
  readonly echo: readonly (readonly [name: string, value: JsonOut])[]
  /** Tools that take free text, and tools in namespaces: `tool-names.ts` restores them from this. */
  readonly tools: readonly Pick<Tool, 'name' | 'namespace' | 'form'>[]
  readonly logprobs: boolean
}

/** Something that did not go upstream as written; reported in `x-tollgate-adjusted`. */
export interface Adjustment {
  /** `added`: what the caller did not write, and what can change the price. */
  readonly kind: 'dropped' | 'adapted' | 'added'
  /** The caller's field or part: `seed`, `messages[3].content[1]`. */
  readonly field: Pointer
  /** A few words for the documentation and the log, not for the header. */
  readonly why: string
}

/** The upstream that a request is written for. */
export interface TranslationTarget {
  /** The model as its provider calls it. */
  readonly model: string
  /** Left out: `conversations`. */
  readonly automaticCaching?: AutomaticCaching
  readonly capabilities: Capabilities
  /** The member in which the host takes readable thoughts of earlier turns back (Chat Completions); absent: none. */
  readonly thoughtsMember?: string | undefined
  /** How to handle a tool choice that the model cannot be forced to; absent: adapted and listed in `x-tollgate-adjusted`. */
  readonly forcedTools?: ForcedTools | undefined
}

/** `adapt`: the nearest that the model takes. `reject`: 400 naming the field. */
export type ForcedTools = 'adapt' | 'reject'

/** Features that the upstream lacks and that we emulate in its response. */
export interface Emulation {
  /** The upstream's name of the tool whose input the first text is; null: texts are texts. */
  readonly callOf: string | null
  /** The text ends before the first of these. */
  readonly stops: readonly string[]
}

/** A request in the format of an upstream. */
export interface EncodedRequest {
  /** The body. What a cache matches by prefix (tools, instructions, messages) comes first, the last message last of it. */
  readonly text: string
  readonly adjusted: readonly Adjustment[]
  /** The tools under the names that the upstream knows them by, where these differ from the caller's or the input is wrapped. */
  readonly names: ToolNames
  /** Headers the body needs, lower case (`anthropic-beta`); empty mostly. */
  readonly headers: Readonly<Record<string, string>>
  /** Features to emulate in the response; usually absent. */
  readonly emulation?: Emulation | undefined
}

/** Target name → the caller's tool. `wrapped`: free text went as `{"input": "…"}` and is unwrapped in the answer. */
export type ToolNames = ReadonlyMap<string, CallerTool>

export interface CallerTool {
  readonly name: string
  readonly namespace: string | null
  readonly wrapped: boolean
}

export type FinishReason =
  | 'end'
  | 'stop_string'
  | 'calls'
  | 'length'
  | 'context'
  | 'refusal'
  | 'filter'
  | 'pause'

export interface Finish {
  readonly reason: FinishReason
  readonly stopString: string | null
  /** The provider's explanation of a rejection or a filter. */
  readonly explanation: string | null
}

/** A part of an answer; media are made by the model. */
export type ResponsePart = TextPart | ThinkingPart | CallPart | RefusalPart | MediaPart

/** A whole answer. `usage` comes from the format's own reading of the bytes, the response's id and model from its frame. */
export interface NeutralResponse {
  readonly parts: readonly ResponsePart[]
  readonly finish: Finish
  readonly usage: Usage
  /** OpenAI's `content` array of log probabilities, as written; null where there is none. */
  readonly logprobs: RawJson | null
}

/**
 * Stream events, in order. Parts never overlap: `open` → `delta`* → `close`, then the next.
 * A decoder keeps later parts back until earlier ones are closed. `finish` comes once and last.
 */
export type ResponseEvent =
  | { readonly kind: 'start' }
  /** Input that was reported before any output, and nothing else of usage. */
  | { readonly kind: 'input'; readonly usage: Usage }
  | {
      readonly kind: 'open'
      readonly part:
        | { readonly kind: 'text' | 'thinking' | 'refusal' }
        | Pick<CallPart, 'kind' | 'id' | 'name' | 'namespace' | 'form' | 'encrypted'>
    }
  /** More of the open part: text, or JSON text of a call's input. */
  | { readonly kind: 'delta'; readonly text: string }
  | { readonly kind: 'citation'; readonly citation: Citation }
  /** `content` entries of log probabilities as written (a JSON array). */
  | { readonly kind: 'logprobs'; readonly content: RawJson }
  /** Ends the open part; the encrypted value of a thinking part is known only here. */
  | { readonly kind: 'close'; readonly encrypted: EncryptedReasoning | null }
  /** A part that comes whole: redacted thinking, media. */
  | { readonly kind: 'whole'; readonly part: ThinkingPart | MediaPart }
  | { readonly kind: 'finish'; readonly finish: Finish }

/** Values of ours that every answer needs besides the upstream's. */
export interface Frame {
  /** The request's public id (`req_…`); generated ids are derived from it, so that they are unique across answers. */
  readonly requestId: string
  /** The model's name in the response: as the caller wrote it, or a fallback's. */
  readonly model: string
  readonly createdSeconds: number
  readonly responseOptions: ResponseOptions
}

/** The cost of an answer, known when it is settled. */
export interface ResponseCost extends Charge {
  readonly usage: Usage
}
