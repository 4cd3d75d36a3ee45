/**
 * The settings of a conversation as `inferenceConfig`, `toolConfig` and the fields that only some models have. What the format
 * lacks is left out and reported; what the caller relies on is rejected.
 */
import { type JsonOut, RawJson } from '../json/text.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import type {
  Adjustment,
  CallPart,
  Conversation,
  Reasoning,
  Sampling,
  Tool,
  ToolChoice,
} from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import type { NamedTools } from '../translation/tool-names.ts'

interface SettingDeps {
  readonly capabilities: Capabilities
  readonly adjust: (adjustment: Adjustment) => void
}

/** undefined where nothing was asked for. */
export function inferenceConfig(
  { outputLimit, sampling }: Conversation,
  { capabilities, stops, adjust }: SettingDeps & { readonly stops: readonly string[] },
): JsonOut | undefined {
  const { outputTokensMax } = capabilities
  if (outputLimit !== null && outputLimit > outputTokensMax) {
    adjust({ kind: 'adapted', field: 'max_tokens', why: `at most ${outputTokensMax}` })
  }
  const config = {
    maxTokens: outputLimit === null ? undefined : Math.max(1, Math.min(outputLimit, outputTokensMax)),
    ...samplingFields(sampling, { capabilities, adjust }),
    stopSequences: stops.length === 0 ? undefined : stops,
  }
  return Object.values(config).every((value) => value === undefined) ? undefined : config
}

/** Sampling settings that the format lacks. */
const missing: readonly (readonly [key: keyof Sampling, field: string])[] = [
  ['topK', 'top_k'],
  ['presencePenalty', 'presence_penalty'],
  ['frequencyPenalty', 'frequency_penalty'],
  ['seed', 'seed'],
]

function samplingFields(
  sampling: Sampling,
  { capabilities, adjust }: SettingDeps,
): Readonly<Record<string, JsonOut | undefined>> {
  for (const [key, field] of missing) {
    if (sampling[key] !== null) adjust({ kind: 'dropped', field, why: 'the format has no such setting' })
  }
  const { temperature, topP } = sampling
  const isHigh = temperature !== null && Number(temperature) > capabilities.temperatureMax
  if (isHigh) adjust({ kind: 'adapted', field: 'temperature', why: 'the maximum of the model' })
  const written = (value: string | null) => (value === null ? undefined : new RawJson(value))
  return { temperature: isHigh ? capabilities.temperatureMax : written(temperature), topP: written(topP) }
}

/** `reasoningConfig` of Nova: docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html, 2026-11. */
export function additionalFields(
  { effort, budget }: Reasoning,
  { capabilities, adjust }: SettingDeps,
): JsonOut | undefined {
  const isAsked = (effort !== null && effort !== 'none') || (budget !== null && budget !== 0)
  if (!isAsked) return undefined
  if (capabilities.thinking !== 'effort' || capabilities.efforts.length === 0) {
    adjust({ kind: 'dropped', field: 'reasoning', why: 'the model does not support reasoning settings' })
    return undefined
  }
  const known = capabilities.efforts.find((one) => one === effort) ?? capabilities.efforts.at(-1)
  if (known !== effort) adjust({ kind: 'adapted', field: 'reasoning', why: `as ${known ?? 'nothing'}` })
  return { reasoningConfig: { type: 'enabled', maxReasoningEffort: known } }
}

interface ToolDeps extends SettingDeps {
  readonly names: NamedTools
}

/**
 * The format has no choice `none`, and rejects a history with calls and without tools, so that tools which may not be called
 * are left out only where the history has no calls.
 */
export function toolConfig(conversation: Conversation, deps: ToolDeps): JsonOut | undefined {
  const { toolChoice, parallelCalls } = conversation
  const calls = conversation.turns.flatMap(({ parts }) => parts.filter((part) => part.kind === 'call'))
  if (parallelCalls === false && conversation.tools.length > 0) {
    deps.adjust({ kind: 'dropped', field: 'parallel_tool_calls', why: 'the format has no such setting' })
  }
  if (toolChoice?.kind === 'none' && conversation.tools.length > 0) {
    deps.adjust({ kind: 'adapted', field: 'tool_choice', why: 'the format cannot forbid calls' })
    if (calls.length === 0) return undefined
  }
  const offered = offeredTools(conversation, toolChoice)
  const specs = offered.length > 0 ? offered.map((tool) => toolSpec(tool, deps)) : specsOf(calls, deps)
  if (specs.length === 0) return undefined
  return { tools: specs, toolChoice: offered.length > 0 ? choiceOf(toolChoice, deps) : undefined }
}

/** The tools to offer: all, or only those that the tool choice allows. */
function offeredTools({ tools }: Conversation, choice: ToolChoice | null): readonly Tool[] {
  return choice?.kind === 'some' ? tools.filter(({ name }) => choice.names.includes(name)) : tools
}

const anyObject: JsonOut = { type: 'object', properties: {} }
const wrappedSchema: JsonOut = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
}

function toolSpec(tool: Tool, { names }: ToolDeps): JsonOut {
  const isText = tool.form === 'text'
  const grammar = tool.format === null ? '' : `Format of the input: ${tool.format.text}`
  const description = [tool.description ?? '', isText ? grammar : '']
    .filter((text) => text.trim() !== '')
    .join('\n\n')
  return {
    toolSpec: {
      name: names.name(tool.name, tool.namespace, isText),
      description: description === '' ? undefined : description,
      inputSchema: { json: isText ? wrappedSchema : (tool.schema ?? anyObject) },
    },
  }
}

/** The tools of the history, of which no more is known than their names. */
function specsOf(calls: readonly CallPart[], { names, adjust }: ToolDeps): readonly JsonOut[] {
  const used = new Set(calls.map(({ name, namespace, form }) => names.name(name, namespace, form === 'text')))
  if (used.size > 0) adjust({ kind: 'added', field: 'tools', why: 'the tools that were called before' })
  return [...used].map((name) => ({ toolSpec: { name, inputSchema: { json: anyObject } } }))
}

function choiceOf(choice: ToolChoice | null, { capabilities, names }: ToolDeps): JsonOut | undefined {
  const isRequired = choice?.kind === 'required' || (choice?.kind === 'some' && choice.required)
  if ((isRequired || choice?.kind === 'one') && !capabilities.forcedTools) {
    throw untranslatable('tool_choice', 'the model does not support forced tool calls')
  }
  if (isRequired) return { any: {} }
  return choice?.kind === 'one' ? { tool: { name: names.name(choice.name, choice.namespace) } } : undefined
}
