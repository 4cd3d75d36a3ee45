/** What both dialects reject before any behavior runs, with their own status and shape. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { manualClock } from '../test/support/manual-clock.ts'
import { exchange, plainBody, type Sent } from '../test/support/sandbox-client.ts'
import { type Sandbox, sandboxLimits, startSandbox } from './sandbox.ts'
import { wordsOf } from './scenarios/words.ts'

const bodyBytesMax = 4_096
let sandbox: Sandbox

before(async () => {
  sandbox = await startSandbox({ clock: manualClock(), limits: { ...sandboxLimits, bodyBytesMax } })
})
after(() => sandbox.close())

const chat = '/v1/chat/completions'
const messages = '/v1/messages'
const body = plainBody('sandbox-echo', 'hi')
const history = (...messages: object[]): object => ({ ...body, messages })
const user = { role: 'user', content: 'hi' }
const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
const use = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }
const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: 'x' }
const mark = { cache_control: { type: 'ephemeral' } }

type Refusal = readonly [
  what: string,
  sent: Sent,
  status: number,
  type: string,
  code: string | null,
  says: RegExp,
]
const invalid = 'invalid_request_error'

const chatRefusals: readonly Refusal[] = [
  ['no credential', { path: chat, body, headers: { authorization: '' } }, 401, invalid, null, /API key/],
  [
    'an empty one',
    { path: chat, body, headers: { authorization: 'Bearer ' } },
    401,
    invalid,
    null,
    /API key/,
  ],
  [
    'a key in the other header',
    { path: chat, body, headers: { authorization: '', 'x-api-key': 'any' } },
    401,
    invalid,
    null,
    /API key/,
  ],
  ['no JSON', { path: chat, body: '{"model":' }, 400, invalid, null, /JSON/],
  [
    'JSON that nests too deep',
    { path: chat, body: `${'['.repeat(257)}${']'.repeat(257)}` },
    400,
    invalid,
    null,
    /JSON/,
  ],
  ['JSON that is not an object', { path: chat, body: '[]' }, 400, invalid, null, /JSON/],
  [
    'a body too large',
    { path: chat, body: plainBody('sandbox-echo', 'x'.repeat(bodyBytesMax)) },
    413,
    invalid,
    null,
    /large/,
  ],
  [
    'an unknown model',
    { path: chat, body: plainBody('gpt-x', 'hi') },
    404,
    invalid,
    'model_not_found',
    /`gpt-x`/,
  ],
  [
    'a parameter the model has not',
    { path: chat, body: plainBody('sandbox-echo:rate=1', 'hi') },
    404,
    invalid,
    'model_not_found',
    /rate/,
  ],
  [
    'a parameter out of bounds',
    { path: chat, body: plainBody('sandbox-stream', 'rate=fast') },
    400,
    invalid,
    null,
    /rate=fast/,
  ],
  ['no model', { path: chat, body: { messages: [user] } }, 400, invalid, null, /model/],
  [
    'no messages',
    { path: chat, body: { model: 'sandbox-echo' } },
    400,
    invalid,
    'missing_required_parameter',
    /messages/,
  ],
  [
    'an unknown role',
    { path: chat, body: history({ role: 'robot', content: 'hi' }) },
    400,
    invalid,
    null,
    /role/,
  ],
  [
    'a limit of 0',
    { path: chat, body: plainBody('sandbox-echo', 'hi', { max_tokens: 0 }) },
    400,
    invalid,
    null,
    /max_tokens/,
  ],
  [
    'two limits',
    { path: chat, body: plainBody('sandbox-echo', 'hi', { max_completion_tokens: 5 }) },
    400,
    invalid,
    null,
    /max_tokens/,
  ],
  [
    'a fraction of choices',
    { path: chat, body: plainBody('sandbox-echo', 'hi', { n: 1.5 }) },
    400,
    invalid,
    null,
    /'n'/,
  ],
  [
    'too many choices',
    { path: chat, body: plainBody('sandbox-echo', 'hi', { n: 129 }) },
    400,
    invalid,
    null,
    /'n'/,
  ],
  [
    'stream options without a stream',
    {
      path: chat,
      body: plainBody('sandbox-echo', 'hi', { stream: false, stream_options: { include_usage: true } }),
    },
    400,
    invalid,
    null,
    /stream_options/,
  ],
  [
    'a result without its call',
    { path: chat, body: history(user, { role: 'tool', tool_call_id: 'call_1', content: 'x' }) },
    400,
    invalid,
    null,
    /tool_calls/,
  ],
  [
    'a call without its result',
    { path: chat, body: history(user, { role: 'assistant', content: null, tool_calls: [call] }, user) },
    400,
    invalid,
    null,
    /call_1/,
  ],
  ['another method', { path: chat, body: '', method: 'GET' }, 405, invalid, 'method_not_supported', /GET/],
  ['another path', { path: '/v1/embeddings', body }, 404, invalid, null, /POST \/v1\/embeddings/],
]

const messagesRefusals: readonly Refusal[] = [
  [
    'no credential',
    { path: messages, body, headers: { authorization: '' } },
    401,
    'authentication_error',
    null,
    /x-api-key/,
  ],
  [
    'no version',
    { path: messages, body, headers: { 'anthropic-version': '' } },
    400,
    invalid,
    null,
    /anthropic-version/,
  ],
  ['no JSON', { path: messages, body: 'hello' }, 400, invalid, null, /JSON/],
  [
    'a body too large',
    { path: messages, body: plainBody('sandbox-echo', 'x'.repeat(bodyBytesMax)) },
    413,
    'request_too_large',
    null,
    /size/,
  ],
  [
    'an unknown model',
    { path: messages, body: plainBody('claude-x', 'hi') },
    404,
    'not_found_error',
    null,
    /^model: claude-x$/,
  ],
  ['no model', { path: messages, body: { max_tokens: 1, messages: [user] } }, 400, invalid, null, /^model: /],
  [
    'no max_tokens',
    { path: messages, body: { model: 'sandbox-echo', messages: [user] } },
    400,
    invalid,
    null,
    /^max_tokens: Field required$/,
  ],
  [
    'a negative max_tokens',
    { path: messages, body: plainBody('sandbox-echo', 'hi', { max_tokens: -1 }) },
    400,
    invalid,
    null,
    /^max_tokens: /,
  ],
  [
    'no messages',
    { path: messages, body: { model: 'sandbox-echo', max_tokens: 1 } },
    400,
    invalid,
    null,
    /^messages: Field required$/,
  ],
  ['an empty list of them', { path: messages, body: history() }, 400, invalid, null, /at least one/],
  [
    'an unknown role',
    { path: messages, body: history({ role: 'tool', content: 'hi' }) },
    400,
    invalid,
    null,
    /^messages\.0\.role/,
  ],
  [
    'an empty text',
    { path: messages, body: history({ role: 'user', content: [{ type: 'text', text: '' }] }) },
    400,
    invalid,
    null,
    /non-empty/,
  ],
  [
    'a result without its call',
    { path: messages, body: history({ role: 'user', content: [result] }) },
    400,
    invalid,
    null,
    /toolu_1/,
  ],
  [
    'a call without its result',
    { path: messages, body: history(user, { role: 'assistant', content: [use] }, user) },
    400,
    invalid,
    null,
    /toolu_1/,
  ],
  [
    'thinking with a foreign signature',
    {
      path: messages,
      body: history(
        user,
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 'x' }] },
        user,
      ),
    },
    400,
    invalid,
    null,
    /^messages\.1\.content\.0: Invalid `signature`/,
  ],
  [
    'five cache marks',
    {
      path: messages,
      body: history({ role: 'user', content: wordsOf(5).map((text) => ({ type: 'text', text, ...mark })) }),
    },
    400,
    invalid,
    null,
    /Found 5/,
  ],
  [
    'another method',
    { path: `${messages}?beta=true`, body: '', method: 'GET' },
    405,
    invalid,
    null,
    /Method/,
  ],
  ['another path', { path: `${messages}/batches`, body }, 404, 'not_found_error', null, /Not Found/],
  [
    'counting for an unknown model',
    { path: `${messages}/count_tokens`, body: plainBody('claude-x', 'hi') },
    404,
    'not_found_error',
    null,
    /claude-x/,
  ],
]

interface ErrorBody {
  readonly type?: string
  readonly request_id?: string
  readonly error: { readonly type: string; readonly message: string; readonly code?: string | null }
}

for (const [what, sent, status, type, code, expectedMessage] of chatRefusals) {
  test(`Chat Completions refuses ${what}`, async () => {
    const reply = await exchange(sandbox.origin, {
      ...sent,
      headers: { ...sent.headers, 'x-request-id': what },
    })
    const { error } = JSON.parse(reply.body) as ErrorBody
    assert.deepEqual([reply.status, error.type, error.code], [status, type, code])
    assert.match(error.message, expectedMessage)
    assert.deepEqual(Object.keys(error), ['message', 'type', 'param', 'code'])
    const logged = sandbox.logged(what)
    assert.deepEqual([logged?.status, logged?.inputTokens, logged?.outputTokens], [status, 0, 0])
  })
}

for (const [what, sent, status, type, , expectedMessage] of messagesRefusals) {
  test(`Messages refuses ${what}`, async () => {
    const reply = await exchange(sandbox.origin, sent)
    const errorBody = JSON.parse(reply.body) as ErrorBody
    assert.deepEqual([reply.status, errorBody.type, errorBody.error.type], [status, 'error', type])
    assert.match(errorBody.error.message, expectedMessage)
    assert.equal(errorBody.request_id, reply.headers['request-id'])
  })
}

test('either credential header will do for Messages, and any query', async () => {
  for (const headers of [{ authorization: '', 'x-api-key': 'any' }, { 'x-api-key': '' }]) {
    const reply = await exchange(sandbox.origin, { path: `${messages}?beta=true`, body, headers })
    assert.equal(reply.status, 200)
  }
})

test('a request without an id gets one, and tells it', async () => {
  const reply = await exchange(sandbox.origin, { path: chat, body })
  const id = reply.headers['x-request-id']
  assert.ok(typeof id === 'string' && /^req_[A-Za-z0-9]{22}$/.test(id))
  assert.equal(sandbox.logged(id)?.model, 'sandbox-echo')
})
