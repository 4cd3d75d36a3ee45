/**
 * The response object that we write, whole or at its start: settings of the request repeated, output, usage.
 * Its IDs are derived from the request's, so that they are unique. Must not contain more than it is given.
 */
import { inputTokens, outputTokens } from '../../../contract/meters.ts'
import { type JsonOut, RawJson } from '../json/text.ts'
import type { Finish, Frame, ResponseCost } from '../translation/neutral.ts'
import { costMembers } from '../usage-cost.ts'

/** The request's id without its prefix. */
export function tailOf(requestId: string): string {
  return requestId.replace(/^req_/, '')
}

/** Response members that the caller left unset. */
const defaults: Readonly<Record<string, JsonOut>> = {
  instructions: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_logprobs: 0,
  top_p: null,
  truncation: 'disabled',
  user: null,
}

/** The status of a response; `reason` says why it is incomplete. */
export interface ResponseOutcome {
  readonly status: 'in_progress' | 'completed' | 'incomplete'
  readonly reason: string | null
}

export const inProgress: ResponseOutcome = { status: 'in_progress', reason: null }

/** A refusal without text looks like an empty answer, so it is reported as a content filter's. */
export function outcomeOf(finish: Finish | null, hasRefusal: boolean): ResponseOutcome {
  const reason = finish?.reason ?? 'end'
  if (reason === 'length' || reason === 'context')
    return { status: 'incomplete', reason: 'max_output_tokens' }
  const isFiltered = reason === 'filter' || (reason === 'refusal' && !hasRefusal)
  return isFiltered
    ? { status: 'incomplete', reason: 'content_filter' }
    : { status: 'completed', reason: null }
}

/** The model's explanation of a refusal, unless a part holds it already. */
export function refusalText(finish: Finish | null, hasRefusal: boolean): string | null {
  return finish?.reason === 'refusal' && !hasRefusal ? finish.explanation : null
}

export function responseObject(
  frame: Frame,
  outcome: ResponseOutcome,
  output: readonly JsonOut[],
  tally: ResponseCost | null,
): JsonOut {
  return {
    id: `resp_${tailOf(frame.requestId)}`,
    object: 'response',
    created_at: frame.createdSeconds,
    status: outcome.status,
    background: false,
    error: null,
    incomplete_details: outcome.reason === null ? null : { reason: outcome.reason },
    model: frame.model,
    output,
    previous_response_id: null,
    service_tier: 'default',
    store: false,
    ...defaults,
    ...Object.fromEntries(frame.responseOptions.echo),
    usage: tally === null ? null : usageObject(tally),
  }
}

function usageObject({ usage, ...charge }: ResponseCost): JsonOut {
  const { cacheRead, cacheWrite5m, cacheWrite1h } = usage
  const written = cacheWrite5m + cacheWrite1h
  const [input, output] = [inputTokens(usage), outputTokens(usage)]
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: written },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: input + output,
    ...costMembers(charge),
  }
}

const none: readonly [] = []

/** Elements of written arrays, as one. */
export function joinedArrays(arrays: readonly RawJson[]): RawJson | readonly [] {
  if (arrays.length === 0) return none
  const inside = arrays.map(({ text }) => text.trim().slice(1, -1).trim()).filter((text) => text !== '')
  return new RawJson(`[${inside.join(',')}]`)
}
