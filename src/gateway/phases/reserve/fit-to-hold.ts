/**
 * One hold for all targets of a request: the maximum cost of a target that is not prepared yet is estimated by size, and once
 * it is prepared, its own bound must fit into the hold, with a lower output limit if necessary.
 */
import type { Caller } from '../../../access/types.ts'
import { least, most } from '../../../ledger/rules/money.ts'
import { type BoundAmounts, boundAmounts, chargedAmounts } from '../../../ledger/rules/price.ts'
import type { ExtractedFields } from '../../../wire/dialect.ts'
import {
  type BoundInputDeps,
  countedInput,
  feesOf,
  freeInput,
  inputSizeOf,
  optionsOf,
  outputClassesOf,
  toolUsesOf,
} from '../../bounds/input-bound.ts'
import type { Hold, InputBound, ParsedRequest, PreparedRequest, RequestPlan, Target } from '../../request.ts'

/** The most that a planned request can cost with this much input. */
export function planAmounts(
  plan: RequestPlan,
  facts: ExtractedFields,
  { tokens }: Pick<InputBound, 'tokens'>,
): BoundAmounts {
  const { audioTokens, toolUses } = plan.inputSize
  const amounts = boundAmounts(plan.price, {
    inputTokens: tokens,
    inputAudioTokens: Math.min(audioTokens * (toolUses + 1), tokens),
    outputs: plan.outputs,
    cacheWrites: facts.cacheWrites,
    options: plan.options,
    fees: plan.serverTools.fees,
    choices: facts.choices,
  })
  return chargedAmounts(amounts, plan.ownKeyFee)
}

/** By how much a body grows at most when it is translated, as far as the estimate goes: a quarter, and 4 kB. */
const growthDivisor = 4
const growthBytes = 4_096
/** The same for tokens that were counted for another target. */
const growthTokens = 1_024

/** What the request may cost at a target that it is not prepared for; less where its tokens were counted for another. */
export function estimatedAmounts(
  target: Target,
  { facts, body }: ParsedRequest,
  limits: { readonly serverToolUsesMax: number },
  counted?: Pick<InputBound, 'tokens'>,
): BoundAmounts {
  const { connector, model, price } = target
  const tools = toolUsesOf(connector, facts, limits)
  const { length } = body.bytes
  const bodyBytes = length + Math.ceil(length / growthDivisor) + growthBytes
  const size = inputSizeOf(target, { facts, bodyBytes }, tools.uses)
  const bySize = freeInput(size).tokens
  const tokens = counted === undefined ? bySize : Math.min(bySize, grownTokens(target, counted))
  const amounts = boundAmounts(price, {
    inputTokens: tokens,
    inputAudioTokens: Math.min(size.audioTokens * (size.toolUses + 1), tokens),
    outputs: outputClassesOf(model, facts),
    // A translated prompt may be marked for caching.
    cacheWrites: facts.cacheWrites.length > 0 ? facts.cacheWrites : ['5m'],
    options: optionsOf(target, facts),
    fees: feesOf(price, tools),
    choices: facts.choices,
  })
  return chargedAmounts(amounts, target.ownKeyFee)
}

function grownTokens({ connector }: Target, { tokens }: Pick<InputBound, 'tokens'>): number {
  const { numerator, denominator } = connector.tokenFactor
  const scaled = Math.ceil((tokens * numerator) / denominator)
  return scaled + Math.ceil(scaled / growthDivisor) + connector.hiddenInputTokens + growthTokens
}

/** The most expensive of several bounds, in each part. */
export function highestAmounts(first: BoundAmounts, others: readonly BoundAmounts[]): BoundAmounts {
  return others.reduce(
    (highest, { input, perOutputToken }) => ({
      input: most(highest.input, input),
      perOutputToken: most(highest.perOutputToken, perOutputToken),
    }),
    first,
  )
}

/** The hold as it pays for another target's request: with the output limit that it covers there; null where it does not cover an answer. */
export async function fitToHold(
  deps: BoundInputDeps,
  caller: Pick<Caller, 'account' | 'policy'>,
  hold: Hold,
  prepared: PreparedRequest,
): Promise<Hold | null> {
  const { plan } = prepared
  const free = freeInput(plan.inputSize)
  const byBytes = withInput(hold, prepared, free)
  if (byBytes !== null && byBytes.outputLimit === plan.outputWanted) return byBytes
  const counted = await countedInput(deps, caller, prepared)
  const exact = withInput(hold, prepared, counted)
  if (exact === null) return null
  const isEnough =
    exact.outputLimit === plan.outputWanted ||
    (exact.outputLimit >= plan.outputFloor && caller.policy.onShortBalance !== 'reject')
  return isEnough ? exact : null
}

function withInput(hold: Hold, { parsed, plan }: PreparedRequest, input: InputBound): Hold | null {
  const amounts = planAmounts(plan, parsed.facts, input)
  const left = hold.amount - amounts.input
  if (left < 0n) return null
  const wanted = BigInt(plan.outputWanted)
  const affordable = amounts.perOutputToken === 0n ? wanted : left / amounts.perOutputToken
  const outputLimit = Number(least(affordable, wanted))
  const lowered = outputLimit < plan.outputWanted || plan.exceedsFallback
  return { ...hold, input, outputLimit, lowered }
}
