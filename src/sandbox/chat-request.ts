/** Reads a Chat Completions request body into an `Ask`, with the refusals that OpenAI gives. Pure. */
import {
  type Ask,
  integerFrom,
  invalid,
  isObject,
  type JsonObject,
  mediaSegment,
  objectsIn,
  type Reading,
  type Segment,
  segment,
  type Tool,
  textIn,
} from './ask.ts'

const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])
const choicesMax = 128

/** The tiers that an answer tells as `default`. */
const defaultTiers = new Set(['', 'auto', 'default'])

/** The text of a message's content, whole or in parts. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return objectsIn(content)
    .map(({ text }) => textIn(text))
    .join('')
}

function functionOf(object: JsonObject): JsonObject {
  return isObject(object.function) ? object.function : {}
}

function contentSegments(role: string, content: unknown): readonly Segment[] {
  if (typeof content === 'string') return [segment(`${role}:${content}`, [content])]
  return objectsIn(content).map((part) => {
    const text = textIn(part.text) || textIn(part.refusal)
    return text === '' ? mediaSegment(JSON.stringify(part)) : segment(`${role}:${text}`, [text])
  })
}

function messageSegments(message: JsonObject): readonly Segment[] {
  const calls = objectsIn(message.tool_calls).map((call) => {
    const { name, arguments: given } = functionOf(call)
    return segment(`call:${textIn(name)}:${textIn(given)}`, [textIn(name), textIn(given)])
  })
  return [...contentSegments(textIn(message.role), message.content), ...calls]
}

function offeredTools(body: JsonObject): readonly Tool[] {
  return objectsIn(body.tools)
    .filter(({ type }) => type === 'function')
    .map(functionOf)
    .map(({ name, parameters }) => ({ name: textIn(name), schema: isObject(parameters) ? parameters : {} }))
}

function chosenTool(body: JsonObject): Tool | null {
  const tools = offeredTools(body)
  if (body.tool_choice === 'none') return null
  const demanded = isObject(body.tool_choice) ? textIn(functionOf(body.tool_choice).name) : ''
  return tools.find(({ name }) => name === demanded) ?? tools[0] ?? null
}

/** The results after the last assistant message. */
function lastToolResults(messages: readonly JsonObject[]): readonly string[] {
  const lastOther = messages.findLastIndex(({ role }) => role !== 'tool')
  return messages.slice(lastOther + 1).map(({ content }) => contentText(content))
}

function lastUserText(messages: readonly JsonObject[]): string {
  const texts = messages.filter(({ role }) => role === 'user').map(({ content }) => contentText(content))
  return texts.findLast((text) => text !== '') ?? ''
}

/** Calls and results must pair up: every call answered at once, no answer without its call. */
function pairingFault(messages: readonly JsonObject[]): Reading | null {
  let open = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (open.delete(textIn(message.tool_call_id))) continue
      const text =
        "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
      return invalid(text, `messages.[${index}].role`)
    }
    if (open.size > 0) break
    open = new Set(objectsIn(message.tool_calls).map(({ id }) => textIn(id)))
  }
  if (open.size === 0) return null
  const ids = [...open].join(', ')
  const text = `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids}`
  return invalid(text, 'messages')
}

function messagesFault(given: unknown): Reading | null {
  if (given === undefined) return invalid("Missing required parameter: 'messages'.", 'messages')
  if (!Array.isArray(given) || given.length === 0 || !given.every(isObject)) {
    return invalid("Invalid type for 'messages': expected a non-empty array of objects.", 'messages')
  }
  const stranger = given.findIndex(({ role }) => !roles.has(textIn(role)))
  if (stranger >= 0)
    return invalid(`Invalid value for 'messages[${stranger}].role'.`, `messages[${stranger}].role`)
  return pairingFault(given)
}

/** A count that may be absent or null; `fault` where it is anything but an integer of at least 1. */
function countOf(body: JsonObject, field: string): { value: number | null; fault: Reading | null } {
  const given = body[field] ?? null
  if (given === null) return { value: null, fault: null }
  const value = integerFrom(given, 1)
  if (value !== undefined) return { value, fault: null }
  return { value: null, fault: invalid(`Invalid '${field}': expected an integer of at least 1.`, field) }
}

function settingsFault(body: JsonObject): Reading | null {
  if (textIn(body.model) === '') return invalid('you must provide a model parameter', null)
  if (typeof (body.stream ?? false) !== 'boolean')
    return invalid("Invalid type for 'stream': expected a boolean.", 'stream')
  if ((body.max_tokens ?? null) !== null && (body.max_completion_tokens ?? null) !== null) {
    return invalid(
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
      'max_tokens',
    )
  }
  if ((body.stream_options ?? null) !== null && body.stream !== true) {
    return invalid(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      'stream_options',
    )
  }
  const choices = countOf(body, 'n')
  if ((choices.value ?? 1) > choicesMax) return invalid(`Invalid 'n': expected at most ${choicesMax}.`, 'n')
  return countOf(body, 'max_tokens').fault ?? countOf(body, 'max_completion_tokens').fault ?? choices.fault
}

function askOf(body: JsonObject): Ask {
  const messages = objectsIn(body.messages)
  const tools = objectsIn(body.tools).map((tool) => JSON.stringify(tool))
  const options = isObject(body.stream_options) ? body.stream_options : {}
  const tier = textIn(body.service_tier)
  return {
    model: textIn(body.model),
    stream: body.stream === true,
    includeUsage: options.include_usage === true,
    outputLimit: countOf(body, 'max_completion_tokens').value ?? countOf(body, 'max_tokens').value,
    choices: countOf(body, 'n').value ?? 1,
    lastText: lastUserText(messages),
    toolResults: lastToolResults(messages),
    tool: chosenTool(body),
    thinking: body.reasoning_effort === 'none' ? 'off' : 'hidden',
    segments: [...tools.map((text) => segment(text, [text])), ...messages.flatMap(messageSegments)],
    serviceTier: defaultTiers.has(tier) ? 'default' : tier,
    speed: null,
    inferenceGeo: '',
  }
}

/** The request as the sandbox understands it, or the first thing that is wrong with it. */
export function readChat(body: JsonObject): Reading {
  return settingsFault(body) ?? messagesFault(body.messages) ?? { kind: 'ask', ask: askOf(body) }
}
