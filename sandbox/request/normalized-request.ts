/**
 * The sandbox's view of a request, the same for all formats, and small readers of unknown
 * JSON. The checks are those of the real providers that a client or a gateway can run into.
 */
import type { ProviderError } from '../errors.ts'
import { sandboxTokens } from './tokens.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export type PromptCacheLifetime = '5m' | '1h'

/** A stretch of the prompt, in the provider's order. */
export interface Segment {
  /** Distinguishes this stretch from others; only compared, never counted. */
  readonly identity: string
  readonly tokens: number
  /** Set where the caller asked that the prompt up to here be cached. */
  readonly cacheLifetime: PromptCacheLifetime | null
}

export interface CallableTool {
  readonly name: string
  readonly schema: JsonObject
}

export interface NormalizedRequest {
  readonly model: string
  readonly stream: boolean
  /** Stream usage: Chat only on request, the others always. */
  readonly includeUsage: boolean
  readonly outputLimit: number | null
  readonly choices: number
  /** The text of the last user message that has any. */
  readonly lastText: string
  /** Results of tools, if the last message holds them. */
  readonly toolResults: readonly string[]
  /** Callable tools in order; only the required one if a tool is required. */
  readonly tools: readonly CallableTool[]
  /** The text of the answer must follow a JSON schema. */
  readonly hasSchema: boolean
  readonly thinking: 'off' | 'hidden' | 'shown'
  /** Whether the answer holds the opaque value of its reasoning, where that is asked for. */
  readonly hasEncryptedReasoning: boolean
  /** Thinking blocks that the conversation holds already. */
  readonly earlierThoughts: number
  readonly segments: readonly Segment[]
  /** The tier reported in the usage or the answer: `default`, `flex`, `standard` … */
  readonly serviceTier: string
  readonly speed: string | null
  readonly inferenceGeo: string
  /** Request fields that the answer repeats. */
  readonly repeated: JsonObject
  /** The first thing that the real provider refuses and only models of a fixed format do here. */
  readonly strictFault: ProviderError | null
}

export type RequestReading =
  | { readonly kind: 'request'; readonly request: NormalizedRequest }
  | { readonly kind: 'error'; readonly error: ProviderError }

/** Tokens of an image, a sound or a file, whatever its size. */
const mediaTokens = 85

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The objects in a list; anything else in it is passed over. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The object at the end of a path of names; an empty one if there is none. */
export function objectAtPath(value: JsonObject, ...path: readonly string[]): JsonObject {
  let found = value
  for (const name of path) {
    const next = found[name]
    if (!isObject(next)) return {}
    found = next
  }
  return found
}

/** An integer of at least `least`, or undefined for anything else. */
export function integerFrom(value: unknown, least: number): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= least ? (value as number) : undefined
}

export function segment(identity: string, texts: readonly string[]): Segment {
  const tokens = texts.reduce((sum, text) => sum + sandboxTokens(text), 0)
  return { identity, tokens, cacheLifetime: null }
}

export function mediaSegment(identity: string): Segment {
  return { identity, tokens: mediaTokens, cacheLifetime: null }
}

/** The tools that a choice allows: all, or only the required one. */
export function callable(tools: readonly CallableTool[], demanded: string): readonly CallableTool[] {
  return demanded === '' ? tools : tools.filter(({ name }) => name === demanded)
}

export function invalid(message: string, param: string | null, code?: string): ProviderError {
  return { kind: 'invalid', subject: message, param, ...(code === undefined ? {} : { code }) }
}

/** The first fault in a list. */
export function firstFault<Item>(
  list: readonly Item[],
  faultOf: (item: Item, index: number) => ProviderError | null,
): ProviderError | null {
  for (const [index, item] of list.entries()) {
    const found = faultOf(item, index)
    if (found !== null) return found
  }
  return null
}

export function readingOf(found: ProviderError | null, request: () => NormalizedRequest): RequestReading {
  return found === null ? { kind: 'request', request: request() } : { kind: 'error', error: found }
}
