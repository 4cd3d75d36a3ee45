/**
 * A conversation as a Responses request. What a prompt cache matches comes first (model, tools, input), then
 * all settings, and nothing earlier depends on what comes later, so that the next turn's body begins with this one's.
 * Instructions are sent as developer items, not as `instructions`: their parts and cache markers keep their positions.
 * What the format cannot express (seeds, penalties) is reported by the policy of the caller's format; its responses are
 * cut at stop strings.
 */

import { type JsonOut, jsonText } from '../json/text.ts'
import type { Capabilities } from '../translation/capabilities.ts'
import { cutAt, sharedStops } from '../translation/emulated-stops.ts'
import { textHash } from '../translation/hash.ts'
import type {
  Adjustment,
  Conversation,
  Emulation,
  EncodedRequest,
  Tool,
  TranslationTarget,
} from '../translation/neutral.ts'
import { untranslatable } from '../translation/policy.ts'
import { NamedTools, openaiNames, targetName, toolFinder } from '../translation/tool-names.ts'
import { callsById, leadingSystemCount } from '../translation/turns.ts'
import { InputEncoder } from './encode-request-items.ts'
import { limitOf, reasoningOf, samplingOf } from './encode-request-settings.ts'
import { encodeTools, nameOf } from './encode-request-tools.ts'

/** Members of the body in order; undefined ones are left out. */
type ResponsesMembers = Readonly<Record<string, JsonOut | undefined>>

/** https://developers.openai.com/api/reference/resources/responses/methods/create: `prompt_cache_key`, `safety_identifier`. */
const identifierCharactersMax = 64

/** Throws WireError `untranslatable`; see `UpstreamCodec.encodeRequest`. */
export function encodeRequest(conversation: Conversation, target: TranslationTarget): EncodedRequest {
  const { capabilities } = target
  const adjusted: Adjustment[] = []
  const names = new NamedTools(openaiNames)
  const tools = encodeTools(conversation, names, adjusted)
  const input = new InputEncoder({
    capabilities,
    calls: callsById(conversation.turns),
    leadingCount: leadingSystemCount(conversation.turns),
    names,
    adjusted,
  })
  for (const turn of conversation.turns) input.add(turn)
  const hasTools = tools.length > 0
  const body = {
    model: target.model,
    tools: hasTools ? tools : undefined,
    input: input.items,
    ...toolSettings(conversation, { capabilities, hasTools, names, adjusted }),
    ...settings(conversation, capabilities, adjusted),
  }
  if (input.lostBreakpoints || conversation.tools.some(({ cache }) => cache !== null)) {
    adjusted.push({ kind: 'dropped', field: 'cache_control', why: 'prompts are cached automatically' })
  }
  return {
    text: jsonText(body),
    adjusted,
    names: names.names,
    headers: {},
    emulation: emulationOf(conversation, adjusted),
  }
}

function emulationOf(conversation: Conversation, adjusted: Adjustment[]): Emulation | undefined {
  const { emulated } = sharedStops(conversation, { max: 0, isTaken: () => false })
  if (emulated.length > 0) adjusted.push({ kind: 'adapted', field: 'stop', why: 'the gateway applies them' })
  return cutAt(emulated)
}

interface ToolSetting {
  readonly capabilities: Capabilities
  readonly hasTools: boolean
  readonly names: NamedTools
  readonly adjusted: Adjustment[]
}

function toolSettings(conversation: Conversation, setting: ToolSetting): ResponsesMembers {
  const { capabilities, hasTools, adjusted } = setting
  if (!hasTools) return {}
  const { parallelCalls, providerTools } = conversation
  const search = providerTools.find(({ name, usesMax }) => name === 'web_search' && usesMax !== null)
  if (parallelCalls !== null && !capabilities.parallelSwitch) {
    adjusted.push({ kind: 'dropped', field: 'parallel_tool_calls', why: 'the model decides' })
  }
  return {
    tool_choice: choiceOf(conversation, setting),
    parallel_tool_calls: capabilities.parallelSwitch ? (parallelCalls ?? undefined) : undefined,
    max_tool_calls: search?.usesMax ?? undefined,
  }
}

function settings(
  conversation: Conversation,
  capabilities: Capabilities,
  adjusted: Adjustment[],
): ResponsesMembers {
  const reasoning = reasoningOf(conversation, capabilities, adjusted)
  const user = shortIdentifier(conversation.user)
  const cacheKey = shortIdentifier(conversation.cacheKey) ?? user
  return {
    max_output_tokens: limitOf(conversation.outputLimit, capabilities, adjusted),
    ...samplingOf(conversation, { capabilities, effort: reasoning?.effort ?? null, adjusted }),
    reasoning,
    text: textOf(conversation, capabilities),
    include: includeOf(conversation, capabilities),
    top_logprobs: conversation.logprobs === null ? undefined : conversation.logprobs,
    prompt_cache_key: cacheKey,
    safety_identifier: user,
    store: false,
    stream: conversation.stream ? true : undefined,
  }
}

function choiceOf(
  { toolChoice, tools, providerTools }: Conversation,
  setting: ToolSetting,
): JsonOut | undefined {
  const { capabilities, names } = setting
  if (toolChoice === null) return undefined
  const isForced =
    toolChoice.kind === 'required' ||
    toolChoice.kind === 'one' ||
    (toolChoice.kind === 'some' && toolChoice.required)
  if (isForced && !capabilities.forcedTools) {
    throw untranslatable('tool_choice', 'the model decides whether to call a tool')
  }
  if (toolChoice.kind === 'validated') {
    setting.adjusted.push({
      kind: 'adapted',
      field: 'tool_choice',
      why: 'treated as auto: only Gemini validates calls',
    })
    return 'auto'
  }
  const find = toolFinder(tools)
  if (toolChoice.kind === 'one') return named(find, names, toolChoice)
  if (toolChoice.kind !== 'some') return toolChoice.kind
  return {
    type: 'allowed_tools',
    mode: toolChoice.required ? 'required' : 'auto',
    // The choice is one among the caller's tools; a search offered with them must stay.
    tools: [
      ...toolChoice.names.map((name) => named(find, names, { name, namespace: null })),
      ...providerTools.flatMap(({ name }) => (name === 'web_search' ? [{ type: name }] : [])),
    ],
  }
}

/** A choice among several does not tell the namespace; the declared tool does. */
function named(
  find: ReturnType<typeof toolFinder>,
  names: NamedTools,
  { name, namespace }: Pick<Tool, 'name' | 'namespace'>,
): JsonOut {
  const tool = find(name, namespace) ?? find(name, null)
  const type = tool?.form === 'text' ? 'custom' : 'function'
  const space = tool?.namespace ?? namespace
  return { type, name: nameOf({ name, namespace: space }, names), namespace: space ?? undefined }
}

function textOf({ format, verbosity }: Conversation, capabilities: Capabilities): JsonOut | undefined {
  if (format === null && verbosity === null) return undefined
  if (format?.kind === 'schema' && !capabilities.schemaOutput) {
    throw untranslatable('response_format', 'the model does not support schemas')
  }
  const written =
    format?.kind === 'schema'
      ? {
          type: 'json_schema',
          name: targetName(openaiNames, format.name ?? 'structured_output', null),
          description: format.description ?? undefined,
          schema: format.schema,
          strict: format.strict ?? undefined,
        }
      : format === null
        ? undefined
        : { type: 'json_object' }
  return { format: written, verbosity: verbosity ?? undefined }
}

function includeOf({ logprobs }: Conversation, capabilities: Capabilities): JsonOut | undefined {
  if (logprobs !== null && !capabilities.logprobs)
    throw untranslatable('logprobs', 'the model does not return them')
  const include = [
    ...(capabilities.thinking === 'none' ? [] : ['reasoning.encrypted_content']),
    ...(logprobs === null ? [] : ['message.output_text.logprobs']),
  ]
  return include.length === 0 ? undefined : include
}

function shortIdentifier(text: string | null): string | undefined {
  if (text === null || text === '') return undefined
  return text.length <= identifierCharactersMax ? text : textHash(text)
}
