/** The four formats that the sandbox supports, each composed of its headers, its writer and its errors. */
import type { IncomingHttpHeaders } from 'node:http'
import { messagesErrorEvent, messagesErrorResponse } from './anthropic/errors.ts'
import { messagesAnswer, messagesEndMark, messagesPing } from './anthropic/writer.ts'
import { providerError } from './errors.ts'
import type { SandboxFormat } from './format.ts'
import { geminiErrorEvent, geminiErrorResponse } from './gemini/errors.ts'
import { geminiAnswer, geminiEndMark } from './gemini/writer.ts'
import { chatErrorEvent, chatErrorResponse } from './openai-chat/errors.ts'
import { chatAnswer, chatEndMark } from './openai-chat/writer.ts'
import { responsesErrorEvent, responsesErrorResponse } from './openai-responses/errors.ts'
import { responsesAnswer, responsesEndMark } from './openai-responses/writer.ts'

/** Headers that the providers' edges add and a gateway must not pass on. */
const edgeHeaders = { server: 'cloudflare', 'set-cookie': '__cf_bm=sandbox; path=/; HttpOnly' }

function hasBearer({ authorization = '' }: IncomingHttpHeaders): boolean {
  return /^Bearer +\S/i.test(authorization)
}

const openaiFormat: Pick<SandboxFormat, 'checkHeaders' | 'headers' | 'ping'> = {
  checkHeaders: (headers) => (hasBearer(headers) ? null : providerError('no_credential')),
  headers: (requestId) => ({
    ...edgeHeaders,
    'x-request-id': requestId,
    'openai-version': '2020-10-01',
    'openai-processing-ms': '1',
    'x-ratelimit-limit-requests': '10000',
    'x-ratelimit-remaining-requests': '9999',
    'x-ratelimit-limit-tokens': '10000000',
    'x-ratelimit-remaining-tokens': '9999999',
  }),
  ping: ': ping\n\n',
}

export const chatFormat: SandboxFormat = {
  ...openaiFormat,
  name: 'openai-chat',
  answer: chatAnswer,
  errorResponse: chatErrorResponse,
  errorEvent: chatErrorEvent,
  garbage: 'data: {"id":"chatcmpl-sandbox","choices":[{"index":0,"delta":{"cont\n\n',
  endMark: chatEndMark,
}

export const responsesFormat: SandboxFormat = {
  ...openaiFormat,
  name: 'openai-responses',
  answer: responsesAnswer,
  errorResponse: responsesErrorResponse,
  errorEvent: responsesErrorEvent,
  garbage:
    'event: response.output_text.delta\ndata: {"type":"response.output_text.delta","output_index":0,"del\n\n',
  endMark: responsesEndMark,
}

export const messagesFormat: SandboxFormat = {
  name: 'anthropic',
  checkHeaders: (headers) => {
    const key = headers['x-api-key'] ?? ''
    if (key === '' && !hasBearer(headers)) return providerError('no_credential')
    if ((headers['anthropic-version'] ?? '') !== '') return null
    return { kind: 'invalid', subject: 'anthropic-version: header is required', param: null }
  },
  headers: (requestId) => ({
    ...edgeHeaders,
    'request-id': requestId,
    'anthropic-organization-id': 'sandbox',
    'anthropic-ratelimit-requests-limit': '10000',
    'anthropic-ratelimit-requests-remaining': '9999',
    'anthropic-ratelimit-tokens-limit': '10000000',
    'anthropic-ratelimit-tokens-remaining': '9999999',
  }),
  answer: messagesAnswer,
  errorResponse: messagesErrorResponse,
  errorEvent: messagesErrorEvent,
  ping: messagesPing,
  garbage: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"del\n\n',
  endMark: messagesEndMark,
}

export const geminiFormat: SandboxFormat = {
  name: 'gemini',
  checkHeaders: (headers, query) => {
    const key = headers['x-goog-api-key'] || new URLSearchParams(query).get('key')
    return key || hasBearer(headers) ? null : providerError('no_credential')
  },
  headers: () => ({
    server: 'scaffolding on HTTPServer2',
    'server-timing': 'gfet4t7; dur=1',
    'x-content-type-options': 'nosniff',
  }),
  answer: geminiAnswer,
  errorResponse: geminiErrorResponse,
  errorEvent: geminiErrorEvent,
  ping: ': ping\r\n\r\n',
  garbage: 'data: {"candidates": [{"content": {"parts": [{"te\r\n\r\n',
  endMark: geminiEndMark,
}
