/** How OpenAI words problems on Responses: as on Chat Completions but for an unknown model, and with events of its own. */
import type { Stamp } from './answer.ts'
import type { Ask, JsonObject } from './ask.ts'
import { chatRows, type OpenaiRows, openaiError, openaiFailure } from './chat-errors.ts'
import type { Failure, Problem } from './problem.ts'

const rows: OpenaiRows = {
  ...chatRows,
  unknown_model: {
    status: 400,
    type: 'invalid_request_error',
    code: 'model_not_found',
    message: (subject) => `The requested model '${subject}' does not exist.`,
  },
}

export function responsesFailure(problem: Problem): Failure {
  return openaiFailure(rows, problem)
}

/** One event of a stream. */
export function responsesEvent(type: string, fields: JsonObject, sequence: number): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields, sequence_number: sequence })}\n\n`
}

export function responseId({ unique }: Stamp): string {
  return `resp_${unique}`
}

/** What every state of an answer tells alike. */
export function responseHead({ ask, stamp }: { readonly ask: Ask; readonly stamp: Stamp }): JsonObject {
  return {
    id: responseId(stamp),
    object: 'response',
    created_at: stamp.createdSeconds,
    model: ask.model,
    background: false,
    previous_response_id: null,
    prompt_cache_retention: 'in_memory',
    ...ask.repeated,
  }
}

export interface FailedResponse {
  readonly ask: Ask
  readonly stamp: Stamp
  /** Events that went before. */
  readonly events: number
}

/** The problem as an event, and the answer that failed by it. */
export function responsesErrorEvent(problem: Problem, failed: FailedResponse): string {
  const error = openaiError(rows, problem)
  const code = error.code ?? error.type
  const response = {
    ...responseHead(failed),
    status: 'failed',
    completed_at: null,
    error: { code, message: error.message },
    incomplete_details: null,
    output: [],
    service_tier: failed.ask.serviceTier,
    usage: null,
  }
  return (
    responsesEvent('error', { error: { ...error, code } }, failed.events) +
    responsesEvent('response.failed', { response }, failed.events + 1)
  )
}
