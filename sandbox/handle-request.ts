/**
 * Decides the response to a request: reads it, finds the behavior, charges the input, and
 * returns a script. It stores state between requests (cached prompts, turns of a behavior) and sends nothing.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../src/base/clock.ts'
import type { ProviderError } from './errors.ts'
import type { SandboxFormat } from './format.ts'
import { type BackgroundAnswers, backgroundAnswers } from './openai-responses/background-answers.ts'
import { responseHead, responseId } from './openai-responses/errors.ts'
import { type StoredResponses, storedResponses } from './openai-responses/stored-responses.ts'
import { nestsDeeper } from './request/depth.ts'
import { isObject, type JsonObject, type NormalizedRequest } from './request/normalized-request.ts'
import { promptCache } from './request/prompt-cache.ts'
import type { Recorder } from './request-log.ts'
import type { Endpoint, StoredResponseRoute } from './routes.ts'
import { type Behavior, findModel } from './scenarios/behaviors-table.ts'
import { type BehaviorSettings, readSettings, settingsInMessage } from './scenarios/parameters.ts'
import { finish, head, type InputUsage, type ResponseScript, type ScriptStep } from './script/script.ts'

export interface RequestHandler {
  /** The answer to a whole body at one of our addresses. */
  answer(address: Endpoint, body: Buffer, scope: RequestScope): ResponseScript
  /** A rejection in the words of the format. */
  reject(format: SandboxFormat, error: ProviderError, scope: RequestScope): ResponseScript
  /** The answer to a request about a stored response. */
  about(route: StoredResponseRoute, scope: RequestScope): ResponseScript
  /** 22 letters and digits that no other request of this sandbox has. */
  nextUnique(): string
  /** Ends what runs in the background. */
  close(): void
}

/** A request's IDs and its log recorder. */
interface RequestScope {
  readonly requestId: string
  readonly unique: string
  readonly recorder: Recorder
}

interface RequestHandlerOptions {
  readonly clock: Clock
  /** Distinguishes the IDs of this sandbox from other sandboxes' IDs. */
  readonly seed: string
  readonly cachedPrefixesMax: number
  /** JSON of answers that later requests can refer to. */
  readonly storedResponseBytesMax: number
  readonly backgroundAnswersMax: number
  /** How deep the JSON of a body may nest. */
  readonly jsonDepthMax: number
}

interface RejectedRequest {
  readonly kind: 'error'
  readonly error: ProviderError
}

/** The behavior chosen by the model's name and the last message. */
type Choice =
  | { readonly kind: 'choice'; readonly behavior: Behavior; readonly settings: BehaviorSettings }
  | RejectedRequest

type HandlerDecision = { readonly kind: 'script'; readonly script: ResponseScript } | RejectedRequest

function invalid(subject: string): RejectedRequest {
  return { kind: 'error', error: { kind: 'invalid', subject, param: null } }
}

function choiceOf(request: NormalizedRequest): Choice {
  const named = findModel(request.model)
  if (named === undefined) {
    return { kind: 'error', error: { kind: 'unknown_model', subject: request.model, param: null } }
  }
  const { behavior, settings: nameSettings } = named
  // Behaviors with a single format are as strict as its provider; others accept translated requests.
  if (behavior.formats !== undefined && request.strictFault !== null)
    return { kind: 'error', error: request.strictFault }
  const messageSettings = settingsInMessage(request.lastText, behavior.parameters)
  const reading = readSettings(new Map([...messageSettings, ...nameSettings]), behavior.defaults)
  if (reading.kind === 'invalid') return invalid(reading.message)
  return { kind: 'choice', behavior, settings: reading.settings }
}

function parsed(body: Buffer, depthMax: number): JsonObject | undefined {
  // Traversals of the value recurse, so a body nested too deeply is rejected first.
  if (nestsDeeper(body, depthMax)) return undefined
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function* stamped(script: ResponseScript, headers: Readonly<Record<string, string>>): Generator<ScriptStep> {
  for (const step of script)
    yield step.kind === 'head' ? { ...step, headers: { ...headers, ...step.headers } } : step
}

function* rejectionScript(
  format: SandboxFormat,
  error: ProviderError,
  requestId: string,
): Generator<ScriptStep> {
  const failure = format.errorResponse(error, requestId)
  yield head(failure.status, failure.headers)
  yield finish(failure.body)
}

function* countScript(
  request: NormalizedRequest,
  counted: (tokens: number) => JsonObject,
): Generator<ScriptStep> {
  const tokens = request.segments.reduce((sum, segment) => sum + segment.tokens, 0)
  yield head(200, { 'content-type': 'application/json' })
  yield finish(JSON.stringify(counted(tokens)))
}

const queuedFields = {
  status: 'queued',
  background: true,
  completed_at: null,
  error: null,
  incomplete_details: null,
  output: [],
  service_tier: 'auto',
  usage: null,
}

const notCancellable: ProviderError = {
  kind: 'invalid',
  subject: 'Cannot cancel a synchronous response.',
  param: null,
}

function* jsonScript(value: JsonObject): Generator<ScriptStep> {
  yield head(200, { 'content-type': 'application/json' })
  yield finish(JSON.stringify(value))
}

/** undefined: no such response is stored. */
function answerAbout(
  { verb, id }: Pick<StoredResponseRoute, 'verb' | 'id'>,
  responses: StoredResponses,
  runs: BackgroundAnswers,
): JsonObject | 'not cancellable' | undefined {
  const found = responses.find(id)
  const response = runs.show(id) ?? found?.response
  if (response === undefined) return undefined
  switch (verb) {
    case 'show':
      return response
    case 'cancel':
      return runs.cancel(id) ?? 'not cancellable'
    case 'delete':
      runs.remove(id)
      responses.remove(id)
      return { id, object: 'response', deleted: true }
    case 'input_items':
      return { object: 'list', data: found?.input ?? [], first_id: null, last_id: null, has_more: false }
  }
}

/** A format that also stores its answer to this body, where the format stores responses. */
function storing(responses: StoredResponses, format: SandboxFormat, body: JsonObject): SandboxFormat {
  if (format.name !== 'openai-responses') return format
  return {
    ...format,
    answer(turn) {
      responses.store(body, turn)
      return format.answer(turn)
    },
  }
}

export function openRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { clock, seed, cachedPrefixesMax, jsonDepthMax } = options
  const cache = promptCache(clock, cachedPrefixesMax)
  const responses = storedResponses(options.storedResponseBytesMax)
  const runs = backgroundAnswers(clock, options.backgroundAnswersMax)
  // Visits per row of the table of behaviors.
  const visits = new Map<string, number>()
  let sequence = 0

  function reject(format: SandboxFormat, error: ProviderError, { requestId }: RequestScope): ResponseScript {
    return stamped(rejectionScript(format, error, requestId), format.headers(requestId))
  }

  function play(
    format: SandboxFormat,
    request: NormalizedRequest,
    { requestId, unique }: RequestScope,
  ): HandlerDecision {
    const choice = choiceOf(request)
    if (choice.kind === 'error') return choice
    const { behavior, settings } = choice
    const earlier = visits.get(behavior.name) ?? 0
    visits.set(behavior.name, earlier + 1)
    const stamp = { requestId, unique, createdSeconds: Math.floor(clock.wallMs() / 1_000) }
    const charge = (): InputUsage => cache.charge(request.model, request.segments)
    return {
      kind: 'script',
      script: behavior.scenario({ request, settings, format, stamp, earlier, charge }),
    }
  }

  /** Answers with the queued response. */
  function startInBackground(
    request: NormalizedRequest,
    script: ResponseScript,
    { requestId, unique, recorder }: RequestScope,
  ): HandlerDecision {
    const stamp = { requestId, unique, createdSeconds: Math.floor(clock.wallMs() / 1_000) }
    const queued = { ...responseHead({ request, stamp }), ...queuedFields }
    runs.begin(responseId(stamp), queued, { script, recorder })
    return { kind: 'script', script: jsonScript(queued) }
  }

  function decided({ format, counted, read }: Endpoint, body: Buffer, scope: RequestScope): HandlerDecision {
    const sent = parsed(body, jsonDepthMax)
    const value = sent !== undefined && format.name === 'openai-responses' ? responses.resolved(sent) : sent
    if (value === undefined) return invalid('The body of the request must be one valid JSON object.')
    const reading = read(value)
    if (reading.kind === 'error') return reading
    scope.recorder.understood(reading.request.model)
    if (counted === null) {
      const decision = play(storing(responses, format, value), reading.request, scope)
      const isBackground = format.name === 'openai-responses' && value.background === true
      return isBackground && decision.kind === 'script'
        ? startInBackground(reading.request, decision.script, scope)
        : decision
    }
    const choice = choiceOf(reading.request)
    return choice.kind === 'error'
      ? choice
      : { kind: 'script', script: countScript(reading.request, counted) }
  }

  return {
    reject,
    answer(address, body, scope) {
      const { format } = address
      const decision = decided(address, body, scope)
      if (decision.kind === 'error') return reject(format, decision.error, scope)
      return stamped(decision.script, format.headers(scope.requestId))
    },
    about({ format, verb, id }, scope) {
      const answered = answerAbout({ verb, id }, responses, runs)
      if (answered === undefined)
        return reject(format, { kind: 'unknown_item', subject: id, param: null }, scope)
      if (answered === 'not cancellable') return reject(format, notCancellable, scope)
      return stamped(jsonScript(answered), format.headers(scope.requestId))
    },
    close: () => runs.close(),
    nextUnique() {
      sequence += 1
      const hash = createHash('sha256').update(`${seed}:${sequence}`).digest('base64')
      return hash.replace(/[^A-Za-z0-9]/g, '0').slice(0, 22)
    },
  }
}
