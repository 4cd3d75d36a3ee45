/**
 * Rejections of the body of an OpenAI Responses request except its input, with OpenAI's messages. Stored objects are
 * inserted in the body already, so every remaining reference is rejected as not found. Pure.
 */

import type { Fault } from '../errors.ts'
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
import { itemsFault, missing, nameFault, unknown, unsupported } from './items.ts'

const outputTokensMin = 16

const bodyFields =
  fields(`input instructions model max_output_tokens max_tool_calls reasoning text tools tool_choice
  parallel_tool_calls include store previous_response_id conversation prompt prompt_cache_key prompt_cache_options
  prompt_cache_retention metadata safety_identifier service_tier stream stream_options temperature top_p
  top_logprobs truncation background context_management moderation image user client_metadata`)

/** Fields of the objects in the body; other objects are not checked. */
const innerFields: Readonly<Record<string, ReadonlySet<string>>> = {
  reasoning: fields('effort summary generate_summary context mode'),
  text: fields('format verbosity'),
  stream_options: fields('include_obfuscation'),
}

function unknownFieldFault(body: JsonObject): Fault {
  const unknownField = unknownFieldIn(body, bodyFields)
  if (unknownField !== undefined) return unknown(unknownField)
  return firstFault(Object.entries(innerFields), ([name, known]) => {
    const value = body[name]
    const inner = isObject(value) ? unknownFieldIn(value, known) : undefined
    return inner === undefined ? null : unknown(`${name}.${inner}`)
  })
}

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
const summaries = ['auto', 'concise', 'detailed']

function reasoningFault(body: JsonObject): Fault {
  const { effort, summary } = isObject(body.reasoning) ? body.reasoning : {}
  if ((effort ?? null) !== null && !efforts.includes(textIn(effort)))
    return unsupported(String(effort), efforts, 'reasoning.effort')
  if ((summary ?? null) === null || summaries.includes(textIn(summary))) return null
  return unsupported(String(summary), summaries, 'reasoning.summary')
}

function limitFault({ max_output_tokens: limit }: JsonObject): Fault {
  if ((limit ?? null) === null || integerFrom(limit, outputTokensMin) !== undefined) return null
  if (!Number.isSafeInteger(limit)) {
    return invalid(
      "Invalid type for 'max_output_tokens': expected an integer.",
      'max_output_tokens',
      'invalid_type',
    )
  }
  const text = `Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${outputTokensMin}, but got ${String(limit)} instead.`
  return invalid(text, 'max_output_tokens', 'integer_below_min_value')
}

const toolTypes =
  /^(web_search|file_search|code_interpreter|computer|image_generation|local_shell|shell|apply_patch|mcp|tool_search|custom|namespace|programmatic)/
const functionFields = fields('type name description parameters strict defer_loading')

function toolFault(tool: JsonObject, index: number): Fault {
  const place = `tools[${index}]`
  const kind = textIn(tool.type)
  if (kind === '') return missing(`${place}.type`)
  if (kind !== 'function') {
    return toolTypes.test(kind) ? null : unsupported(kind, ['function', 'custom'], `${place}.type`)
  }
  const found = nameFault(tool.name, `${place}.name`)
  if (found !== null) return found
  const unknownField = unknownFieldIn(tool, functionFields)
  return unknownField === undefined ? null : unknown(`${place}.${unknownField}`)
}

/** The name of the one tool that the choice demands, or ''. */
export function demandedTool({ tool_choice: choice }: JsonObject): string {
  return isObject(choice) && choice.type === 'function' ? textIn(choice.name) : ''
}

const modes = ['none', 'auto', 'required']

function choiceFault(body: JsonObject): Fault {
  const choice = body.tool_choice ?? null
  const tools = objectsIn(body.tools)
  if (choice === null || choice === 'auto' || choice === 'none') return null
  if (typeof choice === 'string' && !modes.includes(choice)) return unsupported(choice, modes, 'tool_choice')
  if (tools.length === 0) {
    const name = isObject(choice) ? textIn(choice.type) : String(choice)
    return invalid(`Tool choice '${name}' must be specified with 'tools' parameter.`, 'tool_choice')
  }
  const demanded = demandedTool(body)
  if (isObject(choice) && choice.type === 'function' && demanded === '') return missing('tool_choice.name')
  if (demanded === '' || tools.some(({ name }) => name === demanded)) return null
  return invalid(`Tool choice '${demanded}' not found in 'tools' parameter.`, 'tool_choice')
}

function referenceFault(body: JsonObject): Fault {
  const previous = textIn(body.previous_response_id)
  if (previous !== '') {
    const text = `Previous response with id '${previous}' not found.`
    return invalid(text, 'previous_response_id', 'previous_response_not_found')
  }
  for (const field of ['conversation', 'prompt']) {
    const { id } = isObject(body[field]) ? body[field] : { id: body[field] ?? '' }
    if (textIn(id) !== '') return { kind: 'unknown_item', subject: textIn(id), param: field }
  }
  return null
}

function backgroundFault({ background, store, stream }: JsonObject): Fault {
  if (background !== true) return null
  if (store === false) return invalid('Background responses require store=true.', 'background')
  return stream === true ? invalid('The sandbox streams no background responses.', 'stream') : null
}

/** Reasoning without encrypted content must be stored. */
function notKept(items: readonly JsonObject[]): Fault {
  const lost = items.find((item) => item.type === 'reasoning' && textIn(item.encrypted_content) === '')
  return lost === undefined ? null : { kind: 'unknown_item', subject: textIn(lost.id), param: 'input' }
}

function inputFault({ input, store }: JsonObject): Fault {
  if (input === undefined || input === null) return missing('input')
  if (typeof input === 'string') return null
  if (!Array.isArray(input)) {
    return invalid(
      "Invalid type for 'input': expected one of an array of objects or a string.",
      'input',
      'invalid_type',
    )
  }
  if (input.length > 0) return itemsFault(input) ?? (store === false ? notKept(objectsIn(input)) : null)
  const text =
    "Invalid 'input': empty array. Expected an array with minimum length 1, but got an empty array instead."
  return invalid(text, 'input', 'empty_array')
}

/** The first thing that is wrong with the body. */
export function responsesFault(body: JsonObject): Fault {
  if (textIn(body.model) === '') return missing('model')
  if (typeof (body.stream ?? false) !== 'boolean') {
    return invalid("Invalid type for 'stream': expected a boolean.", 'stream', 'invalid_type')
  }
  return (
    unknownFieldFault(body) ??
    referenceFault(body) ??
    backgroundFault(body) ??
    inputFault(body) ??
    limitFault(body) ??
    reasoningFault(body) ??
    firstFault(objectsIn(body.tools), toolFault) ??
    choiceFault(body)
  )
}
