/**
 * Errors in the format of Google's APIs. What is specific to the gateway is in an `ErrorInfo`: the code of our error
 * table as its reason, the source of the error, the invalid field and the facts.
 */
import type { ErrorCategory } from '../../../contract/errors.ts'
import type { ClientError, UpstreamProblem } from '../format.ts'

/** https://cloud.google.com/apis/design/errors#handling_errors */
const statuses: Readonly<Record<ErrorCategory, string>> = {
  invalid_request: 'INVALID_ARGUMENT',
  context_too_long: 'INVALID_ARGUMENT',
  authentication: 'UNAUTHENTICATED',
  billing: 'FAILED_PRECONDITION',
  permission: 'PERMISSION_DENIED',
  not_found: 'NOT_FOUND',
  timeout: 'DEADLINE_EXCEEDED',
  too_large: 'INVALID_ARGUMENT',
  rate_limit: 'RESOURCE_EXHAUSTED',
  server: 'INTERNAL',
  overloaded: 'UNAVAILABLE',
}

const typePrefix = 'type.googleapis.com/google.rpc.'
const domain = 'tollgate'
/** Agents look for these words before they shorten their context. */
export const contextPhrase = 'exceeds the maximum number of tokens'
const overloadedStatus = 503

/** The whole JSON body of an error answer. */
export function errorBody(problem: ClientError): string {
  return JSON.stringify({
    error: {
      code: errorStatus(problem),
      message: messageOf(problem),
      status: statusOf(problem),
      details: [errorInfo(problem), ...retryInfo(problem)],
    },
  })
}

/** Google has a separate status for what is temporarily unavailable. */
function statusOf({ category, status }: ClientError): string {
  return category === 'server' && status === 503 ? 'UNAVAILABLE' : statuses[category]
}

function errorInfo({ code, source, requestId, param, details }: ClientError): object {
  const metadata: Record<string, string> = { source, requestId }
  if (param !== null) metadata.param = param
  for (const [name, value] of Object.entries(details)) metadata[name] = String(value)
  return { '@type': `${typePrefix}ErrorInfo`, reason: code.toUpperCase(), domain, metadata }
}

function retryInfo({ retryAfterMs }: ClientError): readonly object[] {
  if (retryAfterMs === undefined) return []
  return [{ '@type': `${typePrefix}RetryInfo`, retryDelay: `${Math.ceil(retryAfterMs) / 1_000}s` }]
}

function messageOf({ category, message }: ClientError): string {
  if (category !== 'context_too_long' || message.includes(contextPhrase)) return message
  return `The input token count ${contextPhrase} allowed. ${message}`
}

/** 503 in place of 529, which only clients of another format know. */
export function errorStatus(problem: ClientError): number {
  return problem.category === 'overloaded' ? overloadedStatus : problem.status
}

/** An error in place of an event. */
export function errorFrame(problem: ClientError): string {
  return `data: ${errorBody(problem)}\r\n\r\n`
}

/** https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto */
const httpStatuses: Readonly<Record<string, number>> = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  ABORTED: 409,
  RESOURCE_EXHAUSTED: 429,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
}
const otherStatus = 500

/** The HTTP status that corresponds to an error inside a 200 response; it is also given as the code. */
export function problemStatus(problem: UpstreamProblem): number {
  const asNumber = Number(problem.code)
  if (Number.isInteger(asNumber) && asNumber >= 400 && asNumber < 600) return asNumber
  return Object.hasOwn(httpStatuses, problem.type) ? (httpStatuses[problem.type] ?? otherStatus) : otherStatus
}
