/**
 * The only loop that tries one candidate of a model after another, for requests to models and for token
 * counting. What a kind of request sends, and which of its outcomes it retries, is its policy.
 */

import { inputTokens, outputTokens } from '../../../contract/meters.ts'
import { type Clock, steadyClock } from '../../base/clock.ts'
import { isStillOffered, type Snapshot, type Upstream } from '../../catalog/types.ts'
import type { Attempt } from '../../ledger/types.ts'
import type { ProviderKeys } from '../../provider-keys/types.ts'
import { type AttemptTask, attempt } from '../../providers/attempt.ts'
import type { AttemptOutcome } from '../../providers/attempt-outcome.ts'
import type { UpstreamFailure } from '../../providers/connector.ts'
import { asideUntilMs, type Health } from '../../providers/health.ts'
import { failureFor } from '../../providers/outgoing-request.ts'
import type { Sender } from '../../providers/send.ts'
import type { UpstreamFormat } from '../../wire/format.ts'
import type { RawUsage } from '../../wire/usage.ts'
import type { InFlightRequests } from '../observation/in-flight-requests.ts'
import type {
  Candidate,
  CandidateWork,
  CapacityLease,
  PlannedWork,
  RequestContext,
  RequestPlan,
  Target,
  WastedUsage,
} from '../request.ts'
import { evidenceOf } from './upstream-error.ts'

export interface RetryLoopDeps {
  readonly sender: Sender
  readonly clock: Clock
  /** The catalog of this moment, which may be another one than the request was routed with. */
  readonly snapshot: Snapshot
  readonly providerKeys: Pick<ProviderKeys, 'isCurrent'>
  readonly health: Pick<Health, 'snapshot'>
  readonly inFlight: Pick<InFlightRequests, 'count' | 'retries'>
  readonly limits: {
    readonly attemptsMax: number
    readonly retryShareMax: number
    readonly retriesMin: number
  }
}

/** A candidate that cannot take the request, and the reason as receipts state it; null: it is not stated. */
export interface SkippedCandidate {
  readonly kind: 'skipped'
  readonly reason: string | null
}

/** Returns the request for a candidate, or why the candidate cannot take it; a promise only where preparation is needed. */
export type WorkFor = (
  candidate: Candidate,
) => CandidateWork | SkippedCandidate | Promise<CandidateWork | SkippedCandidate>

/** Records the model that the next attempt is charged as; false: there must be no attempt. */
export type RecordModel = (plan: RequestPlan) => boolean | Promise<boolean>

/** `other_models`: only those of other models than the one that failed. `same`: the same candidate once more, with another body. */
type RetryScope = 'none' | 'anywhere' | 'other_models' | 'same'

/** Which candidate is tried next. */
export interface Choice {
  readonly candidate: Candidate
  /** Why it is skipped; null: it is not. */
  readonly skipped: string | null
}

export interface AttemptMade {
  readonly candidate: Candidate
  readonly outcome: AttemptOutcome
  /** null where not a byte of it left this process. */
  readonly record: Attempt | null
}

export interface RetryPolicy<Task extends AttemptTask> {
  /** `first` or one of the others that are left; a promise where it has to wait until one has room for the request. */
  choose(first: Candidate, others: readonly Candidate[]): Choice | Promise<Choice>
  /**
   * Prepares the request for a candidate; null: neither this candidate nor later ones can be tried. `others`: the candidates that
   * may follow.
   */
  prepare(candidate: Candidate, others: readonly Candidate[]): Promise<Task | SkippedCandidate | null>
  /** Hears of every outcome, before it is decided whether another candidate is tried. */
  recordOutcome(made: AttemptMade): void
  /** Which other candidates may be tried after it. */
  retryAt(outcome: AttemptOutcome, task: Task): RetryScope
  /** Whether retries that may make a failure worse are counted and limited. */
  readonly hasRetryLimit: boolean
}

/** The attempt whose outcome is the result, and where it was made. */
export interface FinalAttempt<Task> {
  readonly candidate: Candidate
  readonly task: Task
  readonly outcome: AttemptOutcome
}

export interface RetryLoopResult<Task> {
  /** null: no candidate was left to try. */
  readonly final: FinalAttempt<Task> | null
  /**
   * Every attempt of which at least a byte left this process, the final one included, and the candidates that were
   * skipped between them; empty without an attempt.
   */
  readonly attempts: readonly Attempt[]
  readonly retried: readonly FinalAttempt<Task>[]
}

/** Ends with the first outcome that is not retried, or with the last that there is an attempt or a candidate for. */
export async function tryCandidates<Task extends AttemptTask>(
  deps: RetryLoopDeps,
  context: RequestContext,
  candidates: readonly Candidate[],
  policy: RetryPolicy<Task>,
): Promise<RetryLoopResult<Task>> {
  const { attemptsMax } = deps.limits
  const log = new AttemptLog(deps, context)
  let left = [...candidates]
  const retried: FinalAttempt<Task>[] = []
  let last: FinalAttempt<Task> | null = null
  let scope: RetryScope = 'none'
  while (log.sent < attemptsMax && context.work.interruption === undefined) {
    const [first, ...others] = left.filter((candidate) => isCandidateOffered(deps, candidate))
    if (first === undefined) break
    const choosing = policy.choose(first, others)
    const { candidate, skipped } = choosing instanceof Promise ? await choosing : choosing
    left = [first, ...others].filter((other) => other !== candidate)
    if (skipped !== null) log.skipped(candidate, skipped)
    // Checked again, because it may have waited.
    if (skipped !== null || !isCandidateOffered(deps, candidate)) continue
    const isCounted = policy.hasRetryLimit && scope === 'anywhere' && isRisky(deps, log, candidate)
    if (isCounted && !mayRetry(deps)) continue
    const task = await policy.prepare(candidate, log.sent + 1 < attemptsMax ? left : [])
    if (task === null) break
    if (isSkipped(task)) {
      if (task.reason !== null) log.skipped(candidate, task.reason)
      continue
    }
    if (last !== null) retried.push(withdrawn(log, last))
    last = null
    const counter = isCounted ? deps.inFlight : null
    const { outcome, record } = await attemptAt(deps, context, { candidate, task, counter })
    if (record !== null) log.made(record)
    policy.recordOutcome({ candidate, outcome, record })
    last = { candidate, task, outcome }
    scope = policy.retryAt(outcome, task)
    if (scope === 'none') return { final: last, attempts: log.attempts, retried }
    if (scope === 'other_models') left = left.filter(({ target }) => !isSameModel(target, candidate.target))
    if (scope === 'same') left.unshift(candidate)
    if (outcome.kind !== 'failed' || !outcome.stale || log.attemptsAt(candidate) > 1) continue
    // The kept-alive connection had ended, so that the same upstream has not seen the request. An account's own key is asked again
    // only where the operator's offers, which are there for its failures, cannot serve.
    if (candidate.upstream.ownKey === undefined) left.unshift(candidate)
    else left.push(candidate)
  }
  if (last === null || context.work.interruption === undefined)
    return { final: last, attempts: log.attempts, retried }
  return { final: null, attempts: log.attempts, retried: [...retried, withdrawn(log, last)] }
}

/** Which candidates may be asked after a failed attempt. */
export function retryScope(
  context: RequestContext,
  outcome: Extract<AttemptOutcome, { kind: 'failed' }>,
): RetryScope {
  const isOver = outcome.uncertain && !outcome.abandoned
  if (isOver || context.work.interruption !== undefined) return 'none'
  const failure = failureFor(context.request.headers, outcome.failure)
  if (failure.otherModelMay !== null) return 'other_models'
  return failure.retry === 'never' ? 'none' : 'anywhere'
}

/** A provider key that was removed or replaced is not used, nor is a model that was disabled in the meantime. */
export function isCandidateOffered(
  { snapshot, providerKeys }: Pick<RetryLoopDeps, 'snapshot' | 'providerKeys'>,
  { target, offer }: Candidate,
): boolean {
  const { upstream } = offer
  if (upstream.ownKey === undefined) return isStillOffered(snapshot, target.model, offer)
  return providerKeys.isCurrent(upstream) && snapshot.models.has(target.model.name)
}

/** A retry that may make a failure worse: at an upstream that this request was sent to, or that fails other requests as well. */
function isRisky({ health, clock }: RetryLoopDeps, log: AttemptLog, candidate: Candidate): boolean {
  return log.attemptsAt(candidate) > 0 || asideUntilMs(health.snapshot(), candidate, clock.monoMs()) > 0
}

function mayRetry({ inFlight, limits }: RetryLoopDeps): boolean {
  return inFlight.retries < Math.max(limits.retriesMin, Math.floor(limits.retryShareMax * inFlight.count))
}

export function isSameModel({ model }: Target, other: Target): boolean {
  return model.name === other.model.name
}

/** Where another upstream failed for a while, repeating the request may help, although only an administrator can mend this one. */
export function mayPass(
  failure: UpstreamFailure,
  retried: readonly Pick<FinalAttempt<unknown>, 'outcome'>[],
): UpstreamFailure {
  const isOtherAway = retried.some(({ outcome }) => outcome.kind === 'failed' && !outcome.failure.operator)
  return failure.operator && isOtherAway ? { ...failure, retryAfterMs: 1_000 } : failure
}

function isSkipped(task: AttemptTask | SkippedCandidate): task is SkippedCandidate {
  return 'kind' in task
}

/** A response that refuses the content is not delivered once another model is asked. */
function withdrawn<Task>(log: AttemptLog, last: FinalAttempt<Task>): FinalAttempt<Task> {
  const { outcome } = last
  if (outcome.kind === 'stream') outcome.exchange.abort()
  if (outcome.kind === 'stream' || outcome.kind === 'answer') log.refused()
  return last
}

/** The attempts of one request, and the candidates that were skipped between them. */
class AttemptLog {
  readonly #clock: Clock
  readonly #records: Attempt[] = []
  readonly #context: RequestContext
  readonly #sentTo: string[] = []

  constructor({ clock }: Pick<RetryLoopDeps, 'clock'>, context: RequestContext) {
    this.#clock = clock
    this.#context = context
  }

  /** Attempts of which at least a byte left this process. */
  get sent(): number {
    return this.#sentTo.length
  }

  get attempts(): readonly Attempt[] {
    return this.sent === 0 ? [] : this.#records
  }

  attemptsAt({ upstream }: Candidate): number {
    return this.#sentTo.filter((name) => name === upstream.name).length
  }

  made(record: Attempt): void {
    this.#sentTo.push(record.upstream)
    this.#records.push(record)
  }

  /** The content was refused by the response of the last attempt. */
  refused(): void {
    const last = this.#records.findLastIndex(({ failure }) => failure === null)
    const record = this.#records[last]
    if (record !== undefined) this.#records[last] = { ...record, failure: 'content_refused' }
  }

  skipped({ upstream }: Candidate, reason: string): void {
    const nowMs = steadyClock(this.#clock, this.#context).wallMs()
    const times = { startedMs: nowMs, firstByteMs: null, endedMs: nowMs }
    this.#records.push({ upstream: upstream.name, status: null, failure: reason, ...times })
  }
}

/** Makes one attempt and records it; `record` is null if no byte of the request left this process. */
async function attemptAt(
  deps: RetryLoopDeps,
  context: RequestContext,
  { candidate, task, counter }: TimedAttempt,
): Promise<{ readonly outcome: AttemptOutcome; readonly record: Attempt | null }> {
  const clock = steadyClock(deps.clock, context)
  const startedMs = clock.wallMs()
  if (counter !== null) counter.retries += 1
  let outcome: AttemptOutcome
  try {
    outcome = await attempt(deps.sender, clock, task)
  } finally {
    if (counter !== null) counter.retries -= 1
  }
  const wasSent = outcome.kind !== 'interrupted' || outcome.requestSent
  const times = { startedMs, endedMs: clock.wallMs() }
  return { outcome, record: wasSent ? recordOf(candidate, { outcome, task }, times) : null }
}

interface TimedAttempt {
  readonly candidate: Candidate
  readonly task: AttemptTask
  /** Where it is counted while it runs; null: nowhere. */
  readonly counter: Pick<InFlightRequests, 'retries'> | null
}

function recordOf(
  { upstream, upstreamModel }: Candidate,
  { outcome, task }: Pick<FinalAttempt<AttemptTask>, 'outcome' | 'task'>,
  times: { readonly startedMs: number; readonly endedMs: number },
): Attempt {
  const isInterrupted = outcome.kind === 'interrupted'
  const evidence =
    outcome.kind === 'failed'
      ? evidenceOf({ failure: outcome.failure, upstream, upstreamModel, request: task.request })
      : undefined
  return {
    upstream: upstream.name,
    status: isInterrupted ? null : outcome.status,
    failure: isInterrupted
      ? 'client_closed'
      : outcome.kind === 'failed'
        ? reasonOf(outcome.failure, upstream)
        : null,
    firstByteMs: isInterrupted ? null : outcome.firstByteMs,
    ...times,
    ...(evidence === undefined ? {} : { evidence }),
  }
}

function reasonOf({ code, otherModelMay, operator }: UpstreamFailure, { ownKey }: Upstream): string {
  if (ownKey !== undefined && operator) return 'provider_key_failed'
  return otherModelMay ?? code
}

export const noneUsed = { input: 0, output: 0 }

/** Whether a response refuses the content of the request, before any other content. */
export function isRefused(outcome: AttemptOutcome): boolean {
  if (outcome.kind === 'stream') return outcome.usageTap.refused
  return outcome.kind === 'answer' && outcome.answer.refused === true
}

/**
 * Whether another model follows that may be asked where this one refuses the content. What a refusal cost is the operator's loss,
 * which an account that has caused too many no longer causes.
 */
export function mayBeRefused(
  { parsed, hold }: Pick<CandidateWork, 'parsed' | 'hold'>,
  { target }: Candidate,
  candidates: readonly Candidate[],
): boolean {
  if (hold.restricted || parsed.facts.background === true) return false
  const others = candidates.slice(candidates.findLastIndex((other) => isSameModel(other.target, target)) + 1)
  return others.length > 0
}

/** The usage of an attempt whose response was not delivered; none where it can have cost nothing. */
export function wastedUsage({
  candidate,
  outcome,
  task: { sent, alternative },
}: FinalAttempt<AttemptTask & { readonly sent: PlannedWork }>): readonly WastedUsage[] {
  const rawUsage = rawUsageOf(outcome)
  const isAbandoned = outcome.kind === 'failed' && outcome.abandoned
  if (rawUsage === null && !isAbandoned) return []
  const waitedMs = isAbandoned ? (alternative?.afterMs ?? 0) : null
  const { plan, hold } = sent
  return [{ plan, hold, candidate, rawUsage, refused: isRefused(outcome), waitedMs }]
}

/** null: none was reported. */
function rawUsageOf(outcome: AttemptOutcome): RawUsage | null {
  if (outcome.kind === 'stream') return outcome.usageTap.rawUsage
  return outcome.kind === 'answer' ? outcome.answer.rawUsage : outcome.rawUsage
}

/**
 * Corrects what an attempt that failed or was refused was expected to use of its upstream's tokens. Where that is unknown, what was
 * expected stays; of a response that is delivered it is known when it is settled.
 */
export function noteTokens(
  place: Pick<CapacityLease, 'used'>,
  { target: { format } }: Candidate,
  outcome: AttemptOutcome,
): void {
  if (outcome.kind !== 'failed' && !isRefused(outcome)) return
  const rawUsage = rawUsageOf(outcome)
  if (rawUsage !== null && format.reportedTotals(rawUsage).input) {
    const usage = format.toUsage(rawUsage)
    place.used({ input: inputTokens(usage), output: outputTokens(usage) })
  } else if (outcome.kind === 'failed' && !outcome.uncertain && outcome.status !== 200) place.used(noneUsed)
}

/** Billing needs the input tokens; if the upstream has not reported them yet, they may have to be counted. */
export function mustCountInput(outcome: AttemptOutcome, format: UpstreamFormat): boolean {
  if (outcome.kind === 'failed' || outcome.kind === 'interrupted') return outcome.kind === 'interrupted'
  const rawUsage = rawUsageOf(outcome)
  // A report of no input is not believed, and some hosts open a stream with one.
  const hasInput = rawUsage !== null && format.reportedTotals(rawUsage).input
  return !hasInput || inputTokens(format.toUsage(rawUsage)) === 0
}
