/**
 * What the heads of our answers say, as flat lists of names and values. Which headers of an
 * upstream reach a caller is decided here: very few.
 */
import type { Caller } from './access/types.ts'
import { formatUsd } from './ledger/money.ts'
import { rateHeaders } from './limits/headers.ts'
import type { Hold, Line, Plan } from './values.ts'
import type { Adjustment } from './wire/neutral.ts'

export type FlatHeaders = readonly string[]

/** Told by the provider about itself and of use to the caller; everything else stays behind. */
const relayedHeaders = ['openai-processing-ms', 'openai-version', 'anthropic-version'] as const

const streamHead: FlatHeaders = ['cache-control', 'no-cache, no-transform', 'x-accel-buffering', 'no']

/** Of every answer: its request, and that it is what its type says. */
export function identityHeaders(line: Line): FlatHeaders {
  return ['x-request-id', line.requestId, 'request-id', line.requestId, 'x-content-type-options', 'nosniff']
}

/** Of an answer that comes whole: it is for its caller, and nobody in between keeps it. */
export const wholeHead: FlatHeaders = ['cache-control', 'no-store']

/** What the hold tells: rates left, what is held, a lowered limit, and the balance where the key may see it. */
export function heldHeaders(line: Line, caller: Caller, of: { plan: Plan; held: Hold }): FlatHeaders {
  const { held, plan } = of
  const headers = [...identityHeaders(line)]
  for (const [name, value] of Object.entries(rateHeaders(line.dialect.name, held.rates, held.admittedMs))) {
    headers.push(name, value)
  }
  headers.push('x-tollgate-hold', formatUsd(held.amount))
  const { source } = held.input
  if (source !== 'bytes') headers.push('x-tollgate-input-bound', source)
  if (held.lowered) headers.push('x-tollgate-max-output', String(held.outputLimit))
  const adjusted = plan.translation?.adjusted ?? []
  if (adjusted.length > 0) headers.push('x-tollgate-adjusted', adjustedText(adjusted))
  if (caller.policy.showBalance) headers.push('x-tollgate-balance', formatUsd(held.available))
  return headers
}

const adjustedCharactersMax = 1_024

/** What was left out or changed on the way to another format, by the caller's names, each once. */
function adjustedText(adjusted: readonly Adjustment[]): string {
  const words = new Set(adjusted.map(({ kind, field }) => `${kind}=${field.replace(/[^!-+\--~]/g, '?')}`))
  const text = [...words].join(',')
  return text.length <= adjustedCharactersMax ? text : `${text.slice(0, adjustedCharactersMax - 3)}...`
}

/** What keeps the client of a silent stream awake. */
export function keepAlive({ framing, padding, dialect }: Line): string {
  return framing?.keepAlive ?? padding?.next() ?? dialect.keepAlive ?? ''
}

/** What a stream begins with whose first content takes its time; '' where the head is enough. */
export function firstKeepAlive({ framing, dialect }: Line): string {
  return framing === null ? (dialect.keepAlive ?? '') : ''
}

export function streamHeaders(
  { framing, dialect }: Line,
  own: FlatHeaders,
  upstream: ReadonlyMap<string, string> | undefined,
): FlatHeaders {
  const type = framing?.contentType ?? dialect.streamType
  return ['content-type', type, ...streamHead, ...own, ...(upstream === undefined ? [] : relayed(upstream))]
}

export function jsonHeaders(own: FlatHeaders, upstream: ReadonlyMap<string, string>): FlatHeaders {
  const type = upstream.get('content-type') ?? 'application/json'
  return ['content-type', type, ...wholeHead, ...own, ...relayed(upstream)]
}

function relayed(upstream: ReadonlyMap<string, string>): FlatHeaders {
  const headers: string[] = []
  for (const name of relayedHeaders) {
    const value = upstream.get(name)
    if (value !== undefined) headers.push(name, value)
  }
  const requestId = upstream.get('x-request-id') ?? upstream.get('request-id')
  if (requestId !== undefined) headers.push('x-upstream-request-id', requestId)
  return headers
}
