/**
 * Room for the answer where a model thinks and its output limit is small: thoughts count as output, so that a model
 * which may think up to the limit ends without an answer. Pure.
 */
import type { Capabilities } from './capabilities.ts'
import type { Conversation, Reasoning } from './neutral.ts'

/** Models that are asked by effort think about so much at least; with less room they think as little as they can. */
const roomMin = 1_024

/** The most tokens of thinking within an output limit: three quarters of it. */
export function thinkingTokensMax(outputLimit: number | null): number {
  return outputLimit === null ? Number.POSITIVE_INFINITY : Math.floor((outputLimit * 3) / 4)
}

/**
 * The reasoning to ask for: the conversation's own object, unless the model decides how much it thinks and could use up
 * the output limit. Then it is a budget, or `none`, which is the least that a model has.
 */
export function boundedReasoning(
  { reasoning, outputLimit }: Pick<Conversation, 'reasoning' | 'outputLimit'>,
  { thinking, thinksByDefault, budget }: Capabilities,
): Reasoning {
  const { effort, budget: asked } = reasoning
  const isOpen = effort === null && (asked === -1 || (asked === null && thinksByDefault === true))
  if (!isOpen || thinking === 'none') return reasoning
  const room = thinkingTokensMax(outputLimit)
  if (budget !== null) return room < budget.max ? { ...reasoning, budget: room } : reasoning
  return room < roomMin ? { ...reasoning, effort: 'none', budget: null } : reasoning
}
