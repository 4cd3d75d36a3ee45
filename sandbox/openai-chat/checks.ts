/**
 * Rejections of OpenAI's Chat Completions, with its messages: the first error of a body, and the unknown
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

const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])
const choicesMax = 128
const idCharactersMax = 40
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/

function functionOf(object: JsonObject): JsonObject {
  return isObject(object.function) ? object.function : {}
}

/** Calls and results must pair up: every call is answered directly after it, and no result is without its call. */
function pairingFault(messages: readonly JsonObject[]): Fault {
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

function idFault(id: unknown, place: string): Fault {
  const { length } = textIn(id)
  if (length === 0)
    return invalid(`Missing required parameter: '${place}'.`, place, 'missing_required_parameter')
  if (length <= idCharactersMax) return null
  const text = `Invalid '${place}': string too long. Expected a string with maximum length ${idCharactersMax}, but got a string with length ${length} instead.`
  return invalid(text, place, 'string_above_max_length')
}

function nameFault(name: unknown, place: string): Fault {
  if (namePattern.test(textIn(name))) return null
  const text = `Invalid '${place}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`
  return invalid(text, place, 'invalid_value')
}

function callFault(call: JsonObject, place: string): Fault {
  if (call.type !== 'function') return idFault(call.id, `${place}.id`)
  const { name, arguments: input } = functionOf(call)
  const found = idFault(call.id, `${place}.id`) ?? nameFault(name, `${place}.function.name`)
  if (found !== null || typeof input === 'string') return found
  const param = `${place}.function.arguments`
  return invalid(`Invalid type for '${param}': expected a string.`, param, 'invalid_type')
}

/** Fields that an assistant message may have in place of text. */
const otherContents = ['tool_calls', 'function_call', 'refusal', 'audio']

function messageFault(message: JsonObject, index: number): Fault {
  const place = `messages[${index}]`
  if (!roles.has(textIn(message.role))) return invalid(`Invalid value for '${place}.role'.`, `${place}.role`)
  const { content = null } = message
  const isElsewhere = otherContents.some((name) => (message[name] ?? null) !== null)
  if (content === null && !(message.role === 'assistant' && isElsewhere)) {
    return invalid("Invalid value for 'content': expected a string, got null.", `messages.[${index}].content`)
  }
  if (Array.isArray(content) && content.length === 0) return emptyList(`${place}.content`)
  if (message.role === 'tool') return idFault(message.tool_call_id, `${place}.tool_call_id`)
  return firstFault(objectsIn(message.tool_calls), (call, at) =>
    callFault(call, `${place}.tool_calls[${at}]`),
  )
}

function emptyList(place: string): Fault {
  const text = `Invalid '${place}': empty array. Expected an array with minimum length 1, but got an empty array instead.`
  return invalid(text, place, 'empty_array')
}

function messagesFault(value: unknown): Fault {
  if (value === undefined) {
    return invalid("Missing required parameter: 'messages'.", 'messages', 'missing_required_parameter')
  }
  if (!Array.isArray(value) || value.length === 0 || !value.every(isObject)) {
    return invalid("Invalid type for 'messages': expected a non-empty array of objects.", 'messages')
  }
  return firstFault<JsonObject>(value, messageFault) ?? pairingFault(value)
}

/** Whether the tools and the choice among them make sense together. */
function toolsFault(body: JsonObject): Fault {
  const tools = objectsIn(body.tools)
  if (Array.isArray(body.tools) && tools.length === 0) return emptyList('tools')
  for (const field of tools.length > 0 ? [] : ['tool_choice', 'parallel_tool_calls']) {
    if ((body[field] ?? null) !== null) {
      return invalid(
        `Invalid value for '${field}': '${field}' is only allowed when 'tools' are specified.`,
        field,
      )
    }
  }
  const found = firstFault(tools, (tool, index) =>
    tool.type === 'function' ? nameFault(functionOf(tool).name, `tools[${index}].function.name`) : null,
  )
  if (found !== null) return found
  const demanded = isObject(body.tool_choice) ? textIn(functionOf(body.tool_choice).name) : ''
  if (demanded === '' || tools.some((tool) => functionOf(tool).name === demanded)) return null
  return invalid(`Tool choice '${demanded}' not found in 'tools' parameter.`, 'tool_choice')
}

/** A count that may be absent or null; `fault` where it is anything but an integer of at least 1. */
export function countOf(body: JsonObject, field: string): { value: number | null; fault: Fault } {
  const number = body[field] ?? null
  if (number === null) return { value: null, fault: null }
  const value = integerFrom(number, 1)
  if (value !== undefined) return { value, fault: null }
  return { value: null, fault: invalid(`Invalid '${field}': expected an integer of at least 1.`, field) }
}

function settingsFault(body: JsonObject): Fault {
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

/** The first thing that is wrong with the body. */
export function chatFault(body: JsonObject): Fault {
  return settingsFault(body) ?? messagesFault(body.messages) ?? toolsFault(body)
}

const bodyFields = fields(`messages model audio frequency_penalty function_call functions logit_bias logprobs
  top_logprobs max_completion_tokens max_tokens metadata modalities moderation n parallel_tool_calls prediction
  presence_penalty prompt_cache_key prompt_cache_options prompt_cache_retention reasoning_effort response_format
  safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_p user
  verbosity web_search_options`)

const plainFields = fields('role content name')
const messageFields: Readonly<Record<string, ReadonlySet<string>>> = {
  assistant: fields('role content name refusal audio tool_calls function_call annotations'),
  tool: fields('role content tool_call_id'),
}
const partFields: Readonly<Record<string, ReadonlySet<string>>> = {
  text: fields('type text prompt_cache_breakpoint'),
  image_url: fields('type image_url'),
  input_audio: fields('type input_audio'),
  file: fields('type file'),
  refusal: fields('type refusal'),
}
const callFields = fields('id type function custom')
const toolFields = fields('type function custom')
const functionFields = fields('name description parameters strict')

function unknown(place: string): ProviderError {
  return invalid(`Unknown parameter: '${place}'.`, place, 'unknown_parameter')
}

function unknownFault(value: JsonObject, known: ReadonlySet<string>, place: string): Fault {
  const unknownField = unknownFieldIn(value, known)
  return unknownField === undefined ? null : unknown(`${place}${unknownField}`)
}

function strictPartFault(part: JsonObject, place: string): Fault {
  const known = partFields[textIn(part.type)]
  if (known === undefined)
    return invalid(`Invalid value for '${place}.type'.`, `${place}.type`, 'invalid_value')
  return unknownFault(part, known, `${place}.`)
}

function strictMessageFault(message: JsonObject, index: number): Fault {
  const place = `messages[${index}]`
  return (
    unknownFault(message, messageFields[textIn(message.role)] ?? plainFields, `${place}.`) ??
    firstFault(objectsIn(message.content), (part, at) => strictPartFault(part, `${place}.content[${at}]`)) ??
    firstFault(objectsIn(message.tool_calls), (call, at) =>
      unknownFault(call, callFields, `${place}.tool_calls[${at}].`),
    )
  )
}

function strictToolFault(tool: JsonObject, index: number): Fault {
  return (
    unknownFault(tool, toolFields, `tools[${index}].`) ??
    unknownFault(functionOf(tool), functionFields, `tools[${index}].function.`)
  )
}

/** The first field that Chat Completions does not know. */
export function strictChatFault(body: JsonObject): Fault {
  const unknownField = unknownFieldIn(body, bodyFields)
  if (unknownField !== undefined) {
    return invalid(`Unrecognized request argument supplied: ${unknownField}`, null)
  }
  return (
    firstFault(objectsIn(body.messages), strictMessageFault) ??
    firstFault(objectsIn(body.tools), strictToolFault)
  )
}
