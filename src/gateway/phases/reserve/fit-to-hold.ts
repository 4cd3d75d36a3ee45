/**
 * Makes one hold cover all targets of a request. The maximum cost of a target that is not prepared yet is estimated by size; once
 * prepared, the target must fit into the hold, with a lower output limit if necessary. Also decides what may cause losses: what a
 * restricted account may not use, and who causes a cost above a hold.
 */
import type { Caller } from '../../../access/types.ts'
import { TollgateError } from '../../../base/errors.ts'
import { least, most } from '../../../ledger/rules/money.ts'
import { type BoundAmounts, boundAmounts, chargedAmounts } from '../../../ledger/rules/price.ts'
import type { ExcessCause } from '../../../ledger/types.ts'
import { canExceedItsSize } from '../../../providers/media-size.ts'
import type { ExtractedFields, Media } from '../../../wire/format.ts'
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

/** Estimates the maximum cost at a target that is not prepared yet; less if the tokens were counted for another target. */
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

/** A request, and the unknown members and betas that a provider of the operator's may be sent. */
export interface RiskyWork {
  readonly parsed: ParsedRequest
  readonly unknown: readonly string[]
}

/** Whether it has something that a restricted account may not use. */
export function needsUnrestrictedAccount({ parsed, unknown }: RiskyWork): boolean {
  const { serverTools, media } = parsed.facts
  return unknown.length > 0 || serverTools.length > 0 || media.some(canExceedItsSize)
}

/**
 * Files by URL, provider-side tools and unknown members can add usage that the account causes; a provider that bills more than it
 * counted is at fault itself.
 */
export function excessCause({ parsed, unknown }: RiskyWork, { reported }: InputBound): ExcessCause {
  const { serverTools, media } = parsed.facts
  const isOpen = (file: Media): boolean => canExceedItsSize(file) && (file.span === null || reported === null)
  return unknown.length > 0 || serverTools.length > 0 || media.some(isOpen) ? 'account' : 'upstream'
}

const nothingUnknown: readonly string[] = []

/** The unknown members and betas. Translation leaves out what is unknown; a server of the operator's own and the account's own key cost the operator nothing. */
export function unknownIn(
  { parsed, plan }: PreparedRequest,
  { received, targets }: { readonly received: ParsedRequest; readonly targets: readonly Target[] },
): readonly string[] {
  const isCharged = ({ connector, ownKeyFee }: Pick<Target, 'connector' | 'ownKeyFee'>): boolean =>
    connector.isCustom !== true && ownKeyFee === null
  const first = parsed.facts.unknownMembers ?? nothingUnknown
  if (first.length > 0 && isCharged(plan)) return first
  const others = received.facts.unknownMembers ?? nothingUnknown
  const isPassedOn = others.length > 0 && targets.some((target) => isCharged(target))
  return isPassedOn ? others : nothingUnknown
}

/** The error for what a restricted account may not use. */
export function accountRestricted(unknown: readonly string[]): TollgateError {
  const what =
    unknown.length === 0
      ? 'files other than text and images, or provider-side tools,'
      : `fields and betas that this server does not know (${unknown.join(', ')})`
  return new TollgateError('account_restricted', {
    message: `This account cannot use ${what} until an administrator has reviewed its losses.`,
  })
}
