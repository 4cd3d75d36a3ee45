/** Errors as clients of each format parse them, whole and in a stream; and what errors of upstreams mean, in any wording. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ErrorCategory } from '../../contract/errors.ts'
import { fixtureCases } from '../../test/support/fixtures.ts'
import { streamedError, streamReaders } from '../../test/support/format-errors.ts'
import { bytesOf, tapOptions, tapped } from '../../test/support/neutral-values.ts'
import { brokenAnswerRules, brokenStreamRules } from '../../test/support/rules/gemini.ts'
import { wireFormats } from '../../test/support/wire-formats.ts'
import type { ClientError } from './format.ts'
import type { ConversationFormat } from './format-names.ts'

const problem = (more: Partial<ClientError> = {}): ClientError => ({
  ...{ code: 'invalid_value', category: 'invalid_request', status: 400, message: 'n: "must"\nbe whole.' },
  ...{ param: 'n', details: {}, source: 'gateway', requestId: 'req_0abc' },
  ...more,
})
type Loose = Readonly<Record<string, unknown>>
const bodyOf = (format: ConversationFormat, more: Partial<ClientError> = {}) =>
  JSON.parse(wireFormats[format].errorBody(problem(more))) as { error: Loose }
const formats = Object.keys(wireFormats).filter(
  (name) => !name.endsWith('embeddings'),
) as ConversationFormat[]

test('an error has the members that clients read, and ours next to them', () => {
  const details = { needed: '0.1', affordableOutput: 12, limits: ['a', 'b'] }
  const { message } = problem()
  const own = { code: 'invalid_value', source: 'gateway', param: 'n' }
  const chat = { message, type: 'invalid_request_error', ...own, details }
  assert.deepEqual(bodyOf('openai-chat', { details }).error, chat)
  assert.deepEqual(bodyOf('openai-responses', { details }).error, chat)
  assert.equal('details' in bodyOf('openai-chat').error, false)
  assert.deepEqual(bodyOf('anthropic', { details }), {
    type: 'error',
    error: { type: 'invalid_request_error', message, details: { ...own, ...details } },
    request_id: 'req_0abc',
  })
  const facts = { source: 'gateway', requestId: 'req_0abc', param: 'n', ...details }
  assert.deepEqual(bodyOf('gemini', { details, retryAfterMs: 1_500 }).error.details, [
    {
      ...{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'INVALID_VALUE', domain: 'tollgate' },
      metadata: { ...facts, affordableOutput: '12', limits: 'a,b' },
    },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.5s' },
  ])
})

interface Words {
  readonly status: number
  readonly chat: string
  /** `response.error.code` of a stream. */
  readonly responses: string
  readonly messages: string
  readonly gemini: string
  /** Where it is not the error's own. */
  readonly statuses?: Readonly<Partial<Record<ConversationFormat, number>>>
}

const rejected = { chat: 'invalid_request_error', responses: 'invalid_prompt' }
const broken = { chat: 'server_error', responses: 'server_error' }
const categories: Readonly<Record<ErrorCategory, Words>> = {
  invalid_request: {
    status: 400,
    ...rejected,
    messages: 'invalid_request_error',
    gemini: 'INVALID_ARGUMENT',
  },
  context_too_long: {
    ...{ status: 400, chat: 'invalid_request_error', responses: 'context_length_exceeded' },
    ...{ messages: 'invalid_request_error', gemini: 'INVALID_ARGUMENT' },
  },
  authentication: { status: 401, ...rejected, messages: 'authentication_error', gemini: 'UNAUTHENTICATED' },
  billing: {
    ...{ status: 402, chat: 'insufficient_quota', responses: 'insufficient_quota' },
    ...{ messages: 'billing_error', gemini: 'FAILED_PRECONDITION' },
  },
  permission: { status: 403, ...rejected, messages: 'permission_error', gemini: 'PERMISSION_DENIED' },
  not_found: { status: 404, ...rejected, messages: 'not_found_error', gemini: 'NOT_FOUND' },
  timeout: { status: 504, ...broken, messages: 'timeout_error', gemini: 'DEADLINE_EXCEEDED' },
  too_large: { status: 413, ...rejected, messages: 'request_too_large', gemini: 'INVALID_ARGUMENT' },
  rate_limit: {
    ...{ status: 429, chat: 'requests', responses: 'rate_limit_exceeded' },
    ...{ messages: 'rate_limit_error', gemini: 'RESOURCE_EXHAUSTED' },
  },
  server: { status: 500, ...broken, messages: 'api_error', gemini: 'INTERNAL' },
  overloaded: {
    ...{ status: 529, chat: 'server_error', responses: 'server_is_overloaded' },
    ...{ messages: 'overloaded_error', gemini: 'UNAVAILABLE' },
    statuses: { 'openai-chat': 503, 'openai-responses': 503, gemini: 503 },
  },
}

test('each category has the words and the status that clients branch on', () => {
  for (const [name, words] of Object.entries(categories)) {
    const category = name as ErrorCategory
    const { status, chat, responses, messages, gemini, statuses = {} } = words
    const error = problem({ category, status })
    for (const format of formats)
      assert.equal(
        wireFormats[format].errorStatus(error),
        statuses[format] ?? status,
        `${category} ${format}`,
      )
    assert.equal(bodyOf('openai-chat', { category, status }).error.type, chat, category)
    assert.equal(bodyOf('openai-responses', { category, status }).error.type, chat, category)
    assert.equal(bodyOf('anthropic', { category, status }).error.type, messages, category)
    const google = bodyOf('gemini', { category, status })
    assert.deepEqual([google.error.status, google.error.code], [gemini, statuses.gemini ?? status], category)
    assert.deepEqual(brokenAnswerRules(google), [], category)
    const frame = wireFormats.gemini.errorFrame(error)
    assert.deepEqual(brokenStreamRules(frame), [], category)
    const failed = streamedError('openai-responses', wireFormats['openai-responses'].errorFrame(error))
    assert.equal(failed.failedCode, responses, category)
  }
  for (const [status, word] of [
    [502, 'INTERNAL'],
    [503, 'UNAVAILABLE'],
  ] as const)
    assert.equal(bodyOf('gemini', { category: 'server', status }).error.status, word)
})

test('the code is the one that clients of Chat Completions know, with ours in the details', () => {
  for (const [code, category, type, known] of [
    ['context_too_long', 'context_too_long', 'invalid_request_error', 'context_length_exceeded'],
    ['rate_limited', 'rate_limit', 'requests', 'rate_limit_exceeded'],
    ['token_rate_limited', 'rate_limit', 'tokens', 'rate_limit_exceeded'],
  ] as const)
    assert.partialDeepStrictEqual(bodyOf('openai-chat', { code, category }).error, {
      ...{ type, code: known, details: { code } },
    })
})

const low = 'Your credit balance is too low'
const wordings: readonly [ConversationFormat, Partial<ClientError>, message: string][] = [
  ['anthropic', { category: 'billing', message: 'It needs 1 USD.' }, `${low}. It needs 1 USD.`],
  ['anthropic', { category: 'billing', message: `${low}: x` }, `${low}: x`],
  ['anthropic', { category: 'billing', code: 'key_budget_exhausted', message: 'Too much.' }, 'Too much.'],
  ['anthropic', { category: 'context_too_long', message: '9 > 5' }, 'prompt is too long: 9 > 5'],
  [
    'openai-chat',
    { category: 'context_too_long', message: 'It has 9 tokens.' },
    "The input exceeds this model's maximum context length. It has 9 tokens.",
  ],
  ...["This model's maximum context length is 8192 tokens."].map(
    (message) => ['openai-chat', { category: 'context_too_long', message }, message] as const,
  ),
  [
    'gemini',
    { category: 'context_too_long', message: 'No.' },
    'The input token count exceeds the maximum number of tokens allowed. No.',
  ],
  ...['The input token count (9) exceeds the maximum number of tokens allowed (8).'].map(
    (message) => ['gemini', { category: 'context_too_long', message }, message] as const,
  ),
].map(([format, more, message]) => [
  format as ConversationFormat,
  more as Partial<ClientError>,
  String(message),
])

test('agents find the words that make them shorten their context, or ask for money', () => {
  for (const [format, more, message] of wordings) assert.equal(bodyOf(format, more).error.message, message)
})

/** Events before the error; the library of Responses takes no keep-alive there. */
const beginnings: Readonly<Record<Exclude<ConversationFormat, 'gemini'>, string>> = {
  'openai-chat': `${wireFormats['openai-chat'].keepAlive}data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n`,
  'openai-responses': '',
  anthropic: `${wireFormats.anthropic.keepAlive}`,
}

test('an error inside a stream is one for our own tap, and thrown by the official library', async () => {
  for (const format of formats) {
    const { errorFrame, keepAlive, tapStream } = wireFormats[format]
    const frame = errorFrame(problem())
    const tap = tapped(tapStream(tapOptions), keepAlive ?? '')
    assert.equal(tap.state, 'waiting', format)
    tapped(tap, frame)
    assert.deepEqual([tap.state, tap.problem?.message], ['failed', problem().message], format)
    assert.equal(streamedError(format, frame).message, problem().message)
    if (format === 'gemini') continue
    const read = streamReaders[format](beginnings[format] + frame)
    await assert.rejects(read, (error: Error) => error.message.includes('be whole'), format)
  }
  const frames = wireFormats['openai-responses'].errorFrame(problem({ details: { available: '0.01' } }))
  assert.match(frames, /"details":\{"available":"0.01"\}.*\n\n.*\n.*"id":"resp_0abc"/)
})

// Errors of upstreams.

const words: readonly [body: string, message?: string, type?: string, code?: string][] = [
  ['{"error":{"message":"m","type":"t","param":null,"code":"c"}}', 'm', 't', 'c'],
  ['{"error":{"message":"m","type":"t","code":429}}', 'm', 't', '429'],
  ['{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}', 'm', 'UNAVAILABLE', '503'],
  ['[{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}]', 'm', 'INVALID_ARGUMENT', '400'],
  ['{"error":"m"}', 'm'],
  ['{"error":"m","code":"c"}', 'm', '', 'c'],
  ['{"detail":"m"}', 'm'],
  ['{"detail":[{"loc":["body"],"msg":"m","type":"missing"}]}', 'm', 'missing'],
  ['{"errors":[{"message":"m","code":1000}]}', 'm', '', '1000'],
  ['{"object":"error","message":"m","type":"BadRequestError","code":400}', 'm', 'BadRequestError', '400'],
  ['{"type":"error","error":{"type":"overloaded_error","message":"m"}}', 'm', 'overloaded_error'],
  ['"m"', 'm'],
  ['upstream connect error', 'upstream connect error'],
  ['<!DOCTYPE html><title>502 Bad Gateway</title>'],
  [''],
  ['null'],
  ['[]'],
  ['{}'],
  ['{"error":{}}'],
  ['{"error":{"message":["x"],"type":{}}}'],
  ['{"error":', '{"error":'],
  [`${'['.repeat(50)}"m"${']'.repeat(50)}`],
]

test('an upstream’s error is understood however it is worded', () => {
  const { readError } = wireFormats['openai-chat']
  for (const [body, message = '', type = '', code = ''] of words)
    assert.deepEqual(readError(bytesOf(body)), { message, type, code }, body)
  assert.equal(readError(Uint8Array.of(0xff, 0xfe, 0x00)).message.length, 3)
  assert.equal(readError(bytesOf('x'.repeat(100_000))).message.length, 2_000)
})

const notObject = 'The upstream response is not a JSON object.'
const failedBody = '{"status":"failed","error":{"code":"server_error","message":"Broken."},"output":[]}'
const google = (message: string) => `{"error":{"code":500,"message":"${message}","status":"INTERNAL"}}`
/** Bodies that came with status 200, and what is wrong with them. */
const answers: Readonly<Record<ConversationFormat, readonly (readonly [body: string, problem?: RegExp])[]>> =
  {
    'openai-chat': [
      ['{"choices":[{"message":{"content":"a"}}],"error":null}'],
      ['{"choices":[{"message":{"content":null,"refusal":"no"}}]}'],
      ['{"error":{"message":"m"},"choices":[{"message":{"content":"a"}}]}', /^m$/],
      ['{"choices":[]}', /no choices/],
      ['{"id":"x"}', /no choices/],
      ['{"choices":"a"}', /no choices/],
    ],
    'openai-responses': [
      ['{"status":"completed","output":[]}'],
      ['{"status":"incomplete","output":[]}'],
      ['{"output":[]}'],
      [failedBody, /Broken/],
      ['{"status":"failed","error":null,"output":[]}', /failed/],
      ['{"status":"queued","output":[]}', /queued/],
      ['{"choices":[]}', /has no output/],
    ],
    anthropic: [
      ['{"type":"message","content":[]}'],
      ['{"type":"error","error":{"type":"overloaded_error","message":"m"}}', /^m$/],
      ['{"type":"message"}', /no content/],
    ],
    gemini: [
      ['{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}'],
      ['{"promptFeedback":{"blockReason":"SAFETY"}}'],
      ['{"candidates":[{"finishReason":"MAX_TOKENS"}]}'],
      ['{}', /no candidates/],
      ['{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"m"}]}', /^m$/],
      [google('x'), /^x$/],
      [`[${google('y')}]`, /^y$/],
    ],
  }

test('what came with status 200 is not always an answer', () => {
  for (const format of formats) {
    const problemOf = (body: string) =>
      wireFormats[format].extractResponse(bytesOf(body), 100).problem?.message
    for (const [body, expected] of answers[format]) {
      if (expected === undefined) assert.equal(problemOf(body), undefined, body)
      else assert.match(problemOf(body) ?? '', expected, body)
    }
    assert.equal(problemOf('{"error":{"message":"m"}}'), 'm', format)
    for (const body of ['', '<html>', '[]', 'null', '7']) assert.equal(problemOf(body), notObject, body)
  }
})

/** Statuses that errors under status 200, and in streams, would have had. */
const statuses: Readonly<
  Record<ConversationFormat, readonly (readonly [type: string, code: string, status: number])[]>
> = {
  'openai-chat': [
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
  ],
  'openai-responses': [
    ['', 'context_length_exceeded', 400],
    ['', 'invalid_prompt', 400],
    ['', 'invalid_image_url', 400],
    ['', 'invalid_api_key', 401],
    ['', 'rate_limit_exceeded', 429],
    ['insufficient_quota', 'insufficient_quota', 429],
    ['', 'server_is_overloaded', 503],
    ['', 'server_error', 500],
    ['invalid_request_error', '', 400],
    ['', '', 500],
  ],
  anthropic: [
    ['overloaded_error', '', 529],
    ['rate_limit_error', '', 429],
    ['invalid_request_error', '', 400],
    ['api_error', '', 500],
    ['', '', 500],
    ['toString', '', 500],
  ],
  gemini: [
    ['UNAVAILABLE', '', 503],
    ['MALFORMED_FUNCTION_CALL', '', 500],
    ['constructor', '', 500],
  ],
}

test('an error that came without a status has the one that its words imply', () => {
  for (const format of formats) {
    const { problemStatus, readError } = wireFormats[format]
    for (const [type, code, status] of statuses[format])
      assert.equal(problemStatus({ message: '', type, code }), status, `${type} ${code}`)
    if (format !== 'gemini') continue
    for (const { name, kind, status, response } of fixtureCases(format))
      if (kind === 'error') assert.equal(problemStatus(readError(response)), status, name)
  }
})
