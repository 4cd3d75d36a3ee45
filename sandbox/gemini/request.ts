/**
 * Reads a generateContent request into an `NormalizedRequest`, with Google's errors. The
 * model and whether it streams, comes from the path. Pure.
 */
import {
  type CallableTool,
  integerFrom,
  isObject,
  type JsonObject,
  mediaSegment,
  type NormalizedRequest,
  objectsIn,
  type RequestReading,
  readingOf,
  type Segment,
  segment,
  textIn,
} from '../request/normalized-request.ts'
import {
  callingConfigOf,
  configOf,
  declarationsIn,
  geminiCountFault,
  geminiFault,
  partsOf,
  partValues,
  thinkingConfigOf,
} from './checks.ts'
import { readGeminiFields } from './fields.ts'

/** Model and method in a path. */
interface GeminiPath {
  readonly model: string
  readonly stream: boolean
}

function contentText(content: JsonObject): string {
  return partsOf(content)
    .map(({ text, thought }) => (thought === true ? '' : textIn(text)))
    .join('')
}

/** Text of a function response: its only value if that is a text, else its JSON. */
function responseText(response: unknown): string {
  const values = isObject(response) ? Object.values(response) : []
  const [value] = values
  return values.length === 1 && typeof value === 'string' ? value : JSON.stringify(response ?? {})
}

function partSegment(role: string, part: JsonObject): Segment {
  const { text, functionCall: call, functionResponse: response } = part
  const identity = `${role}:${JSON.stringify(part)}`
  if (typeof text === 'string') return segment(identity, [text])
  if (isObject(call)) return segment(identity, [textIn(call.name), JSON.stringify(call.args ?? {})])
  if (isObject(response)) return segment(identity, [textIn(response.name), responseText(response.response)])
  return mediaSegment(identity)
}

function segmentsOf(body: JsonObject): readonly Segment[] {
  const tools = objectsIn(body.tools).map((tool) => JSON.stringify(tool))
  const system = isObject(body.systemInstruction) ? partsOf(body.systemInstruction) : []
  return [
    ...tools.map((text) => segment(text, [text])),
    ...system.map((part) => partSegment('system', part)),
    ...objectsIn(body.contents).flatMap((content) =>
      partsOf(content).map((part) => partSegment(textIn(content.role), part)),
    ),
  ]
}

/** JSON Schema spells its types in small letters, Google's own schemas in capitals. */
function schemaOf({ parameters, parametersJsonSchema }: JsonObject): JsonObject {
  if (isObject(parametersJsonSchema)) return parametersJsonSchema
  return isObject(parameters) ? (lowerTypes(parameters) as JsonObject) : {}
}

function lowerTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lowerTypes)
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([name, inner]) => {
    const isType = name === 'type' && typeof inner === 'string'
    return [name, isType ? inner.toLowerCase() : lowerTypes(inner)] as const
  })
  return Object.fromEntries(entries)
}

function callableTools(body: JsonObject): readonly CallableTool[] {
  const config = callingConfigOf(body)
  if (config?.mode === 'NONE') return []
  const tools = declarationsIn(body).map((tool) => ({ name: textIn(tool.name), schema: schemaOf(tool) }))
  const allowed = config?.allowed ?? []
  return allowed.length === 0 ? tools : tools.filter(({ name }) => allowed.includes(name))
}

function thinkingOf(body: JsonObject): NormalizedRequest['thinking'] {
  const { thinkingBudget, includeThoughts } = thinkingConfigOf(body)
  if (thinkingBudget === 0) return 'off'
  return includeThoughts === true ? 'shown' : 'hidden'
}

function lastUserText(contents: readonly JsonObject[]): string {
  const texts = contents.filter(({ role }) => role !== 'model').map(contentText)
  return texts.findLast((text) => text !== '') ?? ''
}

function askOf(body: JsonObject, { model, stream }: GeminiPath): NormalizedRequest {
  const contents = objectsIn(body.contents)
  const results = partValues(contents.at(-1), 'functionResponse')
  return {
    model,
    stream,
    includeUsage: true,
    outputLimit: integerFrom(configOf(body).maxOutputTokens, 1) ?? null,
    choices: 1,
    lastText: lastUserText(contents),
    toolResults: results.map(({ response }) => responseText(response)),
    tools: callableTools(body),
    hasSchema: isObject(configOf(body).responseJsonSchema ?? configOf(body).responseSchema),
    thinking: thinkingOf(body),
    hasEncryptedReasoning: true,
    earlierThoughts: 0,
    segments: segmentsOf(body),
    serviceTier: textIn(body.serviceTier).toLowerCase() || 'standard',
    speed: null,
    inferenceGeo: '',
    repeated: {},
    strictFault: null,
  }
}

/** The request as the sandbox understands it, or the first thing that is wrong with it. */
export function readGemini(body: JsonObject, path: GeminiPath): RequestReading {
  const reading = readGeminiFields(body, 'request')
  if (reading.kind === 'error') return reading
  return readingOf(geminiFault(reading.body), () => askOf(reading.body, path))
}

/** For counting alone: contents, or a whole request, but not both. */
export function readCountTokens(body: JsonObject, path: GeminiPath): RequestReading {
  const reading = readGeminiFields(body, 'countRequest')
  if (reading.kind === 'error') return reading
  const { generateContentRequest: whole } = reading.body
  if (!isObject(whole)) return readingOf(geminiCountFault(reading.body), () => askOf(reading.body, path))
  return readingOf(geminiFault(whole), () => askOf(whole, path))
}
