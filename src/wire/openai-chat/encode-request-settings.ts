/**
 * The settings of a conversation as members of a chat request, as far as the model supports them. Unsupported ones
 * are omitted and reported, or rejected where omitting them would change what the caller gets.
 */

import { type JsonOut, RawJson } from '../json/text.ts'
import type { Capabilities, Effort } from '../translation/capabilities.ts'
import { type SharedStops, sharedStops } from '../translation/emulated-stops.ts'
import { textHash } from '../translation/hash.ts'
import type { Adjustment, Conversation, OutputFormat, Tool, ToolChoice } from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { type NamedTools, openaiNames, targetName, toolFinder } from '../translation/tool-names.ts'

type SettingMembers = Readonly<Record<string, JsonOut | undefined>>

/** Names of persons and of caches are no longer here. */
const shortTextCharactersMax = 64
const schemaName = 'structured_output'

export interface SettingContext {
  readonly takes: Capabilities
  readonly effort: Effort | null
  readonly adjusted: Adjustment[]
}

/** All settings but those of tools, in the order in which they are written. */
export function settingsOf(conversation: Conversation, settings: SettingContext): SettingMembers {
  const { takes, effort } = settings
  return {
    max_completion_tokens: outputLimit(conversation, settings),
    reasoning_effort: effort ?? undefined,
    verbosity: verbosity(conversation, settings),
    ...sampling(conversation, settings),
    stop: stops(conversation, settings),
    ...logprobs(conversation, takes),
    response_format: responseFormat(conversation, takes),
    ...identity(conversation),
    ...(conversation.stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  }
}

function adjust(
  { adjusted }: SettingContext,
  kind: Adjustment['kind'],
  field: string,
  why: string,
): undefined {
  adjusted.push({ kind, field, why })
}

function outputLimit({ outputLimit: limit }: Conversation, settings: SettingContext): number | undefined {
  if (limit === null) return undefined
  const { outputTokensMax } = settings.takes
  if (limit <= outputTokensMax) return limit
  adjust(settings, 'adapted', 'max_tokens', 'the maximum of the model')
  return outputTokensMax
}

function verbosity({ verbosity: value }: Conversation, settings: SettingContext): string | undefined {
  if (value === null || settings.takes.thinking === 'effort') return value ?? undefined
  return adjust(settings, 'dropped', 'verbosity', 'only reasoning models support it')
}

function sampling({ sampling: values }: Conversation, settings: SettingContext): SettingMembers {
  const { takes } = settings
  const number = (field: string, written: string | null, isTaken: boolean): JsonOut | undefined => {
    if (written === null) return undefined
    if (isTaken) return new RawJson(written)
    return adjust(settings, 'dropped', field, 'the model does not support it')
  }
  const isSampled =
    takes.sampling === 'all' ||
    takes.sampling === 'one_of' ||
    (takes.sampling === 'without_reasoning' && settings.effort === 'none')
  const isOne = takes.sampling === 'one_of' && values.temperature !== null
  return {
    temperature: number('temperature', temperature(values.temperature, settings, isSampled), isSampled),
    top_p: number('top_p', values.topP, isSampled && !isOne),
    presence_penalty: number('presence_penalty', values.presencePenalty, takes.penalties),
    frequency_penalty: number('frequency_penalty', values.frequencyPenalty, takes.penalties),
    seed: number('seed', values.seed, takes.seed),
  }
}

function temperature(value: string | null, settings: SettingContext, isTaken: boolean): string | null {
  const { temperatureMax } = settings.takes
  if (value === null || !isTaken || Number(value) <= temperatureMax) return value
  adjust(settings, 'adapted', 'temperature', `the model's maximum is ${temperatureMax}`)
  return String(temperatureMax)
}

function stops(conversation: Conversation, settings: SettingContext): readonly string[] | undefined {
  const { sent, emulated } = stopsOf(conversation, settings.takes)
  if (emulated.length > 0)
    adjust(settings, 'adapted', 'stop', 'the gateway applies stop strings that the model does not support')
  return sent.length === 0 ? undefined : sent
}

/** The stop strings as the model takes them, and those that its answer is cut at. */
export function stopsOf(conversation: Conversation, { stopsMax }: Capabilities): SharedStops {
  return sharedStops(conversation, { max: stopsMax, isTaken: () => true })
}

function logprobs({ logprobs: count }: Conversation, takes: Capabilities): SettingMembers {
  if (count === null) return {}
  if (!takes.logprobs) throw untranslatable('logprobs', 'the model does not return log probabilities')
  return { logprobs: true, top_logprobs: count === 0 ? undefined : count }
}

function responseFormat({ format, tools }: Conversation, takes: Capabilities): JsonOut | undefined {
  if (format === null) return undefined
  if (format.kind === 'json') return { type: 'json_object' }
  if (!takes.schemaOutput) throw untranslatable('response_format', 'the model does not support schemas')
  if (tools.length > 0 && !takes.schemaWithTools) {
    throw untranslatable('response_format', 'the model does not support a schema with tools')
  }
  return schemaFormat(format)
}

function schemaFormat(format: Extract<OutputFormat, { kind: 'schema' }>): JsonOut {
  return {
    type: 'json_schema',
    json_schema: {
      name:
        format.name === null || format.name === '' ? schemaName : targetName(openaiNames, format.name, null),
      description: format.description ?? undefined,
      schema: format.schema,
      strict: format.strict ?? undefined,
    },
  }
}

function identity({ user, cacheKey }: Conversation): SettingMembers {
  return {
    safety_identifier: user === null ? undefined : shortened(user),
    prompt_cache_key: cacheKey === null && user === null ? undefined : shortened(cacheKey ?? user ?? ''),
  }
}

function shortened(text: string): string {
  return text.length > shortTextCharactersMax ? textHash(text) : text
}

/** `{"input": "…"}`: how a tool that takes free text is declared where tools take objects. */
const freeTextSchema = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
  additionalProperties: false,
}

/** The caller's tools in their order; undefined where there are none, since an empty list is refused. */
export function toolsOf(
  tools: readonly Tool[],
  names: NamedTools,
  adjusted: Adjustment[],
): JsonOut | undefined {
  if (tools.length === 0) return undefined
  return tools.map((tool) => {
    const { name, namespace, description, form, schema, format, strict } = tool
    const isText = form === 'text'
    if (isText) {
      adjusted.push({
        kind: 'adapted',
        field: tool.pointer,
        why: 'free-form input becomes the only member of an object',
      })
    }
    const described = format === null ? description : withFormat(description, format)
    return {
      type: 'function',
      function: {
        name: names.name(name, namespace, isText),
        description: described ?? undefined,
        parameters: isText ? freeTextSchema : (schema ?? undefined),
        strict: isText ? undefined : (strict ?? undefined),
      },
    }
  })
}

function withFormat(description: string | null, format: RawJson): string {
  const hint = `The input must have this format: ${format.text}`
  return description === null || description === '' ? hint : `${description}\n\n${hint}`
}

/** How tools are chosen; nothing where there are none, since both fields are refused then. */
export function choiceOf(
  conversation: Conversation,
  names: NamedTools,
  settings: SettingContext,
): SettingMembers {
  const { tools, toolChoice, parallelCalls } = conversation
  if (tools.length === 0) return {}
  return {
    tool_choice: toolChoice === null ? undefined : choice(toolChoice, tools, { names, settings }),
    parallel_tool_calls: parallelSwitch(parallelCalls, settings),
  }
}

function parallelSwitch(value: boolean | null, settings: SettingContext): boolean | undefined {
  if (value === null || settings.takes.parallelSwitch) return value ?? undefined
  return value
    ? undefined
    : adjust(settings, 'dropped', 'parallel_tool_calls', 'the model does not support it')
}

function choice(
  wanted: ToolChoice,
  tools: readonly Tool[],
  context: { readonly names: NamedTools; readonly settings: SettingContext },
): JsonOut {
  if (wanted.kind === 'auto' || wanted.kind === 'none') return wanted.kind
  if (wanted.kind === 'validated') {
    adjust(context.settings, 'adapted', 'tool_choice', 'treated as auto: only Gemini validates calls')
    return 'auto'
  }
  const isForced = wanted.kind !== 'some' || wanted.required
  if (isForced && !context.settings.takes.forcedTools) {
    throw untranslatable('tool_choice', 'the model decides whether to call a tool')
  }
  const find = toolFinder(tools)
  const named = (name: string, namespace: string | null): JsonOut => {
    const tool = find(name, namespace)
    if (tool === undefined) throw untranslatable('tool_choice', 'it names a tool that is not declared')
    return {
      type: 'function',
      function: { name: context.names.name(name, tool.namespace, tool.form === 'text') },
    }
  }
  if (wanted.kind === 'one') return named(wanted.name, wanted.namespace)
  if (wanted.kind !== 'some') return wanted.kind
  const allowed = wanted.names.map((name) => named(name, null))
  return {
    type: 'allowed_tools',
    allowed_tools: { mode: wanted.required ? 'required' : 'auto', tools: allowed },
  }
}
