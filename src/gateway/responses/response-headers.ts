/**
 * Response headers, as flat lists of names and values, the few upstream headers that are relayed, and what keeps a stream alive
 * before its upstream responds.
 */
import type { Caller } from '../../access/types.ts'
import type { Clock } from '../../base/clock.ts'
import { type CustomerView, shownUpstream } from '../../catalog/customer-view.ts'
import type { FlatHeaders } from '../../http/downstream.ts'
import { formatUsd } from '../../ledger/rules/money.ts'
import { rateHeaders } from '../../limits/headers.ts'
import type { ClientFormat } from '../../wire/format.ts'
import type { Adjustment } from '../../wire/translation/neutral.ts'
import type {
  Candidate,
  Hold,
  PlannedWork,
  RequestContext,
  RequestLifecycle,
  RequestPlan,
} from '../request.ts'

/** The upstream's response headers that are useful to the caller; all others are dropped. */
const relayedHeaders = ['openai-processing-ms', 'openai-version', 'anthropic-version'] as const

const streamHead: FlatHeaders = ['cache-control', 'no-cache, no-transform', 'x-accel-buffering', 'no']

/** Headers of every response. */
export function identityHeaders(context: RequestContext): FlatHeaders {
  return [
    'x-request-id',
    context.requestId,
    'request-id',
    context.requestId,
    'x-content-type-options',
    'nosniff',
  ]
}

/** Headers of every response that is not streamed: it must not be cached. */
export const wholeHead: FlatHeaders = ['cache-control', 'no-store']

/** Headers from the hold: remaining rates, the held amount, a lowered limit, who serves, and the balance where the key shows it. */
export function heldHeaders(
  context: RequestContext,
  caller: Caller,
  of: { plan: RequestPlan; hold: Hold; candidate: Candidate | null },
): FlatHeaders {
  const { hold, plan, candidate } = of
  const headers = [...identityHeaders(context)]
  const rates = rateHeaders(context.format.rateHeaders, hold.rates, hold.admittedMs)
  for (const name in rates) headers.push(name, rates[name] ?? '')
  headers.push('x-tollgate-hold', formatUsd(hold.amount))
  const { source } = hold.input
  if (source !== 'bytes') headers.push('x-tollgate-input-bound', source)
  if (hold.lowered) headers.push('x-tollgate-max-output', String(hold.outputLimit))
  if (candidate !== null) {
    headers.push('x-tollgate-model', plan.model.name)
    const shown = shownUpstream(context.customerView, candidate.upstream)
    if (shown !== null) headers.push('x-tollgate-upstream', shown)
  }
  const { adjusted } = plan
  if (adjusted.length > 0) headers.push('x-tollgate-adjusted', adjustedText(adjusted))
  if (caller.policy.showBalance) headers.push('x-tollgate-balance', formatUsd(hold.available))
  return headers
}

/** The same headers with the balance after the charge. It is their last one, where the key shows it. */
export function withBalance(headers: FlatHeaders, available: bigint | null): FlatHeaders {
  const isShown = headers.at(-2) === 'x-tollgate-balance'
  return isShown && available !== null ? headers.with(-1, formatUsd(available)) : headers
}

const adjustedCharactersMax = 1_024

/** Fields that translation dropped or adapted, by the caller's names, each once. */
export function adjustedText(adjusted: readonly Adjustment[]): string {
  const words = new Set(adjusted.map(({ kind, field }) => `${kind}=${field.replace(/[^!-+\--~]/g, '?')}`))
  const text = [...words].join(',')
  return text.length <= adjustedCharactersMax ? text : `${text.slice(0, adjustedCharactersMax - 3)}...`
}

/** The keep-alive of a silent stream; `hasEvents`: the client has received events. */
export function keepAlive({ envelope, padding, format }: RequestContext, hasEvents: boolean): string {
  return envelope?.keepAlive ?? padding?.next() ?? ownKeepAlive(format, hasEvents)
}

function ownKeepAlive({ keepAlive: later, keepAliveFirst: first }: ClientFormat, hasEvents: boolean): string {
  return (hasEvents ? later : (first ?? later)) ?? ''
}

/** The first keep-alive of a stream without content; '' where the response head suffices. */
function firstKeepAlive({ envelope, format }: RequestContext): string {
  return envelope === null ? ownKeepAlive(format, false) : ''
}

export function streamHeaders(
  { envelope, format, customerView }: RequestContext,
  own: FlatHeaders,
  upstream: ReadonlyMap<string, string> | undefined,
): FlatHeaders {
  const type = envelope?.contentType ?? format.streamType
  return [
    'content-type',
    type,
    ...streamHead,
    ...own,
    ...(upstream === undefined ? [] : relayed(customerView, upstream)),
  ]
}

export function jsonHeaders(
  { customerView }: Pick<RequestContext, 'customerView'>,
  own: FlatHeaders,
  upstream: ReadonlyMap<string, string>,
): FlatHeaders {
  const type = upstream.get('content-type') ?? 'application/json'
  return ['content-type', type, ...wholeHead, ...own, ...relayed(customerView, upstream)]
}

function relayed({ shows }: CustomerView, upstream: ReadonlyMap<string, string>): FlatHeaders {
  // Each of them says which provider responded.
  if (shows === 'none') return []
  const headers: string[] = []
  for (const name of relayedHeaders) {
    const value = upstream.get(name)
    if (value !== undefined) headers.push(name, value)
  }
  const requestId = upstream.get('x-request-id') ?? upstream.get('request-id')
  if (requestId !== undefined) headers.push('x-upstream-request-id', requestId)
  return headers
}

interface KeepAliveDeps {
  readonly clock: Clock
  readonly limits: { readonly peekMs: number; readonly keepAliveMs: number }
}

/** Sends keep-alives to the client of a stream, across all attempts of its request. */
export class KeepAliveTimer {
  readonly #deps: KeepAliveDeps
  readonly #context: RequestContext
  readonly #lifecycle: RequestLifecycle
  #dueMs: number

  constructor(deps: KeepAliveDeps, context: RequestContext, lifecycle: RequestLifecycle) {
    this.#deps = deps
    this.#context = context
    this.#lifecycle = lifecycle
    this.#dueMs = deps.clock.monoMs() + deps.limits.peekMs
  }

  /** The time until the next keep-alive. */
  get leftMs(): number {
    return Math.max(0, this.#dueMs - this.#deps.clock.monoMs())
  }

  /** Commits the 200 of a stream before its upstream responds; another upstream may still serve it. */
  keep(work: PlannedWork): void {
    const { client } = this.#context
    const isBegun = client.headersSent
    if (!isBegun) {
      client.begin(200, streamHeaders(this.#context, this.#lifecycle.headersOf(work, null), undefined))
    }
    const text = isBegun ? keepAlive(this.#context, false) : firstKeepAlive(this.#context)
    if (text === '') client.flush()
    else client.write(text)
    this.#dueMs = this.#deps.clock.monoMs() + this.#deps.limits.keepAliveMs
  }
}
