/**
 * The life of a request: eleven phases, top to bottom. A phase takes what it needs and returns the value that the next
 * one reads; phases do not call each other. Everything that a phase throws is handled here.
 */

import type { IncomingMessage, ServerResponse } from 'node:http'
import { eachEndpoint } from '../../contract/endpoints.ts'
import type { Caller } from '../access/types.ts'
import { asTollgateError, type TollgateError } from '../base/errors.ts'
import { WireError } from '../wire/format.ts'
import {
  planInBackground,
  reserveResponse,
  type StartResponse,
  serveResponses,
  startResponse,
} from './background-responses/background-responses.ts'
import { expectedTokens } from './bounds/input-bound.ts'
import type { GatewayDeps } from './deps.ts'
import { countTokens } from './endpoints/count-tokens.ts'
import { serveMetadata } from './endpoints/metadata-endpoints.ts'
import { serveFiles } from './files/files.ts'
import { shedLoad } from './observation/in-flight-requests.ts'
import { traceEnd } from './observation/request-tracing.ts'
import { accept } from './phases/accept/accept.ts'
import { type CallerOf, readCredentials } from './phases/authenticate.ts'
import { check } from './phases/check.ts'
import { decode, receiveFile } from './phases/decode.ts'
import { dispatch } from './phases/dispatch.ts'
import { prepare } from './phases/prepare.ts'
import { relay } from './phases/relay/relay.ts'
import { fitToHold } from './phases/reserve/fit-to-hold.ts'
import { reserve } from './phases/reserve/reserve.ts'
import { resolveFiles, resolveReferences } from './phases/resolve-references.ts'
import { publicModelName, route } from './phases/route.ts'
import { releaseHold, settle } from './phases/settle/settle.ts'
import { lostHold } from './phases/settle/settle-durably.ts'
import { checkpoints } from './phases/settle/stream-checkpoints.ts'
import type {
  GatewayOperation,
  ParsedRequest,
  PreparedRequest,
  RequestContext,
  TargetRoute,
} from './request.ts'
import { HeldRequestLifecycle } from './request-lifecycle.ts'
import { delayErrorResponse, sendErrorResponse } from './responses/error-response.ts'
import { TargetPlans } from './target-plans.ts'

type RequestHandler = (deps: GatewayDeps, context: RequestContext, callerOf: CallerOf) => Promise<void>

/** The handler of each operation; all endpoints share one. */
const handlers: Readonly<Record<GatewayOperation, RequestHandler>> = {
  ...eachEndpoint(generate),
  count_tokens: countTokens,
  upload_file: handleFiles,
  start_upload: handleFiles,
  continue_upload: handleFiles,
  list_files: handleFiles,
  show_file: handleFiles,
  read_file: handleFiles,
  delete_file: handleFiles,
  show_response: handleResponses,
  list_response_items: handleResponses,
  cancel_response: handleResponses,
  delete_response: handleResponses,
  list_models: serveMetadata,
  show_model: serveMetadata,
  show_credits: serveMetadata,
  show_key: serveMetadata,
  show_generation: serveMetadata,
  probe: serveMetadata,
}

/** Serves one request of the data plane; never rejects. `callerOf` authenticates by API key or by session. */
export async function serve(
  deps: GatewayDeps,
  request: IncomingMessage,
  response: ServerResponse,
  callerOf: CallerOf,
): Promise<void> {
  const context = accept(deps, request, response)
  deps.inFlight.enter(context.id, { work: context.work, abort: () => context.client.destroy() })
  try {
    if (context.rejection !== undefined) throw context.rejection
    await handlers[context.operation](deps, context, callerOf)
    recordEnd(deps, context, 'ok', response.statusCode)
  } catch (thrown) {
    const error = asTollgateError(thrown)
    recordEnd(deps, context, error.code, error.status)
    deps.log[levelOf(error)]({ err: error, request: context.requestId }, 'request failed')
    recordRejection(deps, context, error)
    const delay = delayErrorResponse(
      deps,
      context,
      error,
      deps.inFlight.ownerOf(context.id)?.account ?? context.network,
    )
    // Sent in this tick where it is not delayed: an error for the head precedes the parser's errors for what follows it.
    if (delay !== undefined) await delay
    sendErrorResponse(deps, context, error)
  } finally {
    deps.gate.leave(context.id)
    deps.inFlight.leave(context.id)
  }
}

async function generate(deps: GatewayDeps, context: RequestContext, callerOf: CallerOf): Promise<void> {
  const caller = await callerOf(context)
  shedLoad(deps, caller.account)
  deps.inFlight.identify(context.id, caller)
  await check(deps, caller, context)
  const parsed = await decode(deps, caller, context)
  deps.inFlight.setRequestedModel(context.id, parsed.facts.model)
  try {
    const routed = route(deps, caller, context, parsed)
    const withFiles = await resolveFiles(deps, caller, parsed, routed)
    const plans = new TargetPlans(withFiles.parsed, withFiles.route, (target, isReadAgain) =>
      planFor(deps, context, { caller, parsed: withFiles.parsed, isReadAgain }, target),
    )
    try {
      await execute(deps, context, caller, plans)
    } finally {
      plans.drop()
    }
  } finally {
    parsed.body.drop()
  }
}

/** The request as one target of its route takes it; for targets other than the first, only once they are reached. */
async function planFor(
  deps: GatewayDeps,
  context: RequestContext,
  received: { readonly caller: Caller; readonly parsed: ParsedRequest; readonly isReadAgain: boolean },
  target: TargetRoute,
): Promise<PreparedRequest> {
  const { parsed, plan } = await prepare(deps, context, received, target)
  try {
    const planned = parsed.facts.background === true ? planInBackground(context, plan) : plan
    const resolved = resolveReferences(deps, received.caller, parsed, planned)
    return { parsed, plan: resolved instanceof Promise ? await resolved : resolved }
  } catch (error) {
    if (parsed.body !== received.parsed.body) parsed.body.drop()
    throw error
  }
}

async function handleFiles(deps: GatewayDeps, context: RequestContext, callerOf: CallerOf): Promise<void> {
  const caller = await callerOf(context)
  shedLoad(deps, caller.account)
  deps.inFlight.identify(context.id, caller)
  await check(deps, caller, context)
  await serveFiles(deps, {
    context,
    caller,
    receive: (kind) => receiveFile(deps, caller, context, kind),
    credentials: () => readCredentials(context),
  })
}

async function handleResponses(
  deps: GatewayDeps,
  context: RequestContext,
  callerOf: CallerOf,
): Promise<void> {
  const caller = await callerOf(context)
  shedLoad(deps, caller.account)
  deps.inFlight.identify(context.id, caller)
  await check(deps, caller, context)
  await serveResponses(deps, { context, caller })
}

async function execute(
  deps: GatewayDeps,
  context: RequestContext,
  caller: Caller,
  plans: TargetPlans,
): Promise<void> {
  const { parsed, plan } = await plans.first()
  const otherTargets = { received: plans.received, targets: plans.unplanned }
  const hold = await reserve(deps, caller, context, { parsed, plan, otherTargets })
  // From here on this function releases or settles the hold: dispatch never throws, and relay settles exactly once.
  deps.inFlight.hold(context.id)
  const lifecycle = new HeldRequestLifecycle(deps, context, { caller, parsed, hold })
  let started: StartResponse | null = null
  let headers: readonly string[] = []
  try {
    if (parsed.facts.background === true) await reserveResponse(deps, hold)
    const upstreamResponse = await dispatch(deps, context, {
      first: { plan, hold },
      candidates: plans.candidates,
      workFor: plans.workWithin(hold, (prepared) => fitToHold(deps, caller, hold, prepared)),
      recordModel: plans.recordingModel(({ model, price }) =>
        deps.ledger.setModel(hold.id, { model: model.name, priceVersion: price.id }),
      ),
      bodies: plans,
      lifecycle,
      tokensExpected: expectedTokens({ plan, hold }, parsed),
    })
    const { kind } = upstreamResponse.body
    // Members of a rejected request are not noted: they may not exist, and may be the caller's text.
    if (hold.hasUnknown && (kind === 'stream' || kind === 'answer'))
      deps.unknownMembers.note(context.format.name, caller.account, plans.received.facts.unknownMembers ?? [])
    const served = { ...upstreamResponse.work, upstreamResponse }
    headers = lifecycle.headersOf(upstreamResponse.work, upstreamResponse.candidate)
    if (parsed.facts.background === true) started = await startResponse(deps, context, upstreamResponse)
    if (started === null)
      await relay(deps, context, upstreamResponse, {
        plan: served.plan,
        lifecycle,
        headers,
        lostHold: () => lostHold(deps, hold),
        delivered: kind === 'stream' ? checkpoints(deps, context, served) : notStreamed,
        settle(outcome) {
          // Without an attempt there is no receipt, so the rejection is the only record.
          if (upstreamResponse.attempts.length === 0 && outcome.error !== null)
            recordRejection(deps, context, outcome.error)
          return settle(deps, context, served, outcome)
        },
      })
  } catch (error) {
    await releaseHold(deps, hold)
    throw error
  } finally {
    lifecycle.end()
  }
  // Outside of the try: the hold of a background response no longer belongs to this request.
  started?.(context, headers)
}

const notStreamed = (): void => {}

/** Logs a rejection for the owner of the key, unless the client disconnected or only looked up a missing generation. */
function recordRejection(deps: GatewayDeps, context: RequestContext, error: TollgateError): void {
  const inFlight = deps.inFlight.ownerOf(context.id)
  const owner = inFlight ?? error.details.owner
  if (owner === undefined || context.client.gone || error.code === 'generation_not_found') return
  const model = inFlight?.model ?? requestedModel(context, error)
  const { account, key } = owner
  const { code, status, details } = error
  const rejection = { id: context.id, account, key, code, status, model, message: details.message }
  deps.rejections.note(rejection, model === null ? null : publicModelName(deps.snapshot, model))
}

/** The model of a request whose body could not be used, from its path or as far as the body was read. */
function requestedModel({ address }: RequestContext, { details }: TollgateError): string | null {
  return address.model ?? (details.cause instanceof WireError ? (details.cause.model ?? null) : null)
}

/** `outcome`: `ok`, or the code of the error. */
function recordEnd(deps: GatewayDeps, context: RequestContext, outcome: string, status: number): void {
  deps.metrics.requestEnded(context, outcome, (deps.clock.monoMs() - context.startedMonoMs) / 1_000)
  traceEnd(deps, context, { outcome, status })
}

/** `error` for internal errors, `warn` for errors with a detail for the operator, else `debug`. */
function levelOf(error: TollgateError): 'error' | 'warn' | 'debug' {
  if (error.code === 'internal') return 'error'
  return error.details.detail === undefined ? 'debug' : 'warn'
}
