/** Errors as chat clients expect them, and errors of upstreams in any wording. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { APIError } from 'openai'
import type { ChatCompletionChunk as Chunk } from 'openai/resources'
import { Stream } from 'openai/streaming'
import type { ErrorCategory } from '../../../contract/errors.ts'
import type { ClientError } from '../dialect.ts'
import { errorBody, errorFrame, errorStatus, problemStatus } from './encode-error.ts'
import { openaiChat } from './index.ts'

const problem: ClientError = {
  code: 'invalid_value',
  category: 'invalid_request',
  status: 400,
  message: 'n: must be a whole number.',
  param: 'n',
  details: {},
  source: 'gateway',
  requestId: 'req_1',
}

const bodyOf = (more: Partial<ClientError>) =>
  (JSON.parse(errorBody({ ...problem, ...more })) as { error: Record<string, unknown> }).error

test('an error has the members that clients read, and ours next to them', () => {
  assert.deepEqual(bodyOf({}), {
    message: 'n: must be a whole number.',
    type: 'invalid_request_error',
    param: 'n',
    code: 'invalid_value',
    source: 'gateway',
  })
  const details = { available: '0.0100', affordable_max_tokens: 640 }
  assert.deepEqual(bodyOf({ details }).details, details)
})

const rows: [more: Partial<ClientError>, type: string, code: string, status: number][] = [
  [
    { code: 'missing_api_key', category: 'authentication', status: 401 },
    'invalid_request_error',
    'missing_api_key',
    401,
  ],
  [
    { code: 'insufficient_balance', category: 'billing', status: 402 },
    'insufficient_quota',
    'insufficient_balance',
    402,
  ],
  [
    { code: 'model_not_found', category: 'not_found', status: 404 },
    'invalid_request_error',
    'model_not_found',
    404,
  ],
  [
    { code: 'context_too_long', category: 'context_too_long' },
    'invalid_request_error',
    'context_length_exceeded',
    400,
  ],
  [{ code: 'rate_limited', category: 'rate_limit', status: 429 }, 'requests', 'rate_limit_exceeded', 429],
  [{ code: 'token_rate_limited', category: 'rate_limit', status: 429 }, 'tokens', 'rate_limit_exceeded', 429],
  [
    { code: 'upstream_error', category: 'server', status: 502, source: 'upstream' },
    'server_error',
    'upstream_error',
    502,
  ],
  [
    { code: 'upstream_overloaded', category: 'overloaded', status: 529 },
    'server_error',
    'upstream_overloaded',
    503,
  ],
  [{ code: 'upstream_timeout', category: 'timeout', status: 504 }, 'server_error', 'upstream_timeout', 504],
]

test('each category has the type, code and status that clients branch on', () => {
  for (const [more, type, code, status] of rows) {
    const error = bodyOf(more)
    assert.deepEqual(
      [error.type, error.code, errorStatus({ ...problem, ...more })],
      [type, code, status],
      more.code,
    )
    if (code !== more.code) assert.deepEqual(error.details, { code: more.code })
  }
})

test('agents find the words that make them shorten their context', () => {
  const { message } = bodyOf({ category: 'context_too_long', message: 'It has 9 tokens.' })
  assert.equal(message, "The input exceeds this model's maximum context length. It has 9 tokens.")
  const native = "This model's maximum context length is 8192 tokens."
  assert.equal(bodyOf({ category: 'context_too_long', message: native }).message, native)
})

test('every category has words', () => {
  const categories: ErrorCategory[] = [
    'invalid_request',
    'context_too_long',
    'authentication',
    'billing',
    'permission',
    'not_found',
    'timeout',
    'too_large',
    'rate_limit',
    'server',
    'overloaded',
  ]
  for (const category of categories) assert.equal(typeof bodyOf({ category }).type, 'string', category)
})

/** What the official library makes of a stream: the texts it yields, then the error it throws. */
async function read(stream: string): Promise<readonly string[]> {
  const messages: string[] = []
  const response = new Response(stream, { headers: { 'content-type': 'text/event-stream' } })
  try {
    for await (const chunk of Stream.fromSSEResponse<Chunk>(response, new AbortController())) {
      messages.push(chunk.choices[0]?.delta.content ?? '')
    }
  } catch (error) {
    assert.ok(error instanceof APIError, String(error))
    messages.push(`${error.type} ${error.code}`)
  }
  return messages
}

test('the official library throws an error inside a stream, and does not see a keep-alive', async () => {
  const frame = errorFrame({ ...problem, message: 'line\nbreak and "quotes"' })
  assert.match(frame, /^data: \{.*\}\n\n$/)
  assert.doesNotMatch(frame, /\[DONE\]/)
  const chunk = 'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
  assert.deepEqual(await read(openaiChat.keepAlive + chunk + openaiChat.keepAlive + frame), [
    'a',
    'invalid_request_error invalid_value',
  ])
})

const words: [body: string, message: string, type: string, code: string][] = [
  ['{"error":{"message":"m","type":"t","param":null,"code":"c"}}', 'm', 't', 'c'],
  ['{"error":{"message":"m","type":"t","code":429}}', 'm', 't', '429'],
  ['{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}', 'm', 'UNAVAILABLE', '503'],
  ['[{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}]', 'm', 'INVALID_ARGUMENT', '400'],
  ['{"error":"m"}', 'm', '', ''],
  ['{"error":"m","code":"c"}', 'm', '', 'c'],
  ['{"detail":"m"}', 'm', '', ''],
  ['{"detail":[{"loc":["body"],"msg":"m","type":"missing"}]}', 'm', 'missing', ''],
  ['{"errors":[{"message":"m","code":1000}]}', 'm', '', '1000'],
  ['{"object":"error","message":"m","type":"BadRequestError","code":400}', 'm', 'BadRequestError', '400'],
  ['{"type":"error","error":{"type":"overloaded_error","message":"m"}}', 'm', 'overloaded_error', ''],
  ['"m"', 'm', '', ''],
  ['upstream connect error', 'upstream connect error', '', ''],
  ['<!DOCTYPE html><title>502 Bad Gateway</title>', '', '', ''],
  ['', '', '', ''],
  ['null', '', '', ''],
  ['[]', '', '', ''],
  ['{}', '', '', ''],
  ['{"error":{}}', '', '', ''],
  ['{"error":{"message":["x"],"type":{}}}', '', '', ''],
  ['{"error":', '{"error":', '', ''],
  [`${'['.repeat(50)}"m"${']'.repeat(50)}`, '', '', ''],
]

test('an upstream’s error is understood however it is worded', () => {
  for (const [body, message, type, code] of words) {
    assert.deepEqual(openaiChat.readError(Buffer.from(body)), { message, type, code }, body)
  }
  assert.equal(openaiChat.readError(Uint8Array.of(0xff, 0xfe, 0x00)).message.length, 3)
  assert.equal(openaiChat.readError(Buffer.from('x'.repeat(100_000))).message.length, 2_000)
})

const answers: [body: string, problem: string | null][] = [
  ['{"choices":[{"message":{"content":"a"}}],"error":null}', null],
  ['{"choices":[{"message":{"content":null,"refusal":"no"}}]}', null],
  ['{"error":{"message":"m"}}', 'm'],
  ['{"error":{"message":"m"},"choices":[{"message":{"content":"a"}}]}', 'm'],
  ['{"choices":[]}', 'The upstream response has no choices.'],
  ['{"id":"x"}', 'The upstream response has no choices.'],
  ['{"choices":"a"}', 'The upstream response has no choices.'],
  ['', 'The upstream response is not a JSON object.'],
  ['<html>', 'The upstream response is not a JSON object.'],
  ['[]', 'The upstream response is not a JSON object.'],
  ['null', 'The upstream response is not a JSON object.'],
]

test('what came with status 200 is not always an answer', () => {
  for (const [body, expected] of answers) {
    assert.equal(openaiChat.extractResponse(Buffer.from(body), 100).problem?.message ?? null, expected, body)
  }
})

test('an error under status 200 gets the status that its type implies', () => {
  const cases: [type: string, code: string, status: number][] = [
    ['insufficient_quota', 'insufficient_quota', 429],
    ['tokens', 'rate_limit_exceeded', 429],
    ['invalid_request_error', 'invalid_api_key', 401],
    ['invalid_request_error', 'model_not_found', 404],
    ['invalid_request_error', 'context_length_exceeded', 400],
    ['server_error', '', 500],
    ['', '502', 502],
    ['', '200', 500],
    ['', '', 500],
    ['UNAVAILABLE', '503', 503],
  ]
  for (const [type, code, status] of cases)
    assert.equal(problemStatus({ message: '', type, code }), status, `${type} ${code}`)
})
