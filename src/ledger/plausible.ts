/**
 * Whether the counts that an upstream reports can be: input within the model's context, output within the limit that
 * went upstream, uses of tools that were offered. What cannot be is named and not believed. Pure; prices nothing.
 */
import type { PricedUsage } from './price.ts'

/** The most that a request can use, whatever is reported. */
export interface UsageMax {
  /** Of one sampling: after each use of a tool at the provider the model reads its input again. */
  readonly inputTokens: number
  readonly outputTokens: number
  /** Uses of all tools together that were assumed for the hold; those that are reported may be more. */
  readonly assumedToolUses: number
  /** Uses of the tools at the provider that were offered, by meter; infinite where the format cannot cap them. */
  readonly toolUses: Readonly<Record<string, number>>
  /** Meters that have a price: a use of any other costs nothing and is reported as unpriced. */
  readonly pricedMeters: Readonly<Record<string, unknown>>
}

export interface Plausibility<Reported extends PricedUsage> {
  /** What was reported without what cannot be: a direction whose sum is too large is empty. */
  readonly usage: Reported
  readonly input: boolean
  readonly output: boolean
  /** The counts that cannot be, as reported; null: none. */
  readonly implausible: Readonly<Record<string, number>> | null
}

const inputClasses = ['inputUncached', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h', 'inputAudio'] as const
const outputClasses = ['output', 'outputAudio'] as const
const noInput = { inputUncached: 0, cacheRead: 0, cacheWrite5m: 0, cacheWrite1h: 0, inputAudio: 0 }
const noOutput = { output: 0, outputAudio: 0, reasoning: 0 }

export function plausibility<Reported extends PricedUsage>(
  usage: Reported,
  max: UsageMax,
): Plausibility<Reported> {
  const sum = (classes: readonly (keyof PricedUsage)[]): number =>
    classes.reduce((total, name) => total + (usage[name] as number), 0)
  const samplings = samplingsMax(usage, max)
  const input = sum(inputClasses) <= max.inputTokens * samplings
  const output = sum(outputClasses) <= max.outputTokens * samplings
  const excess = Object.entries(usage.fees).filter(([meter, uses]) => uses > usesMax(meter, max))
  if (input && output && excess.length === 0) return { usage, input, output, implausible: null }
  const named = [...(input ? [] : inputClasses), ...(output ? [] : outputClasses)]
    .map((name) => [name, usage[name]] as const)
    .filter(([, count]) => count > 0)
  const fees = Object.fromEntries(
    Object.entries(usage.fees).map(([meter, uses]) => [meter, Math.min(uses, usesMax(meter, max))] as const),
  )
  return {
    usage: { ...usage, ...(input ? {} : noInput), ...(output ? {} : noOutput), fees },
    input,
    output,
    implausible: Object.fromEntries([...named, ...excess]),
  }
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
