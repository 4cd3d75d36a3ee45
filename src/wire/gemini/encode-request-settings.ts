/**
 * The response settings of a conversation, as Gemini's `generationConfig` and `toolConfig`. What the model
 * rejects is omitted or rounded, and reported; what the caller relies on is rejected.
 */

import { type JsonOut, RawJson } from '../json/text.ts'
import { efforts as ascending, type Capabilities, type Effort } from '../translation/capabilities.ts'
import { type SharedStops, sharedStops } from '../translation/emulated-stops.ts'
import type { Adjustment, Conversation, Reasoning, Sampling, Tool } from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { thinkingTokensMax } from '../translation/thinking-room.ts'
import type { NamedTools } from '../translation/tool-names.ts'

type Adjust = (adjustment: Adjustment) => void
type GeminiMembers = Readonly<Record<string, JsonOut | undefined>>

/** Seeds are 32-bit numbers. */
const seedMax = 2_147_483_647
const rejectedByModel = 'the model rejects it'

/** `{functionCallingConfig}`; undefined where no function is declared, or nothing was said. */
export function toolConfig(
  { toolChoice, tools }: Conversation,
  capabilities: Capabilities,
  names: NamedTools,
): JsonOut | undefined {
  if (tools.length === 0) return undefined
  const config = (mode: string, allowed?: readonly string[]) => ({
    functionCallingConfig: { mode, allowedFunctionNames: allowed },
  })
  const isForced = toolChoice?.kind === 'required' || toolChoice?.kind === 'one'
  if (isForced || (toolChoice?.kind === 'some' && toolChoice.required)) {
    if (!capabilities.forcedTools)
      throw untranslatable('tool_choice', 'the model does not support forced tool calls')
  }
  switch (toolChoice?.kind) {
    case 'none':
      return config('NONE')
    case 'validated':
      return config('VALIDATED')
    case 'required':
      return config('ANY')
    case 'one':
      return config('ANY', namesOf([toolChoice], tools, names))
    case 'some':
      return config(
        toolChoice.required ? 'ANY' : 'VALIDATED',
        namesOf(
          toolChoice.names.map((name) => ({ name, namespace: null })),
          tools,
          names,
        ),
      )
    default:
      if (tools.some(({ strict }) => strict === true)) return config('VALIDATED')
      return toolChoice === null ? undefined : config('AUTO')
  }
}

/** The names under which declared tools go; a subset names its tools without their namespaces. */
function namesOf(
  wanted: readonly { readonly name: string; readonly namespace: string | null }[],
  tools: readonly Tool[],
  names: NamedTools,
): readonly string[] {
  const exact = new Map(tools.map((tool) => [JSON.stringify([tool.namespace, tool.name]), tool]))
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  return wanted.map(({ name, namespace }) => {
    const tool = exact.get(JSON.stringify([namespace, name])) ?? byName.get(name)
    return names.name(name, tool?.namespace ?? namespace, tool?.form === 'text')
  })
}

/** The functions as Gemini declares them; undefined where there are none. */
export function toolList(tools: readonly Tool[], names: NamedTools): JsonOut | undefined {
  if (tools.length === 0) return undefined
  return [{ functionDeclarations: tools.map((tool) => declaration(tool, names)) }]
}

const wrappedSchema: JsonOut = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
}

function declaration(tool: Tool, names: NamedTools): JsonOut {
  const isText = tool.form === 'text'
  const grammar = tool.format === null ? '' : `Format of the input: ${tool.format.text}`
  const texts = isText ? [tool.description ?? '', grammar] : [tool.description ?? '']
  const description = texts.filter((text) => text !== '').join('\n\n')
  // An object without members is rejected by older models; it says as little as its absence.
  const schema = tool.schema === null || /^\{\s*\}$/.test(tool.schema.text) ? undefined : tool.schema
  return {
    name: names.name(tool.name, tool.namespace, isText),
    description: description === '' ? undefined : description,
    parametersJsonSchema: isText ? wrappedSchema : schema,
  }
}

/** Agents that do not know the model ask for what another one can. */
function limit(wanted: number | null, tokensMax: number, adjust: Adjust): number | undefined {
  // The format reads 0 as «no limit».
  if (wanted === 0) throw untranslatable('max_tokens', 'an output limit of 0 is not supported')
  if (wanted === null || wanted <= tokensMax) return wanted ?? undefined
  adjust({ kind: 'adapted', field: 'max_tokens', why: `at most ${tokensMax}` })
  return tokensMax
}

/** undefined where nothing was asked for. */
export function generationConfig(
  conversation: Conversation,
  capabilities: Capabilities,
  adjust: Adjust,
): JsonOut | undefined {
  const config: GeminiMembers = {
    maxOutputTokens: limit(conversation.outputLimit, capabilities.outputTokensMax, adjust),
    ...sampling(conversation, capabilities, adjust),
    stopSequences: stops(conversation, capabilities, adjust),
    ...logprobs(conversation.logprobs, capabilities),
    ...format(conversation, capabilities),
    thinkingConfig: thinking(conversation, capabilities, adjust),
  }
  return Object.values(config).every((value) => value === undefined) ? undefined : config
}

function sampling(
  { sampling: values, reasoning }: Conversation,
  capabilities: Capabilities,
  adjust: Adjust,
): GeminiMembers {
  const { sampling: way } = capabilities
  const takes = way !== 'none' && (way !== 'without_reasoning' || reasoning.effort === 'none')
  const isOne = way === 'one_of' && values.temperature !== null
  const rows: readonly (readonly [name: string, field: string, value: keyof Sampling, isTaken: boolean])[] = [
    ['temperature', 'temperature', 'temperature', takes],
    ['topP', 'top_p', 'topP', takes && !isOne],
    ['topK', 'top_k', 'topK', takes && capabilities.topK],
    ['presencePenalty', 'presence_penalty', 'presencePenalty', capabilities.penalties],
    ['frequencyPenalty', 'frequency_penalty', 'frequencyPenalty', capabilities.penalties],
    ['seed', 'seed', 'seed', capabilities.seed && Math.abs(Number(values.seed)) <= seedMax],
  ]
  const members: Record<string, JsonOut> = {}
  for (const [name, field, key, isTaken] of rows) {
    const value = values[key]
    if (value === null) continue
    if (!isTaken) adjust({ kind: 'dropped', field, why: rejectedByModel })
    else members[name] = new RawJson(value)
  }
  if (members.temperature !== undefined && Number(values.temperature) > capabilities.temperatureMax) {
    adjust({ kind: 'adapted', field: 'temperature', why: 'the maximum of the model' })
    members.temperature = capabilities.temperatureMax
  }
  return members
}

function stops(conversation: Conversation, capabilities: Capabilities, adjust: Adjust): JsonOut | undefined {
  const { sent, emulated } = stopsOf(conversation, capabilities)
  if (emulated.length > 0)
    adjust({
      kind: 'adapted',
      field: 'stop',
      why: 'the gateway applies stop strings that the model does not support',
    })
  return sent.length === 0 ? undefined : sent
}

/** The stop strings as the model takes them, and those that its answer is cut at. */
export function stopsOf(conversation: Conversation, { stopsMax }: Capabilities): SharedStops {
  return sharedStops(conversation, { max: stopsMax, isTaken: (stop) => stop !== '' })
}

function logprobs(alternatives: number | null, capabilities: Capabilities): GeminiMembers {
  if (alternatives === null) return {}
  if (!capabilities.logprobs) throw untranslatable('logprobs', 'the model does not return them')
  return { responseLogprobs: true, logprobs: alternatives === 0 ? undefined : alternatives }
}

function format({ format: wanted, tools }: Conversation, capabilities: Capabilities): GeminiMembers {
  if (wanted === null) return {}
  if (wanted.kind === 'json') return { responseMimeType: 'application/json' }
  if (!capabilities.schemaOutput)
    throw untranslatable('response_format', 'the model does not support schemas')
  if (tools.length > 0 && !capabilities.schemaWithTools) {
    throw untranslatable('response_format', 'the model does not support a schema with tools')
  }
  return { responseMimeType: 'application/json', responseJsonSchema: wanted.schema }
}

/** Tokens by effort: https://ai.google.dev/gemini-api/docs/openai#thinking; null is the model's most. */
const budgets: Readonly<Record<Effort, number | null>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: null,
  max: null,
}

function thinking(
  { reasoning, outputLimit }: Conversation,
  capabilities: Capabilities,
  adjust: Adjust,
): JsonOut | undefined {
  const { effort, budget, summaries } = reasoning
  if (capabilities.thinking === 'none') {
    const wantsNone = (effort ?? 'none') === 'none' && (budget ?? 0) <= 0
    if (!wantsNone)
      adjust({ kind: 'dropped', field: 'reasoning', why: 'the model does not support reasoning' })
    return undefined
  }
  const amount =
    capabilities.budget === null
      ? level(reasoning, capabilities, adjust)
      : tokens(reasoning, capabilities, thinkingTokensMax(outputLimit), adjust)
  const isOff = effort === 'none' || budget === 0 || amount?.thinkingBudget === 0
  const includeThoughts = summaries === false || isOff ? undefined : true
  return amount === undefined && includeThoughts === undefined ? undefined : { ...amount, includeThoughts }
}

/** A budget within the model's bounds and the room for thoughts; −1 leaves it to the model. */
function tokens(
  { effort, budget }: Reasoning,
  capabilities: Capabilities,
  room: number,
  adjust: Adjust,
): GeminiMembers | undefined {
  const bounds = capabilities.budget
  if (bounds === null || (effort === null && budget === null)) return undefined
  const wanted = budget ?? (effort === null ? null : budgets[effort]) ?? bounds.max
  const isSpecial = wanted === -1 || (wanted === 0 && capabilities.thinkingOff !== null)
  const within = Math.max(Math.min(wanted, bounds.max, room), bounds.min)
  const clamped = isSpecial ? wanted : room < bounds.min && capabilities.thinkingOff !== null ? 0 : within
  if (clamped !== wanted) adjust({ kind: 'adapted', field: 'reasoning', why: `${clamped} tokens` })
  return { thinkingBudget: clamped }
}

/** Budgets below which an effort is meant. */
const effortsByBudget: readonly (readonly [below: number, effort: Effort])[] = [
  [1, 'none'],
  [2_000, 'minimal'],
  [5_000, 'low'],
  [10_000, 'medium'],
]

/** The requested level, else the next higher, else the model's highest. */
function level(reasoning: Reasoning, { efforts }: Capabilities, adjust: Adjust): GeminiMembers | undefined {
  const { budget } = reasoning
  const wanted = reasoning.effort ?? (budget === null || budget === -1 ? null : effortOf(budget))
  const levels = efforts.filter((effort) => effort !== 'none')
  if (wanted === null || levels.length === 0) return undefined
  const chosen = levels.find((one) => ascending.indexOf(one) >= ascending.indexOf(wanted)) ?? levels.at(-1)
  if (chosen !== wanted || reasoning.effort === null) {
    adjust({ kind: 'adapted', field: 'reasoning', why: `as ${chosen ?? 'nothing'}` })
  }
  return { thinkingLevel: chosen?.toUpperCase() }
}

function effortOf(budget: number): Effort {
  return effortsByBudget.find(([below]) => budget < below)?.[1] ?? 'high'
}
