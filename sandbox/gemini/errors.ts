/** Google's wording of every error on generateContent: status, its name and message. A table and its readers. */

import type { ErrorResponse, ProviderError, SandboxErrorKind } from '../errors.ts'
import type { JsonObject } from '../request/normalized-request.ts'
import { spacedJson } from './json.ts'

interface GeminiErrorRow {
  readonly code: number
  readonly status: string
  readonly message: (subject: string) => string
  readonly details?: (error: ProviderError) => readonly JsonObject[]
}

function typed(name: string, fields: JsonObject): JsonObject {
  return { '@type': `type.googleapis.com/google.rpc.${name}`, ...fields }
}

const invalidArgument = { code: 400, status: 'INVALID_ARGUMENT' }
const notFound = { code: 404, status: 'NOT_FOUND' }
const exhausted = { code: 429, status: 'RESOURCE_EXHAUSTED' }
const apiHost = 'generativelanguage.googleapis.com'

const rows: Readonly<Record<SandboxErrorKind, GeminiErrorRow>> = {
  invalid: {
    ...invalidArgument,
    message: (subject) => subject,
    details: ({ subject: description, param }) =>
      param === null
        ? []
        : [
            typed('BadRequest', {
              fieldViolations: [param === '' ? { description } : { field: param, description }],
            }),
          ],
  },
  no_credential: {
    code: 403,
    status: 'PERMISSION_DENIED',
    message: () =>
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
  },
  wrong_credential: {
    ...invalidArgument,
    message: () => 'API key not valid. Please pass a valid API key.',
    details: () => [
      typed('ErrorInfo', {
        reason: 'API_KEY_INVALID',
        domain: 'googleapis.com',
        metadata: { service: apiHost },
      }),
    ],
  },
  quota: {
    ...exhausted,
    message: () => 'You exceeded your current quota, please check your plan and billing details.',
    details: () => [typed('QuotaFailure', { violations: [{ quotaMetric: 'sandbox', quotaId: 'sandbox' }] })],
  },
  unknown_model: {
    ...notFound,
    message: (subject) =>
      `models/${subject} is not found for API version v1beta, or is not supported for generateContent.`,
  },
  unknown_item: {
    code: 403,
    status: 'PERMISSION_DENIED',
    message: (subject) => `${subject} not found (or permission denied)`,
  },
  unknown_path: { ...notFound, message: (subject) => `Not found: ${subject}` },
  wrong_method: { ...notFound, message: (subject) => `Not found: ${subject}` },
  too_large: { ...invalidArgument, code: 400, message: () => 'Request payload size exceeds the limit.' },
  context: {
    ...invalidArgument,
    message: (subject) =>
      `The input token count (${subject}) exceeds the maximum number of tokens allowed (1).`,
  },
  rate_limit: {
    ...exhausted,
    message: () => 'Resource has been exhausted (e.g. check quota).',
    // The wait is only in the body.
    details: ({ subject }) => [typed('RetryInfo', { retryDelay: `${subject}s` })],
  },
  server: { code: 500, status: 'INTERNAL', message: () => 'An internal error has occurred.' },
  overloaded: {
    code: 503,
    status: 'UNAVAILABLE',
    message: () => 'The model is overloaded. Please try again later.',
  },
}

function errorOf(error: ProviderError): JsonObject {
  const { code, status, message, details } = rows[error.kind]
  const listed = details?.(error) ?? []
  const body = { code, message: message(error.subject), status }
  return { error: listed.length === 0 ? body : { ...body, details: listed } }
}

export function geminiErrorResponse(error: ProviderError): ErrorResponse {
  return {
    status: rows[error.kind].code,
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    body: `${JSON.stringify(errorOf(error), null, 2)}\n`,
  }
}

export function geminiErrorEvent(error: ProviderError): string {
  return `data: ${spacedJson(errorOf(error))}\r\n\r\n`
}
