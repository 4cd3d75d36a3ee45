/** How many tokens a request is expected to use, for the limits of upstreams: far fewer than the bound that its hold pays for. */
import type { Hold, ParsedRequest, RequestPlan } from '../../request.ts'
import { freeInput } from './input-bound.ts'

/** English text has about four; code and other languages fewer. */
const bytesPerToken = 3
/** Output of a running request without an output limit, as it counts toward an upstream's tokens per minute. */
const outputTokensAssumed = 1_000

/** Input by its size, and as much output as the request's own limit allows, or as is assumed of a request without one. */
export function expectedTokens(
  { plan, hold }: { readonly plan: RequestPlan; readonly hold: Hold },
  { facts }: Pick<ParsedRequest, 'facts'>,
): number {
  const { inputSize, choices } = plan
  const textBytes = Math.ceil(inputSize.textBytes / bytesPerToken)
  // What a provider may add, and what tools and references may, is corrected where it does.
  const size = { ...inputSize, textBytes, hiddenTokens: 0, toolUses: 0, fillsWindow: false }
  const bySize = freeInput(size).tokens
  const isLimited = facts.outputLimit !== null || hold.lowered
  const output = isLimited ? hold.outputLimit : Math.min(hold.outputLimit, outputTokensAssumed)
  return Math.min(bySize, hold.input.tokens) + output * choices
}
