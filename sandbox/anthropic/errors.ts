/** Anthropic's wording of every error on Messages: status, type, message and its retry advice. A table and its reader. */

import type { ErrorResponse, ProviderError, SandboxErrorKind } from '../errors.ts'
import type { Stamp } from '../script/answer.ts'

interface MessagesErrorRow {
  readonly status: number
  readonly type: string
  readonly retry: boolean
  readonly message: (subject: string) => string
}

const rows: Readonly<Record<SandboxErrorKind, MessagesErrorRow>> = {
  invalid: { status: 400, type: 'invalid_request_error', retry: false, message: (subject) => subject },
  no_credential: {
    status: 401,
    type: 'authentication_error',
    retry: false,
    message: () => 'x-api-key header is required',
  },
  wrong_credential: {
    status: 401,
    type: 'authentication_error',
    retry: false,
    message: () => 'invalid x-api-key',
  },
  quota: {
    status: 402,
    type: 'billing_error',
    retry: false,
    message: () => 'Your credit balance is too low to access the Anthropic API.',
  },
  unknown_model: {
    status: 404,
    type: 'not_found_error',
    retry: false,
    message: (subject) => `model: ${subject}`,
  },
  unknown_item: { status: 404, type: 'not_found_error', retry: false, message: () => 'Not Found' },
  unknown_path: { status: 404, type: 'not_found_error', retry: false, message: () => 'Not Found' },
  wrong_method: {
    status: 405,
    type: 'invalid_request_error',
    retry: false,
    message: () => 'Method Not Allowed',
  },
  too_large: {
    status: 413,
    type: 'request_too_large',
    retry: false,
    message: () => 'Request exceeds the maximum size',
  },
  context: {
    status: 400,
    type: 'invalid_request_error',
    retry: false,
    message: (subject) => `prompt is too long: ${subject} tokens > 1 maximum`,
  },
  rate_limit: {
    status: 429,
    type: 'rate_limit_error',
    retry: true,
    message: () => 'This request would exceed your rate limit. Please try again later.',
  },
  server: { status: 500, type: 'api_error', retry: true, message: () => 'Internal server error' },
  overloaded: { status: 529, type: 'overloaded_error', retry: true, message: () => 'Overloaded' },
}

function errorBody({ kind, subject }: ProviderError, requestId: string): string {
  const { type, message } = rows[kind]
  return JSON.stringify({ type: 'error', error: { type, message: message(subject) }, request_id: requestId })
}

export function messagesErrorResponse(error: ProviderError, requestId: string): ErrorResponse {
  const { status, retry } = rows[error.kind]
  const wait = error.kind === 'rate_limit' ? { 'retry-after': error.subject } : {}
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-should-retry': String(retry), ...wait },
    body: errorBody(error, requestId),
  }
}

export function messagesErrorEvent(error: ProviderError, { stamp }: { readonly stamp: Stamp }): string {
  return `event: error\ndata: ${errorBody(error, stamp.requestId)}\n\n`
}
