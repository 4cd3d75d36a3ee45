/** OpenAI's wording of errors on Responses: as on Chat Completions except for an unknown model, and with separate events. */

import type { ErrorResponse, ProviderError } from '../errors.ts'
import type { StreamPosition } from '../format.ts'
import { chatRows, type OpenaiRows, openaiError, openaiErrorResponse } from '../openai-chat/errors.ts'
import type { JsonObject, NormalizedRequest } from '../request/normalized-request.ts'
import type { Stamp } from '../script/answer.ts'

const rows: OpenaiRows = {
  ...chatRows,
  unknown_model: {
    status: 400,
    type: 'invalid_request_error',
    code: 'model_not_found',
    message: (subject) => `The requested model '${subject}' does not exist.`,
  },
}

export function responsesErrorResponse(error: ProviderError): ErrorResponse {
  return openaiErrorResponse(rows, error)
}

/** Encodes an event of a stream. */
export function responsesEvent(type: string, fields: JsonObject, sequence: number): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields, sequence_number: sequence })}\n\n`
}

export function responseId({ unique }: Stamp): string {
  return `resp_${unique}`
}

/** The fields that a response has in every state. */
export function responseHead({
  request,
  stamp,
}: {
  readonly request: NormalizedRequest
  readonly stamp: Stamp
}): JsonObject {
  return {
    id: responseId(stamp),
    object: 'response',
    created_at: stamp.createdSeconds,
    model: request.model,
    background: false,
    previous_response_id: null,
    prompt_cache_retention: 'in_memory',
    ...request.repeated,
  }
}

/** The error as an event, and the answer that failed by it. */
export function responsesErrorEvent(error: ProviderError, position: StreamPosition): string {
  const body = openaiError(rows, error)
  const code = body.code ?? body.type
  const response = {
    ...responseHead(position),
    status: 'failed',
    completed_at: null,
    error: { code, message: body.message },
    incomplete_details: null,
    output: [],
    service_tier: position.request.serviceTier,
    usage: null,
  }
  return (
    responsesEvent('error', { error: { ...body, code } }, position.events) +
    responsesEvent('response.failed', { response }, position.events + 1)
  )
}
