/** What an attempt reported to have used, whether or not it is delivered: for write-offs, and for the limits of upstreams. */
import { inputTokens, outputTokens } from '../../../contract/meters.ts'
import type { AttemptTask } from '../../providers/attempt.ts'
import type { AttemptOutcome } from '../../providers/attempt-outcome.ts'
import type { UpstreamFormat } from '../../wire/dialect.ts'
import type { RawUsage } from '../../wire/usage.ts'
import type { Candidate, CandidateWork, PlannedWork, UpstreamPlace, WastedUsage } from '../request.ts'
import { type FinalAttempt, isSameModel } from './retry-loop.ts'

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
  switch (outcome.kind) {
    case 'stream':
      return outcome.usageTap.rawUsage
    case 'answer':
      return outcome.answer.rawUsage
    case 'failed':
    case 'interrupted':
      return outcome.rawUsage
  }
}

/**
 * Corrects what an attempt that failed or was refused was expected to use of its upstream's tokens. Where that is unknown, what was
 * expected stays; of a response that is delivered it is known when it is settled.
 */
export function noteTokens(
  place: Pick<UpstreamPlace, 'used'>,
  { target: { dialect } }: Candidate,
  outcome: AttemptOutcome,
): void {
  if (outcome.kind !== 'failed' && !isRefused(outcome)) return
  const rawUsage = rawUsageOf(outcome)
  if (rawUsage !== null && dialect.reportedTotals(rawUsage).input) {
    const usage = dialect.toUsage(rawUsage)
    place.used({ input: inputTokens(usage), output: outputTokens(usage) })
  } else if (outcome.kind === 'failed' && !outcome.uncertain && outcome.status !== 200) place.used(noneUsed)
}

/** Billing needs the input tokens; if the upstream has not reported them yet, they may have to be counted. */
export function mustCountInput(outcome: AttemptOutcome, dialect: UpstreamFormat): boolean {
  switch (outcome.kind) {
    case 'stream':
      return !hasInput(dialect, outcome.usageTap.rawUsage)
    case 'answer':
      return !hasInput(dialect, outcome.answer.rawUsage)
    case 'interrupted':
      return true
    case 'failed':
      return false
  }
}

/** A report of no input is not believed, and some hosts open a stream with one. */
function hasInput(dialect: UpstreamFormat, rawUsage: RawUsage): boolean {
  return dialect.reportedTotals(rawUsage).input && inputTokens(dialect.toUsage(rawUsage)) > 0
}
