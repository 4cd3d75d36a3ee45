/**
 * How a request lives: eleven phases, top to bottom. A phase takes what it needs and returns the value
 * that the next one reads; none calls another. Whatever is thrown on the way ends here.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../access/types.ts'
import { asTollgateError, type TollgateError } from '../base/errors.ts'
import {
  planInBackground,
  reserveResponse,
  type StartResponse,
  serveResponses,
  startResponse,
} from './background-responses/background-responses.ts'
import { countTokens } from './count-tokens.ts'
import type { GatewayDeps } from './deps.ts'
import { delayErrorResponse, sendErrorResponse } from './error-response.ts'
import { serveFiles } from './files/files.ts'
import { shedLoad } from './in-flight-requests.ts'
import { serveMetadata } from './metadata-endpoints.ts'
import { accept } from './phases/accept/accept.ts'
import { type CallerOf, readCredentials } from './phases/authenticate.ts'
import { check } from './phases/check.ts'
import { decode, receiveFile } from './phases/decode.ts'
import { dispatch } from './phases/dispatch.ts'
import { prepare } from './phases/prepare.ts'
import { relay } from './phases/relay/relay.ts'
import { reserve } from './phases/reserve/reserve.ts'
import { resolveFiles } from './phases/resolve-references/resolve-files.ts'
import { resolveReferences } from './phases/resolve-references/resolve-references.ts'
import { publicModelName, route } from './phases/route.ts'
import { releaseHold, settle } from './phases/settle/settle.ts'
import type { Operation, PreparedRequest, RequestContext } from './request.ts'
import { requestLifecycle } from './request-lifecycle.ts'
import { checkpoints } from './stream-checkpoints.ts'

type OperationHandler = (deps: GatewayDeps, context: RequestContext, callerOf: CallerOf) => Promise<void>

/** What each operation runs through; all that is paid goes the same way. */
const handlers: Readonly<Record<Operation, OperationHandler>> = {
  generate,
  compact: generate,
  embed: generate,
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

/** Answers one request of the data plane; never rejects. `callerOf`: by its key, or by who is signed in. */
export async function serve(
  deps: GatewayDeps,
  request: IncomingMessage,
  response: ServerResponse,
  callerOf: CallerOf,
): Promise<void> {
  const context = accept(deps, request, response)
  deps.inFlight.enter(context.id, { work: context.work, cut: () => context.client.destroy() })
  try {
    if (context.refusal !== undefined) throw context.refusal
    await handlers[context.operation](deps, context, callerOf)
    deps.metrics.requestEnded(context, 'ok', secondsSince(deps, context))
  } catch (thrown) {
    const error = asTollgateError(thrown)
    deps.metrics.requestEnded(context, error.code, secondsSince(deps, context))
    deps.log[levelOf(error)]({ err: error, request: context.requestId }, 'request refused')
    recordRefusal(deps, context, error)
    const pause = delayErrorResponse(
      deps,
      context,
      error,
      deps.inFlight.known(context.id)?.account ?? context.network,
    )
    // A refusal of the head goes out before the parser finds fault with what follows it.
    if (pause !== undefined) await pause
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
  deps.inFlight.asks(context.id, parsed.facts.model)
  try {
    const found = await resolveFiles(deps, caller, parsed, route(deps, caller, context, parsed))
    const prepared = await prepare(deps, context, { caller, parsed: found.parsed }, found.route)
    await execute(deps, context, caller, prepared).finally(() => prepared.parsed.body.drop())
  } finally {
    parsed.body.drop()
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
  { parsed, plan: prepared }: PreparedRequest,
): Promise<void> {
  const plan = await resolveReferences(deps, caller, parsed, planInBackground(context, parsed, prepared))
  const hold = await reserve(deps, caller, context, { parsed, plan })
  // From here on the hold is ours to give back: dispatch never throws, and relay settles exactly once.
  deps.inFlight.hold(context.id)
  const lifecycle = requestLifecycle(deps, context, { caller, parsed, plan, hold })
  let started: StartResponse | null = null
  try {
    await reserveResponse(deps, parsed, hold)
    const upstreamResponse = await dispatch(deps, context, { parsed, plan, hold, lifecycle })
    started = await startResponse(deps, context, { plan, hold, upstreamResponse })
    if (started === null)
      await relay(deps, context, upstreamResponse, {
        plan,
        lifecycle,
        delivered: checkpoints(deps, context, { plan, hold, upstreamResponse }),
        settle(outcome) {
          // Nothing was sent, so no receipt will tell of it.
          if (upstreamResponse.attempts.length === 0 && outcome.error !== null)
            recordRefusal(deps, context, outcome.error)
          return settle(deps, context, { plan, hold, upstreamResponse }, outcome)
        },
      })
  } catch (error) {
    await releaseHold(deps, hold)
    throw error
  } finally {
    lifecycle.end()
  }
  // Out here: the hold of a response that runs on is no longer this request's to give back.
  started?.(context, lifecycle)
}

/** For the people whose key it came with; what nobody is told, or what only says that nothing was found, is no refusal. */
function recordRefusal(deps: GatewayDeps, context: RequestContext, error: TollgateError): void {
  const known = deps.inFlight.known(context.id)
  const owner = known ?? error.details.owner
  if (owner === undefined || context.client.gone || error.code === 'generation_not_found') return
  const model = known?.model ?? null
  const { account, key } = owner
  const { code, status, details } = error
  const refusal = { id: context.id, account, key, code, status, model, message: details.message }
  deps.refusals.note(refusal, model === null ? null : publicModelName(deps.snapshot, model))
}

function secondsSince(deps: GatewayDeps, context: RequestContext): number {
  return (deps.clock.monoMs() - context.startedMonoMs) / 1_000
}

/** Our own mistakes are errors; what carries a word for the operator is worth reading; the rest is daily life. */
function levelOf(error: TollgateError): 'error' | 'warn' | 'debug' {
  if (error.code === 'internal') return 'error'
  return error.details.detail === undefined ? 'debug' : 'warn'
}
