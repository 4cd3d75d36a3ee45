/**
 * Checks which parts of a reported usage can be true under the plan and the hold of the request, and counts the sampled text if no
 * upstream reported any. If counting is not available, the estimate is low and labeled: a busy server must not make a response more
 * expensive.
 */
import {
  type Contradictions,
  type Plausibility,
  plausibility,
  usageMaxOf,
  withoutWaived,
  withUsesOnce,
} from '../../ledger/rules/plausibility.ts'
import type { Counter } from '../../tokens/count.ts'
import type { InputSample } from '../../tokens/text.ts'
import type { OutputSample, UpstreamFormat } from '../../wire/format.ts'
import type { RawUsage, Usage } from '../../wire/usage.ts'
import type { AnsweredWork, PlannedWork } from '../request.ts'

export type PlausibleUsage = Plausibility<Usage>

/**
 * The plausible part of reported usage, without tool uses that the provider does not charge for. `produced`: what the response has of
 * the model's text.
 */
export function capUsage(
  { plan, hold }: PlannedWork,
  report: RawUsage,
  produced: OutputSample | null,
): PlausibleUsage {
  const billable = withoutWaived(plan.format.toUsage(report, plan.cacheLifetime), plan.serverTools.waived)
  const usage = withUsesOnce(billable, plan.format.chargedOnce?.(plan.model.upstreamModel) ?? [])
  return plausibility(
    usage,
    usageMaxOf(plan, hold.outputLimit),
    contradictions(plan.format, report, produced),
  )
}

/** Every request has input, and text has tokens: a report that says otherwise is not believed, nor one that takes output back. */
export function contradictions(
  format: Pick<UpstreamFormat, 'reportedTotals'>,
  report: RawUsage,
  produced: Pick<OutputSample, 'characters'> | null,
): Contradictions {
  const totals = format.reportedTotals(report)
  const hasText = produced !== null && produced.characters > 0
  return {
    hasInput: totals.input,
    hasOutput: totals.output && hasText,
    outputShrank: hasText && report.outputShrank,
  }
}

type CountDeps = Pick<Counter, 'count'>

export interface TokenCount {
  readonly tokens: number
  /** From a sample of the text, or from its size alone. */
  readonly isEstimated: boolean
}

/** English text has 4 to 5 characters per token; few texts have more than this. */
const charactersPerTokenMax = 8
const bytesPerTokenGuess = 4

/**
 * The provider's count where reserve requested one, else the count of the sampled input, extrapolated to all of it, and
 * never above the bound of the hold. Excludes what the provider may add on its own and earlier reasoning: both are in
 * the bound, but may not have been used.
 */
export async function countedInput(
  counter: CountDeps,
  work: AnsweredWork,
  { isInputKnown }: { readonly isInputKnown: boolean },
): Promise<TokenCount> {
  const { reported } = work.hold.input
  if (reported !== null) return { tokens: reported, isEstimated: false }
  const sample = work.upstreamResponse.input
  // There is no sample where the upstream reported its input early, even if that count was implausible.
  if (sample !== null) return wholeInput(work, await countSample(counter, sample))
  return isInputKnown ? { tokens: 0, isEstimated: false } : estimatedInput(work)
}

/** The provider's count where reserve requested one, else an estimate by size. */
export function estimatedInput(work: PlannedWork): TokenCount {
  const { reported } = work.hold.input
  if (reported !== null) return { tokens: reported, isEstimated: false }
  const tokens = Math.floor(work.plan.inputSize.textBytes / bytesPerTokenGuess)
  return wholeInput(work, { tokens, isEstimated: true })
}

/** The text, with media and what the request refers to. */
function wholeInput({ plan, hold }: PlannedWork, { tokens, isEstimated }: TokenCount): TokenCount {
  const { mediaTokens, referenced } = plan.inputSize
  const storedTokens = referenced.tokens - referenced.reasoning
  return { tokens: Math.min(tokens + mediaTokens + storedTokens, hold.input.tokens), isEstimated }
}

const decoder = new TextDecoder('utf-8')

/**
 * Counts tokens that no upstream reported, from the sampled text. Where counting is not available, the number is
 * estimated low and labeled: a busy server must not make a response more expensive.
 */
export async function countSample(
  counter: CountDeps,
  { bytes, textBytes }: InputSample,
): Promise<TokenCount> {
  if (bytes.length === 0) return { tokens: 0, isEstimated: false }
  const counted = await counter.count(decoder.decode(bytes))
  const tokens = counted ?? Math.floor(bytes.length / bytesPerTokenGuess)
  return {
    tokens: Math.round((tokens * textBytes) / bytes.length),
    isEstimated: counted === undefined || bytes.length < textBytes,
  }
}

export async function countedOutput(
  counter: CountDeps,
  sample: OutputSample | null,
  tokensMax: number,
): Promise<TokenCount> {
  if (sample === null || sample.characters === 0) return { tokens: 0, isEstimated: false }
  const { text, characters } = sample
  const counted = await counter.count(text)
  const tokens =
    counted === undefined
      ? leastOutput(sample)
      : Math.round((counted * characters) / Math.max(1, text.length))
  return {
    tokens: Math.min(tokens, tokensMax),
    isEstimated: counted === undefined,
  }
}

/** Each content event has at least one token. */
function leastOutput({ events, characters }: OutputSample): number {
  return Math.max(events, Math.floor(characters / charactersPerTokenMax))
}
