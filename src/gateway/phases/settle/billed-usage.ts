/** The usage that a request is billed for: what the upstream reported, and what is counted in its place. */
import { noInput, noOutput, outputTokens } from '../../../../contract/meters.ts'
import { usageMaxOf } from '../../../ledger/rules/plausibility.ts'
import { withRequestFee } from '../../../ledger/rules/price.ts'
import type { Counter } from '../../../tokens/count.ts'
import type { Usage } from '../../../wire/usage.ts'
import { countedInput, countedOutput, type RequestToCount, type TokenCount } from '../../count-output.ts'
import type { PlausibleUsage } from '../../plausible-usage.ts'
import type { RelayOutcome } from '../../request.ts'
import { type BillingRule, isDelivered } from './billing-rule.ts'

/** What is known of a request that was sent, once it has ended. */
export interface BillingInput {
  readonly request: RequestToCount
  readonly outcome: RelayOutcome
  readonly bill: BillingRule
  readonly reported: PlausibleUsage
}

/** The usage that is billed, and whether a part of it is estimated. */
export interface BilledUsage {
  readonly usage: Usage
  readonly isEstimated: boolean
}

/** A promise only where tokens have to be counted. */
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
