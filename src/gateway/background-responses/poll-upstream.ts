/**
 * Asks the provider about a response that it keeps, and settles one in the background that has ended: for its client and
 * for the server's own polls alike. The first to see the end settles; the other finds it settled.
 */
import type { Failpoints } from '../../base/failpoint.ts'
import { formatId } from '../../base/ids.ts'
import { MemoryReservation } from '../../base/shared-budget.ts'
import type { Snapshot, Upstream } from '../../catalog/types.ts'
import type { SharedMemory } from '../../http/shared-memory.ts'
import type { OpenResponse, ResponseLedger } from '../../ledger/background-response-types.ts'
import type { Settlement } from '../../ledger/types.ts'
import type { Connector } from '../../providers/connector.ts'
import { type ObjectOutcome, type ObjectRequestDeps, requestObject } from '../../providers/object-requests.ts'
import type { UpstreamRequest } from '../../providers/send.ts'
import { readResponseState } from '../../wire/openai-responses/extract-response.ts'
import { backgroundResponses } from '../../wire/openai-responses/index.ts'
import type { RequestContext, SettlementResult } from '../request.ts'
import { recordUpstreamFailure, redactUpstreamBody, type UpstreamErrorDeps } from '../upstream-error.ts'
import { type CancelCause, type ResponseEnd, type SettleResponseDeps, settlementOf } from './settlement.ts'

export interface UpstreamPollDeps extends SettleResponseDeps, Pick<ObjectRequestDeps, 'sender'> {
  readonly ledger: ResponseLedger
  readonly failpoints: Failpoints
  readonly snapshot: Snapshot
  readonly connectorOf: (provider: string) => Connector
  /** Durable when it resolves as settled; tried once. */
  readonly settleResponse: (settlement: Settlement) => Promise<SettlementResult>
  readonly limits: SettleResponseDeps['limits'] & {
    readonly answerBytesMax: number
    readonly sampleCharactersMax: number
    readonly responseAnswerMs: number
    readonly backgroundAgeMaxMs: number
  }
}

export interface ResponseRequest {
  readonly upstream: Upstream
  readonly method: UpstreamRequest['method']
  readonly responseId: string
  /** What follows the response's address: '', `/cancel`, `?include=…`. */
  readonly below: string
  readonly headers: RequestContext['request']['headers']
  readonly requestId: string
  readonly room: MemoryReservation
}

export function requestResponse(deps: UpstreamPollDeps, ask: ResponseRequest): Promise<ObjectOutcome> {
  const { limits, sender, clock, connectorOf } = deps
  const { upstream, method, responseId, below, room } = ask
  const { path, headers } = connectorOf(upstream.provider).prepare({
    dialect: backgroundResponses.name,
    operation: 'generate',
    model: '',
    basePath: upstream.basePath,
    credential: upstream.credential,
    streamed: false,
    query: '',
    headers: ask.headers,
    requestId: ask.requestId,
  })
  const request: UpstreamRequest = {
    origin: upstream.origin,
    method,
    path: `${path}/${encodeURIComponent(responseId)}${below}`,
    headers: withoutContentType(headers),
    body: [],
  }
  const bounds = { bytesMax: limits.answerBytesMax, room }
  return requestObject({ sender, clock, limits: { fileAnswerMs: limits.responseAnswerMs } }, request, bounds)
}

/** These requests have no body. */
function withoutContentType(headers: readonly string[]): string[] {
  const kept: string[] = []
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at] ?? ''
    if (name !== 'content-type') kept.push(name, headers[at + 1] ?? '')
  }
  return kept
}

/** The upstream that has a response; undefined: it is no longer configured. */
export function upstreamNamed(
  { snapshot, connectorOf }: UpstreamPollDeps,
  name: string,
): Upstream | undefined {
  const upstream = snapshot.upstreams.find((one) => one.name === name)
  if (upstream === undefined) return undefined
  return connectorOf(upstream.provider).dialects.includes(backgroundResponses.name) ? upstream : undefined
}

export function ageOf({ clock }: Pick<UpstreamPollDeps, 'clock'>, { createdMs }: OpenResponse): number {
  return Math.max(0, clock.wallMs() - createdMs)
}

/** `unreadable`: the answer is not the response that was asked for. */
export type Conclusion =
  | { readonly kind: 'running' | 'unreadable' }
  | { readonly kind: 'settled'; readonly settlement: SettlementResult }

/** Settles an open response where the provider's answer says that it has ended. */
export async function conclude(
  deps: UpstreamPollDeps,
  open: OpenResponse,
  bytes: Uint8Array,
): Promise<Conclusion> {
  const { sampleCharactersMax } = deps.limits
  const state = readResponseState(bytes, { id: open.responseId, sampleCharactersMax })
  if (state === null) return { kind: 'unreadable' }
  if (state.status === 'running') return { kind: 'running' }
  return { kind: 'settled', settlement: await close(deps, open, state) }
}

function close(deps: UpstreamPollDeps, open: OpenResponse, end: ResponseEnd): Promise<SettlementResult> {
  deps.failpoints.reach('response-ended')
  return deps.settleResponse(settlementOf(deps, open, { end, cause: causeOf(deps, open) }))
}

/** Also for who could cancel it now: a client can no more when its account is suspended. */
function causeOf(deps: UpstreamPollDeps, open: OpenResponse): CancelCause {
  if (open.isSuspended) return 'suspension'
  return ageOf(deps, open) > deps.limits.backgroundAgeMaxMs ? 'age' : 'client'
}

/** What a look found. */
export type PollResult =
  | { readonly kind: 'over' }
  | {
      readonly kind: 'again'
      readonly ageMs: number
      /** The provider asks for this pause; null: it does not. */
      readonly pauseMs: number | null
    }

export interface PollDeps extends UpstreamPollDeps, UpstreamErrorDeps {
  /** Memory for answers. */
  readonly events: SharedMemory['events']
  readonly limits: UpstreamPollDeps['limits'] & {
    readonly backgroundLostMs: number
    readonly backgroundCancelMs: number
    readonly unmeteredBytes: number
  }
}

/**
 * The server's own look at an open response: one that is too old, or whose account is suspended, is cancelled, and one
 * that does not end even then is given up.
 */
export async function pollResponse(deps: PollDeps, id: bigint): Promise<PollResult> {
  const { ledger, events, limits, log } = deps
  const open = await ledger.openResponseById(id)
  if (open === undefined) return { kind: 'over' }
  const room = new MemoryReservation(events.allowance({ account: open.account }), limits.unmeteredBytes)
  const ageMs = ageOf(deps, open)
  const isTooOld = ageMs > limits.backgroundAgeMaxMs
  try {
    const isCancelled = isTooOld || open.isSuspended
    const cancelled = isCancelled ? await looked(deps, open, { method: 'POST', room }) : null
    // What can no longer be canceled has ended.
    const found = cancelled?.isOver === true ? cancelled : await looked(deps, open, { method: 'GET', room })
    if (found.isOver) return { kind: 'over' }
    if (ageMs <= limits.backgroundAgeMaxMs + limits.backgroundCancelMs)
      return { kind: 'again', ageMs, pauseMs: found.pauseMs }
    log.error(
      { upstream: open.upstream, response: open.responseId, request: formatId('req', id) },
      'a background response does not end and is settled at nothing; its upstream may charge for it',
    )
    const settlement = await close(deps, open, { status: 'expired' })
    return settlement.kind === 'settled' ? { kind: 'over' } : { kind: 'again', ageMs, pauseMs: null }
  } finally {
    room.set(0)
  }
}

interface Looked {
  readonly isOver: boolean
  readonly pauseMs: number | null
}

const notOver: Looked = { isOver: false, pauseMs: null }
const over: Looked = { isOver: true, pauseMs: null }

async function looked(
  deps: PollDeps,
  open: OpenResponse,
  { method, room }: { readonly method: 'GET' | 'POST'; readonly room: MemoryReservation },
): Promise<Looked> {
  const upstream = upstreamNamed(deps, open.upstream)
  if (upstream === undefined) return notOver
  const requestId = formatId('req', open.id)
  const below = method === 'POST' ? '/cancel' : ''
  const { responseId } = open
  const ask = { upstream, method, responseId, below, headers: {}, requestId, room }
  const outcome = await requestResponse(deps, ask)
  room.set(0)
  if (outcome.kind !== 'answered') {
    deps.log.debug({ upstream: upstream.name, response: responseId, outcome: outcome.kind }, 'a poll failed')
    return notOver
  }
  const { status, headers, bytes } = outcome
  if (status === 200) {
    const conclusion = await conclude(deps, open, bytes)
    return conclusion.kind === 'settled' && conclusion.settlement.kind === 'settled' ? over : notOver
  }
  if (status === 404) return (await closeLost(deps, open)) ? over : notOver
  const { connectorOf } = deps
  const problem = backgroundResponses.readError(redactUpstreamBody(bytes, upstream))
  const failure = connectorOf(upstream.provider).classify(status, headers, problem)
  // A cancellation that is refused is no failure of the upstream.
  if (method === 'GET') recordUpstreamFailure(deps, { requestId }, { upstream, failure, status })
  return { isOver: false, pauseMs: failure.retryAfterMs }
}

/** False: it has begun so lately that its provider may not know it yet, or it could not be settled now. */
export async function closeLost(
  looking: UpstreamPollDeps & { readonly limits: { readonly backgroundLostMs: number } },
  open: OpenResponse,
): Promise<boolean> {
  if (ageOf(looking, open) < looking.limits.backgroundLostMs) return false
  const facts = { upstream: open.upstream, response: open.responseId }
  looking.log.warn(facts, 'an upstream no longer knows a background response; it is settled at nothing')
  return (await close(looking, open, { status: 'lost' })).kind === 'settled'
}
