/**
 * Rejections of Google's generateContent, with its messages: contents without parts, turns out of order, calls
 * and responses that do not match, calls of the current turn without their thought signature, contradictory
 * tool settings. Reads bodies whose fields are normalized to one spelling. Pure.
 */

import type { Fault, ProviderError } from '../errors.ts'
import {
  firstFault,
  integerFrom,
  invalid,
  isObject,
  type JsonObject,
  objectsIn,
  textIn,
} from '../request/normalized-request.ts'
import { isThoughtSignature } from '../signature.ts'

const namePattern = /^[A-Za-z_][A-Za-z0-9_.:-]{0,127}$/
const stopsMax = 5

function fault(message: string): ProviderError {
  return invalid(message, null)
}

export function partsOf(content: JsonObject | undefined): readonly JsonObject[] {
  return objectsIn(content?.parts)
}

/** The objects of one kind among the parts of a content. */
export function partValues(content: JsonObject | undefined, kind: string): readonly JsonObject[] {
  return partsOf(content).flatMap((part) => (isObject(part[kind]) ? [part[kind]] : []))
}

const bareFields = new Set([
  'thought',
  'thoughtSignature',
  'partMetadata',
  'mediaResolution',
  'videoMetadata',
])

function partFault(part: JsonObject, place: string): Fault {
  const dataFields = Object.keys(part).filter((name) => part[name] !== undefined && !bareFields.has(name))
  if (dataFields.length === 0) {
    const text = "required oneof field 'data' must have one initialized field"
    return fault(`* GenerateContentRequest.${place}.data: ${text}`)
  }
  if (dataFields.length > 1) {
    const text = `Invalid value at '${place}' (oneof), oneof field 'data' is already set. Cannot set '${dataFields[1]}'`
    return invalid(text, place)
  }
  const call = part.functionCall ?? part.functionResponse
  if (!isObject(call) || textIn(call.name) !== '') return null
  return fault(`* GenerateContentRequest.${place}.${dataFields[0]}.name: Name cannot be empty.`)
}

function contentFault(content: JsonObject, index: number): Fault {
  const place = `contents[${index}]`
  if (!['user', 'model', 'function', ''].includes(textIn(content.role))) {
    return fault('Please use a valid role: user, model.')
  }
  if (partsOf(content).length === 0) {
    return fault(`* GenerateContentRequest.${place}.parts: contents.parts must not be empty.`)
  }
  return firstFault(partsOf(content), (part, at) => partFault(part, `${place}.parts[${at}]`))
}

function isModel(content: JsonObject | undefined): boolean {
  return content?.role === 'model'
}

function responsesFault(calls: readonly JsonObject[], responses: readonly JsonObject[]): Fault {
  if (calls.length !== responses.length) {
    return fault(
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    )
  }
  return firstFault(responses, (response, index) => {
    const answered = calls.find(({ id }) => id !== undefined && id === response.id) ?? calls[index]
    const isStray = response.id !== undefined && answered?.id !== undefined && answered.id !== response.id
    if (!isStray && answered?.name === response.name) return null
    return fault(
      `Please ensure that function response \`${textIn(response.name)}\` answers a function call of the function call turn.`,
    )
  })
}

function turnFault(contents: readonly JsonObject[], index: number): Fault {
  const [before, content, next] = [contents[index - 1], contents[index], contents[index + 1]]
  const calls = isModel(content) ? partValues(content, 'functionCall') : []
  if (calls.length > 0) {
    if (before === undefined || isModel(before)) {
      return fault(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      )
    }
    return responsesFault(calls, partValues(next, 'functionResponse'))
  }
  if (partValues(content, 'functionResponse').length === 0) return null
  if (isModel(before) && partValues(before, 'functionCall').length > 0) return null
  return fault('Please ensure that function response turn comes immediately after a function call turn.')
}

/** Where the current turn begins: with the last content in which the user says something. */
function currentTurn(contents: readonly JsonObject[]): number {
  return contents.findLastIndex(
    (content) => !isModel(content) && partValues(content, 'functionResponse').length === 0,
  )
}

function missingSignature(name: string, position: number): ProviderError {
  return fault(
    `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${name}\` , position ${position}.`,
  )
}

/** Every signature is ours or the dummy, and the first call of each step of the current turn has one. */
function signatureFault(contents: readonly JsonObject[]): Fault {
  const current = currentTurn(contents)
  return firstFault(contents, (content, index) => {
    const calls = partsOf(content).filter(({ functionCall }) => isObject(functionCall))
    const [first] = calls
    if (isModel(content) && index > current && first !== undefined && textIn(first.thoughtSignature) === '') {
      return missingSignature(textIn((first.functionCall as JsonObject).name), index + 1)
    }
    const forged = partsOf(content).some(({ thoughtSignature, functionCall }) => {
      const name = isObject(functionCall) ? textIn(functionCall.name) : ''
      return thoughtSignature !== undefined && !isThoughtSignature(textIn(thoughtSignature), name)
    })
    return forged ? fault('Corrupted thought signature.') : null
  })
}

/** Adjacent contents of the model are one turn: libraries store each chunk of a stream as one. */
function modelJoined(contents: readonly JsonObject[]): readonly JsonObject[] {
  const joined: JsonObject[] = []
  for (const content of contents) {
    const last = joined.at(-1)
    if (isModel(last) && isModel(content))
      joined[joined.length - 1] = { ...last, parts: [...partsOf(last), ...partsOf(content)] }
    else joined.push(content)
  }
  return joined
}

function contentsFault({ contents: value }: JsonObject): Fault {
  const contents = objectsIn(value)
  if (contents.length === 0) return fault('* GenerateContentRequest.contents: contents is not specified')
  const turns = modelJoined(contents)
  const found = firstFault(contents, contentFault) ?? firstFault(turns, (_, index) => turnFault(turns, index))
  if (found !== null) return found
  if (isModel(turns.at(-1))) {
    return fault('Please ensure that multiturn requests end with a user role or a function response.')
  }
  return signatureFault(turns)
}

export function declarationsIn(body: JsonObject): readonly JsonObject[] {
  return objectsIn(body.tools).flatMap(({ functionDeclarations }) => objectsIn(functionDeclarations))
}

/** How functions are to be called, the mode in capitals. */
interface CallingConfig {
  readonly mode: string
  readonly allowed: readonly string[]
}

export function callingConfigOf({ toolConfig }: JsonObject): CallingConfig | null {
  const config = isObject(toolConfig) ? toolConfig.functionCallingConfig : undefined
  if (!isObject(config)) return null
  const allowed = Array.isArray(config.allowedFunctionNames) ? config.allowedFunctionNames.map(String) : []
  return { mode: textIn(config.mode).toUpperCase() || 'AUTO', allowed }
}

const modes = ['AUTO', 'ANY', 'NONE', 'VALIDATED', 'MODE_UNSPECIFIED']

function configFault(body: JsonObject, names: readonly string[]): Fault {
  const config = callingConfigOf(body)
  if (config === null) return null
  const place = 'tool_config.function_calling_config.mode'
  if (!modes.includes(config.mode)) {
    return invalid(`Invalid value at '${place}' (TYPE_ENUM), "${config.mode}"`, place)
  }
  if (names.length === 0) return fault('Function calling config is set without function_declarations.')
  if (config.allowed.length === 0) return null
  if (!['ANY', 'VALIDATED'].includes(config.mode)) {
    return fault('allowed_function_names should be set only when function calling mode is ANY or VALIDATED.')
  }
  const unknownTool = config.allowed.find((name) => !names.includes(name))
  if (unknownTool === undefined) return null
  return fault(`allowed_function_names: \`${unknownTool}\` is not among the function_declarations.`)
}

function toolsFault(body: JsonObject): Fault {
  const declarations = declarationsIn(body)
  const names = declarations.map(({ name }) => textIn(name))
  const found = firstFault(declarations, ({ name, parameters, parametersJsonSchema }, index) => {
    const place = `GenerateContentRequest.tools[0].function_declarations[${index}]`
    if (!namePattern.test(textIn(name))) {
      return fault(
        `* ${place}.name: Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.`,
      )
    }
    if (parameters === undefined || parametersJsonSchema === undefined) return null
    return fault(`* ${place}: only one of parameters and parameters_json_schema may be set.`)
  })
  if (found !== null) return found
  const double = names.find((name, index) => names.indexOf(name) < index)
  if (double !== undefined) return fault(`Duplicate function declaration found: ${double}`)
  return configFault(body, names)
}

export function configOf({ generationConfig }: JsonObject): JsonObject {
  return isObject(generationConfig) ? generationConfig : {}
}

export function thinkingConfigOf(body: JsonObject): JsonObject {
  const { thinkingConfig } = configOf(body)
  return isObject(thinkingConfig) ? thinkingConfig : {}
}

const levels = ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH', 'THINKING_LEVEL_UNSPECIFIED']

function settingsFault(body: JsonObject): Fault {
  const { candidateCount = 1, maxOutputTokens = 1, stopSequences } = configOf(body)
  if (candidateCount !== 1) return fault('Multiple candidates is not enabled for this model')
  if (integerFrom(maxOutputTokens, 1) === undefined) {
    return fault(
      '* GenerateContentRequest.generation_config.max_output_tokens: max_output_tokens must be positive.',
    )
  }
  if (Array.isArray(stopSequences) && stopSequences.length > stopsMax) {
    return fault(`The number of stop sequences must not exceed ${stopsMax}.`)
  }
  const { thinkingBudget, thinkingLevel } = thinkingConfigOf(body)
  if (thinkingBudget !== undefined && thinkingLevel !== undefined) {
    return fault('You can only set only one of thinking budget and thinking level.')
  }
  if (thinkingLevel !== undefined && !levels.includes(textIn(thinkingLevel).toUpperCase())) {
    const place = 'generation_config.thinking_config.thinking_level'
    return invalid(`Invalid value at '${place}' (TYPE_ENUM), "${textIn(thinkingLevel)}"`, place)
  }
  const { cachedContent } = body
  if (textIn(cachedContent) !== '') {
    return { kind: 'unknown_item', subject: textIn(cachedContent), param: null }
  }
  return null
}

/** The first thing that is wrong with a request to generate. */
export function geminiFault(body: JsonObject): Fault {
  return contentsFault(body) ?? toolsFault(body) ?? settingsFault(body)
}

/** The same where contents alone are counted. */
export function geminiCountFault(body: JsonObject): Fault {
  return contentsFault(body)
}
