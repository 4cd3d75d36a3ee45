/** The response settings of a Messages request: sampling, thinking, output format. Must not judge whether a model supports them. */

import type { View } from '../json/view.ts'
import type { Effort } from '../translation/capabilities.ts'
import type { OutputFormat, Reasoning, Sampling } from '../translation/neutral.ts'

export function samplingOf(body: View): Sampling {
  return {
    temperature: body.get('temperature')?.numeral() ?? null,
    topP: body.get('top_p')?.numeral() ?? null,
    topK: body.get('top_k')?.numeral() ?? null,
    presencePenalty: null,
    frequencyPenalty: null,
    seed: null,
  }
}

const off: Reasoning = { effort: 'none', budget: 0, summaries: null }
/** The least that some models can think: between the calls of tools. */
const leastEffort: Effort = 'low'
const modelDecides = -1

/** Effort and budget may both be set: the model's capabilities decide which applies. */
export function reasoningOf(
  thinking: View | undefined,
  effort: Effort | null,
  integerMax: number,
): Reasoning {
  if (thinking === undefined) return { effort, budget: null, summaries: null }
  const display = thinking.get('display')?.text() ?? null
  const summaries = display === null ? null : display !== 'omitted'
  const type = thinking.get('type')?.text()
  switch (type) {
    case 'disabled':
      return off
    case 'between_tools':
      return { effort: effort ?? leastEffort, budget: null, summaries }
    case 'adaptive':
      return { effort, budget: effort === null ? modelDecides : null, summaries }
    case 'enabled':
      return { effort, budget: thinking.get('budget_tokens')?.integer(0, integerMax) ?? null, summaries }
    default:
      throw thinking.invalid('of type adaptive, enabled, between_tools or disabled')
  }
}

/** `output_format` is what betas called it. */
export function formatOf(body: View): OutputFormat | null {
  const format = body.get('output_config')?.get('format') ?? body.get('output_format')
  if (format === undefined) return null
  const schema = format.get('schema')
  if (schema === undefined) throw format.invalid('a json_schema with its schema')
  return { kind: 'schema', name: null, description: null, schema: schema.raw, strict: null }
}
