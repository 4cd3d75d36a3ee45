/**
 * Errors in the format of Messages clients. What is specific to the gateway is in `error.details`: the code of
 * our error table, the source of the error, the invalid field and the facts.
 */
import type { ErrorCategory } from '../../../contract/errors.ts'
import type { ClientError, UpstreamProblem } from '../format.ts'

/** https://platform.claude.com/docs/en/api/errors */
const types: Readonly<Record<ErrorCategory, string>> = {
  invalid_request: 'invalid_request_error',
  context_too_long: 'invalid_request_error',
  authentication: 'authentication_error',
  billing: 'billing_error',
  permission: 'permission_error',
  not_found: 'not_found_error',
  timeout: 'timeout_error',
  too_large: 'request_too_large',
  rate_limit: 'rate_limit_error',
  server: 'api_error',
  overloaded: 'overloaded_error',
}

/** Phrases that clients of this format look for in the message. */
const billingPhrase = 'Your credit balance is too low'
export const contextPhrase = 'prompt is too long'
const overloadedStatus = 529

/** Error details that make the official libraries resend the whole conversation when a thread fails. */
const threadDetails: Readonly<Record<string, object>> = {
  thread: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
  'thread.previous_message_id': { error_code: 'thread_not_found' },
}

/** The whole JSON body of an error answer. */
export function errorBody(problem: ClientError): string {
  return JSON.stringify({
    type: 'error',
    error: {
      type: types[problem.category],
      message: messageOf(problem),
      details: {
        code: problem.code,
        source: problem.source,
        ...(problem.param === null ? {} : { param: problem.param }),
        ...(problem.code === 'reference_not_owned' ? threadDetails[problem.param ?? ''] : undefined),
        ...problem.details,
      },
    },
    request_id: problem.requestId,
  })
}

function messageOf({ category, code, message }: ClientError): string {
  // The phrase would be untrue of a key's budget.
  const isOfBalance = category === 'billing' && code !== 'key_budget_exhausted'
  if (isOfBalance && !message.startsWith(billingPhrase)) return `${billingPhrase}. ${message}`
  if (category === 'context_too_long' && !message.includes(contextPhrase))
    return `${contextPhrase}: ${message}`
  return message
}

/** 529 where the upstream or this gateway has too much to do. */
export function errorStatus(problem: ClientError): number {
  return problem.category === 'overloaded' ? overloadedStatus : problem.status
}

/** The event after which the stream closes without `message_stop`. */
export function errorFrame(problem: ClientError): string {
  return `event: error\ndata: ${errorBody(problem)}\n\n`
}

/** https://platform.claude.com/docs/en/api/errors */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}
const otherStatus = 500

/** The HTTP status that corresponds to an error inside a 200 response. */
export function problemStatus(problem: UpstreamProblem): number {
  return Object.hasOwn(statuses, problem.type) ? (statuses[problem.type] ?? otherStatus) : otherStatus
}
