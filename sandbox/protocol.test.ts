/** Rejections by the formats before any behavior runs, with their own status and shape. */
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

type Rejection = readonly [
  what: string,
  sent: Partial<Sent>,
  says: RegExp,
  status?: number,
  type?: string,
  code?: string,
]
const invalid = 'invalid_request_error'

const chatRejections: readonly Rejection[] = [
  ['no credential', { headers: { authorization: '' } }, /API key/, 401, invalid],
  ['an empty one', { headers: { authorization: 'Bearer ' } }, /API key/, 401, invalid],
  [
    'a key in the other header',
    { headers: { authorization: '', 'x-api-key': 'any' } },
    /API key/,
    401,
    invalid,
  ],
  ['no JSON', { body: '{"model":' }, /JSON/],
  ['JSON that nests too deep', { body: `${'['.repeat(257)}${']'.repeat(257)}` }, /JSON/],
  ['JSON that is not an object', { body: '[]' }, /JSON/],
  ['a body too large', { body: plainBody('sandbox-echo', 'x'.repeat(bodyBytesMax)) }, /large/, 413, invalid],
  ['an unknown model', { body: plainBody('gpt-x', 'hi') }, /`gpt-x`/, 404, invalid, 'model_not_found'],
  [
    'a parameter the model has not',
    { body: plainBody('sandbox-echo:rate=1', 'hi') },
    /rate/,
    404,
    invalid,
    'model_not_found',
  ],
  ['a parameter out of bounds', { body: plainBody('sandbox-stream', 'rate=fast') }, /rate=fast/],
  ['no model', { body: { messages: [user] } }, /model/],
  [
    'no messages',
    { body: { model: 'sandbox-echo' } },
    /messages/,
    400,
    invalid,
    'missing_required_parameter',
  ],
  ['an unknown role', { body: history({ role: 'robot', content: 'hi' }) }, /role/],
  ['a limit of 0', { body: plainBody('sandbox-echo', 'hi', { max_tokens: 0 }) }, /max_tokens/],
  ['two limits', { body: plainBody('sandbox-echo', 'hi', { max_completion_tokens: 5 }) }, /max_tokens/],
  ['a fraction of choices', { body: plainBody('sandbox-echo', 'hi', { n: 1.5 }) }, /'n'/],
  ['too many choices', { body: plainBody('sandbox-echo', 'hi', { n: 129 }) }, /'n'/],
  [
    'stream options without a stream',
    { body: plainBody('sandbox-echo', 'hi', { stream: false, stream_options: { include_usage: true } }) },
    /stream_options/,
  ],
  [
    'a result without its call',
    { body: history(user, { role: 'tool', tool_call_id: 'call_1', content: 'x' }) },
    /tool_calls/,
  ],
  [
    'a call without its result',
    { body: history(user, { role: 'assistant', content: null, tool_calls: [call] }, user) },
    /call_1/,
  ],
  ['another method', { body: '', method: 'GET' }, /GET/, 405, invalid, 'method_not_supported'],
  ['another path', { path: '/v1/embeddings', body }, /POST \/v1\/embeddings/, 404, invalid],
]

const messagesRejections: readonly Rejection[] = [
  ['no credential', { headers: { authorization: '' } }, /x-api-key/, 401, 'authentication_error'],
  ['no version', { headers: { 'anthropic-version': '' } }, /anthropic-version/],
  ['no JSON', { body: 'hello' }, /JSON/],
  [
    'a body too large',
    { body: plainBody('sandbox-echo', 'x'.repeat(bodyBytesMax)) },
    /size/,
    413,
    'request_too_large',
  ],
  ['an unknown model', { body: plainBody('claude-x', 'hi') }, /^model: claude-x$/, 404, 'not_found_error'],
  ['no model', { body: { max_tokens: 1, messages: [user] } }, /^model: /],
  ['no max_tokens', { body: { model: 'sandbox-echo', messages: [user] } }, /^max_tokens: Field required$/],
  ['a negative max_tokens', { body: plainBody('sandbox-echo', 'hi', { max_tokens: -1 }) }, /^max_tokens: /],
  ['no messages', { body: { model: 'sandbox-echo', max_tokens: 1 } }, /^messages: Field required$/],
  ['an empty list of them', { body: history() }, /at least one/],
  ['an unknown role', { body: history({ role: 'tool', content: 'hi' }) }, /^messages\.0\.role/],
  ['an empty text', { body: history({ role: 'user', content: [{ type: 'text', text: '' }] }) }, /non-empty/],
  ['a result without its call', { body: history({ role: 'user', content: [result] }) }, /toolu_1/],
  [
    'a call without its result',
    { body: history(user, { role: 'assistant', content: [use] }, user) },
    /toolu_1/,
  ],
  [
    'thinking with a foreign signature',
    {
      body: history(
        user,
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 'x' }] },
        user,
      ),
    },
    /^messages\.1\.content\.0: Invalid `signature`/,
  ],
  [
    'five cache marks',
    { body: history({ role: 'user', content: wordsOf(5).map((text) => ({ type: 'text', text, ...mark })) }) },
    /Found 5/,
  ],
  ['another method', { path: `${messages}?beta=true`, body: '', method: 'GET' }, /Method/, 405, invalid],
  ['another path', { path: `${messages}/batches`, body }, /Not Found/, 404, 'not_found_error'],
  [
    'counting for an unknown model',
    { path: `${messages}/count_tokens`, body: plainBody('claude-x', 'hi') },
    /claude-x/,
    404,
    'not_found_error',
  ],
]

interface ErrorBody {
  readonly type?: string
  readonly request_id?: string
  readonly error: { readonly type: string; readonly message: string; readonly code?: string | null }
}

for (const [what, sent, says, status = 400, type = invalid, code = null] of chatRejections) {
  test(`Chat Completions rejects ${what}`, async () => {
    const reply = await exchange(sandbox.origin, {
      path: chat,
      body,
      ...sent,
      headers: { ...sent.headers, 'x-request-id': what },
    })
    const { error } = JSON.parse(reply.body) as ErrorBody
    assert.deepEqual([reply.status, error.type, error.code], [status, type, code])
    assert.match(error.message, says)
    assert.deepEqual(Object.keys(error), ['message', 'type', 'param', 'code'])
    const logged = sandbox.logged(what)
    assert.deepEqual([logged?.status, logged?.inputTokens, logged?.outputTokens], [status, 0, 0])
  })
}

for (const [what, sent, says, status = 400, type = invalid] of messagesRejections) {
  test(`Messages rejects ${what}`, async () => {
    const reply = await exchange(sandbox.origin, { path: messages, body, ...sent })
    const errorBody = JSON.parse(reply.body) as ErrorBody
    assert.deepEqual([reply.status, errorBody.type, errorBody.error.type], [status, 'error', type])
    assert.match(errorBody.error.message, says)
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
