/**
 * OpenAI's wording of every error: status, type, code and message. A table and its readers; Responses has the same
 * one except for one row.
 */

import type { ErrorResponse, ProviderError, SandboxErrorKind } from '../errors.ts'
import type { JsonObject } from '../request/normalized-request.ts'

interface OpenaiRow {
  readonly status: number
  readonly type: string
  readonly code: string | null
  readonly message: (subject: string) => string
}

const request = 'invalid_request_error'

export type OpenaiRows = Readonly<Record<SandboxErrorKind, OpenaiRow>>

export const chatRows: OpenaiRows = {
  invalid: { status: 400, type: request, code: null, message: (subject) => subject },
  no_credential: {
    status: 401,
    type: request,
    code: null,
    message: () => "You didn't provide an API key. Send it in an Authorization header: Bearer YOUR_KEY.",
  },
  wrong_credential: {
    status: 401,
    type: request,
    code: 'invalid_api_key',
    message: () => 'Incorrect API key provided.',
  },
  quota: {
    status: 429,
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    message: () => 'You exceeded your current quota, please check your plan and billing details.',
  },
  unknown_model: {
    status: 404,
    type: request,
    code: 'model_not_found',
    message: (subject) => `The model \`${subject}\` does not exist or you do not have access to it.`,
  },
  unknown_item: {
    status: 404,
    type: request,
    code: null,
    message: (subject) => `Item with id '${subject}' not found.`,
  },
  unknown_path: { status: 404, type: request, code: null, message: (subject) => `Invalid URL (${subject})` },
  wrong_method: {
    status: 405,
    type: request,
    code: 'method_not_supported',
    message: (subject) => `Not allowed: ${subject}.`,
  },
  too_large: { status: 413, type: request, code: null, message: () => 'The request body is too large.' },
  context: {
    status: 400,
    type: request,
    code: 'context_length_exceeded',
    message: (subject) =>
      `This model's maximum context length is 1 token. However, your messages resulted in ${subject} tokens.`,
  },
  rate_limit: {
    status: 429,
    type: 'requests',
    code: 'rate_limit_exceeded',
    message: () => 'Rate limit reached for requests. Please try again later.',
  },
  server: {
    status: 500,
    type: 'server_error',
    code: null,
    message: () => 'The server had an error while processing your request.',
  },
  overloaded: {
    status: 529,
    type: 'server_error',
    code: null,
    message: () => 'The server is overloaded. Please try again later.',
  },
}

/** The error as every format of OpenAI holds it. */
export function openaiError(rows: OpenaiRows, { kind, subject, param, code }: ProviderError): JsonObject {
  const row = rows[kind]
  return { message: row.message(subject), type: row.type, param, code: code ?? row.code }
}

export function openaiErrorResponse(rows: OpenaiRows, error: ProviderError): ErrorResponse {
  const { kind, subject } = error
  const wait = kind === 'rate_limit' ? { 'retry-after': subject } : {}
  return {
    status: rows[kind].status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...wait },
    body: JSON.stringify({ error: openaiError(rows, error) }),
  }
}

export function chatErrorResponse(error: ProviderError): ErrorResponse {
  return openaiErrorResponse(chatRows, error)
}

export function chatErrorEvent(error: ProviderError): string {
  return `data: ${JSON.stringify({ error: openaiError(chatRows, error) })}\n\n`
}
