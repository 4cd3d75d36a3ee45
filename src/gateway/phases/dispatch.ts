/**
 * Sends the request to one candidate after another until an upstream has begun to respond, or returns why none did. No
 * upstream content reaches the client here, at most the response head and keep-alives.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { type Clock, steadyClock } from '../../base/clock.ts'
import type { Failpoints } from '../../base/failpoint.ts'
import type { Snapshot } from '../../catalog/types.ts'
import type { ProviderKeys } from '../../provider-keys/types.ts'
import type { Alternative, AttemptLimits, AttemptTask } from '../../providers/attempt.ts'
import type { AttemptOutcome } from '../../providers/attempt-outcome.ts'
import { failureFor, hopsTo } from '../../providers/outgoing-request.ts'
import type { Sender } from '../../providers/send.ts'
import { sampleInput } from '../../tokens/text.ts'
import { applyEdits } from '../../wire/json/json.ts'
import { Alternatives, type AlternativesDeps } from '../attempts/alternatives.ts'
import {
  type AttemptMade,
  type FinalAttempt,
  isRefused,
  mayBeRefused,
  mayPass,
  mustCountInput,
  noneUsed,
  noteTokens,
  type RecordModel,
  type RetryLoopResult,
  type RetryPolicy,
  retryScope,
  tryCandidates,
  type WorkFor,
  wastedUsage,
} from '../attempts/retry-loop.ts'
import { type CapacityDeps, choosingByRoom } from '../attempts/upstream-capacity.ts'
import {
  noUpstreamLeft,
  publicUpstreamError,
  recordUpstreamFailure,
  recordUpstreamSuccess,
  redactUpstreamBody,
  type UpstreamErrorDeps,
} from '../attempts/upstream-error.ts'
import type { InFlightRequests } from '../observation/in-flight-requests.ts'
import { traceAttempt, traceOutcome } from '../observation/request-tracing.ts'
import type {
  Candidate,
  CandidateWork,
  PlannedWork,
  RequestContext,
  RequestLifecycle,
  RequestPlan,
  UpstreamResponse,
} from '../request.ts'
import { KeepAliveTimer } from '../responses/response-headers.ts'
import { OmittedParts, type OmittedPartsDeps } from '../targets/adapt-to-host.ts'

/** Input sample per stream for estimating tokens. */
const inputSampleBytesMax = 32 * 1024

export interface DispatchDeps
  extends UpstreamErrorDeps,
    Pick<CapacityDeps, 'capacity'>,
    OmittedPartsDeps,
    Pick<AlternativesDeps, 'firstContents'> {
  readonly sender: Sender
  readonly clock: Clock
  readonly providerKeys: Pick<ProviderKeys, 'health' | 'isCurrent'>
  readonly inFlight: InFlightRequests
  readonly failpoints: Failpoints
  /** The current catalog, which may be newer than the one that the request was routed with. */
  readonly snapshot: Snapshot
  readonly limits: AttemptLimits &
    CapacityDeps['limits'] &
    AlternativesDeps['limits'] & {
      readonly peekMs: number
      readonly eventBytesMax: number
      readonly attemptsMax: number
      readonly retryShareMax: number
      readonly retriesMin: number
      readonly serverToolUsesMax: number
    }
}

export interface DispatchInput {
  /** The prepared request for the first candidate that can take it. */
  readonly first: PlannedWork
  readonly candidates: readonly Candidate[]
  readonly workFor: WorkFor
  readonly recordModel: RecordModel
  /** The request bodies; freed when an upstream begins to respond. */
  readonly bodies: { drop(): void; free(): void }
  readonly lifecycle: RequestLifecycle
  /** How many tokens the request is expected to use, for the limits of upstreams. */
  readonly tokensExpected: number
}

interface DispatchAttempt extends CandidateWork {
  readonly candidate: Candidate
  readonly alternative: Alternative | null
  readonly body: readonly Uint8Array[]
  readonly keepAlive: KeepAliveTimer
  readonly readsRefusals: boolean
  readonly lifecycle: RequestLifecycle
}

interface DispatchTask extends AttemptTask {
  readonly sent: CandidateWork
}

/** Never throws for what an upstream or a client did, but returns it. */
export async function dispatch(
  deps: DispatchDeps,
  context: RequestContext,
  input: DispatchInput,
): Promise<UpstreamResponse> {
  const alternatives = input.candidates.length === 1 ? null : new Alternatives(deps, input.workFor)
  const policy = generatingPolicy(deps, context, { ...input, alternatives })
  const result = await tryCandidates(deps, context, input.candidates, policy).finally(() =>
    alternatives?.settled(),
  )
  const made = { attempts: result.attempts, wasted: result.retried.flatMap(wastedUsage) }
  // The model of the last attempt is the one that the hold names.
  const work = result.retried.at(-1)?.task.sent ?? input.first
  if (result.final === null) return withoutResponse(context, { plan: work.plan, hold: work.hold }, made)
  const { used: tokensUsed } = input.lifecycle.place
  const response = responseOf(result.final, { ...made, tokensUsed, deps, context, retried: result.retried })
  input.bodies[isBodyUnread(result, response) ? 'free' : 'drop']()
  return response
}

/** Whether no socket and no sample reads a body any more; after retries, an aborted attempt still might. */
function isBodyUnread(result: RetryLoopResult<DispatchTask>, { input }: UpstreamResponse): boolean {
  const { final } = result
  if (final === null || result.retried.length > 0 || !('requestWritten' in final.outcome)) return false
  return final.outcome.requestWritten && input?.bytes !== final.task.sent.parsed.body.bytes
}

function generatingPolicy(
  deps: DispatchDeps,
  context: RequestContext,
  input: DispatchInput & { readonly alternatives: Alternatives | null },
): RetryPolicy<DispatchTask> {
  const { lifecycle, tokensExpected: tokens } = input
  const bodyFor = patchedBodies(deps)
  const omitted = new OmittedParts()
  const keepAlive = new KeepAliveTimer(deps, context, lifecycle)
  return {
    choose: choosingByRoom(deps, context, { lifecycle, tokens }),
    async prepare(candidate, others) {
      deps.failpoints.reach('before-dispatch')
      const working = omitted.workFor(deps, context, candidate, input.workFor(candidate))
      const work = working instanceof Promise ? await working : working
      if ('kind' in work) {
        lifecycle.place.used(noneUsed)
        return work
      }
      // Last: the receipt of the attempts before names their model where there is no other attempt.
      const recorded = input.recordModel(work.plan)
      if (recorded !== true && !(await recorded)) return { kind: 'skipped', reason: 'store_unavailable' }
      const body = bodyFor(work, candidate.upstreamModel)
      const readsRefusals = mayBeRefused(work, candidate, input.candidates)
      const alternative = input.alternatives?.to(candidate, work, others) ?? null
      const of = { ...work, lifecycle, candidate, body, keepAlive, readsRefusals, alternative }
      return { ...attemptTask(deps, context, of), sent: work }
    },
    recordOutcome(made) {
      omitted.note(made)
      traceOutcome(context, made.outcome)
      noteTokens(lifecycle.place, made.candidate, made.outcome)
      recordOutcome(deps, context, made)
    },
    retryAt(outcome, { readsRefusals }) {
      if (omitted.isNew) return 'same'
      if (outcome.kind === 'failed') return retryScope(context, outcome)
      return readsRefusals && isRefused(outcome) ? 'other_models' : 'none'
    },
    hasRetryLimit: true,
  }
}

function withoutResponse(
  context: RequestContext,
  work: PlannedWork,
  { attempts, wasted }: Pick<UpstreamResponse, 'attempts' | 'wasted'>,
): UpstreamResponse {
  const by = context.work.interruption
  const ending = {
    gone: { reason: 'client_abort', error: null },
    stopped: { reason: 'interrupted', error: by?.kind === 'stopped' ? by.error : null },
    none: { reason: 'upstream_error', error: noUpstreamLeft(attempts.at(-1)) },
  } as const
  return {
    candidate: null,
    work,
    attempts,
    wasted,
    tokensUsed: () => undefined,
    firstByteMs: null,
    firstContentMs: null,
    input: null,
    upstreamHeaders: new Map(),
    body: { kind: 'none', dispatched: false, rawUsage: null, ...ending[by?.kind ?? 'none'] },
  }
}

function attemptTask(deps: DispatchDeps, context: RequestContext, of: DispatchAttempt): AttemptTask {
  const { upstream, upstreamModel, target } = of.candidate
  const { connector } = target
  const { facts } = of.parsed
  const hops = hopsTo(connector, upstream, context.request.headers)
  const prepared = connector.prepare({
    format: of.plan.format.name,
    operation: of.plan.operation,
    model: upstreamModel,
    basePath: upstream.basePath,
    credential: upstream.credential,
    streamed: facts.stream,
    query: of.plan.translation === null ? context.query : '',
    headers: headersFor(context, of.plan),
    requestId: context.requestId,
    hops,
  })
  return {
    request: {
      origin: upstream.origin,
      method: 'POST',
      path: prepared.path,
      headers: traceAttempt(context, of.candidate, {
        operation: of.plan.operation,
        headers: prepared.headers,
        isOperators: hops !== null,
      }),
      body: of.body,
      authorizer: prepared.authorizer,
    },
    connector,
    format: of.plan.format,
    streamed: facts.stream,
    tapOptions: {
      usageEvent: of.plan.format.usageEvent(facts),
      choices: facts.choices,
      eventBytesMax: deps.limits.eventBytesMax,
      sampleCharactersMax: deps.limits.sampleCharactersMax,
    },
    limits: deps.limits,
    contentGapMs: of.lifecycle.contentGapMs(of.plan),
    work: context.work,
    room: of.lifecycle.room,
    leftMs: of.lifecycle.leftMs(),
    keepAliveInMs: of.keepAlive.leftMs,
    keepAlive: () => of.keepAlive.keep(of),
    readOnMs: () => of.lifecycle.readOnMs(connector),
    readsRefusals: of.readsRefusals,
    alternative: of.alternative,
    dispatched: () => deps.failpoints.reach('after-dispatch'),
  }
}

/**
 * The headers that a connector may relay, and those that a translated body needs. The caller's headers belong to its
 * format: in another one they could change the price.
 */
function headersFor(context: RequestContext, { translation, format }: RequestPlan): IncomingHttpHeaders {
  const { headers } = context.request
  if (translation === null) return headers
  const isSame = format.name === context.format.name
  const merged: IncomingHttpHeaders = isSame ? { ...headers } : { 'user-agent': headers['user-agent'] }
  for (const [name, value] of Object.entries(translation.headers)) {
    merged[name] = [merged[name] ?? [], value].flat().join(',')
  }
  return merged
}

type BodyFor = (work: CandidateWork, upstreamModel: string) => readonly Uint8Array[]

/** The patched body for an upstream's name of the model; the next candidate shares it where it is sent the same. */
function patchedBodies(deps: DispatchDeps): BodyFor {
  let last:
    | { readonly plan: RequestPlan; readonly name: string; readonly body: readonly Uint8Array[] }
    | undefined
  return (work, name) => {
    const { plan } = work
    if (last?.name !== name || last.plan !== plan) last = { plan, name, body: patchedBody(deps, work, name) }
    return last.body
  }
}

/** The bytes for the upstream: the caller's body with byte patches. */
function patchedBody(
  deps: DispatchDeps,
  { parsed, plan, hold }: CandidateWork,
  upstreamModel: string,
): readonly Uint8Array[] {
  const { connector, format, bodyPatches } = plan
  const edits = format.patchRequest(parsed.facts, {
    ...(upstreamModel === parsed.facts.model ? {} : { model: upstreamModel }),
    ...(hold.lowered ? { outputLimit: hold.outputLimit } : {}),
    serverToolUsesMax: deps.limits.serverToolUsesMax,
    host: connector.requestDifferences?.[format.name],
  })
  const all = bodyPatches.length === 0 ? edits : [...edits, ...bodyPatches].sort((a, b) => a.start - b.start)
  return applyEdits(parsed.body.bytes, all)
}

/** Updates the upstream's health, and notifies the operator of failures of our own credential or billing. */
function recordOutcome(
  deps: DispatchDeps,
  context: RequestContext,
  { candidate, outcome, record }: AttemptMade,
): void {
  const { upstream, offer } = candidate
  const { upstreamModel } = offer
  if (outcome.kind === 'interrupted') return
  if (outcome.kind === 'stream' && record !== null)
    deps.firstContents.came(upstream.name, upstreamModel, record.endedMs - record.startedMs)
  if (outcome.kind !== 'failed') return recordUpstreamSuccess(deps, upstream, upstreamModel)
  const { status } = outcome
  const failure = failureFor(context.request.headers, outcome.failure)
  recordUpstreamFailure(deps, context, {
    ...{ upstream, upstreamModel, failure, status, evidence: record?.evidence },
  })
}

interface ResponseInput extends Pick<UpstreamResponse, 'attempts' | 'wasted' | 'tokensUsed'> {
  readonly deps: DispatchDeps
  readonly context: RequestContext
  readonly retried: readonly FinalAttempt<DispatchTask>[]
}

function responseOf(
  { outcome, candidate, task: { sent } }: FinalAttempt<DispatchTask>,
  { attempts, wasted, tokensUsed, deps, context, retried }: ResponseInput,
): UpstreamResponse {
  const { parsed, plan, hold } = sent
  const input = mustCountInput(outcome, plan.format)
    ? sampleInput(parsed.body.bytes, parsed.facts.media, inputSampleBytesMax)
    : null
  return {
    candidate,
    work: { plan, hold },
    attempts,
    wasted,
    tokensUsed,
    firstByteMs: outcome.kind === 'interrupted' ? null : outcome.firstByteMs,
    firstContentMs: outcome.kind === 'stream' ? steadyClock(deps.clock, context).wallMs() : null,
    upstreamHeaders: outcome.kind === 'interrupted' ? new Map() : outcome.headers,
    input,
    body: bodyOf(outcome, { candidate, sent, retried }),
  }
}

function bodyOf(
  outcome: AttemptOutcome,
  {
    candidate: { upstream },
    sent: { parsed, plan },
    retried,
  }: {
    readonly candidate: Candidate
    readonly sent: CandidateWork
    readonly retried: readonly FinalAttempt<DispatchTask>[]
  },
): UpstreamResponse['body'] {
  switch (outcome.kind) {
    case 'stream': {
      const { exchange, usageTap, seen, readsAfterDisconnect } = outcome
      return { kind: 'stream', exchange, usageTap, seen, readsAfterDisconnect }
    }
    case 'answer': {
      const pieces = plan.format.encodeAsRequested?.(outcome.bytes, parsed.facts)
      const bytes = pieces === undefined ? outcome.bytes : Buffer.concat(pieces)
      return { kind: 'answer', status: outcome.status, bytes, answer: outcome.answer }
    }
    case 'failed':
      return outcome.rejection === null
        ? {
            kind: 'none',
            dispatched: true,
            reason: outcome.timedOut ? 'timeout' : 'upstream_error',
            rawUsage: outcome.rawUsage,
            error: publicUpstreamError(mayPass(outcome.failure, retried), upstream, outcome.status),
          }
        : {
            kind: 'rejection',
            status: outcome.rejection.status,
            bytes: redactUpstreamBody(outcome.rejection.bytes, upstream),
            error: publicUpstreamError(outcome.failure, upstream, outcome.status),
          }
    case 'interrupted':
      return {
        kind: 'none',
        dispatched: outcome.requestSent,
        reason: outcome.by.kind === 'gone' ? 'client_abort' : 'interrupted',
        rawUsage: outcome.rawUsage,
        error: outcome.by.kind === 'gone' ? null : outcome.by.error,
      }
  }
}
