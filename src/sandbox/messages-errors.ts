/** How Anthropic words every problem on Messages: status, type, message and its advice to retry. A table and its reader. */
import type { Stamp } from './answer.ts'
import type { Failure, Problem, Trouble } from './problem.ts'

interface Row {
  readonly status: number
  readonly type: string
  readonly retry: boolean
  readonly message: (subject: string) => string
}

const rows: Readonly<Record<Trouble, Row>> = {
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

function errorBody({ trouble, subject }: Problem, requestId: string): string {
  const { type, message } = rows[trouble]
  return JSON.stringify({ type: 'error', error: { type, message: message(subject) }, request_id: requestId })
}

export function messagesFailure(problem: Problem, requestId: string): Failure {
  const { status, retry } = rows[problem.trouble]
  const wait = problem.trouble === 'rate_limit' ? { 'retry-after': problem.subject } : {}
  return {
    status,
    headers: { 'content-type': 'application/json', 'x-should-retry': String(retry), ...wait },
    body: errorBody(problem, requestId),
  }
}

export function messagesErrorEvent(problem: Problem, { stamp }: { readonly stamp: Stamp }): string {
  return `event: error\ndata: ${errorBody(problem, stamp.requestId)}\n\n`
}
