/**
 * Errors in the format of chat clients. `type` and `code` are the ones their libraries branch on; what
 * is specific to the gateway is in `error.details`: the facts, and our own code where theirs replaced it.
 */
import type { ErrorCategory } from '../../../contract/errors.ts'
import type { ClientError, UpstreamProblem } from '../format.ts'

/** The code that agents look for before they shorten their context. */
export const contextMark = 'context_length_exceeded'

/** `null`: our own code is also the one that clients know, or they know none. */
const words: Readonly<Record<ErrorCategory, readonly [type: string, code: string | null]>> = {
  invalid_request: ['invalid_request_error', null],
  context_too_long: ['invalid_request_error', contextMark],
  authentication: ['invalid_request_error', null],
  billing: ['insufficient_quota', null],
  permission: ['invalid_request_error', null],
  not_found: ['invalid_request_error', null],
  timeout: ['server_error', null],
  too_large: ['invalid_request_error', null],
  rate_limit: ['requests', 'rate_limit_exceeded'],
  server: ['server_error', null],
  overloaded: ['server_error', null],
}

/** The words that others look for. */
const contextPhrase = 'maximum context length'
const overloadedStatus = 503

/** The whole JSON body of an error answer. */
export function errorBody(problem: ClientError): string {
  const [type, code] = words[problem.category]
  const ownCode = code === null ? {} : { code: problem.code }
  const details = { ...ownCode, ...problem.details }
  return JSON.stringify({
    error: {
      message: messageOf(problem),
      type: problem.code === 'token_rate_limited' ? 'tokens' : type,
      param: problem.param,
      code: code ?? problem.code,
      source: problem.source,
      ...(Object.keys(details).length === 0 ? {} : { details }),
    },
  })
}

function messageOf(problem: ClientError): string {
  if (problem.category !== 'context_too_long' || problem.message.includes(contextPhrase))
    return problem.message
  return `The input exceeds this model's ${contextPhrase}. ${problem.message}`
}

/** 503 in place of 529, which only clients of the other format know. */
export function errorStatus(problem: ClientError): number {
  return problem.category === 'overloaded' ? overloadedStatus : problem.status
}

/** An error in place of a chunk; no end mark follows it. */
export function errorFrame(problem: ClientError): string {
  return `data: ${errorBody(problem)}\n\n`
}

/** Most telling first; https://developers.openai.com/api/docs/guides/error-codes. */
const statuses: readonly (readonly [word: string, status: number])[] = [
  ['insufficient_quota', 429],
  ['rate_limit_exceeded', 429],
  ['invalid_api_key', 401],
  ['authentication_error', 401],
  ['model_not_found', 404],
  ['not_found_error', 404],
  ['permission_error', 403],
  ['requests', 429],
  ['tokens', 429],
  ['overloaded_error', 503],
  ['service_unavailable', 503],
  ['invalid_request_error', 400],
]
const otherStatus = 500

/** The HTTP status that corresponds to an error inside a 200 response; hosts also give it as the code. */
export function problemStatus(problem: UpstreamProblem): number {
  const asNumber = Number(problem.code)
  if (Number.isInteger(asNumber) && asNumber >= 400 && asNumber < 600) return asNumber
  const row = statuses.find(([word]) => word === problem.code || word === problem.type)
  return row?.[1] ?? otherStatus
}
