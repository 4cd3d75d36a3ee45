/** The remaining rate limits, in the headers that clients know, in the styles of vendors. Pure. */
import { momentText } from './calendar.ts'
import type { RateState, RateStates } from './types.ts'

type RateHeaderKind = 'requests' | 'tokens'
type Writer = (
  kind: RateHeaderKind,
  state: RateState,
  nowMs: number,
) => readonly (readonly [string, string])[]

const openaiHeaders: Writer = (kind, { limit, remaining, resetMs }) => [
  [`x-ratelimit-limit-${kind}`, String(limit)],
  [`x-ratelimit-remaining-${kind}`, String(remaining)],
  [`x-ratelimit-reset-${kind}`, durationText(resetMs)],
]

const anthropicHeaders: Writer = (kind, { limit, remaining, resetMs }, nowMs) => [
  [`anthropic-ratelimit-${kind}-limit`, String(limit)],
  [`anthropic-ratelimit-${kind}-remaining`, String(remaining)],
  [`anthropic-ratelimit-${kind}-reset`, momentText(nowMs + resetMs)],
]

/** By the style of a client format. */
const writers = { openai: openaiHeaders, anthropic: anthropicHeaders, none: (): ReturnType<Writer> => [] }

/** Of two limits on the same thing the one that leaves less; null where neither exists. */
export function tighter(one: RateState | null, other: RateState | null): RateState | null {
  if (one === null || other === null) return one ?? other
  return other.remaining < one.remaining ? other : one
}

/** Names and values of the headers to add to an answer; empty where there is no limit. */
export function rateHeaders(
  style: keyof typeof writers,
  rates: RateStates,
  nowMs: number,
): Readonly<Record<string, string>> {
  const write: Writer = writers[style]
  const kinds = ['requests', 'tokens'] as const
  return Object.fromEntries(
    kinds.flatMap((kind) => {
      const state = rates[kind]
      return state === null ? [] : write(kind, state, nowMs)
    }),
  )
}

/** Whole seconds for `Retry-After`, at least one. */
export function retryAfterSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1_000))
}

/** `17ms`, `1s`, `6m0s`: a duration as OpenAI writes it. */
function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.ceil(ms)}ms`
  const seconds = Math.ceil(ms / 1_000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`
}
