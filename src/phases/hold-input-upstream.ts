/**
 * Asks the upstreams of a model how many tokens a request has: for a hold that a coarse bound would make too large, and
 * for callers who ask for nothing but the number. Free at every provider that has an address for it. Takes no money.
 */
import type { Caller } from '../access/types.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import { Room, type SharedBudget } from '../base/shared-budget.ts'
import { isStillOffered, type Model, type Snapshot } from '../catalog/types.ts'
import type { Metrics } from '../metrics.ts'
import {
  type AttemptLimits,
  type AttemptTask,
  attempt,
  type Failed,
  type Outcome,
} from '../providers/attempt.ts'
import { isCallersFault } from '../providers/classify.ts'
import type { Connector } from '../providers/connector.ts'
import type { Sender } from '../providers/send.ts'
import type { BodyThreads } from '../tokens/body-threads.ts'
import type { Call, Candidate, Line, Place, Plan } from '../values.ts'
import type { Answer, ReadLimits } from '../wire/codec.ts'
import { type CountingFormat, isCountingFormat, readCount } from '../wire/counting.ts'
import { dialects } from '../wire/dialects.ts'

export interface AskingUpstreams {
  readonly sender: Sender
  readonly clock: Clock
  readonly log: Log
  readonly metrics: Pick<Metrics, 'upstreamFailed'>
  /** The catalog of this moment. */
  readonly snapshot: Snapshot
  /** Memory for answers on their way. */
  readonly events: SharedBudget<'key' | 'account' | 'network'>
  readonly limits: AttemptLimits & {
    readonly attemptsMax: number
    readonly eventBytesMax: number
    readonly unmeteredBytes: number
  }
}

/** The request as an address that counts takes it. */
export interface CountInquiry {
  readonly format: CountingFormat
  readonly body: readonly Uint8Array[]
  readonly headers: Line['request']['headers']
  readonly query: string
}

/** `refused`: the provider refuses the request itself, as it would if the request were made. */
export type CountOutcome<Inquiry> =
  | {
      readonly kind: 'counted'
      readonly inquiry: Inquiry
      readonly tokens: number
      readonly answer: WholeAnswer
    }
  | {
      readonly kind: 'refused'
      readonly inquiry: Inquiry
      readonly failed: Failed
      readonly candidate: Candidate
    }

/** What is asked, and who. */
export interface CountTask<Inquiry extends CountInquiry> {
  readonly caller: Caller
  readonly model: Model
  readonly candidates: readonly Candidate[]
  /** The request under the name that the model has there; null: it cannot be said in a format that counts. */
  readonly inquiryFor: (upstreamModel: string) => Promise<Inquiry | null>
  readonly waitMs: number
}

type WholeAnswer = Extract<Outcome, { kind: 'answer' }>

/** null: no upstream told a number in `waitMs`. Tries one candidate after another. */
export async function askUpstreams<Inquiry extends CountInquiry>(
  asking: AskingUpstreams,
  line: Line,
  of: CountTask<Inquiry>,
): Promise<CountOutcome<Inquiry> | null> {
  const { caller } = of
  const waiting = [...of.candidates]
  const untilMs = asking.clock.monoMs() + of.waitMs
  let stale: Candidate | null = null
  for (let tries = 0; tries < asking.limits.attemptsMax; tries += 1) {
    const candidate = waiting.shift()
    const leftMs = untilMs - asking.clock.monoMs()
    if (candidate === undefined || leftMs <= 0 || line.work.interruption !== undefined) break
    if (!isStillOffered(asking.snapshot, of.model, candidate.offer)) continue
    const inquiry = await of.inquiryFor(candidate.upstreamModel)
    if (inquiry === null) return null
    const outcome = await ask(asking, line, { caller, inquiry, candidate, leftMs })
    if (outcome.kind === 'interrupted') break
    if (outcome.kind === 'failed') {
      learn(asking, line, candidate, outcome)
      if (isCallersFault(outcome.failure)) return { kind: 'refused', inquiry, failed: outcome, candidate }
      // A kept-alive connection had ended: the same upstream has not been asked yet.
      if (outcome.stale && stale !== candidate) {
        stale = candidate
        waiting.unshift(candidate)
      }
      continue
    }
    const tokens = outcome.kind === 'answer' ? readCount(inquiry.format, outcome.bytes) : null
    if (outcome.kind === 'answer' && tokens !== null)
      return { kind: 'counted', inquiry, tokens, answer: outcome }
  }
  return null
}

async function ask(
  asking: AskingUpstreams,
  line: Line,
  of: { caller: Caller; inquiry: CountInquiry; candidate: Candidate; leftMs: number },
): Promise<Outcome> {
  const { inquiry, leftMs } = of
  const { upstream, upstreamModel, connector } = of.candidate
  const { limits } = asking
  const prepared = connector.prepare({
    dialect: inquiry.format,
    operation: 'count_tokens',
    model: upstreamModel,
    basePath: upstream.basePath,
    credential: upstream.credential,
    streamed: false,
    query: inquiry.query,
    headers: inquiry.headers,
    requestId: line.requestId,
  })
  const { key, account } = of.caller
  const { network } = line
  const room = new Room(asking.events.allowance({ key, account, network }), limits.unmeteredBytes)
  const task: AttemptTask = {
    request: { origin: upstream.origin, method: 'POST', ...prepared, body: inquiry.body },
    connector,
    // An answer that is a number has neither text nor usage: it is read here, once it is whole.
    dialect: { ...dialects[inquiry.format], readAnswer: () => noAnswer },
    streamed: false,
    watch: {
      usageEvent: 'relay',
      choices: 1,
      endsWithoutMark: connector.endsWithoutMark,
      eventBytesMax: limits.eventBytesMax,
      sampleCharactersMax: 0,
    },
    limits: { ...limits, answerBytesMax: limits.errorBytesMax },
    work: line.work,
    room,
    contentGapMs: leftMs,
    leftMs,
    keepAliveInMs: leftMs,
    keepAlive: () => undefined,
    readsOnWhenGone: () => false,
    dispatched: () => undefined,
  }
  try {
    return await attempt(asking.sender, asking.clock, task)
  } finally {
    room.set(0)
  }
}

const noAnswer: Answer = {
  report: { fields: {}, ranAt: [], unknown: [] },
  problem: null,
  sample: { text: '', characters: 0, events: 0 },
}

/** For the operator alone: an address that does not count says nothing of one that answers. */
function learn(
  { log, metrics }: AskingUpstreams,
  line: Line,
  { upstream }: Candidate,
  { failure, status }: Failed,
): void {
  metrics.upstreamFailed(upstream.provider, failure.code)
  log[failure.operator ? 'warn' : 'debug'](
    { upstream: upstream.name, status, code: failure.code, request: line.requestId },
    'an upstream did not count tokens',
  )
}

/** Where the format in which the model would be asked has no address that counts, as Chat Completions has none. */
const otherFormats: readonly CountingFormat[] = ['openai-responses', 'anthropic', 'gemini']

/** The format in which the model's upstreams count, the given ones first; undefined: they do not. */
export function countingFormat(
  { model, connector, dialect }: { model: Model; connector: Connector; dialect: Place['dialect'] },
  preferred: readonly string[] = [],
): CountingFormat | undefined {
  return [...preferred, dialect.name, ...otherFormats].find(
    (name): name is CountingFormat =>
      isCountingFormat(name) && model.dialects.includes(name) && connector.offers('count_tokens', name),
  )
}

/** A request that is to be made, as an address that counts takes it; null where there is none. Throws WireError. */
export async function inquiryOf(
  { bodyThreads, read: limits }: { bodyThreads: Pick<BodyThreads, 'run'>; read: ReadLimits },
  line: Line,
  of: { call: Call; plan: Plan; caller: Caller; upstreamModel: string },
): Promise<CountInquiry | null> {
  const { call, plan, caller, upstreamModel } = of
  const to = countingFormat(plan)
  if (to === undefined || plan.dialect.name === 'openai-embeddings') return null
  const { model, connector, translation } = plan
  const isAlias = upstreamModel !== call.facts.model
  const edits = [
    ...plan.dialect.spliceRequest(call.facts, isAlias ? { model: upstreamModel } : {}),
    ...plan.marks,
  ]
  const asked = {
    format: plan.dialect.name,
    to,
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
  const owner = { body: call.body, account: caller.account, work: line.work }
  const counted = await bodyThreads.run('countEdited', asked, owner)
  return {
    format: to,
    body: [counted.bytes],
    headers: { ...line.request.headers, ...translation?.headers, ...counted.headers },
    query: '',
  }
}
