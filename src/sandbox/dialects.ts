/** The two dialects that the sandbox speaks, each composed of its reader, its writer and its errors. */
import type { IncomingHttpHeaders } from 'node:http'
import { chatErrorEvent, chatFailure } from './chat-errors.ts'
import { readChat } from './chat-request.ts'
import { chatAnswer, chatEndMark } from './chat-writer.ts'
import type { SandboxDialect } from './dialect.ts'
import { messagesErrorEvent, messagesFailure } from './messages-errors.ts'
import { readMessages } from './messages-request.ts'
import { messagesAnswer, messagesEndMark, messagesPing } from './messages-writer.ts'
import { problem } from './problem.ts'

/** What both providers' edges put on every answer, and what a gateway has no business passing on. */
const edgeHeaders = { server: 'cloudflare', 'set-cookie': '__cf_bm=sandbox; path=/; HttpOnly' }

function hasBearer({ authorization = '' }: IncomingHttpHeaders): boolean {
  return /^Bearer +\S/i.test(authorization)
}

export const chatDialect: SandboxDialect = {
  name: 'openai-chat',
  checkHeaders: (headers) => (hasBearer(headers) ? null : problem('no_credential')),
  read: readChat,
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
  answer: chatAnswer,
  failure: chatFailure,
  errorEvent: chatErrorEvent,
  ping: ': ping\n\n',
  garbage: 'data: {"id":"chatcmpl-sandbox","choices":[{"index":0,"delta":{"cont\n\n',
  endMark: chatEndMark,
}

export const messagesDialect: SandboxDialect = {
  name: 'anthropic',
  checkHeaders: (headers) => {
    const key = headers['x-api-key'] ?? ''
    if (key === '' && !hasBearer(headers)) return problem('no_credential')
    if ((headers['anthropic-version'] ?? '') !== '') return null
    return { trouble: 'invalid', subject: 'anthropic-version: header is required', param: null }
  },
  read: readMessages,
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
  failure: messagesFailure,
  errorEvent: messagesErrorEvent,
  ping: messagesPing,
  garbage: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"del\n\n',
  endMark: messagesEndMark,
}
