/** Errors as Responses clients expect them, and errors of upstreams in any shape. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import OpenAI, { APIError } from 'openai'
import type { ErrorCategory } from '../../../contract/errors.ts'
import type { ClientError } from '../dialect.ts'
import { openaiResponses } from './index.ts'

const { errorBody, errorFrame, errorStatus, problemStatus } = openaiResponses
const problem: ClientError = {
  code: 'insufficient_balance',
  category: 'billing',
  status: 402,
  message: 'Your balance is too low "here".',
  param: null,
  details: { available: '0.01' },
  source: 'gateway',
  requestId: 'req_0abc',
}

const payloads = (frame: string) =>
  [...frame.matchAll(/^data: ([^\n]*)$/gm)].map(([, data]) => JSON.parse(data!) as Record<string, unknown>)

test('a JSON error is the one that chat has', () => {
  const { error } = JSON.parse(errorBody(problem)) as { error: Record<string, unknown> }
  assert.equal(error.type, 'insufficient_quota')
  assert.equal(error.code, 'insufficient_balance')
  assert.equal(errorStatus({ ...problem, category: 'overloaded', status: 529 }), 503)
})

test('an error in a stream has both shapes of the event, and the response that failed', () => {
  const [errorEvent, failed] = payloads(errorFrame(problem))
  assert.equal(errorEvent?.type, 'error')
  assert.equal(errorEvent?.code, 'insufficient_balance')
  assert.equal(errorEvent?.message, problem.message)
  assert.deepEqual((errorEvent!.error as Record<string, unknown>).details, { available: '0.01' })
  assert.equal(failed?.type, 'response.failed')
  const response = failed?.response as Record<string, unknown>
  assert.equal(response.id, 'resp_0abc')
  assert.equal(response.status, 'failed')
  assert.deepEqual(response.error, { code: 'insufficient_quota', message: problem.message })
})

const codes: [category: ErrorCategory, code: string][] = [
  ['context_too_long', 'context_length_exceeded'],
  ['rate_limit', 'rate_limit_exceeded'],
  ['billing', 'insufficient_quota'],
  ['server', 'server_error'],
  ['timeout', 'server_error'],
  ['overloaded', 'server_is_overloaded'],
  ['invalid_request', 'invalid_prompt'],
]
for (const [category, code] of codes) {
  test(`an agent reads ${code} of ${category}`, () => {
    const [, failed] = payloads(errorFrame({ ...problem, category }))
    assert.equal((failed!.response as { error: { code: string } }).error.code, code)
  })
}

test('the library throws an error event with its words', async () => {
  const client = new OpenAI({
    apiKey: 'none',
    maxRetries: 0,
    fetch: async () =>
      new Response(errorFrame(problem), { headers: { 'content-type': 'text/event-stream' } }),
  })
  await assert.rejects(
    client.responses.stream({ model: 'm', input: 'hi' }).finalResponse(),
    (error) => error instanceof APIError && error.code === 'insufficient_balance',
  )
})

const statuses: [code: string, type: string, status: number][] = [
  ['context_length_exceeded', '', 400],
  ['invalid_prompt', '', 400],
  ['invalid_image_url', '', 400],
  ['invalid_api_key', '', 401],
  ['rate_limit_exceeded', '', 429],
  ['insufficient_quota', 'insufficient_quota', 429],
  ['server_is_overloaded', '', 503],
  ['server_error', '', 500],
  ['', 'invalid_request_error', 400],
  ['', '', 500],
]
for (const [code, type, status] of statuses) {
  test(`the problem ${code || type || 'without a word'} is a ${status}`, () => {
    assert.equal(problemStatus({ message: '', type, code }), status)
  })
}

test('our own error frame is understood by our own watch', () => {
  const watch = openaiResponses.tapStream({
    usageEvent: 'relay',
    choices: 1,
    eventBytesMax: 10_000,
    sampleCharactersMax: 10,
  })
  watch.push(Buffer.from(errorFrame(problem)))
  assert.equal(watch.state, 'failed')
  assert.deepEqual(watch.problem, {
    message: problem.message,
    type: 'insufficient_quota',
    code: 'insufficient_balance',
  })
})
