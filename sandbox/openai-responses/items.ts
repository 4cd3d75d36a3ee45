/**
 * Rejections of the input of an OpenAI Responses request, with OpenAI's messages: items and parts of the wrong shape,
 * IDs of the wrong kind, unpaired calls and outputs, reasoning not from OpenAI or without its result. Pure.
 */

import type { Fault, ProviderError } from '../errors.ts'
import { fields, unknownFieldIn } from '../request/known-fields.ts'
import {
  firstFault,
  invalid,
  isObject,
  type JsonObject,
  objectsIn,
  textIn,
} from '../request/normalized-request.ts'
import { itemId, readEncryptedReasoning, readItemId } from '../signature.ts'

const charactersMax = 64
const namePattern = /^[a-zA-Z0-9_-]{1,64}$/

export function missing(place: string): ProviderError {
  return invalid(`Missing required parameter: '${place}'.`, place, 'missing_required_parameter')
}

export function unknown(place: string): ProviderError {
  return invalid(`Unknown parameter: '${place}'.`, place, 'unknown_parameter')
}

/** `supported`: the allowed values. */
export function unsupported(value: string, supported: Iterable<string>, place: string): ProviderError {
  const list = [...supported].map((name) => `'${name}'`).join(', ')
  return invalid(`Invalid value: '${value}'. Supported values are: ${list}.`, place, 'invalid_value')
}

export function nameFault(name: unknown, place: string): Fault {
  if (typeof name !== 'string') return missing(place)
  if (namePattern.test(name)) return null
  const text = `Invalid '${place}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`
  return invalid(text, place, 'invalid_value')
}

function lengthFault(text: string, place: string): Fault {
  if (text.length <= charactersMax) return null
  const words = `Invalid '${place}': string too long. Expected a string with maximum length ${charactersMax}, but got a string with length ${text.length} instead.`
  return invalid(words, place, 'string_above_max_length')
}

function callIdFault(callId: unknown, place: string): Fault {
  return typeof callId === 'string' && callId !== '' ? lengthFault(callId, place) : missing(place)
}

function idFault(id: unknown, prefix: string, place: string): Fault {
  if (id === undefined || id === null) return null
  const text = textIn(id)
  if (text.startsWith(`${prefix}_`)) return lengthFault(text, place)
  return invalid(
    `Invalid '${place}': '${text}'. Expected an ID that begins with '${prefix}'.`,
    place,
    'invalid_value',
  )
}

const roles = ['assistant', 'system', 'developer', 'user']

type PartFields = Readonly<Record<string, ReadonlySet<string>>>

const inputParts: PartFields = {
  input_text: fields('type text prompt_cache_breakpoint'),
  input_image: fields('type image_url file_id detail'),
  input_file: fields('type file_data file_url file_id filename detail'),
  input_audio: fields('type input_audio'),
}
const outputParts: PartFields = {
  output_text: fields('type text annotations logprobs'),
  refusal: fields('type refusal'),
}

function partsFault(content: unknown, known: PartFields, place: string): Fault {
  if (typeof content === 'string') return null
  if (!Array.isArray(content)) return missing(place)
  return firstFault(objectsIn(content), (part, index) => {
    const kind = textIn(part.type)
    const names = known[kind]
    if (names === undefined) return unsupported(kind, Object.keys(known), `${place}[${index}].type`)
    const unknownField = unknownFieldIn(part, names)
    return unknownField === undefined ? null : unknown(`${place}[${index}].${unknownField}`)
  })
}

function messageFault(item: JsonObject, place: string): Fault {
  const role = textIn(item.role)
  if (!roles.includes(role)) return unsupported(role, roles, `${place}.role`)
  const parts = role === 'assistant' ? outputParts : inputParts
  return partsFault(item.content, parts, `${place}.content`) ?? idFault(item.id, 'msg', `${place}.id`)
}

function callFault(item: JsonObject, place: string): Fault {
  const found = callIdFault(item.call_id, `${place}.call_id`) ?? nameFault(item.name, `${place}.name`)
  if (found !== null) return found
  if (typeof item.arguments === 'string') return idFault(item.id, 'fc', `${place}.id`)
  const param = `${place}.arguments`
  return invalid(`Invalid type for '${param}': expected a string.`, param, 'invalid_type')
}

function outputFault(item: JsonObject, place: string): Fault {
  return (
    callIdFault(item.call_id, `${place}.call_id`) ?? partsFault(item.output, inputParts, `${place}.output`)
  )
}

function notVerified(id: string, value: string): ProviderError {
  const what = id === '' ? `${value.slice(0, 4)}...${value.slice(-4)}` : `for item ${id}`
  const text = `The encrypted content ${what} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`
  return invalid(text, null, 'invalid_encrypted_content')
}

/** Reasoning is recognized by its encrypted content, or by one of our IDs; the summary alone proves nothing. */
function reasoningFault(item: JsonObject, place: string): Fault {
  if (!Array.isArray(item.summary)) return missing(`${place}.summary`)
  const found = idFault(item.id, 'rs', `${place}.id`)
  if (found !== null) return found
  const [id, encrypted] = [textIn(item.id), textIn(item.encrypted_content)]
  if (encrypted !== '') {
    return readEncryptedReasoning(encrypted) === undefined ? notVerified(id, encrypted) : null
  }
  if (id === '') return missing(`${place}.encrypted_content`)
  if (readItemId(id) !== undefined) return null
  return { kind: 'unknown_item', subject: id, param: 'input' }
}

interface ItemKind {
  readonly fields: ReadonlySet<string>
  readonly fault: (item: JsonObject, place: string) => Fault
}

const fine = (): Fault => null

/** Codex sends OpenAI the origin of every item: github.com/openai/codex/pull/28968. */
const itemFields = (names: string) => fields(`${names} internal_chat_message_metadata_passthrough`)

/** Items that a translation can produce; items of tools that run at the provider are not checked. */
const itemKinds: Readonly<Record<string, ItemKind>> = {
  message: { fields: itemFields('type id role content status phase'), fault: messageFault },
  reasoning: {
    fields: itemFields('type id summary content encrypted_content status'),
    fault: reasoningFault,
  },
  function_call: {
    fields: itemFields('type id call_id name arguments status namespace'),
    fault: callFault,
  },
  function_call_output: { fields: itemFields('type id call_id output status'), fault: outputFault },
  custom_tool_call: { fields: itemFields('type id call_id name input status namespace'), fault: fine },
  custom_tool_call_output: { fields: itemFields('type id call_id output status'), fault: outputFault },
  item_reference: {
    fields: itemFields('type id'),
    fault: ({ id }) => ({ kind: 'unknown_item', subject: textIn(id), param: 'input' }),
  },
}

const otherKinds =
  /^(web_search|file_search|code_interpreter|computer|image_generation|local_shell|shell|apply_patch|mcp|compaction|tool_search|program)/

export function kindOf(item: JsonObject): string {
  return item.type === undefined && item.role !== undefined ? 'message' : textIn(item.type)
}

function itemFault(item: JsonObject, index: number): Fault {
  const place = `input[${index}]`
  const name = kindOf(item)
  const kind = itemKinds[name]
  if (kind === undefined) {
    return otherKinds.test(name) ? null : unsupported(name, Object.keys(itemKinds), `${place}.type`)
  }
  const unknownField = unknownFieldIn(item, kind.fields)
  return unknownField === undefined ? kind.fault(item, place) : unknown(`${place}.${unknownField}`)
}

/** The kinds that answer a call, and the calls they answer. */
const callOfOutput: Readonly<Record<string, string>> = {
  function_call_output: 'function_call',
  custom_tool_call_output: 'custom_tool_call',
}

/** Every call has one output further on, and every output its call before it. */
function pairingFault(items: readonly JsonObject[]): Fault {
  const open = new Map<string, string>()
  for (const item of items) {
    const [kind, callId] = [kindOf(item), textIn(item.call_id)]
    const answered = callOfOutput[kind]
    if (answered !== undefined && open.get(callId) !== answered) {
      return invalid(`No tool call found for function call output with call_id ${callId}.`, 'input')
    }
    if (answered !== undefined) open.delete(callId)
    if (Object.values(callOfOutput).includes(kind)) open.set(callId, kind)
  }
  const [left] = open.keys()
  return left === undefined ? null : invalid(`No tool output found for function call ${left}.`, 'input')
}

function isMade(item: JsonObject): boolean {
  const kind = kindOf(item)
  return kind === 'message' ? item.role === 'assistant' : !(kind in callOfOutput) && kind !== 'item_reference'
}

/** Reasoning precedes the output of the same response, and output that followed reasoning requires it. */
function belongingFault(items: readonly JsonObject[]): Fault {
  const reasoned = new Set<string>()
  return firstFault(items, (item, index) => {
    const [kind, id] = [kindOf(item), textIn(item.id)]
    const own = readItemId(id)
    if (kind === 'reasoning') {
      reasoned.add(own?.unique ?? readEncryptedReasoning(textIn(item.encrypted_content)) ?? '')
      const next = items[index + 1]
      if (next !== undefined && isMade(next)) return null
      const text = `Item '${id}' of type 'reasoning' was provided without its required following item.`
      return invalid(text, 'input')
    }
    if (own === undefined || !own.reasoned || reasoned.has(own.unique)) return null
    const text = `Item '${id}' of type '${kind}' was provided without its required 'reasoning' item: '${itemId({ ...own, prefix: 'rs' }, 0)}'.`
    return invalid(text, 'input')
  })
}

/** The first thing that is wrong with an input of items. */
export function itemsFault(input: readonly unknown[]): Fault {
  const nonObjectIndex = input.findIndex((item) => !isObject(item))
  if (nonObjectIndex >= 0) {
    return invalid(
      `Invalid type for 'input[${nonObjectIndex}]': expected an object.`,
      `input[${nonObjectIndex}]`,
      'invalid_type',
    )
  }
  const items = objectsIn(input)
  return firstFault(items, itemFault) ?? pairingFault(items) ?? belongingFault(items)
}
