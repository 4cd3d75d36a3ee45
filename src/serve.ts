/**
 * How a request lives: eleven phases, top to bottom. A phase takes what it needs and returns the value
 * that the next one reads; none calls another. Whatever is thrown on the way ends here.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from './access/types.ts'
import type { App } from './app.ts'
import { asTollgateError, type TollgateError } from './base/errors.ts'
import { checkpoints } from './checkpoint.ts'
import { countTokens } from './count-tokens.ts'
import { courseOf } from './course.ts'
import { lookUp } from './lookups.ts'
import { accept } from './phases/accept.ts'
import type { CallerOf } from './phases/authenticate.ts'
import { check } from './phases/check.ts'
import { decode, receiveFile } from './phases/decode.ts'
import { serveFiles } from './phases/files.ts'
import { find, soldName } from './phases/find.ts'
import { fit } from './phases/fit.ts'
import { grant } from './phases/grant.ts'
import { hold } from './phases/hold.ts'
import { invoke } from './phases/invoke.ts'
import { relay } from './phases/relay.ts'
import { giveBack, settle } from './phases/settle.ts'
import { paceRefusal, refuse } from './refusal.ts'
import { refuseOverload } from './running.ts'
import type { Fitted, Line, Operation } from './values.ts'

type Work = (app: App, line: Line, callerOf: CallerOf) => Promise<void>

/** What each operation runs through; all that is paid goes the same way. */
const works: Readonly<Record<Operation, Work>> = {
  generate,
  compact: generate,
  embed: generate,
  count_tokens: countTokens,
  upload_file: keepFiles,
  list_files: keepFiles,
  show_file: keepFiles,
  read_file: keepFiles,
  delete_file: keepFiles,
  list_models: lookUp,
  show_model: lookUp,
  show_credits: lookUp,
  show_key: lookUp,
  show_generation: lookUp,
  probe: lookUp,
}

/** Answers one request of the data plane; never rejects. `callerOf`: by its key, or by who is signed in. */
export async function serve(
  app: App,
  request: IncomingMessage,
  response: ServerResponse,
  callerOf: CallerOf,
): Promise<void> {
  const line = accept(app, request, response)
  app.running.enter(line.id, { work: line.work, cut: () => line.client.destroy() })
  try {
    if (line.refusal !== undefined) throw line.refusal
    await works[line.operation](app, line, callerOf)
    app.metrics.requestEnded(line, 'ok', secondsSince(app, line))
  } catch (thrown) {
    const error = asTollgateError(thrown)
    app.metrics.requestEnded(line, error.code, secondsSince(app, line))
    app.log[levelOf(error)]({ err: error, request: line.requestId }, 'request refused')
    noteRefusal(app, line, error)
    const pause = paceRefusal(app, line, error, app.running.known(line.id)?.account ?? line.network)
    // A refusal of the head goes out before the parser finds fault with what follows it.
    if (pause !== undefined) await pause
    refuse(app, line, error)
  } finally {
    app.gate.leave(line.id)
    app.running.leave(line.id)
  }
}

async function generate(app: App, line: Line, callerOf: CallerOf): Promise<void> {
  const caller = await callerOf(line)
  refuseOverload(app, caller.account)
  app.running.identify(line.id, caller)
  await check(app, caller, line)
  const call = await decode(app, caller, line)
  app.running.asks(line.id, call.facts.model)
  try {
    const place = find(app, caller, line, call)
    const fitted = await fit(app, line, { caller, call }, place)
    await perform(app, line, caller, fitted).finally(() => fitted.call.body.drop())
  } finally {
    call.body.drop()
  }
}

async function keepFiles(app: App, line: Line, callerOf: CallerOf): Promise<void> {
  const caller = await callerOf(line)
  refuseOverload(app, caller.account)
  app.running.identify(line.id, caller)
  await check(app, caller, line)
  await serveFiles(app, { line, caller, receive: () => receiveFile(app, caller, line) })
}

async function perform(app: App, line: Line, caller: Caller, { call, plan: fitted }: Fitted): Promise<void> {
  const plan = await grant(app, caller, call, fitted)
  const held = await hold(app, caller, line, { call, plan })
  // From here on the hold is ours to give back: invoke never throws, and relay settles exactly once.
  app.running.hold(line.id)
  const course = courseOf(app, line, { caller, call, plan, held })
  try {
    const reply = await invoke(app, line, { call, plan, held, course })
    await relay(app, line, reply, {
      plan,
      course,
      delivered: checkpoints(app, line, { plan, held, reply }),
      settle(ending) {
        // Nothing was sent, so no receipt will tell of it.
        if (reply.attempts.length === 0 && ending.error !== null) noteRefusal(app, line, ending.error)
        return settle(app, line, { plan, held, reply }, ending)
      },
    })
  } catch (error) {
    await giveBack(app, held)
    throw error
  } finally {
    course.end()
  }
}

/** For the people whose key it came with; what nobody is told, or what only says that nothing was found, is no refusal. */
function noteRefusal(app: App, line: Line, error: TollgateError): void {
  const known = app.running.known(line.id)
  const owner = known ?? error.details.owner
  if (owner === undefined || line.client.gone || error.code === 'generation_not_found') return
  const model = known?.model ?? null
  const { account, key } = owner
  const { code, status, details } = error
  const refusal = { id: line.id, account, key, code, status, model, message: details.message }
  app.refusals.note(refusal, model === null ? null : soldName(app.snapshot, model))
}

function secondsSince(app: App, line: Line): number {
  return (app.clock.monoMs() - line.startedMonoMs) / 1_000
}

/** Our own mistakes are errors; what carries a word for the operator is worth reading; the rest is daily life. */
function levelOf(error: TollgateError): 'error' | 'warn' | 'debug' {
  if (error.code === 'internal') return 'error'
  return error.details.detail === undefined ? 'debug' : 'warn'
}
