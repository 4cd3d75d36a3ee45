/**
 * The fields that Google knows in a generateContent request, message by message, and the reader that normalizes
 * a body: snake_case becomes camelCase, unknown fields and wrong types are reported in
 * Google's words. A table and its walker. Pure.
 */

import type { ProviderError } from '../errors.ts'
import { invalid, isObject, type JsonObject } from '../request/normalized-request.ts'

/** A message's name, a scalar, or `any` for unchecked values; with `[]`: a list; with `{}`: a map. */
type FieldKind = string

type FieldMessage = Readonly<Record<string, FieldKind>>

const messages: Readonly<Record<string, FieldMessage>> = {
  request: {
    model: 'string',
    contents: 'content[]',
    systemInstruction: 'content',
    tools: 'tool[]',
    toolConfig: 'toolConfig',
    safetySettings: 'any',
    cachedContent: 'string',
    generationConfig: 'generationConfig',
    serviceTier: 'string',
    labels: 'any',
    store: 'boolean',
    continuationToken: 'string',
  },
  countRequest: { model: 'string', contents: 'content[]', generateContentRequest: 'request' },
  content: { role: 'string', parts: 'part[]' },
  part: {
    text: 'string',
    thought: 'boolean',
    thoughtSignature: 'bytes',
    inlineData: 'blob',
    fileData: 'fileData',
    functionCall: 'functionCall',
    functionResponse: 'functionResponse',
    executableCode: 'any',
    codeExecutionResult: 'any',
    toolCall: 'any',
    toolResponse: 'any',
    videoMetadata: 'any',
    mediaResolution: 'any',
    partMetadata: 'any',
  },
  blob: { mimeType: 'string', data: 'bytes' },
  fileData: { mimeType: 'string', fileUri: 'string' },
  functionCall: { id: 'string', name: 'string', args: 'struct' },
  functionResponse: {
    id: 'string',
    name: 'string',
    response: 'struct',
    parts: 'any',
    willContinue: 'boolean',
    scheduling: 'string',
  },
  tool: {
    functionDeclarations: 'functionDeclaration[]',
    googleSearch: 'any',
    googleSearchRetrieval: 'any',
    codeExecution: 'any',
    urlContext: 'any',
    computerUse: 'any',
    fileSearch: 'any',
    googleMaps: 'any',
    mcpServers: 'any',
  },
  functionDeclaration: {
    name: 'string',
    description: 'string',
    behavior: 'string',
    parameters: 'schema',
    parametersJsonSchema: 'any',
    response: 'schema',
    responseJsonSchema: 'any',
  },
  schema: {
    type: 'string',
    format: 'string',
    title: 'string',
    description: 'string',
    nullable: 'boolean',
    enum: 'string[]',
    items: 'schema',
    maxItems: 'any',
    minItems: 'any',
    properties: 'schema{}',
    required: 'string[]',
    minProperties: 'any',
    maxProperties: 'any',
    minLength: 'any',
    maxLength: 'any',
    minimum: 'any',
    maximum: 'any',
    pattern: 'string',
    example: 'any',
    anyOf: 'schema[]',
    propertyOrdering: 'string[]',
    default: 'any',
  },
  toolConfig: {
    functionCallingConfig: 'functionCallingConfig',
    retrievalConfig: 'any',
    includeServerSideToolInvocations: 'boolean',
  },
  functionCallingConfig: { mode: 'string', allowedFunctionNames: 'string[]' },
  generationConfig: {
    temperature: 'number',
    topP: 'number',
    topK: 'number',
    candidateCount: 'number',
    maxOutputTokens: 'number',
    stopSequences: 'string[]',
    presencePenalty: 'number',
    frequencyPenalty: 'number',
    seed: 'number',
    responseLogprobs: 'boolean',
    logprobs: 'number',
    responseMimeType: 'string',
    responseSchema: 'schema',
    responseJsonSchema: 'any',
    responseModalities: 'string[]',
    mediaResolution: 'string',
    speechConfig: 'any',
    imageConfig: 'any',
    enableEnhancedCivicAnswers: 'boolean',
    thinkingConfig: 'thinkingConfig',
  },
  thinkingConfig: { includeThoughts: 'boolean', thinkingBudget: 'number', thinkingLevel: 'string' },
}

const base64 = /^[A-Za-z0-9+/_-]*={0,2}$/

/** The type as Google names it, and whether a value is one. */
const scalars: Readonly<Record<string, readonly [type: string, is: (value: unknown) => boolean]>> = {
  string: ['TYPE_STRING', (value) => typeof value === 'string'],
  boolean: ['TYPE_BOOL', (value) => typeof value === 'boolean'],
  number: ['TYPE_DOUBLE', (value) => typeof value === 'number'],
  bytes: ['TYPE_BYTES', (value) => typeof value === 'string' && base64.test(value)],
  struct: ['type.googleapis.com/google.protobuf.Struct', isObject],
}

type GeminiReading =
  | { readonly kind: 'body'; readonly body: JsonObject }
  | { readonly kind: 'error'; readonly error: ProviderError }

/** Takes the first misfit; the rest of the body is read on and forgotten. */
type ReportMismatch = (message: string, place: string) => void

function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function scalarValue(value: unknown, kind: FieldKind, place: string, report: ReportMismatch): unknown {
  const known = scalars[kind]
  if (known !== undefined && !known[1](value)) {
    report(`Invalid value at '${place}' (${known[0]}), ${JSON.stringify(value)}`, place)
  }
  return value
}

function messageValue(
  value: unknown,
  known: FieldMessage,
  place: string,
  report: ReportMismatch,
): JsonObject {
  if (!isObject(value)) {
    report(`Invalid value at '${place}', ${JSON.stringify(value)}`, place)
    return {}
  }
  const read: Record<string, unknown> = {}
  for (const [writtenName, inner] of Object.entries(value)) {
    const name = camel(writtenName)
    const kind = Object.hasOwn(known, name) ? known[name] : undefined
    if (kind === undefined) {
      const where = place === '' ? '' : ` at '${place}'`
      report(
        `Invalid JSON payload received. Unknown name "${writtenName}"${where}: Cannot find field.`,
        place,
      )
    } else
      read[name] = fieldValue(inner, kind, place === '' ? snake(name) : `${place}.${snake(name)}`, report)
  }
  return read
}

function fieldValue(value: unknown, kind: FieldKind, place: string, report: ReportMismatch): unknown {
  // Protocol buffers read null as an omitted field.
  if (value === null) return undefined
  const inner = kind.slice(0, -2)
  if (kind.endsWith('[]')) {
    const list: readonly unknown[] = Array.isArray(value) ? value : [value]
    return list.map((item, index) => fieldValue(item, inner, `${place}[${index}]`, report))
  }
  if (kind.endsWith('{}')) {
    const entries = Object.entries(isObject(value) ? value : {})
    return Object.fromEntries(
      entries.map(([name, item], index) => [
        name,
        fieldValue(item, inner, `${place}[${index}].value`, report),
      ]),
    )
  }
  const known = messages[kind]
  return known === undefined
    ? scalarValue(value, kind, place, report)
    : messageValue(value, known, place, report)
}

/** The body in camelCase; `root` names the message that it is. */
export function readGeminiFields(body: JsonObject, root: 'request' | 'countRequest'): GeminiReading {
  let first: ProviderError | null = null
  const report: ReportMismatch = (message, place) => {
    first ??= invalid(message, place)
  }
  const read = messageValue(body, messages[root]!, '', report)
  return first === null ? { kind: 'body', body: read } : { kind: 'error', error: first }
}
