/**
 * Parses errors of each format, whole or in a stream: the fields that its clients branch on, and the library of the
 * format where there is one for Node. It knows nothing of upstreams.
 */
import assert from 'node:assert/strict'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import type { ErrorCategory } from '../../contract/errors.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { at, eventsIn, type Json } from './format-clients.ts'

/** An error as a client of the format reads it. */
interface ReadError {
  /** Our error code; '' where the error is a provider's. */
  readonly code: string
  /** Values that clients of the format branch on: type and code, or Google's status. */
  readonly words: readonly string[]
  readonly message: string
  readonly source: string
  /** The retry delay in the body, in seconds; null where there is none. */
  readonly retrySeconds: number | null
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

function readOpenai(body: unknown): ReadError {
  const error = at(body, 'error')
  return {
    code: text(at(error, 'details', 'code') ?? at(error, 'code')),
    words: [text(at(error, 'type')), text(at(error, 'code'))],
    message: text(at(error, 'message')),
    source: text(at(error, 'source')),
    retrySeconds: null,
  }
}

function readMessages(body: unknown): ReadError {
  assert.equal(at(body, 'type'), 'error', JSON.stringify(body))
  const error = at(body, 'error')
  return {
    code: text(at(error, 'details', 'code')),
    words: [text(at(error, 'type'))],
    message: text(at(error, 'message')),
    source: text(at(error, 'details', 'source')),
    retrySeconds: null,
  }
}

function readGemini(body: unknown): ReadError {
  const error = at(body, 'error')
  const details = (at(error, 'details') ?? []) as readonly Json[]
  const info = details.find((detail) => text(detail['@type']).endsWith('.ErrorInfo'))
  const retry = details.find((detail) => text(detail['@type']).endsWith('.RetryInfo'))
  const delay = /^([\d.]+)s$/.exec(text(retry?.retryDelay))
  return {
    code: text(info?.reason).toLowerCase(),
    words: [text(at(error, 'status'))],
    message: text(at(error, 'message')),
    source: text(at(info, 'metadata', 'source')),
    retrySeconds: delay === null ? null : Number(delay[1]),
  }
}

/** Parses the JSON body of an error response; asserts that it is one of the format. */
export const errorReaders: Readonly<Record<ConversationFormat, (body: unknown) => ReadError>> = {
  'openai-chat': readOpenai,
  'openai-responses': readOpenai,
  anthropic: readMessages,
  gemini: readGemini,
}

/** The codes of each format for a kind of error, as its own providers use them. */
export const wordsOf: Readonly<
  Record<ConversationFormat, Readonly<Partial<Record<ErrorCategory, readonly string[]>>>>
> = {
  'openai-chat': openaiWords(),
  'openai-responses': openaiWords(),
  anthropic: {
    invalid_request: ['invalid_request_error'],
    context_too_long: ['invalid_request_error'],
    rate_limit: ['rate_limit_error'],
    overloaded: ['overloaded_error'],
    server: ['api_error'],
    timeout: ['timeout_error'],
  },
  gemini: {
    invalid_request: ['INVALID_ARGUMENT'],
    context_too_long: ['INVALID_ARGUMENT'],
    rate_limit: ['RESOURCE_EXHAUSTED'],
    overloaded: ['UNAVAILABLE'],
    server: ['INTERNAL'],
    timeout: ['DEADLINE_EXCEEDED'],
  },
}

function openaiWords(): Readonly<Partial<Record<ErrorCategory, readonly string[]>>> {
  return {
    invalid_request: ['invalid_request_error'],
    context_too_long: ['invalid_request_error', 'context_length_exceeded'],
    rate_limit: ['requests', 'rate_limit_exceeded'],
    overloaded: ['server_error'],
    server: ['server_error'],
    timeout: ['server_error'],
  }
}

/** Texts or codes that make agents shorten their conversation. */
export const contextPhrases: Readonly<Record<ConversationFormat, RegExp>> = {
  'openai-chat': /"code":"context_length_exceeded"/,
  'openai-responses': /"code":"context_length_exceeded"/,
  anthropic: /prompt is too long/,
  gemini: /exceeds the maximum number of tokens/,
}

/** `response.error.code` of a Responses stream by the kind of error. */
export const failedCodes: Readonly<Partial<Record<ErrorCategory, string>>> = {
  invalid_request: 'invalid_prompt',
  context_too_long: 'context_length_exceeded',
  rate_limit: 'rate_limit_exceeded',
  overloaded: 'server_is_overloaded',
  server: 'server_error',
  timeout: 'server_error',
}

interface StreamedError extends ReadError {
  /** `response.error.code` where the format has it. */
  readonly failedCode: string | null
}

/** The error at the end of a stream; asserts that it is the last event, sent once and in the form of the format. */
export function streamedError(format: ConversationFormat, stream: string): StreamedError {
  const events = eventsIn(stream)
  const isError = (event: Json) => event.error !== undefined && event.error !== null
  const errors = events.filter(isError)
  assert.equal(errors.length, 1, `one error: ${stream.slice(-600)}`)
  assert.match(stream, /\n\r?\n$/)
  const [error = {}] = errors
  const last = events.at(-1) ?? {}
  if (format !== 'openai-responses') {
    assert.equal(last, error, 'nothing comes after the error')
    return { ...errorReaders[format](error), failedCode: null }
  }
  assert.deepEqual([error.type, events.at(-2), last.type], ['error', error, 'response.failed'])
  const { error: nested, code, message } = error
  assert.deepEqual([code, message], [at(nested, 'code'), at(nested, 'message')])
  assert.equal(at(last, 'response', 'status'), 'failed')
  assert.equal(at(last, 'response', 'error', 'message'), message)
  return { ...errorReaders[format](error), failedCode: text(at(last, 'response', 'error', 'code')) }
}

/** Reads a stream with the official library; rejects where the library does. Google's has no equivalent here. */
export const streamReaders: Readonly<
  Record<Exclude<ConversationFormat, 'gemini'>, (stream: string) => Promise<unknown>>
> = {
  'openai-chat': (stream) =>
    new OpenAI({ apiKey: 'any', maxRetries: 0, logLevel: 'off', fetch: answering(stream) }).chat.completions
      .stream({ model: 'any', messages: [{ role: 'user', content: 'any' }] })
      .finalChatCompletion(),
  'openai-responses': (stream) =>
    new OpenAI({ apiKey: 'any', maxRetries: 0, logLevel: 'off', fetch: answering(stream) }).responses
      .stream({ model: 'any', input: 'any' })
      .finalResponse(),
  anthropic: (stream) =>
    new Anthropic({ apiKey: 'any', maxRetries: 0, logLevel: 'off', fetch: answering(stream) }).messages
      .stream({ model: 'any', max_tokens: 1, messages: [{ role: 'user', content: 'any' }] })
      .finalMessage(),
}

function answering(stream: string): () => Promise<Response> {
  return () =>
    Promise.resolve(new Response(stream, { status: 200, headers: { 'content-type': 'text/event-stream' } }))
}
