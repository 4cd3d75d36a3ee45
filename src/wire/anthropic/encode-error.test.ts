/** Errors as Messages clients expect them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APIError } from '@anthropic-ai/sdk'
import type { RawMessageStreamEvent } from '@anthropic-ai/sdk/resources'
import { Stream } from '@anthropic-ai/sdk/streaming'
import type { ClientError } from '../dialect.ts'
import { errorBody, errorFrame, errorStatus, problemStatus } from './encode-error.ts'
import { anthropic } from './index.ts'

const problem: ClientError = {
  code: 'invalid_value',
  category: 'invalid_request',
  status: 400,
  message: 'max_tokens: must be a whole number.',
  param: 'max_tokens',
  details: { limit: 5 },
  source: 'gateway',
  requestId: 'req_1',
}

test('an error has the members that clients read, and ours in its details', () => {
  assert.deepEqual(JSON.parse(errorBody(problem)), {
    type: 'error',
    error: {
      type: 'invalid_request_error',
      message: 'max_tokens: must be a whole number.',
      details: { code: 'invalid_value', source: 'gateway', param: 'max_tokens', limit: 5 },
    },
    request_id: 'req_1',
  })
})

const rows: [more: Partial<ClientError>, type: string, message: RegExp, status: number][] = [
  [{ category: 'authentication', status: 401 }, 'authentication_error', /^max/, 401],
  [
    { category: 'billing', status: 402, message: 'It needs 1 USD.' },
    'billing_error',
    /^Your credit balance is too low\. It needs 1 USD\.$/,
    402,
  ],
  [
    { category: 'billing', status: 402, message: 'Your credit balance is too low: x' },
    'billing_error',
    /^Your credit balance is too low: x$/,
    402,
  ],
  [
    {
      category: 'billing',
      code: 'key_budget_exhausted',
      status: 402,
      message: "It exceeds the key's budget.",
    },
    'billing_error',
    /^It exceeds the key's budget\.$/,
    402,
  ],
  [{ category: 'permission', status: 403 }, 'permission_error', /^max/, 403],
  [{ category: 'not_found', status: 404 }, 'not_found_error', /^max/, 404],
  [{ category: 'timeout', status: 504 }, 'timeout_error', /^max/, 504],
  [{ category: 'too_large', status: 413 }, 'request_too_large', /^max/, 413],
  [{ category: 'rate_limit', status: 429 }, 'rate_limit_error', /^max/, 429],
  [{ category: 'server', status: 502 }, 'api_error', /^max/, 502],
  [{ category: 'overloaded', status: 503 }, 'overloaded_error', /^max/, 529],
  [
    { category: 'context_too_long', message: '9 tokens > 5' },
    'invalid_request_error',
    /^prompt is too long: 9 tokens > 5$/,
    400,
  ],
]

test('each category has the type, words and status that clients branch on', () => {
  for (const [more, type, message, status] of rows) {
    const { error } = JSON.parse(errorBody({ ...problem, ...more })) as {
      error: { type: string; message: string }
    }
    assert.equal(error.type, type)
    assert.match(error.message, message)
    assert.equal(errorStatus({ ...problem, ...more }), status, type)
  }
})

test('an error inside a stream is a separate event, and the keep-alive a ping', () => {
  assert.match(
    errorFrame({ ...problem, message: 'line\nbreak' }),
    /^event: error\ndata: \{"type":"error",.*\}\n\n$/,
  )
  const watch = anthropic.tapStream({
    usageEvent: 'relay',
    choices: 1,
    eventBytesMax: 1_000,
    sampleCharactersMax: 10,
  })
  watch.push(Buffer.from(anthropic.keepAlive ?? ''))
  assert.equal(watch.state, 'waiting')
  watch.push(Buffer.from(errorFrame(problem)))
  assert.equal(watch.state, 'failed')
  assert.equal(watch.problem?.type, 'invalid_request_error')
})

test('the official library throws an error inside a stream, and does not see a keep-alive', async () => {
  const start = 'event: message_stop\ndata: {"type":"message_stop"}\n\n'
  const response = new Response(anthropic.keepAlive + start + anthropic.keepAlive + errorFrame(problem))
  const seen: string[] = []
  await assert.rejects(
    async () => {
      const events = Stream.fromSSEResponse<RawMessageStreamEvent>(response, new AbortController())
      for await (const { type } of events) seen.push(type)
    },
    (error) => error instanceof APIError && error.message.includes('must be a whole number'),
  )
  assert.deepEqual(seen, ['message_stop'])
})

test('what came with status 200 is not always an answer', () => {
  const cases: [body: string, problem: string | null][] = [
    ['{"type":"message","content":[]}', null],
    ['{"type":"error","error":{"type":"overloaded_error","message":"m"}}', 'm'],
    ['{"error":{"message":"m"}}', 'm'],
    ['{"type":"message"}', 'The upstream response has no content.'],
    ['', 'The upstream response is not a JSON object.'],
    ['<html>', 'The upstream response is not a JSON object.'],
    ['7', 'The upstream response is not a JSON object.'],
  ]
  for (const [body, expected] of cases) {
    assert.equal(anthropic.extractResponse(Buffer.from(body), 100).problem?.message ?? null, expected, body)
  }
})

test('an error under status 200 gets the status that its type implies', () => {
  const cases: [type: string, status: number][] = [
    ['overloaded_error', 529],
    ['rate_limit_error', 429],
    ['invalid_request_error', 400],
    ['api_error', 500],
    ['', 500],
    ['toString', 500],
  ]
  for (const [type, status] of cases)
    assert.equal(problemStatus({ message: '', type, code: '' }), status, type)
})
