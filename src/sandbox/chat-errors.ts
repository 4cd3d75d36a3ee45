/** How OpenAI words every problem on Chat Completions: status, type, code and message. A table and its reader. */
import type { Failure, Problem, Trouble } from './problem.ts'

interface Row {
  readonly status: number
  readonly type: string
  readonly code: string | null
  readonly message: (subject: string) => string
}

const request = 'invalid_request_error'

const rows: Readonly<Record<Trouble, Row>> = {
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

function errorBody({ trouble, subject, param }: Problem): string {
  const { type, code, message } = rows[trouble]
  return JSON.stringify({ error: { message: message(subject), type, param, code } })
}

export function chatFailure(problem: Problem): Failure {
  return {
    status: rows[problem.trouble].status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: errorBody(problem),
  }
}

export function chatErrorEvent(problem: Problem): string {
  return `data: ${errorBody(problem)}\n\n`
}
