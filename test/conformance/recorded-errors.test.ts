/**
 * Upstream errors, recorded and invented: what concerns the request reaches the client as the provider
 * sent it; what concerns this gateway's own credential, bill or catalog never looks like the client's; and
 * none of them is charged.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bearer, receiptOf, send } from '../support/bytes-client.ts'
import type { FixtureCase } from '../support/fixtures.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import {
  addresses,
  headersOf,
  modelOf,
  type RecordedDialect,
  recordedDialects,
  recordedModels,
  requestOf,
  servedCases,
} from '../support/recorded-models.ts'
import { type ReplayUpstream, replayUpstream } from '../support/replay-upstream.ts'

let upstream: ReplayUpstream
let tollgate: TestGateway

before(async () => {
  upstream = await replayUpstream()
  tollgate = await testGateway({
    openai: upstream.origin,
    anthropic: upstream.origin,
    models: [
      ...recordedModels(),
      ...recordedDialects.map((dialect) => ({
        id: anyModel[dialect],
        ...providers[dialect],
        context: 10_000,
        maxOutput: 1_000,
        prices: [{ input: '1', output: '1' }],
      })),
    ],
  })
})
after(async () => {
  await tollgate.close()
  await upstream.close()
})

const anyModel = { 'openai-chat': 'gpt-any', anthropic: 'claude-any' } as const
const providers = {
  'openai-chat': { provider: 'openai' },
  anthropic: { provider: 'anthropic' },
} as const

/** `theirs`: the provider's status and bytes. Else our status and code. */
type ExpectedError = 'theirs' | readonly [status: number, code: string, retryAfter?: string]

const ours: ExpectedError = [503, 'upstream_unavailable']

const recordedErrors: Readonly<Record<RecordedDialect, Readonly<Record<string, ExpectedError>>>> = {
  'openai-chat': {
    'error-400-image-url': 'theirs',
    'error-400-max-tokens': 'theirs',
    'error-400-param': 'theirs',
    'error-400-role': 'theirs',
    'error-400-tools-with-reasoning': 'theirs',
    'error-404-model': ours,
    'error-429-insufficient-quota': ours,
    'error-429-tpm': 'theirs',
  },
  anthropic: {
    'error-400-context': 'theirs',
    'error-400-effort': 'theirs',
    'error-400-forced-tool-choice': 'theirs',
    'error-401': ours,
    'error-404-model': ours,
    'error-429-retry-after': [429, 'upstream_rate_limited', '16'],
    'error-529-overloaded': [529, 'upstream_overloaded'],
  },
}

interface RefusalCase {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  readonly expected: ExpectedError
  readonly body: Uint8Array
}

async function checkRefusal(
  dialect: RecordedDialect,
  { expected, body, ...replay }: RefusalCase,
): Promise<void> {
  const { key, id } = await tollgate.account('100')
  upstream.play(replay)
  const answer = await send(tollgate.origin, { path: addresses[dialect], headers: bearer(key), body })
  const receipt = await receiptOf(tollgate.origin, key, answer)
  const summary = `${answer.status} ${answer.text}`
  assert.match(answer.headers['content-type'] ?? '', /^application\/json/)
  assert.equal(answer.headers['request-id'], answer.headers['x-request-id'])
  if (expected === 'theirs') {
    assert.equal(answer.status, replay.status, summary)
    const bytes = Buffer.from(replay.bytes)
    const redactedBody = Buffer.from(bytes.toString('utf8').replace(/org-\w+/, 'org-…'))
    assert.ok(answer.bytes.equals(redactedBody), summary)
  } else {
    const [status, code, retryAfter] = expected
    assert.equal(answer.status, status, summary)
    const { error } = JSON.parse(answer.text) as { error: Record<string, unknown> }
    const details = (error.details ?? {}) as Record<string, unknown>
    assert.ok([error.code, details.code].includes(code), summary)
    assert.ok([error.source, details.source].includes('upstream'), summary)
    assert.equal(answer.headers['retry-after'], retryAfter, summary)
    for (const secret of [/api-key/, /credit/, /quota/, /billing/, /org-\w/, /redirected/]) {
      assert.doesNotMatch(answer.text, secret, "the operator's matter")
    }
    assert.notEqual(error.message, sentenceOf(replay.bytes), 'it may name the account of the operator')
  }
  assert.ok(![401, 402, 403, 404].includes(answer.status), summary)
  assert.equal(receipt.cost, '0.00')
  assert.equal(receipt.status, 'upstream_error')
  assert.deepEqual(await tollgate.balance(id), { posted: 100_000_000_000n, held: 0n, openHolds: 0 })
}

function sentenceOf(bytes: Uint8Array): string {
  const [, sentence = ''] = /"message": ?"([^"]*)"/.exec(Buffer.from(bytes).toString()) ?? []
  return sentence
}

for (const dialect of recordedDialects) {
  const cases = servedCases(dialect).filter(({ kind }) => kind === 'error')
  test(`${dialect}: every recorded error has a row`, () => {
    const without = cases.filter(({ name }) => !Object.hasOwn(recordedErrors[dialect], name))
    assert.deepEqual(without, [])
  })
  for (const recorded of cases) {
    const expected = recordedErrors[dialect][recorded.name]
    if (expected === undefined) continue
    test(`${dialect}/${recorded.name}: ${expected === 'theirs' ? 'relayed unchanged' : expected.join(' ')}`, async () => {
      for (const body of [requestOf(dialect, recorded), streamed(dialect, recorded)]) {
        const { status, response: bytes } = recorded
        await checkRefusal(dialect, { status, headers: headersOf(recorded), bytes, expected, body })
      }
    })
  }
}

function streamed(dialect: RecordedDialect, recorded: FixtureCase): Buffer {
  const body = JSON.parse(requestOf(dialect, recorded).toString('utf8')) as object
  return Buffer.from(JSON.stringify({ ...body, model: modelOf(dialect, recorded), stream: true }))
}

// Errors that were not recorded.

const json = { 'content-type': 'application/json' }
const html = { 'content-type': 'text/html' }
const messagesError = (type: string, message: string) =>
  JSON.stringify({ type: 'error', error: { type, message } })
const chatError = (type: string, code: string | null, message: string) =>
  JSON.stringify({ error: { message, type, param: null, code } })

type Row = readonly [
  dialect: RecordedDialect,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
  expected: ExpectedError,
]

const rows: readonly Row[] = [
  // The operator's credential and bill.
  [
    'anthropic',
    400,
    json,
    messagesError('invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'),
    ours,
  ],
  ['anthropic', 402, json, messagesError('billing_error', 'Your credit balance is too low'), ours],
  ['anthropic', 403, json, messagesError('permission_error', 'Your API key does not have permission'), ours],
  [
    'openai-chat',
    401,
    json,
    chatError('invalid_request_error', 'invalid_api_key', 'Incorrect API key provided: api-key'),
    ours,
  ],
  [
    'openai-chat',
    403,
    json,
    chatError('invalid_request_error', 'unsupported_country_region_territory', 'Country not supported'),
    ours,
  ],
  ['openai-chat', 402, json, chatError('insufficient_quota', 'insufficient_quota', 'no credit'), ours],
  [
    'openai-chat',
    429,
    json,
    chatError('insufficient_quota', 'insufficient_quota', 'You exceeded your current quota'),
    ours,
  ],
  ['openai-chat', 403, html, '<html>Attention Required! billing</html>', ours],
  // An error that quotes the client must not pass for one of ours.
  [
    'anthropic',
    400,
    json,
    messagesError('invalid_request_error', 'messages.0: you wrote "Your credit balance is too low"'),
    'theirs',
  ],
  [
    'openai-chat',
    400,
    json,
    chatError('invalid_request_error', null, 'you wrote insufficient_quota'),
    'theirs',
  ],
  // The upstream's state.
  [
    'openai-chat',
    429,
    { ...json, 'retry-after': '7' },
    chatError('requests', 'rate_limit_exceeded', 'Rate limit reached in organization org-1'),
    [429, 'rate_limit_exceeded', '7'],
  ],
  [
    'anthropic',
    429,
    { ...json, 'retry-after': '-1' },
    messagesError('rate_limit_error', 'slow down'),
    [429, 'upstream_rate_limited', '5'],
  ],
  ['openai-chat', 500, json, chatError('server_error', null, 'oops'), [502, 'upstream_error']],
  ['anthropic', 500, json, messagesError('api_error', 'Internal server error'), [502, 'upstream_error']],
  ['openai-chat', 502, html, '<html>Bad gateway</html>', [502, 'upstream_error']],
  ['openai-chat', 503, json, chatError('server_error', null, 'busy'), [503, 'upstream_overloaded']],
  ['openai-chat', 529, json, chatError('server_error', null, 'busy'), [503, 'upstream_overloaded']],
  ['anthropic', 503, json, messagesError('overloaded_error', 'busy'), [529, 'upstream_overloaded']],
  ['anthropic', 504, json, messagesError('timeout_error', 'late'), [504, 'upstream_timeout']],
  ['openai-chat', 408, json, chatError('server_error', null, 'late'), [504, 'upstream_timeout']],
  ['openai-chat', 404, html, '<html>404</html>', ours],
  // The request.
  ['anthropic', 413, json, messagesError('request_too_large', 'Request exceeds the maximum size'), 'theirs'],
  ['openai-chat', 422, json, '{"detail":[{"loc":["body"],"msg":"value is not valid"}]}', 'theirs'],
  [
    'openai-chat',
    400,
    json,
    '[{"error":{"code":400,"message":"wrapped","status":"INVALID_ARGUMENT"}}]',
    'theirs',
  ],
  // No responses at all.
  ['openai-chat', 302, { location: 'http://127.0.0.1:1/redirected' }, '', [502, 'upstream_invalid']],
  ['anthropic', 307, { location: '/redirected' }, '', [502, 'upstream_invalid']],
  ['openai-chat', 200, html, '<html>a page</html>', [502, 'upstream_invalid']],
  ['anthropic', 200, json, '', [502, 'upstream_error']],
  ['openai-chat', 204, {}, '', [502, 'upstream_invalid']],
  ['openai-chat', 200, json, chatError('server_error', null, 'inside a 200'), [502, 'upstream_error']],
  ['anthropic', 200, json, messagesError('overloaded_error', 'inside a 200'), [529, 'upstream_overloaded']],
  ['anthropic', 200, json, messagesError('authentication_error', 'invalid x-api-key'), ours],
]

for (const [dialect, status, headers, body, expected] of rows) {
  test(`${dialect} ${status} ${body.slice(0, 90)}: ${expected === 'theirs' ? 'unchanged' : expected.join(' ')}`, async () => {
    for (const stream of [false, true]) {
      const bytes = Buffer.from(body)
      const request = {
        model: anyModel[dialect],
        max_tokens: 100,
        stream,
        messages: [{ role: 'user', content: 'hi' }],
      }
      await checkRefusal(dialect, {
        status,
        headers,
        bytes,
        expected,
        body: Buffer.from(JSON.stringify(request)),
      })
    }
  })
}

test('an error without JSON is reported in the format of the client, with its status', async () => {
  const { key } = await tollgate.account('1')
  upstream.play({
    status: 400,
    headers: { 'content-type': 'text/plain' },
    bytes: Buffer.from('no such field'),
  })
  const answer = await send(tollgate.origin, {
    path: addresses.anthropic,
    headers: bearer(key),
    body: { model: anyModel.anthropic, max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] },
  })
  assert.equal(answer.status, 400)
  const { type, error } = JSON.parse(answer.text) as { type: string; error: Record<string, unknown> }
  assert.deepEqual([type, error.type, error.message], ['error', 'invalid_request_error', 'no such field'])
})
