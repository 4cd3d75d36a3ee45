/**
 * Requests a stored response from its provider, and settles a background response that has ended, both for client
 * requests and for the server's own polls. Settlement is idempotent, so either of them may see the end first.
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
import { withoutBody } from '../../providers/outgoing-request.ts'
import type { UpstreamRequest } from '../../providers/send-types.ts'
import { readResponseState } from '../../wire/openai-responses/extract-response.ts'
import { backgroundResponses } from '../../wire/openai-responses/index.ts'
import {
  recordUpstreamFailure,
  redactUpstreamBody,
  type UpstreamErrorDeps,
} from '../attempts/upstream-error.ts'
import type { RequestContext, SettlementResult } from '../request.ts'
import { type CancelCause, type ResponseEnd, type SettleResponseDeps, settlementOf } from './settlement.ts'

/** How long a provider may take to return the status of a response. */
const responseAnswerMs = 60_000

export interface UpstreamPollDeps extends SettleResponseDeps, Pick<ObjectRequestDeps, 'sender'> {
  readonly ledger: ResponseLedger
  readonly failpoints: Failpoints
  readonly snapshot: Snapshot
  readonly connectorOf: (provider: string) => Connector
  /** Durable when it resolves as settled; tried once. */
  readonly settleResponse: (settlement: Settlement, model: string) => Promise<SettlementResult>
  readonly limits: SettleResponseDeps['limits'] & {
    readonly answerBytesMax: number
    readonly sampleCharactersMax: number
    readonly backgroundAgeMaxMs: number
  }
}

export interface ResponseRequest {
  readonly upstream: Upstream
  readonly method: UpstreamRequest['method']
  readonly responseId: string
  /** The suffix after the response's path: '', `/cancel`, `?include=…`. */
  readonly below: string
  readonly headers: RequestContext['request']['headers']
  readonly requestId: string
  readonly room: MemoryReservation
}

export function requestResponse(deps: UpstreamPollDeps, input: ResponseRequest): Promise<ObjectOutcome> {
  const { limits, sender, clock, connectorOf } = deps
  const { upstream, method, responseId, below, room } = input
  const { path, headers, authorizer } = connectorOf(upstream.provider).prepare({
    format: backgroundResponses.name,
    operation: 'generate',
    model: '',
    basePath: upstream.basePath,
    credential: upstream.credential,
    streamed: false,
    query: '',
    headers: input.headers,
    requestId: input.requestId,
    // The request that created the response took the same path, so there is no loop.
    hops: null,
  })
  const request: UpstreamRequest = {
    origin: upstream.origin,
    method,
    path: `${path}/${encodeURIComponent(responseId)}${below}`,
    headers: withoutBody(headers),
    body: [],
    authorizer,
  }
  const bounds = { bytesMax: limits.answerBytesMax, room }
  return requestObject({ sender, clock, limits: { fileAnswerMs: responseAnswerMs } }, request, bounds)
}

/** The upstream that stores a response; undefined: it is no longer configured. */
export function upstreamNamed(
  { snapshot, connectorOf }: UpstreamPollDeps,
  name: string,
): Upstream | undefined {
  const upstream = snapshot.upstreams.find((one) => one.name === name)
  if (upstream === undefined) return undefined
  return connectorOf(upstream.provider).formats.includes(backgroundResponses.name) ? upstream : undefined
}

export function ageOf({ clock }: Pick<UpstreamPollDeps, 'clock'>, { createdMs }: OpenResponse): number {
  return Math.max(0, clock.wallMs() - createdMs)
}

/** `unreadable`: the body is not the requested response. */
export type ResponseProgress =
  | { readonly kind: 'running' | 'unreadable' }
  | { readonly kind: 'settled'; readonly settlement: SettlementResult }

/** Settles an open response if the provider reports that it has ended. */
export async function settleIfEnded(
  deps: UpstreamPollDeps,
  open: OpenResponse,
  bytes: Uint8Array,
): Promise<ResponseProgress> {
  const { sampleCharactersMax } = deps.limits
  const state = readResponseState(bytes, { id: open.responseId, sampleCharactersMax })
  if (state === null) return { kind: 'unreadable' }
  if (state.status === 'running') return { kind: 'running' }
  return { kind: 'settled', settlement: await close(deps, open, state) }
}

async function close(
  deps: UpstreamPollDeps,
  open: OpenResponse,
  end: ResponseEnd,
): Promise<SettlementResult> {
  deps.failpoints.reach('response-ended')
  const { settlement, model } = await settlementOf(deps, open, { end, cause: causeOf(deps, open) })
  return await deps.settleResponse(settlement, model)
}

/** Why a response was canceled: suspension and age take precedence, since a suspended client cannot cancel. */
function causeOf(deps: UpstreamPollDeps, open: OpenResponse): CancelCause {
  if (open.isSuspended) return 'suspension'
  return ageOf(deps, open) > deps.limits.backgroundAgeMaxMs ? 'age' : 'client'
}

export type PollResult =
  | { readonly kind: 'over' }
  | {
      readonly kind: 'again'
      readonly ageMs: number
      /** The provider's Retry-After; null: it sent none. */
      readonly pauseMs: number | null
    }

export interface PollDeps extends UpstreamPollDeps, UpstreamErrorDeps {
  /** Memory for response bodies. */
  readonly events: SharedMemory['events']
  readonly limits: UpstreamPollDeps['limits'] & {
    readonly backgroundLostMs: number
    readonly backgroundCancelMs: number
    readonly unmeteredBytes: number
  }
}

/**
 * The server's own poll of an open response: cancels one that is too old or whose account is suspended, and settles one
 * that does not end even then at no charge.
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
    const cancelled = isCancelled ? await pollUpstream(deps, open, { method: 'POST', room }) : null
    // A response that can no longer be canceled has ended.
    const polled =
      cancelled?.isOver === true ? cancelled : await pollUpstream(deps, open, { method: 'GET', room })
    if (polled.isOver) return { kind: 'over' }
    if (ageMs <= limits.backgroundAgeMaxMs + limits.backgroundCancelMs)
      return { kind: 'again', ageMs, pauseMs: polled.pauseMs }
    log.error(
      { upstream: open.upstream, response: open.responseId, request: formatId('req', id) },
      'background response did not complete in time; settled without a charge, but the upstream may bill it',
    )
    const settlement = await close(deps, open, { status: 'expired' })
    return settlement.kind === 'settled' ? { kind: 'over' } : { kind: 'again', ageMs, pauseMs: null }
  } finally {
    room.set(0)
  }
}

interface UpstreamPoll {
  readonly isOver: boolean
  readonly pauseMs: number | null
}

const stillRunning: UpstreamPoll = { isOver: false, pauseMs: null }
const ended: UpstreamPoll = { isOver: true, pauseMs: null }

async function pollUpstream(
  deps: PollDeps,
  open: OpenResponse,
  { method, room }: { readonly method: 'GET' | 'POST'; readonly room: MemoryReservation },
): Promise<UpstreamPoll> {
  const upstream = upstreamNamed(deps, open.upstream)
  if (upstream === undefined) return stillRunning
  const requestId = formatId('req', open.id)
  const below = method === 'POST' ? '/cancel' : ''
  const { responseId } = open
  const request = { upstream, method, responseId, below, headers: {}, requestId, room }
  const outcome = await requestResponse(deps, request)
  room.set(0)
  if (outcome.kind !== 'answered') {
    deps.log.debug({ upstream: upstream.name, response: responseId, outcome: outcome.kind }, 'a poll failed')
    return stillRunning
  }
  const { status, headers, bytes } = outcome
  if (status === 200) {
    const conclusion = await settleIfEnded(deps, open, bytes)
    return conclusion.kind === 'settled' && conclusion.settlement.kind === 'settled' ? ended : stillRunning
  }
  if (status === 404) return (await closeLost(deps, open)) ? ended : stillRunning
  const { connectorOf } = deps
  const problem = backgroundResponses.readError(redactUpstreamBody(bytes, upstream))
  const failure = connectorOf(upstream.provider).classify(status, headers, problem)
  // A rejected cancellation is not an upstream failure.
  if (method === 'GET') recordUpstreamFailure(deps, { requestId }, { upstream, failure, status })
  return { isOver: false, pauseMs: failure.retryAfterMs }
}

/** False: it started so recently that its provider may not list it yet, or it could not be settled now. */
export async function closeLost(
  deps: UpstreamPollDeps & { readonly limits: { readonly backgroundLostMs: number } },
  open: OpenResponse,
): Promise<boolean> {
  if (ageOf(deps, open) < deps.limits.backgroundLostMs) return false
  const facts = { upstream: open.upstream, response: open.responseId }
  deps.log.warn(facts, 'upstream no longer has a background response; settled without a charge')
  return (await close(deps, open, { status: 'lost' })).kind === 'settled'
}
