/** Limits, sampling and reasoning as one model supports them; adaptations are reported. Must not write what the model rejects. */

import { type JsonOut, RawJson } from '../json/text.ts'
import { efforts as ascending, type Capabilities, type Effort } from '../translation/capabilities.ts'
import type { Adjustment, Conversation, Reasoning } from '../translation/neutral.ts'

type ResponsesSettingMembers = Readonly<Record<string, JsonOut | undefined>>

/** https://developers.openai.com/api/reference/resources/responses/methods/create: `max_output_tokens`. */
const outputTokensMin = 16

export function limitOf(
  limit: number | null,
  { outputTokensMax }: Capabilities,
  adjusted: Adjustment[],
): number | undefined {
  if (limit === null) return undefined
  const written = Math.max(outputTokensMin, Math.min(limit, outputTokensMax))
  if (written !== limit) {
    adjusted.push({ kind: 'adapted', field: 'max_output_tokens', why: "the model's maximum" })
  }
  return written
}

interface SamplingTarget {
  readonly capabilities: Capabilities
  /** The effort to write; null: the model's default. */
  readonly effort: Effort | null
  readonly adjusted: Adjustment[]
}

export function samplingOf({ sampling }: Conversation, target: SamplingTarget): ResponsesSettingMembers {
  const { capabilities, effort, adjusted } = target
  const isTaken =
    capabilities.sampling === 'all' ||
    capabilities.sampling === 'one_of' ||
    (capabilities.sampling === 'without_reasoning' && effort === 'none')
  const { temperature } = sampling
  const isOneTooMany = capabilities.sampling === 'one_of' && temperature !== null
  const topP = isOneTooMany ? null : sampling.topP
  const drop = (field: string) => adjusted.push({ kind: 'dropped', field, why: 'the model rejects it' })
  if (temperature !== null && !isTaken) drop('temperature')
  if (sampling.topP !== null && (!isTaken || isOneTooMany)) drop('top_p')
  if (!isTaken) return {}
  const isHigh = temperature !== null && Number(temperature) > capabilities.temperatureMax
  if (isHigh) adjusted.push({ kind: 'adapted', field: 'temperature', why: "the model's maximum" })
  return {
    temperature: isHigh ? capabilities.temperatureMax : rawNumber(temperature),
    top_p: rawNumber(topP),
  }
}

function rawNumber(text: string | null): RawJson | undefined {
  return text === null ? undefined : new RawJson(text)
}

/** undefined: the model does not reason. */
export function reasoningOf(
  { reasoning }: Conversation,
  capabilities: Capabilities,
  adjusted: Adjustment[],
): { readonly effort?: Effort; readonly summary?: string } | undefined {
  const wanted = effortOf(reasoning)
  if (capabilities.thinking === 'none') {
    if (wanted !== null && wanted !== 'none') {
      adjusted.push({ kind: 'dropped', field: 'reasoning', why: 'the model does not reason' })
    }
    return undefined
  }
  const effort = wanted === null ? null : nearest(wanted, capabilities)
  if (effort !== wanted)
    adjusted.push({ kind: 'adapted', field: 'reasoning', why: 'the nearest effort that the model supports' })
  const isShown = reasoning.summaries !== false && effort !== 'none'
  if (effort === null && !isShown) return undefined
  return { ...(effort === null ? {} : { effort }), ...(isShown ? { summary: 'auto' } : {}) }
}

/** Budgets of thinking in this format's terms; the bounds are those that other gateways use. */
function effortOf({ effort, budget }: Reasoning): Effort | null {
  if (effort !== null) return effort
  if (budget === null || budget < 0) return null
  if (budget === 0) return 'none'
  if (budget < 5_000) return 'low'
  return budget < 10_000 ? 'medium' : 'high'
}

/** The effort itself, else the next lower one, else the lowest. */
function nearest(wanted: Effort, { efforts, thinkingOff }: Capabilities): Effort | null {
  if (wanted === 'none' && thinkingOff !== null) return 'none'
  const allowed = efforts.filter((effort) => effort !== 'none' || thinkingOff !== null)
  const lower = allowed.filter((effort) => ascending.indexOf(effort) <= ascending.indexOf(wanted))
  const thinking = lower.filter((effort) => effort !== 'none')
  return thinking.at(-1) ?? allowed.find((effort) => effort !== 'none') ?? null
}
