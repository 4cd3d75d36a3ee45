/**
 * Counts a request's input tokens at the model's upstreams: for holds that a coarse bound would make too large, and for
 * counting requests of clients. Free at every provider that has a counting endpoint.
 */
import type { Caller } from '../../access/types.ts'
import type { Log } from '../../base/log.ts'
import { MemoryReservation, type SharedBudget } from '../../base/shared-budget.ts'
import type { BodyThreads } from '../../bodies/body-threads.ts'
import type { ProviderKeys } from '../../provider-keys/types.ts'
import { type AttemptLimits, type AttemptTask, errorBytesMax } from '../../providers/attempt.ts'
import type { AttemptOutcome, Failed } from '../../providers/attempt-outcome.ts'
import { isCallersFault } from '../../providers/classify.ts'
import type { Connector } from '../../providers/connector.ts'
import { hopsTo, isForwardedLoop } from '../../providers/outgoing-request.ts'
import {
  type CountingShape,
  isUpstreamCountingFormat,
  readCount,
  type UpstreamCountingFormat,
  upstreamCountingFormats,
} from '../../wire/counting.ts'
import type { ExtractedResponse, ReadLimits } from '../../wire/format.ts'
import { isSourceFormat, upstreamFormats } from '../../wire/formats.ts'
import { type FinalAttempt, type RetryLoopDeps, tryCandidates } from '../attempts/retry-loop.ts'
import { publicUpstreamError } from '../attempts/upstream-error.ts'
import type { Metrics } from '../observation/metrics.ts'
import type { Candidate, ParsedRequest, RequestContext, RequestPlan, Target } from '../request.ts'

export interface CountUpstreamDeps extends RetryLoopDeps {
  readonly log: Log
  readonly metrics: Pick<Metrics, 'upstreamFailed'>
  readonly providerKeys: Pick<ProviderKeys, 'isCurrent' | 'health'>
  /** Memory for responses in transit. */
  readonly events: SharedBudget<'key' | 'account' | 'network'>
  readonly limits: RetryLoopDeps['limits'] &
    AttemptLimits & {
      readonly eventBytesMax: number
      readonly unmeteredBytes: number
    }
}

/** A request as a counting endpoint takes it. */
export interface UpstreamCountRequest {
  readonly format: UpstreamCountingFormat
  readonly shape: CountingShape
  readonly body: readonly Uint8Array[]
  readonly headers: RequestContext['request']['headers']
  readonly query: string
}

/** `rejected`: the provider rejects the request itself, as it would reject the request that is counted. */
type CountOutcome<Request> =
  | {
      readonly kind: 'counted'
      readonly countRequest: Request
      readonly tokens: number
      readonly answer: WholeAnswer
    }
  | {
      readonly kind: 'rejected'
      readonly countRequest: Request
      readonly failed: Failed
      readonly candidate: Candidate
    }

interface CountTask<Request extends UpstreamCountRequest> {
  readonly caller: Caller
  readonly candidates: readonly Candidate[]
  /** The request with the upstream's name of the model; null: no translation to a format that counts. */
  readonly requestFor: (upstreamModel: string) => Promise<Request | null>
  readonly waitMs: number
}

type WholeAnswer = Extract<AttemptOutcome, { kind: 'answer' }>

/** null: no upstream returned a count within `waitMs`. */
export async function countAtUpstream<Request extends UpstreamCountRequest>(
  deps: CountUpstreamDeps,
  context: RequestContext,
  task: CountTask<Request>,
): Promise<CountOutcome<Request> | null> {
  const { key, account } = task.caller
  const { network } = context
  const room = new MemoryReservation(
    deps.events.allowance({ key, account, network }),
    deps.limits.unmeteredBytes,
  )
  const untilMs = deps.clock.monoMs() + task.waitMs
  try {
    const { final } = await tryCandidates(deps, context, task.candidates, {
      // Limits of upstreams do not count these requests.
      choose: (candidate) => ({ candidate, skipped: null }),
      async prepare(candidate) {
        const countRequest = await task.requestFor(candidate.upstreamModel)
        const leftMs = untilMs - deps.clock.monoMs()
        if (countRequest === null || leftMs <= 0) return null
        return { ...countingTask(deps, context, { countRequest, candidate, room, leftMs }), countRequest }
      },
      recordOutcome({ candidate, outcome }) {
        room.set(0)
        recordOutcome(deps, context, candidate, outcome)
      },
      retryAt(outcome, { countRequest, connector }) {
        if (outcome.kind === 'interrupted' || countOf(outcome, countRequest) !== null) return 'none'
        const isLoop = outcome.kind === 'failed' && isForwardedLoop(context.request.headers, outcome.failure)
        return isLoop || isRejected(outcome, connector) ? 'none' : 'anywhere'
      },
      // Counting is free and has its own deadline.
      hasRetryLimit: false,
    })
    return final === null ? null : countOutcome(final)
  } finally {
    room.set(0)
  }
}

function countOf(outcome: AttemptOutcome, { shape }: UpstreamCountRequest): number | null {
  return outcome.kind === 'answer' ? readCount(shape, outcome.bytes) : null
}

/** Whether the request itself was rejected. Hosts that count for some of their models reject counts that say nothing about it. */
function isRejected(
  outcome: AttemptOutcome,
  { countingShapes }: Pick<Connector, 'countingShapes'>,
): outcome is Failed {
  return outcome.kind === 'failed' && countingShapes === undefined && isCallersFault(outcome.failure)
}

function countOutcome<Request extends UpstreamCountRequest>({
  candidate,
  task: { countRequest, connector },
  outcome,
}: FinalAttempt<CountingTask<Request>>): CountOutcome<Request> | null {
  if (isRejected(outcome, connector)) return { kind: 'rejected', countRequest, failed: outcome, candidate }
  const tokens = countOf(outcome, countRequest)
  if (outcome.kind !== 'answer' || tokens === null) return null
  return { kind: 'counted', countRequest, tokens, answer: outcome }
}

interface CountingTask<Request> extends AttemptTask {
  readonly countRequest: Request
}

interface CountingTaskInput extends Pick<AttemptTask, 'room' | 'leftMs'> {
  readonly countRequest: UpstreamCountRequest
  readonly candidate: Candidate
}

function countingTask(
  { limits }: CountUpstreamDeps,
  context: RequestContext,
  { countRequest, candidate, room, leftMs }: CountingTaskInput,
): AttemptTask {
  const { upstream, upstreamModel, target } = candidate
  const { connector } = target
  const prepared = connector.prepare({
    format: countRequest.format,
    operation: 'count_tokens',
    model: upstreamModel,
    basePath: upstream.basePath,
    credential: upstream.credential,
    streamed: false,
    query: countRequest.query,
    headers: countRequest.headers,
    requestId: context.requestId,
    hops: hopsTo(connector, upstream, context.request.headers),
  })
  return {
    request: { origin: upstream.origin, method: 'POST', ...prepared, body: countRequest.body },
    connector,
    // A count has neither text nor usage; it is read when the response is complete.
    format: { ...upstreamFormats[countRequest.format], extractResponse: () => noAnswer },
    streamed: false,
    tapOptions: {
      usageEvent: 'relay',
      choices: 1,
      eventBytesMax: limits.eventBytesMax,
      sampleCharactersMax: 0,
    },
    limits: { ...limits, answerBytesMax: errorBytesMax },
    work: context.work,
    room,
    contentGapMs: leftMs,
    leftMs,
    keepAliveInMs: leftMs,
    keepAlive: () => undefined,
    readOnMs: () => 0,
    readsRefusals: false,
    alternative: null,
    dispatched: () => undefined,
  }
}

const noAnswer: ExtractedResponse = {
  rawUsage: { fields: {}, servedOptions: [], unknown: [], outputShrank: false },
  problem: null,
  sample: { text: '', characters: 0, events: 0 },
}

/**
 * Does not affect health: a failing counting endpoint says nothing about generating. But a provider key of an account that is
 * rejected is not sent again.
 */
function recordOutcome(
  { log, metrics, providerKeys }: CountUpstreamDeps,
  context: RequestContext,
  { upstream, upstreamModel }: Candidate,
  outcome: AttemptOutcome,
): void {
  if (outcome.kind !== 'failed') return
  const { failure, status } = outcome
  if (upstream.ownKey !== undefined) {
    if (!failure.operator || failure.concerns !== 'credential') return
    const { message } = publicUpstreamError(failure, upstream, status).details
    providerKeys.health.failed(upstream, upstreamModel, { ...failure, message }, status)
    return
  }
  metrics.upstreamFailed(upstream.provider, failure.code)
  log[failure.operator ? 'warn' : 'debug'](
    { upstream: upstream.name, status, code: failure.code, request: context.requestId },
    'an upstream failed to count tokens',
  )
}

/** The format in which the model's upstreams count, preferred ones first; undefined: there is none. */
export function countingFormat(
  { model, connector, format }: Pick<Target, 'model' | 'connector' | 'format'>,
  preferred: readonly UpstreamCountingFormat[] = [],
): UpstreamCountingFormat | undefined {
  // Chat Completions has no counting endpoint, so other formats of the model are tried.
  return [...preferred, format.name, ...upstreamCountingFormats].find(
    (name): name is UpstreamCountingFormat =>
      isUpstreamCountingFormat(name) &&
      model.formats.includes(name) &&
      connector.offers('count_tokens', name),
  )
}

/** How the model's upstreams take a request that counts. */
export function countingShape(
  { countingShapes }: Pick<Connector, 'countingShapes'>,
  format: UpstreamCountingFormat,
): CountingShape {
  return countingShapes?.[format] ?? format
}

/** A prepared request as a counting endpoint takes it; null where the model has none. Throws WireError. */
export async function upstreamCountRequest(
  { bodyThreads, read: limits }: { bodyThreads: Pick<BodyThreads, 'run'>; read: ReadLimits },
  context: RequestContext,
  request: { parsed: ParsedRequest; plan: RequestPlan; caller: Caller; upstreamModel: string },
): Promise<UpstreamCountRequest | null> {
  const { parsed, plan, caller, upstreamModel } = request
  const to = countingFormat(plan)
  const { name: format } = plan.format
  if (to === undefined || !isSourceFormat(format)) return null
  const { model, connector, translation } = plan
  const isAlias = upstreamModel !== parsed.facts.model
  const edits = [
    ...plan.format.patchRequest(parsed.facts, {
      ...(isAlias ? { model: upstreamModel } : {}),
      host: connector.requestDifferences?.[format],
    }),
    ...plan.bodyPatches,
  ]
  const input = {
    format,
    to,
    shape: countingShape(connector, to),
    edits: edits.sort((a, b) => a.start - b.start),
    target: {
      model: upstreamModel,
      capabilities: {
        ...connector.capabilities(model.upstreamModel),
        outputTokensMax: model.outputTokensMax,
      },
    },
    limits,
    address: { model: upstreamModel, stream: false },
  }
  const owner = { body: parsed.body, account: caller.account, work: context.work }
  const counted = await bodyThreads.run('countEdited', input, owner)
  return {
    format: to,
    shape: input.shape,
    body: [counted.bytes],
    headers: { ...context.request.headers, ...translation?.headers, ...counted.headers },
    query: '',
  }
}
