/**
 * The only retry loop: candidate → splice → send → classify → next or stop. Ends with an upstream
 * that has begun to answer, or with the reason why none did. Nothing of an upstream's content has
 * reached the client here; at most the head of the stream and keep-alives.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { type Clock, steadyClock } from '../base/clock.ts'
import { TollgateError } from '../base/errors.ts'
import type { Failpoints } from '../base/failpoint.ts'
import type { Log } from '../base/log.ts'
import { isStillOffered, type Snapshot } from '../catalog/types.ts'
import { firstKeepAlive, keepAlive, streamHeaders } from '../headers.ts'
import type { Attempt } from '../ledger/types.ts'
import type { Metrics } from '../metrics.ts'
import { type AttemptLimits, type AttemptTask, attempt, type Outcome } from '../providers/attempt.ts'
import type { Health } from '../providers/health.ts'
import type { Sender } from '../providers/send.ts'
import type { Running } from '../running.ts'
import { sampleInput } from '../tokens/text.ts'
import { noteFailure, toldBytes, toldFailure } from '../upstream-failure.ts'
import type { Call, Candidate, Course, Hold, Line, Plan, Reply } from '../values.ts'
import type { Dialect, UsageReport } from '../wire/codec.ts'
import { applyEdits } from '../wire/json.ts'

export interface Invoking {
  readonly sender: Sender
  readonly clock: Clock
  readonly health: Health
  readonly log: Log
  readonly metrics: Pick<Metrics, 'upstreamFailed'>
  readonly running: Running
  readonly failpoints: Failpoints
  /** The catalog of this moment, which may be another one than the request was planned with. */
  readonly snapshot: Snapshot
  readonly limits: AttemptLimits & {
    readonly peekMs: number
    readonly eventBytesMax: number
    readonly contentGapReasoningMs: number
    readonly attemptsMax: number
    readonly retryShareMax: number
    readonly retriesMin: number
    readonly inputSampleBytesMax: number
    readonly serverToolUsesMax: number
  }
}

export interface Task {
  readonly call: Call
  readonly plan: Plan
  readonly held: Hold
  readonly course: Course
}

interface Trial extends Task {
  readonly candidate: Candidate
  readonly body: readonly Uint8Array[]
  readonly vigil: Vigil
}

/** Never throws for what an upstream or a client did: the reply says how it went. */
export async function invoke(invoking: Invoking, line: Line, task: Task): Promise<Reply> {
  const bodyFor = splicer(invoking, task)
  const attempts: Attempt[] = []
  const wasted: UsageReport[] = []
  const waiting = [...task.plan.candidates]
  const vigil = new Vigil(invoking, line, task.course)
  while (attempts.length < invoking.limits.attemptsMax && line.work.interruption === undefined) {
    const candidate = waiting.shift()
    if (candidate === undefined) break
    if (!isStillOffered(invoking.snapshot, task.plan.model, candidate.offer)) continue
    invoking.failpoints.reach('before-dispatch')
    const { outcome, record } = await tried(invoking, line, {
      ...task,
      candidate,
      body: bodyFor(candidate.upstreamModel),
      vigil,
      isRetry: attempts.length > 0,
    })
    if (record !== null) attempts.push(record)
    learn(invoking, line, candidate, outcome)
    if (outcome.kind === 'failed' && mayTryAgain(invoking, line, outcome)) {
      if (outcome.stale && isFirstOf(candidate, attempts)) waiting.unshift(candidate)
      if (waiting.length > 0 && attempts.length < invoking.limits.attemptsMax) {
        if (outcome.report !== null) wasted.push(outcome.report)
        continue
      }
    }
    return replyOf(outcome, candidate, { attempts, wasted, invoking, line, task })
  }
  return nothingLeft(line, attempts, wasted)
}

function isFirstOf({ upstream }: Candidate, attempts: readonly Attempt[]): boolean {
  return attempts.filter((attempt) => attempt.upstream === upstream.name).length === 1
}

/** One attempt, and its line in the receipt; none when not a byte of it left this process. */
async function tried(
  invoking: Invoking,
  line: Line,
  of: Trial & { readonly isRetry: boolean },
): Promise<{ outcome: Outcome; record: Attempt | null }> {
  const { sender, running } = invoking
  const clock = steadyClock(invoking.clock, line)
  const startedMs = clock.wallMs()
  if (of.isRetry) running.retries += 1
  const outcome = await attempt(sender, clock, attemptTask(invoking, line, of))
  if (of.isRetry) running.retries -= 1
  const wasSent = outcome.kind !== 'interrupted' || outcome.requestSent
  return {
    outcome,
    record: wasSent ? recorded(of.candidate, outcome, { startedMs, endedMs: clock.wallMs() }) : null,
  }
}

function nothingLeft(line: Line, attempts: readonly Attempt[], wasted: readonly UsageReport[]): Reply {
  const by = line.work.interruption
  const ending = {
    gone: { reason: 'client_abort', error: null },
    stopped: { reason: 'interrupted', error: by?.kind === 'stopped' ? by.error : null },
    none: { reason: 'upstream_error', error: noneLeft(attempts.at(-1)) },
  } as const
  return {
    candidate: null,
    attempts,
    wasted,
    firstByteMs: null,
    firstContentMs: null,
    input: null,
    upstreamHeaders: new Map(),
    body: { kind: 'none', dispatched: false, report: null, ...ending[by?.kind ?? 'none'] },
  }
}

function attemptTask(invoking: Invoking, line: Line, of: Trial): AttemptTask {
  const { upstream, upstreamModel, connector } = of.candidate
  const { facts } = of.call
  const prepared = connector.prepare({
    dialect: of.plan.dialect.name,
    operation: of.plan.operation,
    model: upstreamModel,
    basePath: upstream.basePath,
    credential: upstream.credential,
    streamed: facts.stream,
    query: of.plan.translation === null ? line.query : '',
    headers: headersFor(line, of.plan),
    requestId: line.requestId,
  })
  return {
    request: {
      origin: upstream.origin,
      method: 'POST',
      path: prepared.path,
      headers: prepared.headers,
      body: of.body,
    },
    connector,
    dialect: of.plan.dialect,
    streamed: facts.stream,
    watch: {
      usageEvent: of.plan.dialect.usageEvent(facts),
      choices: facts.choices,
      endsWithoutMark: connector.endsWithoutMark,
      eventBytesMax: invoking.limits.eventBytesMax,
      sampleCharactersMax: invoking.limits.sampleCharactersMax,
    },
    limits: invoking.limits,
    contentGapMs: of.course.contentGapMs,
    work: line.work,
    room: of.course.room,
    leftMs: of.course.leftMs(),
    keepAliveInMs: of.vigil.leftMs,
    keepAlive: () => of.vigil.keep(),
    readsOnWhenGone: () => of.course.readsOnWhenGone(connector),
    dispatched: () => invoking.failpoints.reach('after-dispatch'),
  }
}

/**
 * The caller's headers as far as a connector may pick from them, with those that a translated body needs.
 * Headers belong to a format as fields do: in another one they would mean what nobody has priced.
 */
function headersFor(line: Line, { translation, dialect }: Plan): IncomingHttpHeaders {
  const { headers } = line.request
  if (translation === null) return headers
  const merged = dialect.name === line.dialect.name ? { ...headers } : agentOf(headers)
  for (const [name, value] of Object.entries(translation.headers)) {
    merged[name] = [merged[name] ?? [], value].flat().join(',')
  }
  return merged
}

function agentOf({ 'user-agent': agent }: IncomingHttpHeaders): IncomingHttpHeaders {
  return agent === undefined ? {} : { 'user-agent': agent }
}

/** Keeps the client of a stream awake, whichever upstream it waits for: the wait is the request's. */
class Vigil {
  readonly #invoking: Pick<Invoking, 'clock' | 'limits'>
  readonly #line: Line
  readonly #course: Course
  #dueMs: number

  constructor(invoking: Pick<Invoking, 'clock' | 'limits'>, line: Line, course: Course) {
    this.#invoking = invoking
    this.#line = line
    this.#course = course
    this.#dueMs = invoking.clock.monoMs() + invoking.limits.peekMs
  }

  /** How long the client may still hear nothing. */
  get leftMs(): number {
    return Math.max(0, this.#dueMs - this.#invoking.clock.monoMs())
  }

  /** Commits the 200 of a stream whose upstream takes its time; another upstream may still serve it. */
  keep(): void {
    const { client } = this.#line
    const isBegun = client.begun
    if (!isBegun) client.begin(200, streamHeaders(this.#line, this.#course.headers, undefined))
    const text = isBegun ? keepAlive(this.#line) : firstKeepAlive(this.#line)
    if (text === '') client.flush()
    else client.write(text)
    this.#dueMs = this.#invoking.clock.monoMs() + this.#invoking.limits.keepAliveMs
  }
}

/** The body by the name of the model there; offers mostly share one, and then one body. */
function splicer(invoking: Invoking, task: Task): (upstreamModel: string) => readonly Uint8Array[] {
  let last: { readonly name: string; readonly body: readonly Uint8Array[] } | undefined
  return (name) => {
    if (last?.name !== name) last = { name, body: spliced(invoking, task, name) }
    return last.body
  }
}

/** What goes upstream: the caller's bytes, with what had to change spliced in. */
function spliced(invoking: Invoking, task: Task, upstreamModel: string): readonly Uint8Array[] {
  const { dialect, marks } = task.plan
  const edits = dialect.spliceRequest(task.call.facts, {
    ...(upstreamModel === task.call.facts.model ? {} : { model: upstreamModel }),
    ...(task.held.lowered ? { outputLimit: task.held.outputLimit } : {}),
    serverToolUsesMax: invoking.limits.serverToolUsesMax,
  })
  const all = marks.length === 0 ? edits : [...edits, ...marks].sort((a, b) => a.start - b.start)
  return applyEdits(task.call.body.bytes, all)
}

function mayTryAgain(invoking: Invoking, line: Line, outcome: Extract<Outcome, { kind: 'failed' }>): boolean {
  const { running, limits } = invoking
  if (outcome.failure.retry === 'never' || outcome.uncertain) return false
  if (line.work.interruption !== undefined) return false
  return running.retries < Math.max(limits.retriesMin, Math.floor(limits.retryShareMax * running.count))
}

/** What an attempt says about its upstream; the operator hears when our own credential or bill is the trouble. */
function learn(invoking: Invoking, line: Line, candidate: Candidate, outcome: Outcome): void {
  const { upstream } = candidate
  if (outcome.kind === 'interrupted') return
  if (outcome.kind !== 'failed') return invoking.health.served(upstream.name)
  noteFailure(invoking, line, { upstream, failure: outcome.failure, status: outcome.status })
}

function recorded(
  candidate: Candidate,
  outcome: Outcome,
  times: { startedMs: number; endedMs: number },
): Attempt {
  return {
    upstream: candidate.upstream.name,
    status: outcome.kind === 'interrupted' ? null : outcome.status,
    failure:
      outcome.kind === 'failed'
        ? outcome.failure.code
        : outcome.kind === 'interrupted'
          ? 'client_closed'
          : null,
    startedMs: times.startedMs,
    firstByteMs: outcome.kind === 'interrupted' ? null : outcome.firstByteMs,
    endedMs: times.endedMs,
  }
}

function replyOf(
  outcome: Outcome,
  candidate: Candidate,
  with_: Pick<Reply, 'attempts' | 'wasted'> & { invoking: Invoking; line: Line; task: Task },
): Reply {
  const { call } = with_.task
  const input = mustCountInput(outcome, with_.task.plan.dialect)
    ? sampleInput(call.body.bytes, call.facts.media, with_.invoking.limits.inputSampleBytesMax)
    : null
  call.body.drop()
  return {
    candidate,
    attempts: with_.attempts,
    wasted: with_.wasted,
    firstByteMs: outcome.kind === 'interrupted' ? null : outcome.firstByteMs,
    firstContentMs: outcome.kind === 'stream' ? steadyClock(with_.invoking.clock, with_.line).wallMs() : null,
    upstreamHeaders: outcome.kind === 'interrupted' ? new Map() : outcome.headers,
    input,
    body: bodyOf(outcome, candidate),
  }
}

/** The bill of an answer needs its input; where nobody has told it yet, it may have to be counted. */
function mustCountInput(outcome: Outcome, dialect: Dialect): boolean {
  switch (outcome.kind) {
    case 'stream':
      return !dialect.tells(outcome.watch.report).input
    case 'answer':
      return !dialect.tells(outcome.answer.report).input
    case 'interrupted':
      return true
    case 'failed':
      return false
  }
}

function bodyOf(outcome: Outcome, { upstream }: Candidate): Reply['body'] {
  switch (outcome.kind) {
    case 'stream':
      return {
        kind: 'stream',
        exchange: outcome.exchange,
        watch: outcome.watch,
        seen: outcome.seen,
        readsOn: outcome.readsOn,
      }
    case 'answer':
      return { kind: 'answer', status: outcome.status, bytes: outcome.bytes, answer: outcome.answer }
    case 'failed':
      return outcome.rejection === null
        ? {
            kind: 'none',
            dispatched: true,
            reason: outcome.timedOut ? 'timeout' : 'upstream_error',
            report: outcome.report,
            error: toldFailure(outcome.failure, upstream),
          }
        : {
            kind: 'rejection',
            status: outcome.rejection.status,
            bytes: toldBytes(outcome.rejection.bytes, upstream),
            error: toldFailure(outcome.failure, upstream),
          }
    case 'interrupted':
      return {
        kind: 'none',
        dispatched: outcome.requestSent,
        reason: outcome.by.kind === 'gone' ? 'client_abort' : 'interrupted',
        report: outcome.report,
        error: outcome.by.kind === 'gone' ? null : outcome.by.error,
      }
  }
}

function noneLeft(last: Attempt | undefined): TollgateError {
  return new TollgateError('upstream_unavailable', {
    message: 'No upstream of this model can take the request now.',
    retryAfterMs: 1_000,
    detail: last === undefined ? 'the plan has no candidate' : `the last attempt ended with ${last.failure}`,
  })
}
