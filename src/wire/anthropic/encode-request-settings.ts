/**
 * Thinking, sampling and output format for one Claude model. Unsupported settings
 * are rounded or omitted, and reported; what cannot be omitted is rejected.
 */
import { efforts as ascending, type Capabilities, type Effort } from '../translation/capabilities.ts'
import { type SharedStops, sharedStops } from '../translation/emulated-stops.ts'
import { textHash } from '../translation/hash.ts'
import type { Conversation, OutputFormat, Reasoning, Sampling } from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { thinkingTokensMax } from '../translation/thinking-room.ts'
import type { AdjustmentList } from './encode-request-adjustments.ts'
import { type Block, isBlank } from './encode-request-parts.ts'
import { isRecursive, outputSchema } from './encode-request-schema.ts'

export interface ThinkingPlan {
  /** null: the model's default. */
  readonly thinking: Block | null
  readonly effort: Effort | null
}

const byDefault: ThinkingPlan = { thinking: null, effort: null }
const disabled: Block = { type: 'disabled' }

/** Thinking tokens for each effort; a budget also leaves room for the answer. */
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  xhigh: 24_576,
  max: 32_000,
}
const defaultEffort: Effort = 'medium'

/** Budgets below these are the efforts of that name. */
const effortsByBudget: readonly (readonly [budgetBelow: number, effort: Effort])[] = [
  [5_000, 'low'],
  [10_000, 'medium'],
  [Number.POSITIVE_INFINITY, 'high'],
]

function isOff({ effort, budget }: Reasoning): boolean {
  return effort === 'none' || (effort === null && budget === 0)
}

/** Translates the caller's reasoning settings; `outputLimit` is the one sent upstream. */
export function thinkingPlan(
  reasoning: Reasoning,
  capabilities: Capabilities,
  outputLimit: number,
  adjusted: AdjustmentList,
): ThinkingPlan {
  const { effort, budget, summaries } = reasoning
  const isAsked = effort !== null || budget !== null
  if (isOff(reasoning)) return switchedOff(capabilities, adjusted)
  if (!isAsked && summaries !== true) return byDefault
  switch (capabilities.thinking) {
    case 'none':
      adjusted.dropped('reasoning', 'the model does not support reasoning')
      return byDefault
    case 'budget':
      return budgeted(reasoning, capabilities, outputLimit, adjusted)
    case 'adaptive':
      return {
        thinking: { type: 'adaptive', display: summaries === false ? 'omitted' : 'summarized' },
        effort: effortFor(reasoning, capabilities, adjusted),
      }
    default:
      return { thinking: null, effort: effortFor(reasoning, capabilities, adjusted) }
  }
}

function switchedOff(
  { thinking, thinkingOff, efforts }: Capabilities,
  adjusted: AdjustmentList,
): ThinkingPlan {
  if (thinking === 'none') return byDefault
  switch (thinkingOff) {
    case null:
      adjusted.adapted('reasoning', 'this model cannot turn reasoning off; the lowest effort is used')
      return { thinking: null, effort: efforts[0] ?? null }
    case 'between_tools':
      adjusted.adapted('reasoning', 'the model always reasons between tool calls')
      return { thinking: { type: 'between_tools' }, effort: null }
    default:
      return { thinking: disabled, effort: null }
  }
}

function budgeted(
  { effort, budget, summaries }: Reasoning,
  capabilities: Capabilities,
  outputLimit: number,
  adjusted: AdjustmentList,
): ThinkingPlan {
  const { min, max } = capabilities.budget ?? { min: budgets.minimal, max: budgets.max }
  const room = thinkingTokensMax(outputLimit)
  if (room < min) {
    adjusted.adapted('reasoning', 'the output limit is too low for reasoning')
    return { thinking: disabled, effort: null }
  }
  const wanted = budget !== null && budget > 0 ? budget : budgets[effort ?? defaultEffort]
  const tokens = Math.max(min, Math.min(wanted, max, room))
  if (budget !== null && budget > 0 && tokens !== budget) {
    adjusted.adapted('reasoning', `converted to a budget of ${tokens} tokens`)
  }
  const display = summaries === false ? 'omitted' : undefined
  return { thinking: { type: 'enabled', budget_tokens: tokens, display }, effort: null }
}

/** The nearest effort that the model knows, rather above than below; null: its own choice. */
function effortFor(
  { effort, budget }: Reasoning,
  { efforts }: Capabilities,
  adjusted: AdjustmentList,
): Effort | null {
  const isBudget = effort === null && budget !== null && budget > 0
  const wanted = isBudget ? effortsByBudget.find(([below]) => budget < below)?.[1] : effort
  if (wanted === undefined || wanted === null) return null
  const rank = ascending.indexOf(wanted)
  const nearest = efforts.find((known) => ascending.indexOf(known) >= rank) ?? efforts.at(-1) ?? null
  if (nearest !== wanted || isBudget)
    adjusted.adapted('reasoning', `converted to effort ${nearest ?? 'default'}`)
  return nearest
}

/** Budgeted thinking that the conversation does not allow is switched off. */
export function withoutThinking(adjusted: AdjustmentList, why: string): ThinkingPlan {
  adjusted.adapted('reasoning', why)
  return { thinking: disabled, effort: null }
}

export function isThinking({ thinking }: ThinkingPlan): boolean {
  return thinking?.type === 'adaptive' || thinking?.type === 'enabled'
}

export const bindingHeaders: Readonly<Record<string, string>> = {
  'anthropic-beta': 'thinking-binding-controls-2026-08-01',
}

/** Thoughts that are bound to a prefix which translating may have changed are dropped, instead of rejected. */
export function withBinding({ thinking, effort }: ThinkingPlan): ThinkingPlan {
  const bound = {
    ...(thinking ?? { type: 'adaptive' }),
    block_binding: { prefix_mismatch_behavior: 'drop_block' },
  }
  return { thinking: bound, effort }
}

/** Whether a plan can carry `withBinding`. */
export function canBind({ thinking }: ThinkingPlan): boolean {
  return thinking === null || thinking.type === 'adaptive' || thinking.type === 'enabled'
}

const topPBesideThinking = 0.95

interface SamplingRule {
  readonly field: 'temperature' | 'top_p' | 'top_k'
  readonly value: string | null
  /** Why it cannot go; null: it can. */
  readonly rejection: string | null
}

/** Sampling parameters with the digits that the caller wrote. */
export function samplingFields(
  sampling: Sampling,
  capabilities: Capabilities,
  thinks: boolean,
  adjusted: AdjustmentList,
): Readonly<Record<string, string>> {
  const temperature = clamped(sampling.temperature, capabilities.temperatureMax, adjusted)
  const { topP, topK } = sampling
  const none = capabilities.sampling === 'none' ? 'the model does not support sampling parameters' : null
  const besides = thinks ? 'cannot be combined with reasoning' : null
  const isLow = topP !== null && Number(topP) < topPBesideThinking
  const both =
    capabilities.sampling === 'one_of' && temperature !== null
      ? 'temperature and top_p cannot be combined'
      : null
  const rules: readonly SamplingRule[] = [
    {
      field: 'temperature',
      value: temperature,
      rejection: none ?? (Number(temperature) === 1 ? null : besides),
    },
    { field: 'top_p', value: topP, rejection: none ?? both ?? (isLow ? besides : null) },
    {
      field: 'top_k',
      value: topK,
      rejection: none ?? (capabilities.topK ? besides : 'the model does not support top_k'),
    },
  ]
  const fields: Record<string, string> = {}
  for (const { field, value, rejection } of rules) {
    if (value === null) continue
    if (rejection === null) fields[field] = value
    else adjusted.dropped(field, rejection)
  }
  return fields
}

function clamped(temperature: string | null, max: number, adjusted: AdjustmentList): string | null {
  if (temperature === null || Number(temperature) <= max) return temperature
  adjusted.adapted('temperature', `at most ${max}`)
  return String(max)
}

/** Stop strings of white space are rejected by the API; the answer is cut at them, and at those above its number. */
export function stopsOf(
  conversation: Conversation,
  { stopsMax }: Capabilities,
  adjusted: AdjustmentList,
): SharedStops {
  const shared = sharedStops(conversation, { max: stopsMax, isTaken: (stop) => !isBlank(stop) })
  if (shared.emulated.length > 0)
    adjusted.adapted('stop', 'the gateway applies stop strings that the model does not support')
  return shared
}

/** The schema of the answer; undefined where there is none. Throws WireError where the model cannot be bound by one. */
export function formatBlock(
  format: OutputFormat | null,
  capabilities: Capabilities,
  hasTools: boolean,
  adjusted: AdjustmentList,
): Block | undefined {
  if (format?.kind !== 'schema') return undefined
  if (!capabilities.schemaOutput)
    throw untranslatable('response_format', 'the model does not support schemas')
  if (hasTools && !capabilities.schemaWithTools) {
    throw untranslatable('response_format', 'the model does not support a schema with tools')
  }
  if (isRecursive(format.schema)) throw untranslatable('response_format', 'the schema is recursive')
  const { schema, isChanged } = outputSchema(format.schema)
  if (isChanged)
    adjusted.adapted('response_format', 'unsupported schema constraints are added to descriptions')
  return { type: 'json_schema', schema }
}

const userCharactersMax = 256

/** Longer ids of users are rejected; a fingerprint tells them apart as well. */
export function metadataOf({ user }: Conversation, adjusted: AdjustmentList): Block | undefined {
  if (user === null) return undefined
  if (user.length <= userCharactersMax) return { user_id: user }
  adjusted.adapted('user', 'hashed because it is too long')
  return { user_id: textHash(user) }
}
