/**
 * A client of each format for tests that cover all of them: its path, a small request, and how to read the response.
 * It knows nothing of money.
 */
import assert from 'node:assert/strict'
import type { ConversationFormat } from '../../src/wire/format-names.ts'

export interface FormatClient {
  readonly format: ConversationFormat
  path(model: string, stream: boolean): `/${string}`
  /** The header its library sends the key in. */
  readonly keyHeader: string
  body(model: string, text: string, stream: boolean): Readonly<Record<string, unknown>>
  textOf(answer: Json): string
  /** The text of one event. */
  deltaOf(event: Json): string
  /** Only a complete stream contains this. */
  readonly successMark: string
  /** The terminal event that signals a complete stream to the client. */
  readonly finishes: RegExp
  /** Members of a request that limit its output to this many tokens. */
  limit(tokens: number): Json
  /** The name of that limit in error messages. */
  readonly limitName: string
  costOf(answer: Json): unknown
}

export type Json = Readonly<Record<string, unknown>>

/** Reads a path of names and indexes; undefined where it does not exist. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value
  for (const step of path) {
    if (typeof found !== 'object' || found === null) return undefined
    found = (found as Record<string | number, unknown>)[step]
  }
  return found
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

export const formatClients: readonly FormatClient[] = [
  {
    format: 'openai-chat',
    path: () => '/v1/chat/completions',
    keyHeader: 'authorization',
    body: (model, content, stream) => ({
      model,
      messages: [{ role: 'user', content }],
      ...(stream ? { stream, stream_options: { include_usage: true } } : {}),
    }),
    textOf: (answer) => text(at(answer, 'choices', 0, 'message', 'content')),
    deltaOf: (event) => text(at(event, 'choices', 0, 'delta', 'content')),
    successMark: '[DONE]',
    finishes: /"finish_reason":"|\[DONE\]/,
    limit: (max_completion_tokens) => ({ max_completion_tokens }),
    limitName: 'max_tokens',
    costOf: (answer) => at(answer, 'usage', 'cost'),
  },
  {
    format: 'openai-responses',
    path: () => '/v1/responses',
    keyHeader: 'authorization',
    body: (model, input, stream) => ({ model, input, stream }),
    textOf: (answer) =>
      listOf(at(answer, 'output'))
        .flatMap((item) => listOf(at(item, 'content')))
        .map((part) => text(at(part, 'text')))
        .join(''),
    deltaOf: (event) => (event.type === 'response.output_text.delta' ? text(event.delta) : ''),
    successMark: 'response.completed',
    finishes: /"type":"response\.(?:completed|incomplete)"/,
    limit: (max_output_tokens) => ({ max_output_tokens }),
    limitName: 'max_output_tokens',
    costOf: (answer) => at(answer, 'usage', 'cost') ?? at(answer, 'response', 'usage', 'cost'),
  },
  {
    format: 'anthropic',
    path: () => '/v1/alt/v1/messages',
    keyHeader: 'x-api-key',
    body: (model, content, stream) => ({
      model,
      max_tokens: 5_000,
      messages: [{ role: 'user', content }],
      stream,
    }),
    textOf: (answer) =>
      listOf(at(answer, 'content'))
        .map((block) => text(at(block, 'text')))
        .join(''),
    deltaOf: (event) => text(at(event, 'delta', 'text')),
    successMark: 'message_stop',
    finishes: /"stop_reason":"|message_stop/,
    limit: (max_tokens) => ({ max_tokens }),
    limitName: 'max_tokens',
    costOf: (answer) => at(answer, 'usage', 'cost'),
  },
  {
    format: 'gemini',
    path: (model, stream) =>
      `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    keyHeader: 'x-goog-api-key',
    body: (_model, content) => ({ contents: [{ role: 'user', parts: [{ text: content }] }] }),
    textOf: geminiText,
    deltaOf: geminiText,
    successMark: 'finishReason',
    finishes: /"finishReason"/,
    limit: (maxOutputTokens) => ({ generationConfig: { maxOutputTokens } }),
    limitName: 'maxOutputTokens',
    costOf: (answer) => at(answer, 'usageMetadata', 'cost'),
  },
]

function geminiText(answer: Json): string {
  return listOf(at(answer, 'candidates', 0, 'content', 'parts'))
    .filter((part) => at(part, 'thought') !== true)
    .map((part) => text(at(part, 'text')))
    .join('')
}

interface Asked {
  readonly key: string
  readonly model: string
  readonly text: string
  readonly stream?: boolean
  readonly more?: Json
  readonly signal?: AbortSignal
}

/** Sends one request as the client's library would. */
export function ask(origin: string, client: FormatClient, asked: Asked): Promise<Response> {
  const { key, model, stream = false, more = {} } = asked
  const value = client.keyHeader === 'authorization' ? `Bearer ${key}` : key
  return fetch(origin + client.path(model, stream), {
    method: 'POST',
    headers: { 'content-type': 'application/json', [client.keyHeader]: value },
    body: JSON.stringify({ ...client.body(model, asked.text, stream), ...more }),
    ...(asked.signal === undefined ? {} : { signal: asked.signal }),
  })
}

/** The JSON events of a stream in order; the end marker of chat streams is skipped. */
export function eventsIn(stream: string): readonly Json[] {
  return stream
    .split(/\r?\n\r?\n/)
    .flatMap((block) => block.split(/\r?\n/).filter((line) => line.startsWith('data:')))
    .map((line) => line.slice('data:'.length).trim())
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as Json)
}

/** The complete events of a stream in progress. */
export function wholeEventsIn(stream: string): readonly Json[] {
  const end = Math.max(stream.lastIndexOf('\n\n') + 2, stream.lastIndexOf('\r\n\r\n') + 4)
  return eventsIn(stream.slice(0, end))
}

export function streamedText(client: FormatClient, stream: string): string {
  return eventsIn(stream)
    .map((event) => client.deltaOf(event))
    .join('')
}

export function clientOf(format: ConversationFormat): FormatClient {
  const found = formatClients.find((client) => client.format === format)
  assert.ok(found !== undefined)
  return found
}
