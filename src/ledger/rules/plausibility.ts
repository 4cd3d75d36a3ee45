/**
 * Whether the counts that an upstream reports are possible: input within the model's context and not nothing, output within the limit
 * that went upstream and not nothing with text, uses of tools that were offered. Impossible ones are named and not used. Pure;
 * prices nothing.
 */
import {
  inputMeters,
  inputTokens,
  type Meter,
  noInput,
  noOutput,
  outputMeters,
  outputTokens,
  type TokenCounts,
} from '../../../contract/meters.ts'
import type { PricedUsage } from './price.ts'

/** The most that a request can use, whatever is reported. */
export interface UsageMax {
  /** Per model call: after each use of a provider tool the model reads its input again. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** Uses of all tools assumed for the hold; reported uses may be more. */
  readonly assumedToolUses: number
  /** Uses of the tools at the provider that were offered, by meter; infinite where the format cannot cap them. */
  readonly toolUses: Readonly<Record<string, number>>
  /** Meters that have a price: a use of any other costs nothing and is reported as unpriced. */
  readonly pricedMeters: Readonly<Record<string, unknown>>
}

/** The parts of a request that bound its usage. */
export interface PlannedUse {
  readonly inputSize: { readonly inputTokensMax: number; readonly toolUses: number }
  readonly choices: number
  readonly serverTools: { readonly usesMax: UsageMax['toolUses'] }
  readonly price: { readonly fees: UsageMax['pricedMeters'] }
}

export function usageMaxOf(
  { inputSize, choices, serverTools, price }: PlannedUse,
  outputLimit: number,
): UsageMax {
  return {
    inputTokens: inputSize.inputTokensMax,
    outputTokens: outputLimit * Math.max(1, choices),
    assumedToolUses: inputSize.toolUses,
    toolUses: serverTools.usesMax,
    pricedMeters: price.fees,
  }
}

/** Usage without the meters that the provider does not charge for. */
export function withoutWaived<Used extends Pick<PricedUsage, 'fees'>>(
  usage: Used,
  waived: readonly string[],
): Used {
  if (waived.length === 0) return usage
  const fees = Object.entries(usage.fees).filter(([meter]) => !waived.includes(meter))
  return { ...usage, fees: Object.fromEntries(fees) }
}

/** Usage in which each of these meters has one use at most. */
export function withUsesOnce<Used extends Pick<PricedUsage, 'fees'>>(
  usage: Used,
  meters: readonly string[],
): Used {
  if (!meters.some((meter) => (usage.fees[meter] ?? 0) > 1)) return usage
  const once = ([meter, uses]: readonly [string, number]) =>
    [meter, meters.includes(meter) ? Math.min(uses, 1) : uses] as const
  return { ...usage, fees: Object.fromEntries(Object.entries(usage.fees).map(once)) }
}

/** Other facts that a report must agree with. */
export interface Contradictions {
  /** The input was reported, so it cannot be 0. */
  readonly hasInput: boolean
  /** The output was reported with text of the model, so it cannot be 0. */
  readonly hasOutput: boolean
  /** An earlier report of the output was more. */
  readonly outputShrank: boolean
}

export interface Plausibility<Reported extends PricedUsage> {
  /** The report without implausible counts: a direction whose sum is too large is empty, one whose sum is too small stays. */
  readonly usage: Reported
  readonly input: boolean
  readonly output: boolean
  /** The counts that cannot be, as reported; null: none. */
  readonly implausible: Readonly<Record<string, number>> | null
}

export function plausibility<Reported extends PricedUsage>(
  usage: Reported,
  max: UsageMax,
  { hasInput, hasOutput, outputShrank }: Contradictions,
): Plausibility<Reported> {
  const samplings = samplingsMax(usage, max)
  const [sent, produced] = [inputTokens(usage), outputTokens(usage)]
  const isInputWithin = sent <= max.inputTokens * samplings
  const isOutputWithin = produced <= max.outputTokens * samplings
  const input = isInputWithin && !(hasInput && sent === 0)
  const output = isOutputWithin && !outputShrank && !(hasOutput && produced === 0)
  const excess = Object.entries(usage.fees).filter(([meter, uses]) => uses > usesMax(meter, max))
  if (input && output && excess.length === 0) return { usage, input, output, implausible: null }
  const fees = Object.fromEntries(
    Object.entries(usage.fees).map(([meter, uses]) => [meter, Math.min(uses, usesMax(meter, max))] as const),
  )
  return {
    usage: { ...usage, ...(isInputWithin ? {} : noInput), ...(isOutputWithin ? {} : noOutput), fees },
    input,
    output,
    implausible: Object.fromEntries([
      ...(input ? [] : countsOf(usage, inputMeters)),
      ...(output ? [] : countsOf(usage, outputMeters)),
      ...excess,
    ]),
  }
}

/** The counts of one direction; where there are none, the 0 of its first class. */
function countsOf(usage: TokenCounts, names: readonly Meter[]): readonly [string, number][] {
  const counts = names.map((name): [string, number] => [name, usage[name]])
  const used = counts.filter(([, count]) => count > 0)
  return used.length > 0 ? used : counts.slice(0, 1)
}

function samplingsMax({ fees }: PricedUsage, max: UsageMax): number {
  const offered = Object.entries(fees).filter(([meter]) => Object.hasOwn(max.toolUses, meter))
  const used = offered.reduce((sum, [meter, uses]) => sum + Math.min(uses, usesMax(meter, max)), 0)
  return Math.max(max.assumedToolUses, used) + 1
}

function usesMax(meter: string, { toolUses, pricedMeters }: UsageMax): number {
  if (!Object.hasOwn(pricedMeters, meter)) return Number.POSITIVE_INFINITY
  return Object.hasOwn(toolUses, meter) ? (toolUses[meter] ?? 0) : 0
}
