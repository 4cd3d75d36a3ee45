/**
 * What the heads of our answers say, as flat lists of names and values. Which headers of an
 * upstream reach a caller is decided here: very few.
 */
import type { Caller } from './access/types.ts'
import { formatUsd } from './ledger/money.ts'
import { rateHeaders } from './limits/headers.ts'
import type { Hold, Line } from './values.ts'

export type FlatHeaders = readonly string[]

/** Told by the provider about itself and of use to the caller; everything else stays behind. */
const relayedHeaders = ['openai-processing-ms', 'openai-version', 'anthropic-version'] as const

const streamHead: FlatHeaders = [
  'content-type',
  'text/event-stream; charset=utf-8',
  'cache-control',
  'no-cache, no-transform',
  'x-accel-buffering',
  'no',
]

export function identityHeaders(line: Line): FlatHeaders {
  return ['x-request-id', line.requestId, 'request-id', line.requestId]
}

/** What the hold tells: rates left, what is held, a lowered limit, and the balance where the key may see it. */
export function heldHeaders(line: Line, caller: Caller, held: Hold): FlatHeaders {
  const headers = [...identityHeaders(line)]
  for (const [name, value] of Object.entries(rateHeaders(line.dialect.name, held.rates, line.startedMs))) {
    headers.push(name, value)
  }
  headers.push('x-tollgate-hold', formatUsd(held.amount))
  if (held.lowered) headers.push('x-tollgate-max-output', String(held.outputLimit))
  if (caller.policy.showBalance) headers.push('x-tollgate-balance', formatUsd(held.available))
  return headers
}

export function streamHeaders(
  own: FlatHeaders,
  upstream: ReadonlyMap<string, string> | undefined,
): FlatHeaders {
  return [...streamHead, ...own, ...(upstream === undefined ? [] : relayed(upstream))]
}

export function jsonHeaders(own: FlatHeaders, upstream: ReadonlyMap<string, string>): FlatHeaders {
  return ['content-type', upstream.get('content-type') ?? 'application/json', ...own, ...relayed(upstream)]
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
