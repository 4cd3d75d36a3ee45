/**
 * Responses that a provider stores, background or not: started, retrieved, canceled and deleted by the account that
 * created them. A response of another account is answered like one that does not exist, without a request to the
 * provider. Only the end of a background response moves money.
 */
import type { Caller } from '../../access/types.ts'
import type { Background } from '../../base/background.ts'
import { TollgateError } from '../../base/errors.ts'
import { MemoryReservation } from '../../base/shared-budget.ts'
import type { Upstream } from '../../catalog/types.ts'
import type { OpenResponse } from '../../ledger/background-response-types.ts'
import { formatUsd } from '../../ledger/rules/money.ts'
import type { Ledger } from '../../ledger/types.ts'
import { isOwnKeyName } from '../../provider-keys/own-offers.ts'
import type { ProviderKeys } from '../../provider-keys/types.ts'
import type { ObjectResponse } from '../../providers/object-requests.ts'
import { withoutMembers } from '../../wire/left-out-members.ts'
import { backgroundResponses } from '../../wire/openai-responses/index.ts'
import { withCost } from '../../wire/usage-cost.ts'
import { objectFailureError, publicUpstreamError, redactUpstreamBody } from '../attempts/upstream-error.ts'
import type {
  AnswerBody,
  GatewayOperation,
  Hold,
  RequestContext,
  RequestPlan,
  UpstreamResponse,
} from '../request.ts'
import { identityHeaders, jsonHeaders } from '../responses/response-headers.ts'
import {
  ageOf,
  closeLost,
  type PollDeps,
  type ResponseRequest,
  requestResponse,
  settleIfEnded,
  upstreamNamed,
} from './poll-upstream.ts'
import type { ResponsePolls } from './polls.ts'
import { factsOf, writeFacts } from './settlement.ts'

export interface ResponseDeps extends PollDeps {
  readonly ledger: PollDeps['ledger'] & Pick<Ledger, 'providerObjects' | 'receipt' | 'account'>
  readonly providerKeys: Pick<ProviderKeys, 'of' | 'health'>
  readonly background: Pick<Background, 'run'>
  readonly polls: Pick<ResponsePolls, 'add' | 'postpone'>
  readonly limits: PollDeps['limits'] & { readonly backgroundResponsesPerAccountMax: number }
}

// Starting a background response.

/** The plan of a request whose response is polled for; throws 400 where the operation cannot run in the background. */
export function planInBackground(context: RequestContext, plan: RequestPlan): RequestPlan {
  const { inBackground } = plan.format
  if (plan.operation === 'generate' && inBackground !== undefined && plan.translation === null)
    return { ...plan, format: inBackground }
  throw new TollgateError('unpriced_option', {
    message: `background: ${context.operation} cannot run in the background. Remove the field.`,
    param: 'background',
  })
}

/** Throws 429 where the account has reached its limit. */
export async function reserveResponse(deps: ResponseDeps, hold: Hold): Promise<void> {
  if ((await deps.ledger.reserveResponse(hold.id, hold.account)) === 'reserved') return
  const most = deps.limits.backgroundResponsesPerAccountMax
  throw new TollgateError('background_limit_reached', {
    message: `An account may run ${most} background responses concurrently. Wait until one has ended, or cancel one.`,
    facts: { responses: most },
    retryAfterMs: 10_000,
  })
}

/** Sends the first state of a response that its provider has started and whose owner is recorded. */
export type StartResponse = (context: RequestContext, headers: readonly string[]) => void

/**
 * Records the owner of the response and what settling it needs; null for every other kind of reply. From then on the
 * hold no longer belongs to the request. If recording fails, cancels the response at its provider and throws.
 */
export async function startResponse(
  deps: ResponseDeps,
  context: RequestContext,
  upstreamResponse: UpstreamResponse,
): Promise<StartResponse | null> {
  const { plan, hold } = upstreamResponse.work
  const { body, candidate } = upstreamResponse
  if (body.kind !== 'answer' || body.answer.pending === undefined || candidate === null) return null
  const { upstream } = candidate
  const responseId = body.answer.pending
  deps.failpoints.reach('response-answered')
  const facts = writeFacts(factsOf(context, { plan, hold, upstreamResponse }))
  try {
    const started = { id: hold.id, upstream: upstream.name, responseId, facts }
    if (!(await deps.ledger.recordResponse(started)))
      throw new TollgateError('internal', { message: 'The response could not be recorded.' })
  } catch (error) {
    deps.background.run('cancel an unowned response', () =>
      cancelUnowned(deps, context, { hold, upstream, responseId }),
    )
    throw error
  }
  deps.failpoints.reach('response-recorded')
  deps.polls.add(hold.id, hold.account)
  return (startedContext, headers) => answerStarted(startedContext, headers, { body, upstreamResponse })
}

function answerStarted(
  context: RequestContext,
  headers: readonly string[],
  of: { body: AnswerBody; upstreamResponse: UpstreamResponse },
): void {
  const { status, bytes } = of.body
  const { upstreamHeaders } = of.upstreamResponse
  const shown = shownBytes(context, bytes)
  context.client.answer(status, jsonHeaders(context, headers, upstreamHeaders), shown)
}

async function cancelUnowned(
  deps: ResponseDeps,
  { requestId }: RequestContext,
  of: { readonly hold: Hold; readonly upstream: Upstream; readonly responseId: string },
): Promise<void> {
  const { hold, upstream, responseId } = of
  const room = new MemoryReservation(
    deps.events.allowance({ account: hold.account }),
    deps.limits.unmeteredBytes,
  )
  const ask = {
    upstream,
    responseId,
    method: 'POST',
    below: '/cancel',
    headers: {},
    requestId,
    room,
  } as const
  const outcome = await requestResponse(deps, ask).finally(() => room.set(0))
  const isCancelled = outcome.kind === 'answered' && outcome.status === 200
  const facts = { upstream: upstream.name, response: responseId, isCancelled }
  deps.log.error(facts, 'a background response could not be recorded, so no account owns it')
}

// Requests for stored responses.

interface ResponseTask {
  readonly context: RequestContext
  readonly caller: Caller
  /** Memory reserved for response bodies. */
  readonly room: MemoryReservation
}

/** A response of the caller's account, and the upstream that stores it. */
interface OwnedResponse {
  readonly responseId: string
  readonly upstream: Upstream
  /** null: it is settled, or was not a background response. */
  readonly open: OpenResponse | null
  /** null: not settled. */
  readonly receipt: bigint | null
}

export type ResponseOperation = Extract<GatewayOperation, `${string}_response` | `${string}_response_items`>

const handlers: Readonly<
  Record<ResponseOperation, (deps: ResponseDeps, task: ResponseTask) => Promise<void>>
> = {
  show_response: show,
  list_response_items: listItems,
  cancel_response: cancel,
  delete_response: remove,
}

/** Serves a request for a stored response; throws TollgateError. */
export async function serveResponses(deps: ResponseDeps, task: Omit<ResponseTask, 'room'>): Promise<void> {
  const { key, account } = task.caller
  const allowance = deps.events.allowance({ key, account, network: task.context.network })
  const room = new MemoryReservation(allowance, deps.limits.unmeteredBytes)
  try {
    await handlers[task.context.operation as ResponseOperation](deps, { ...task, room })
  } finally {
    room.set(0)
  }
}

async function show(deps: ResponseDeps, task: ResponseTask): Promise<void> {
  const query = new URLSearchParams(task.context.query)
  if (query.get('stream') === 'true') {
    throw new TollgateError('invalid_value', {
      message:
        'stream: a stored response cannot be streamed. Remove the field and poll until the response has ended.',
      param: 'stream',
    })
  }
  const owned = await ownedBy(deps, task)
  const answer = await answerAbout(deps, task, { owned, method: 'GET', below: queryOf(query, shownWith) })
  await relayState(deps, task, owned, answer)
}

async function listItems(deps: ResponseDeps, task: ResponseTask): Promise<void> {
  const owned = await ownedBy(deps, task)
  const query = queryOf(new URLSearchParams(task.context.query), listedWith)
  relayPlain(task, await answerAbout(deps, task, { owned, method: 'GET', below: `/input_items${query}` }))
}

async function cancel(deps: ResponseDeps, task: ResponseTask): Promise<void> {
  const owned = await ownedBy(deps, task)
  await rejectRestricted(deps, task.caller)
  const answer = await answerAbout(deps, task, { owned, method: 'POST', below: '/cancel' })
  await relayState(deps, task, owned, answer)
}

/** The unreported cost of a canceled response is the operator's loss, as with clients that disconnect. */
async function rejectRestricted({ ledger }: ResponseDeps, { account }: Caller): Promise<void> {
  if (((await ledger.account(account))?.restrictedMs ?? null) === null) return
  throw new TollgateError('account_restricted', {
    message: 'This account cannot cancel responses until an administrator has reviewed its losses.',
  })
}

/** A deleted response can no longer report its usage. */
async function remove(deps: ResponseDeps, task: ResponseTask): Promise<void> {
  const owned = await ownedBy(deps, task)
  if (owned.open !== null) await rejectRunning(deps, task, { owned, open: owned.open })
  const answer = await answerAbout(deps, task, { owned, method: 'DELETE', below: '' })
  await deps.ledger.forgetResponse(task.caller.account, owned.responseId)
  relayPlain(task, answer)
}

async function rejectRunning(
  deps: ResponseDeps,
  task: ResponseTask,
  { owned, open }: { readonly owned: OwnedResponse; readonly open: OpenResponse },
): Promise<void> {
  const { bytes } = await answerAbout(deps, task, { owned, method: 'GET', below: '' })
  const conclusion = await settleIfEnded(deps, open, bytes)
  if (conclusion.kind === 'settled' && conclusion.settlement.kind === 'settled') return
  throw new TollgateError('conflict', {
    message: 'This response is still running. Cancel it or wait until it has ended, then delete it.',
  })
}

/** Throws the same 404 for a response of another account and for one that does not exist. */
async function ownedBy(deps: ResponseDeps, { context, caller }: ResponseTask): Promise<OwnedResponse> {
  const responseId = context.subject
  const { ledger, clock } = deps
  const { account } = caller
  // In this order, so that a response that is settled between the two reads is found as a provider object.
  const open = await ledger.openResponse(account, responseId)
  const [stored] =
    open === undefined ? await ledger.providerObjects(account, [responseId], clock.wallMs()) : []
  const at = open?.upstream ?? stored?.upstream
  if (at === undefined) throw notFound()
  const upstream = upstreamNamed(deps, at) ?? ownUpstream(deps, account, at)
  if (upstream === undefined) {
    // Without its key, the account's response cannot be reached.
    if (isOwnKeyName(at)) throw notFound()
    throw new TollgateError('upstream_unavailable', {
      message: 'The upstream that stores this response is no longer configured.',
      retryAfterMs: 60_000,
    })
  }
  return { responseId, upstream, open: open ?? null, receipt: stored?.receipt ?? null }
}

/** A response on the account's own key is stored in its own account at the provider. */
function ownUpstream(
  { providerKeys }: Pick<ResponseDeps, 'providerKeys'>,
  account: bigint,
  name: string,
): Upstream | undefined {
  return providerKeys.of(account).find(({ upstream }) => upstream?.name === name)?.upstream ?? undefined
}

/** https://developers.openai.com/api/reference/resources/responses */
const shownWith = ['include', 'include[]']
const listedWith = [...shownWith, 'after', 'before', 'limit', 'order']

function queryOf(query: URLSearchParams, names: readonly string[]): string {
  const relayedQuery = new URLSearchParams([...query].filter(([name]) => names.includes(name)))
  return relayedQuery.size === 0 ? '' : `?${relayedQuery}`
}

type ObjectCall = Pick<ResponseRequest, 'method' | 'below'> & { readonly owned: OwnedResponse }

/** The provider's response; throws its failure as the caller sees it. */
async function answerAbout(
  deps: ResponseDeps,
  task: ResponseTask,
  call: ObjectCall,
): Promise<ObjectResponse> {
  const { context, room } = task
  const { owned, method, below } = call
  const { upstream, responseId } = owned
  const { requestId } = context
  const { headers } = context.request
  const ask = { upstream, responseId, method, below, headers, requestId, room }
  const outcome = await requestResponse(deps, ask)
  if (outcome.kind !== 'answered') throw objectFailureError(outcome, 'response')
  if (outcome.status >= 200 && outcome.status < 300) return outcome
  if (outcome.status === 404) {
    if (owned.open !== null) await closeLost(deps, owned.open)
    throw notFound()
  }
  const { status, bytes } = outcome
  const problem = backgroundResponses.readError(redactUpstreamBody(bytes, upstream))
  const failure = deps.connectorOf(upstream.provider).classify(status, outcome.headers, problem)
  deps.metrics.upstreamFailed(upstream.provider, failure.code)
  throw publicUpstreamError(failure, upstream)
}

/** Relays the state of a response; one that has ended is settled first. */
async function relayState(
  deps: ResponseDeps,
  task: ResponseTask,
  { open, receipt }: OwnedResponse,
  answer: ObjectResponse,
): Promise<void> {
  if (open === null) {
    const settled = receipt === null ? undefined : await deps.ledger.receipt(receipt)
    return relayCost(task, answer, settled?.charged ?? null)
  }
  const conclusion = await settleIfEnded(deps, open, answer.bytes)
  switch (conclusion.kind) {
    case 'running':
      deps.polls.postpone(open.id, ageOf(deps, open))
      return relayPlain(task, answer)
    case 'unreadable':
      throw new TollgateError('upstream_invalid', {
        message: 'The upstream returned something other than this response.',
        source: 'upstream',
      })
    case 'settled':
      if (conclusion.settlement.kind === 'settled')
        return relayCost(task, answer, conclusion.settlement.charged)
      throw new TollgateError('settlement_delayed', {
        message: 'The response has ended, but its charge could not be recorded in time. Request it again.',
      })
  }
}

/** Relays a response with its total cost; retrieving it is free. */
function relayCost(task: ResponseTask, answer: ObjectResponse, charged: bigint | null): void {
  if (charged === null) return relayPlain(task, answer)
  const { context, caller } = task
  const cost = formatUsd(charged)
  const shown = shownBytes(context, answer.bytes)
  const bytes = caller.policy.showCost
    ? Buffer.concat(withCost(shown, context.format.costFields, { cost }))
    : shown
  const headers = [...identityHeaders(context), 'x-tollgate-cost', cost]
  context.client.answer(answer.status, jsonHeaders(context, headers, answer.headers), bytes)
}

function relayPlain({ context }: ResponseTask, { status, headers, bytes }: ObjectResponse): void {
  const shown = shownBytes(context, bytes)
  context.client.answer(status, jsonHeaders(context, identityHeaders(context), headers), shown)
}

/** Background responses are the operator's upstreams' alone. */
function shownBytes({ customerView }: RequestContext, bytes: Uint8Array): Uint8Array {
  if (customerView.shows === 'names') return bytes
  return Buffer.concat(withoutMembers(bytes, { hidesProvider: true, hasEmptyRole: false }))
}

function notFound(): TollgateError {
  return new TollgateError('response_not_found', {
    message: 'This account has no response with this ID, or its provider no longer stores it.',
  })
}
