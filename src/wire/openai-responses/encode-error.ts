/**
 * Errors in the format of Responses clients. The body is the same as in chat; a stream sends an error
 * twice: as an `error` event, which libraries throw, and as `response.failed`, whose code agents act on.
 */
import type { ErrorCategory } from '../../../contract/errors.ts'
import type { ClientError, UpstreamProblem } from '../format.ts'
import { problemStatus as chatProblemStatus, errorBody } from '../openai-chat/encode-error.ts'
import { tailOf } from './encode-response-object.ts'

export { errorBody, errorStatus } from '../openai-chat/encode-error.ts'

/**
 * `response.error.code` by category. Codex shortens its context, gives up or tries again by it:
 * github.com/openai/codex codex-rs/codex-api/src/sse/responses.rs.
 */
const failedCodes: Readonly<Record<ErrorCategory, string>> = {
  invalid_request: 'invalid_prompt',
  context_too_long: 'context_length_exceeded',
  authentication: 'invalid_prompt',
  billing: 'insufficient_quota',
  permission: 'invalid_prompt',
  not_found: 'invalid_prompt',
  timeout: 'server_error',
  too_large: 'invalid_prompt',
  rate_limit: 'rate_limit_exceeded',
  server: 'server_error',
  overloaded: 'server_is_overloaded',
}

/** The two events after which the stream closes. What came before them is not counted here, so they begin at 0. */
export function errorFrame(problem: ClientError): string {
  const body = errorBody(problem)
  const { error } = JSON.parse(body) as { error: { message: string; code: string; param: string | null } }
  const { message, code, param } = error
  const flat = JSON.stringify({ type: 'error', sequence_number: 0, code, message, param })
  const failed = {
    type: 'response.failed',
    sequence_number: 1,
    response: {
      id: `resp_${tailOf(problem.requestId)}`,
      object: 'response',
      created_at: 0,
      status: 'failed',
      error: { code: failedCodes[problem.category], message },
      incomplete_details: null,
      output: [],
      usage: null,
    },
  }
  return `event: error\ndata: ${flat.slice(0, -1)},${body.slice(1)}\n\nevent: response.failed\ndata: ${JSON.stringify(failed)}\n\n`
}

/** Codes of `response.error` that come without a type: https://developers.openai.com/api/reference/resources/responses (ResponseError). */
const statuses: Readonly<Record<string, number>> = {
  context_length_exceeded: 400,
  invalid_prompt: 400,
  bio_policy: 400,
  misalignment_policy_violation: 400,
  image_too_large: 400,
  image_too_small: 400,
  image_parse_error: 400,
  image_content_policy_violation: 400,
  image_file_too_large: 400,
  unsupported_image_media_type: 400,
  empty_image_file: 400,
  failed_to_download_image: 400,
  image_file_not_found: 400,
  server_is_overloaded: 503,
  slow_down: 503,
}

/** The HTTP status that corresponds to an error inside a 200 response. */
export function problemStatus(problem: UpstreamProblem): number {
  const { code } = problem
  if (Object.hasOwn(statuses, code)) return statuses[code] ?? chatProblemStatus(problem)
  // `invalid_image_url` and its like.
  return code.startsWith('invalid_') && code !== 'invalid_api_key' ? 400 : chatProblemStatus(problem)
}
