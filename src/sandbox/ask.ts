/**
 * What the sandbox understands of a request, the same for both dialects, and small readers of unknown
 * JSON. The checks are those of the real providers that a client or a gateway can run into.
 */
import type { Problem } from './problem.ts'
import { sandboxTokens } from './tokens.ts'

export type JsonObject = Readonly<Record<string, unknown>>

export type CacheLifetime = '5m' | '1h'

/** One stretch of the prompt in the order in which the provider reads it. */
export interface Segment {
  /** What tells this stretch from another one; only compared, never counted. */
  readonly identity: string
  readonly tokens: number
  /** Set where the caller asked that the prompt up to here be cached. */
  readonly cacheLifetime: CacheLifetime | null
}

export interface Tool {
  readonly name: string
  readonly schema: JsonObject
}

export interface Ask {
  readonly model: string
  readonly stream: boolean
  /** Stream usage: Chat only on request, Messages always. */
  readonly includeUsage: boolean
  readonly outputLimit: number | null
  readonly choices: number
  /** The text of the last user message that has any. */
  readonly lastText: string
  /** What the tools said, when the last message holds their results. */
  readonly toolResults: readonly string[]
  /** The tool to call: the one that is demanded, else the first that is offered. */
  readonly tool: Tool | null
  readonly thinking: 'off' | 'hidden' | 'shown'
  readonly segments: readonly Segment[]
  /** As the usage or the answer tells where it ran: `default`, `flex`, `standard` … */
  readonly serviceTier: string
  readonly speed: string | null
  readonly inferenceGeo: string
}

export type Reading =
  | { readonly kind: 'ask'; readonly ask: Ask }
  | { readonly kind: 'problem'; readonly problem: Problem }

/** What an image, a sound or a file costs, whatever its size. */
export const mediaTokens = 85

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

export function invalid(message: string, param: string | null): Reading {
  return { kind: 'problem', problem: { trouble: 'invalid', subject: message, param } }
}
