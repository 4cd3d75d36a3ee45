/**
 * Rejections of Anthropic's Messages API, with its messages: the first error of a body, and the unknown
 * fields, which only models with a fixed format reject. Pure; valid bodies are read elsewhere.
 */

import type { Fault, ProviderError } from '../errors.ts'
import { fields, unknownFieldIn } from '../request/known-fields.ts'
import {
  firstFault,
  integerFrom,
  invalid,
  isObject,
  type JsonObject,
  objectsIn,
  textIn,
} from '../request/normalized-request.ts'
import { signThinking } from '../signature.ts'

const roles = new Set(['user', 'assistant', 'system'])
const budgetMin = 1_024
const idPattern = /^[a-zA-Z0-9_-]+$/
const namePattern = /^[a-zA-Z0-9_-]{1,128}$/

function fault(message: string): ProviderError {
  return invalid(message, null)
}

/** String content is one text block. */
export function blocksOf(content: unknown): readonly JsonObject[] {
  if (typeof content !== 'string') return objectsIn(content)
  return content === '' ? [] : [{ type: 'text', text: content }]
}

/** The thinking in a conversation, in its order. */
export function thinkingIn(messages: readonly JsonObject[]): readonly JsonObject[] {
  return messages
    .flatMap(({ content }) => blocksOf(content))
    .filter(({ type }) => type === 'thinking' || type === 'redacted_thinking')
}

function idsIn(message: JsonObject | undefined, type: string, field: string): readonly string[] {
  const blocks = blocksOf(message?.content).filter((block) => block.type === type)
  return blocks.map((block) => textIn(block[field]))
}

function unanswered(index: number, id: string): ProviderError {
  return fault(
    `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${id}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  )
}

/** Every call must be answered first in the next message, and no result is allowed without its call. */
function pairingFault(messages: readonly JsonObject[]): Fault {
  for (const [index, message] of messages.entries()) {
    const called = idsIn(messages[index - 1], 'tool_use', 'id')
    const answered = idsIn(message, 'tool_result', 'tool_use_id')
    const orphan = answered.find((id) => !called.includes(id))
    if (orphan !== undefined) {
      return fault(
        `messages.${index}.content: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${orphan}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      )
    }
    const missing = called.find((id) => !answered.includes(id))
    if (missing !== undefined) return unanswered(index - 1, missing)
    const blocks = blocksOf(message.content)
    const late = blocks.slice(0, answered.length).find(({ type }) => type !== 'tool_result')
    if (late !== undefined) return unanswered(index - 1, answered[0] ?? '')
  }
  return null
}

function toolUseFault(place: string, { id, name, input }: JsonObject): Fault {
  if (!idPattern.test(textIn(id)))
    return fault(`${place}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`)
  if (!namePattern.test(textIn(name)))
    return fault(`${place}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)
  return isObject(input) ? null : fault(`${place}.tool_use.input: Input should be a valid dictionary`)
}

const blockFaults: Readonly<Record<string, (place: string, block: JsonObject) => Fault>> = {
  text: (place, { text }) =>
    textIn(text).trim() === '' ? fault(`${place}: text content blocks must be non-empty`) : null,
  tool_use: toolUseFault,
  tool_result: (place, { tool_use_id }) =>
    idPattern.test(textIn(tool_use_id))
      ? null
      : fault(`${place}.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'`),
  // The sandbox redacts nothing, so this is never its own.
  redacted_thinking: (place) => fault(`${place}: Invalid \`data\` in \`redacted_thinking\` block`),
}

function messageFault(message: JsonObject, index: number): Fault {
  if (!roles.has(textIn(message.role)))
    return fault(`messages.${index}.role: Input should be 'user' or 'assistant'`)
  if (typeof message.content !== 'string' && !Array.isArray(message.content)) {
    return fault(`messages.${index}.content: Input should be a valid string or list`)
  }
  return firstFault(blocksOf(message.content), (block, at) => {
    const find = blockFaults[textIn(block.type)]
    return find === undefined ? null : find(`messages.${index}.content.${at}`, block)
  })
}

/** A system message in the middle follows a user's and is last, or comes before an assistant's. */
function orderFault(messages: readonly JsonObject[]): Fault {
  return firstFault(messages, ({ role, content }, index) => {
    if (role !== 'system') return null
    const isPlaced =
      messages[index - 1]?.role === 'user' && (messages[index + 1]?.role ?? 'assistant') === 'assistant'
    const isText = blocksOf(content).every(({ type }) => type === 'text')
    if (isPlaced && isText) return null
    return fault(
      `messages.${index}: role 'system' must follow a user message, hold text alone, and be last or before an assistant message`,
    )
  })
}

/** Each signature belongs to its text and to its place among the thinking of the conversation. */
function thinkingFault(messages: readonly JsonObject[]): Fault {
  let earlier = 0
  for (const [index, { content }] of messages.entries()) {
    for (const [at, block] of blocksOf(content).entries()) {
      if (block.type !== 'thinking') continue
      if (block.signature !== signThinking(textIn(block.thinking), earlier)) {
        return fault(`messages.${index}.content.${at}: Invalid \`signature\` in \`thinking\` block`)
      }
      earlier += 1
    }
  }
  return null
}

function messagesFault(messagesField: unknown): Fault {
  if (messagesField === undefined) return fault('messages: Field required')
  if (!Array.isArray(messagesField) || !messagesField.every(isObject))
    return fault('messages: Input should be a valid list')
  if (messagesField.length === 0) return fault('messages: at least one message is required')
  const messages: readonly JsonObject[] = messagesField
  return (
    firstFault(messages, messageFault) ??
    orderFault(messages) ??
    pairingFault(messages) ??
    thinkingFault(messages)
  )
}

function toolsFault(body: JsonObject): Fault {
  const tools = objectsIn(body.tools)
  const own = tools.filter(({ type = 'custom' }) => type === 'custom')
  const choice = isObject(body.tool_choice) ? body.tool_choice : {}
  const { type = 'none' } = choice
  if (tools.length === 0 && type !== 'none') {
    return fault('tool_choice: tool_choice may only be specified while providing tools.')
  }
  const names = tools.map(({ name }) => textIn(name))
  if (new Set(names).size < names.length) return fault('tools: Tool names must be unique.')
  if (type === 'tool' && !names.includes(textIn(choice.name))) {
    return fault(`Tool '${textIn(choice.name)}' not found in provided tools`)
  }
  return firstFault(own, ({ name, input_schema }, index) => {
    if (!namePattern.test(textIn(name)))
      return fault(`tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`)
    if (isObject(input_schema) && input_schema.type === 'object') return null
    return fault(`tools.${index}.custom.input_schema.type: Input should be 'object'`)
  })
}

const forcedChoices = ['any', 'tool']

function thinkingSettingFault(body: JsonObject): Fault {
  const thinking = isObject(body.thinking) ? body.thinking : {}
  if (thinking.type !== 'enabled') return null
  const budget = integerFrom(thinking.budget_tokens, budgetMin)
  if (budget === undefined) {
    return fault(`thinking.enabled.budget_tokens: Input should be greater than or equal to ${budgetMin}`)
  }
  const limit = integerFrom(body.max_tokens, 0)
  if (limit !== undefined && limit <= budget) {
    return fault('`max_tokens` must be greater than `thinking.budget_tokens`.')
  }
  const choice = isObject(body.tool_choice) ? body.tool_choice : {}
  if (!forcedChoices.includes(textIn(choice.type))) return null
  return fault('Thinking may not be enabled when tool_choice forces tool use.')
}

function limitFault(body: JsonObject): Fault {
  if (body.max_tokens === undefined) return fault('max_tokens: Field required')
  if (integerFrom(body.max_tokens, 0) !== undefined) return null
  return fault('max_tokens: Input should be a valid integer, greater than or equal to 0')
}

function modelFault(body: JsonObject): Fault {
  if (body.model === undefined) return fault('model: Field required')
  return textIn(body.model) === '' ? fault('model: String should have at least 1 character') : null
}

function streamFault(body: JsonObject): Fault {
  return typeof (body.stream ?? false) === 'boolean' ? null : fault('stream: Input should be a valid boolean')
}

/** The first thing that is wrong with a body whose tokens are to be counted, which needs no limit. */
export function countFault(body: JsonObject): Fault {
  return (
    modelFault(body) ??
    messagesFault(body.messages) ??
    streamFault(body) ??
    toolsFault(body) ??
    thinkingSettingFault(body)
  )
}

/** The first thing that is wrong with the body. */
export function messagesBodyFault(body: JsonObject): Fault {
  return modelFault(body) ?? limitFault(body) ?? countFault(body)
}

const bodyFields =
  fields(`model max_tokens messages system tools tool_choice thinking output_config output_format
  stop_sequences stream metadata cache_control service_tier speed inference_geo container diagnostics
  user_profile_id workspace_id temperature top_p top_k mcp_servers context_management fallbacks`)

const mediaFields = fields('type source cache_control title context citations')
const blockFields: Readonly<Record<string, ReadonlySet<string>>> = {
  text: fields('type text citations cache_control'),
  image: mediaFields,
  document: mediaFields,
  tool_use: fields('type id name input cache_control caller'),
  tool_result: fields('type tool_use_id content is_error cache_control'),
  thinking: fields('type thinking signature'),
}
const messageFields = fields('role content')
const toolFields =
  fields(`type name description input_schema cache_control strict defer_loading allowed_callers
  input_examples eager_input_streaming`)

function unknownFault(value: JsonObject, known: ReadonlySet<string>, place: string): Fault {
  const unknownField = unknownFieldIn(value, known)
  return unknownField === undefined ? null : fault(`${place}${unknownField}: Extra inputs are not permitted`)
}

function strictMessageFault(message: JsonObject, index: number): Fault {
  return (
    unknownFault(message, messageFields, `messages.${index}.`) ??
    firstFault(blocksOf(message.content), (block, at) => {
      const kind = textIn(block.type)
      const known = blockFields[kind]
      return known === undefined
        ? null
        : unknownFault(block, known, `messages.${index}.content.${at}.${kind}.`)
    })
  )
}

/** The first field that Messages does not know. */
export function strictMessagesFault(body: JsonObject): Fault {
  return (
    unknownFault(body, bodyFields, '') ??
    firstFault(objectsIn(body.messages), strictMessageFault) ??
    firstFault(objectsIn(body.tools), (tool, index) => {
      const isOwn = (tool.type ?? 'custom') === 'custom'
      return isOwn ? unknownFault(tool, toolFields, `tools.${index}.custom.`) : null
    })
  )
}
