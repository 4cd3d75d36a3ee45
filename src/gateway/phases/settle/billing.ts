/**
 * Who pays for what, for every way in which a request can end; the usage that is billed; and what is written off because an
 * account caused it, or because an attempt was not delivered.
 */
import {
  inputMeters,
  type Meter,
  noInput,
  noOutput,
  noTokens,
  outputMeters,
  outputTokens,
} from '../../../../contract/meters.ts'
import { most } from '../../../ledger/rules/money.ts'
import { usageMaxOf } from '../../../ledger/rules/plausibility.ts'
import { costOf, type PricedUsage, upstreamCostOf, withRequestFee } from '../../../ledger/rules/price.ts'
import type { ReceiptDraft } from '../../../ledger/types.ts'
import type { Counter } from '../../../tokens/count.ts'
import type { UpstreamFormat } from '../../../wire/format.ts'
import type { RawUsage, Usage } from '../../../wire/usage.ts'
import {
  capUsage,
  countedInput,
  countedOutput,
  type PlausibleUsage,
  type TokenCount,
} from '../../bounds/usage.ts'
import type {
  AnsweredWork,
  PlannedWork,
  RelayOutcome,
  UpstreamResponse,
  WastedAttempt,
  WastedUsage,
} from '../../request.ts'

/** Who pays, and where the token counts come from. */
export interface BillingRule {
  /** `customer` pays for delivered output; `platform` writes off what an upstream reports without a response; `none`: nothing is charged. */
  readonly payer: 'customer' | 'platform' | 'none'
  readonly input: 'reported' | 'counted' | 'none'
  readonly output: 'reported' | 'counted' | 'none'
}

export const emptyReport: RawUsage = { fields: {}, servedOptions: [], unknown: [], outputShrank: false }

const noCharge: BillingRule = { payer: 'none', input: 'none', output: 'none' }

/** The billing rule of every way in which a request can end. */
export function billingRule(
  outcome: RelayOutcome,
  format: UpstreamFormat,
  reported: PlausibleUsage,
): BillingRule {
  if (!outcome.dispatched) return noCharge
  const totals = format.reportedTotals(outcome.report?.usage ?? emptyReport)
  // An implausible count is treated like a missing one.
  const known = { input: totals.input && reported.input, output: totals.output && reported.output }
  const input = known.input ? 'reported' : 'counted'
  if (isDelivered(outcome)) return { payer: 'customer', input, output: known.output ? 'reported' : 'counted' }
  if (outcome.reason === 'client_abort') return { payer: 'customer', input, output: 'none' }
  if (!known.input && !known.output) return noCharge
  return {
    payer: 'platform',
    input: known.input ? 'reported' : 'none',
    output: known.output ? 'reported' : 'none',
  }
}

/** Whether the upstream delivered anything that can be charged for. */
function isDelivered({ report, sample }: RelayOutcome): boolean {
  return report?.kind === 'final' || (sample?.events ?? 0) > 0
}

/** The outcome of a request that was sent, from which its bill is computed. */
export interface BillingInput {
  readonly request: AnsweredWork
  readonly outcome: RelayOutcome
  readonly bill: BillingRule
  readonly reported: PlausibleUsage
}

/** The usage that is billed, and whether a part of it is estimated. */
export interface BilledUsage {
  readonly usage: Usage
  readonly isEstimated: boolean
}

/** Replaces parts of the upstream's report by counts where necessary. Returns a promise only if tokens have to be counted. */
export function billedUsage(
  counter: Pick<Counter, 'count'>,
  input: BillingInput,
): BilledUsage | Promise<BilledUsage> {
  const { bill } = input
  const isCounted = bill.input === 'counted' || bill.output === 'counted'
  return isCounted ? countedUsage(counter, input) : usageOf(input, { inputCount: null, outputCount: null })
}

async function countedUsage(counter: Pick<Counter, 'count'>, input: BillingInput): Promise<BilledUsage> {
  const { outcome, bill, request, reported } = input
  const isInputKnown = reported.input
  const inputCount = bill.input === 'counted' ? await countedInput(counter, request, { isInputKnown }) : null
  const { outputTokens: tokensMax } = usageMaxOf(request.plan, request.hold.outputLimit)
  const outputCount =
    bill.output === 'counted' ? await countedOutput(counter, outcome.sample, tokensMax) : null
  return usageOf(input, { inputCount, outputCount })
}

/** `null`: what the upstream reports is billed, or nothing. */
interface CountedTokens {
  readonly inputCount: TokenCount | null
  readonly outputCount: TokenCount | null
}

function usageOf(
  { outcome, bill, request, reported }: BillingInput,
  { inputCount, outputCount }: CountedTokens,
): BilledUsage {
  // A report that is too small to be right is the least that was produced.
  const isCountLess = outputCount !== null && outputCount.tokens < outputTokens(reported.usage)
  const usage = {
    ...reported.usage,
    ...(bill.input === 'reported' ? {} : noInput),
    ...(inputCount === null ? {} : { inputUncached: inputCount.tokens }),
    ...(bill.output === 'reported' || isCountLess ? {} : noOutput),
    ...(outputCount === null || isCountLess ? {} : { output: outputCount.tokens }),
  }
  const isCharged = bill.payer === 'customer' && isDelivered(outcome)
  return {
    usage: isCharged ? withRequestFee(usage, request.plan.price) : usage,
    isEstimated: inputCount?.isEstimated === true || outputCount?.isEstimated === true,
  }
}

/**
 * The possible cost of an implausible report, at most what the model can use by itself, if the request had unknown members: they may
 * make a model run more often than its limits allow. `billed`: the usage that is billed in place of the report.
 */
export function unbelievedLoss(
  { plan, hold }: PlannedWork,
  { implausible, input, output }: PlausibleUsage,
  billed: PricedUsage,
): bigint {
  const isCharged = plan.connector.isCustom !== true && plan.ownKeyFee === null
  if (implausible === null || !hold.hasUnknown || !isCharged) return 0n
  const { contextTokens, outputTokensMax } = plan.model
  const sumOf = (names: readonly Meter[], tokensMax: number): number =>
    Math.min(
      names.reduce((sum, name) => sum + (implausible[name] ?? 0), 0),
      tokensMax,
    )
  const believed = {
    ...billed,
    ...(input ? {} : { ...noInput, inputUncached: sumOf(inputMeters, contextTokens) }),
    ...(output ? {} : { ...noOutput, output: sumOf(outputMeters, outputTokensMax * plan.choices) }),
  }
  return most(costOf(believed, plan.price, 'list').cost - costOf(billed, plan.price, 'list').cost, 0n)
}

/**
 * The rest of a response that was abandoned and not read to its end, at a provider that makes it anyway: the whole output that
 * the request allows. 0 where the provider stops, or where its usage is known.
 */
export function abandonedLoss({ plan, hold, upstreamResponse }: AnsweredWork, billed: PricedUsage): bigint {
  const connector = upstreamResponse.candidate?.target.connector ?? plan.connector
  const isMadeAnyway = !hold.streamed || connector.onCancel !== 'stops'
  if (!isMadeAnyway || connector.isCustom === true || plan.ownKeyFee !== null) return 0n
  const whole = { ...billed, ...noOutput, output: hold.outputLimit * Math.max(1, plan.choices) }
  return most(costOf(whole, plan.price, 'list').cost - costOf(billed, plan.price, 'list').cost, 0n)
}

interface WastedLimits {
  readonly hiddenReasoningTokensPerSecond: number
}

/** At what their upstreams charge, without attempts on the account's own keys. */
export interface WastedCost {
  readonly all: bigint
  /** The part of it that the content of the request caused. */
  readonly refused: bigint
  readonly attempts: readonly WastedAttempt[]
}

/** Nothing, as for most requests. */
const none: WastedCost = { all: 0n, refused: 0n, attempts: [] }

/**
 * Sums the cost of attempts whose responses were not delivered, because they failed, refused the content or began too late, and
 * another attempt served the request.
 */
export function wastedCost({ wasted }: Pick<UpstreamResponse, 'wasted'>, limits: WastedLimits): WastedCost {
  return wasted.reduce((sum, attempt): WastedCost => {
    const { plan, candidate, refused } = attempt
    const usage = plan.ownKeyFee === null ? wastedUsage(attempt, limits) : null
    if (usage === null) return sum
    const cost = upstreamCostOf(usage, plan.price, candidate.offer.cost)
    return {
      all: sum.all + cost,
      refused: refused ? sum.refused + cost : sum.refused,
      attempts: [...sum.attempts, { candidate, plan, cost }],
    }
  }, none)
}

/** null: none was reported, and the attempt ended by itself. */
function wastedUsage(attempt: WastedUsage, limits: WastedLimits): PricedUsage | null {
  const { plan, hold, rawUsage, waitedMs } = attempt
  const isReported = rawUsage !== null && plan.format.reportedTotals(rawUsage).input
  if (waitedMs === null) return isReported ? capUsage(attempt, rawUsage, null).usage : null
  const usage = isReported
    ? capUsage(attempt, rawUsage, null).usage
    : { ...noTokens, fees: {}, servedOptions: [], inputUncached: expectedInput(attempt) }
  if (!plan.model.reasons) return usage
  const hidden = Math.round((waitedMs / 1_000) * limits.hiddenReasoningTokensPerSecond)
  return { ...usage, output: Math.max(usage.output, Math.min(hidden, hold.outputLimit)) }
}

/** English text has about four; code and other languages fewer. */
const bytesPerToken = 3

function expectedInput({ plan: { inputSize }, hold }: WastedUsage): number {
  const { textBytes, mediaTokens, sizedTokens } = inputSize
  return Math.min(Math.ceil(textBytes / bytesPerToken) + mediaTokens + sizedTokens, hold.input.tokens)
}

/** The receipt as the attempt that served would have left it alone. */
export function withoutWasted({ all }: WastedCost, receipt: ReceiptDraft): ReceiptDraft {
  return receipt.ownKey || all === 0n ? receipt : { ...receipt, upstreamCost: receipt.upstreamCost - all }
}
