/**
 * A request with one user message in each of the sandbox's formats, and how to recognize events that carry tokens: for tests that
 * send the same to all formats. Knows the formats' shapes and nothing of responses.
 */
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import type { Sent } from './sandbox-client.ts'

export const sandboxFormats = [
  'openai-chat',
  'openai-responses',
  'anthropic',
  'gemini',
] as const satisfies readonly ConversationFormat[]

export interface Asked {
  readonly stream?: boolean
  /** The output limit. */
  readonly limit?: number
  /** Additional fields of the body, in the format's own names. */
  readonly more?: object
}

const usualLimit = 1_000

type Write = (model: string, content: string, asked: Required<Asked>) => Sent

const writers: Readonly<Record<ConversationFormat, Write>> = {
  'openai-chat': (model, content, { stream, limit, more }) => ({
    path: '/v1/chat/completions',
    body: {
      model,
      max_tokens: limit,
      stream,
      ...(stream ? { stream_options: { include_usage: true } } : {}),
      messages: [{ role: 'user', content }],
      ...more,
    },
  }),
  'openai-responses': (model, content, { stream, limit, more }) => ({
    path: '/v1/responses',
    body: { model, max_output_tokens: limit, stream, input: [{ role: 'user', content }], ...more },
  }),
  anthropic: (model, content, { stream, limit, more }) => ({
    path: '/v1/messages',
    body: { model, max_tokens: limit, stream, messages: [{ role: 'user', content }], ...more },
  }),
  gemini: (model, content, { stream, limit, more }) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: {
      contents: [{ role: 'user', parts: [{ text: content }] }],
      generationConfig: { maxOutputTokens: limit },
      ...more,
    },
  }),
}

/** A request with one user message; streamed by default. */
export function plainRequest(
  format: ConversationFormat,
  model: string,
  content: string,
  asked: Asked = {},
): Sent {
  return writers[format](model, content, { stream: true, limit: usualLimit, more: {}, ...asked })
}

const contentMarks: Readonly<Record<ConversationFormat, string>> = {
  'openai-chat': '"delta":{"content":" ',
  'openai-responses': '"type":"response.output_text.delta"',
  anthropic: '"text_delta"',
  gemini: '"parts":[{"text":" ',
}

/** Whether the parsed event contains text of a response. */
export function showsWords(format: ConversationFormat, event: unknown): boolean {
  return JSON.stringify(event).includes(contentMarks[format])
}
