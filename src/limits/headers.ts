/** The remaining rate limits, in the headers that clients know, in the styles of vendors. Pure. */
import { momentText } from './calendar.ts'
import type { RateState, RateStates } from './types.ts'

type RateHeaderKind = 'requests' | 'tokens'
const kinds: readonly RateHeaderKind[] = ['requests', 'tokens']

/** The names of a style's headers, and how it writes the moment at which the limit is unused again. */
interface Style {
  readonly names: Readonly<Record<RateHeaderKind, { readonly [Fact in keyof RateState]: string }>>
  readonly reset: (resetMs: number, nowMs: number) => string
}

const openaiNames = (kind: RateHeaderKind) => ({
  limit: `x-ratelimit-limit-${kind}`,
  remaining: `x-ratelimit-remaining-${kind}`,
  resetMs: `x-ratelimit-reset-${kind}`,
})

const anthropicNames = (kind: RateHeaderKind) => ({
  limit: `anthropic-ratelimit-${kind}-limit`,
  remaining: `anthropic-ratelimit-${kind}-remaining`,
  resetMs: `anthropic-ratelimit-${kind}-reset`,
})

/** By the style of a client format. */
const styles: Readonly<Record<'openai' | 'anthropic' | 'none', Style | null>> = {
  openai: {
    names: { requests: openaiNames('requests'), tokens: openaiNames('tokens') },
    reset: durationText,
  },
  anthropic: {
    names: { requests: anthropicNames('requests'), tokens: anthropicNames('tokens') },
    reset: (resetMs, nowMs) => momentText(nowMs + resetMs),
  },
  none: null,
}

/** The limit that leaves less; null if neither exists. */
export function tighter(one: RateState | null, other: RateState | null): RateState | null {
  if (one === null || other === null) return one ?? other
  return other.remaining < one.remaining ? other : one
}

/** Names and values of the headers to add to an answer; empty where there is no limit. */
export function rateHeaders(
  style: keyof typeof styles,
  rates: RateStates,
  nowMs: number,
): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  const written = styles[style]
  if (written === null) return headers
  for (const kind of kinds) {
    const state = rates[kind]
    if (state === null) continue
    const names = written.names[kind]
    headers[names.limit] = String(state.limit)
    headers[names.remaining] = String(state.remaining)
    headers[names.resetMs] = written.reset(state.resetMs, nowMs)
  }
  return headers
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
