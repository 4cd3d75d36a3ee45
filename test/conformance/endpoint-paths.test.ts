/**
 * The paths of the product: every spelling of a path that clients are known to use, the errors at
 * all others, and that the names in the lists are exactly the names that can be requested.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, bearer, type Sent, send } from '../support/bytes-client.ts'
import { errorReaders } from '../support/format-errors.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { RawClient } from '../support/raw-client.ts'
import { type ReplayUpstream, replayUpstream } from '../support/replay-upstream.ts'

let upstream: ReplayUpstream
let tollgate: TestGateway
let key: string

const price = [{ input: '1', output: '2' }]
const size = { context: 10_000, maxOutput: 1_000 }

before(async () => {
  upstream = await replayUpstream()
  tollgate = await testGateway({
    openai: upstream.origin,
    anthropic: upstream.origin,
    google: upstream.origin,
    models: [
      { id: 'gpt-small', ...size, prices: price },
      { id: 'gpt-maker/with-slash', ...size, prices: price },
      { id: 'gpt-withdrawn', ...size, prices: price },
      { id: 'gpt-unpriced', ...size },
      { id: 'claude-small', ...size, prices: price },
      { id: 'gemini-small', ...size, prices: price },
      { id: 'text-embedding-small', formats: ['openai-embeddings'], ...size, prices: price },
      {
        id: 'gemini-embedding-small',
        formats: ['openai-embeddings', 'gemini-embeddings'],
        ...size,
        prices: price,
      },
    ],
    limits: { requestsPerMinute: null },
  })
  await tollgate.gateway.services.catalog.disable('gpt-withdrawn')
  key = (await tollgate.account('10')).key
})
after(async () => {
  await tollgate.close()
  await upstream.close()
})

const chat = (model = 'sandbox-echo') => ({ model, messages: [{ role: 'user', content: 'hi' }] })
const messages = (model = 'sandbox-echo') => ({ ...chat(model), max_tokens: 50 })
const contents = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }
const input = (model = 'sandbox-echo') => ({ model, input: 'hi' })
const google = (value: string) => ({ 'x-goog-api-key': value })

type Json = Readonly<Record<string, unknown>>
const parsed = (answer: Answer) => JSON.parse(answer.text) as Json
const errorIn = (answer: Answer) => (parsed(answer).error ?? {}) as Json
type Shape = 'openai-chat' | 'anthropic' | 'gemini'
function shapeIn(answer: Answer): Shape {
  if (parsed(answer).type === 'error') return 'anthropic'
  return typeof errorIn(answer).status === 'string' ? 'gemini' : 'openai-chat'
}
/** Our code, wherever the format has it. */
function codeIn(answer: Answer): unknown {
  return errorReaders[shapeIn(answer)](parsed(answer)).code
}
/** What names the path in the errors of each format. */
const bases: Readonly<Record<Shape, string>> = {
  'openai-chat': '/v1:',
  anthropic: '/v1/alt:',
  gemini: '/v1beta:',
}

// Spellings.

const chatSpellings = [
  '/v1/chat/completions',
  '/v1/chat/completions/',
  '/v1/chat/completions?api-version=2024-10-21',
  '/v1/chat/completions/?',
  '/chat/completions',
  '/v1//chat/completions',
  '//v1/chat/completions',
  '/v1/v1/chat/completions',
  '/openai/v1/chat/completions',
  '/openai/chat/completions',
  '/v1/openai/chat/completions',
  '/api/v1/chat/completions',
  '/api/v1/v1/chat/completions',
]
const messagesSpellings = [
  '/v1/alt/v1/messages',
  '/v1/alt/v1/messages/',
  '/v1/alt/v1/messages?beta=true',
  '/v1/alt/messages',
  '/v1/alt/v1/v1/messages',
  '/v1/messages',
  '/v1/v1/messages',
  '/messages',
  '/anthropic/v1/messages',
  '/anthropic/messages',
  '/api/v1/alt/v1/messages',
  '/api/v1/messages',
]

/** The paths next to each spelling of Messages. */
const countingSpellings = messagesSpellings.map((path) => {
  const [before = '', query] = path.split('?')
  const counting = `${before.replace(/\/$/, '')}/count_tokens`
  return query === undefined ? counting : `${counting}?${query}`
})
const responsesSpellings = [
  '/v1/responses',
  '/v1/responses/',
  '/v1/responses?any=thing',
  '/responses',
  '/v1/v1/responses',
  '/openai/v1/responses',
  '/openai/responses',
  '/api/v1/responses',
]
const inputCountingSpellings = [
  '/v1/responses/input_tokens',
  '/responses/input_tokens',
  '/openai/v1/responses/input_tokens/',
]
const embeddingsSpellings = [
  '/v1/embeddings',
  '/v1/embeddings/',
  '/embeddings',
  '/v1/v1/embeddings',
  '/openai/v1/embeddings',
  '/api/v1/embeddings?any=thing',
]
const geminiSpellings = [
  '/v1beta/models/sandbox-echo:generateContent',
  '/v1beta/models/sandbox-echo:generateContent/',
  '/v1beta/models/sandbox-echo%3AgenerateContent',
  '/v1/models/sandbox-echo:generateContent',
  '/models/sandbox-echo:generateContent',
  '/models/sandbox-echo%3AgenerateContent',
  '/v1beta/models/sandbox-echo:generateContent?alt=json&$prettyPrint=false',
  '/v1beta/v1beta/models/sandbox-echo:generateContent',
  '/v1/v1beta/models/sandbox-echo:generateContent',
  '/v1beta/v1/models/sandbox-echo:generateContent',
  '/api/v1/models/sandbox-echo:generateContent',
]

for (const [paths, body, has] of [
  [chatSpellings, chat(), 'choices'],
  [messagesSpellings, messages(), 'content'],
  [countingSpellings, messages(), 'input_tokens'],
  [responsesSpellings, input(), 'output'],
  [inputCountingSpellings, input(), 'input_tokens'],
  [geminiSpellings, contents, 'candidates'],
  [geminiSpellings.map((path) => path.replace('generateContent', 'countTokens')), contents, 'totalTokens'],
  // Next to Google's own path there is one for clients of Chat Completions.
  [['/v1beta/openai/chat/completions', '/v1beta/openai/v1/chat/completions'], chat(), 'choices'],
] as const) {
  for (const path of paths) {
    test(`POST ${path}`, async () => {
      const answer = await send(tollgate.origin, { path, headers: bearer(key), body })
      assert.equal(answer.status, 200, answer.text)
      assert.ok(has in parsed(answer))
      const rejected = await send(tollgate.origin, { path, body })
      assert.equal(rejected.status, 401)
      assert.equal(codeIn(rejected), 'missing_api_key')
    })
  }
}

for (const path of embeddingsSpellings) {
  test(`POST ${path}`, async () => {
    const usage = { prompt_tokens: 1, total_tokens: 1 }
    const list = {
      object: 'list',
      model: 'any',
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
      usage,
    }
    upstream.play({
      status: 200,
      headers: { 'content-type': 'application/json' },
      bytes: Buffer.from(JSON.stringify(list)),
    })
    const body = input('text-embedding-small')
    const answer = await send(tollgate.origin, { path, headers: bearer(key), body })
    assert.deepEqual([answer.status, parsed(answer)], [200, list], answer.text)
    assert.equal((await send(tollgate.origin, { path, body })).status, 401)
  })
}

const embedded = { content: { parts: [{ text: 'hi' }] } }
for (const spelling of geminiSpellings) {
  for (const [method, body, answered] of [
    ['embedContent', embedded, { embedding: { values: [0.5] } }],
    [
      'batchEmbedContents',
      { requests: [{ model: 'models/gemini-embedding-small', ...embedded }] },
      { embeddings: [{ values: [0.5] }], usageMetadata: { promptTokenCount: 1 } },
    ],
  ] as const) {
    const path = spelling.replace('generateContent', method).replace('sandbox-echo', 'gemini-embedding-small')
    test(`POST ${path}`, async () => {
      upstream.play({
        status: 200,
        headers: { 'content-type': 'application/json' },
        bytes: Buffer.from(JSON.stringify(answered)),
      })
      const answer = await send(tollgate.origin, { path, headers: google(key), body })
      assert.deepEqual([answer.status, parsed(answer)], [200, answered], answer.text)
      const { url: asked, body: sent } = upstream.requests.at(-1) ?? {}
      assert.equal(asked, `/v1beta/models/gemini-embedding-small:${method}`)
      assert.deepEqual(JSON.parse(String(sent)), body)
      const rejected = await send(tollgate.origin, { path, body })
      assert.deepEqual([rejected.status, shapeIn(rejected)], [401, 'gemini'])
    })
  }
}

for (const path of geminiSpellings.map((path) => path.replace('generateContent', 'streamGenerateContent'))) {
  test(`POST ${path}, as events and as an array`, async () => {
    const [before = '', query = 'any=thing'] = path.split('?')
    for (const [alt, type] of [
      ['sse', /^text\/event-stream/],
      ['json', /^application\/json/],
    ] as const) {
      const wanted = `${before}?${query.replace(/alt=\w+/, '')}&alt=${alt}`
      const answer = await send(tollgate.origin, { path: wanted, headers: google(key), body: contents })
      assert.equal(answer.status, 200, answer.text)
      assert.match(answer.headers['content-type'] ?? '', type)
      assert.match(answer.text, /"finishReason"/)
    }
  })
}

// Keys.

test('a key may be in the URL of Gemini paths, in any header everywhere, and nowhere twice', async () => {
  const path = '/v1beta/models/sandbox-echo:generateContent'
  const query = (query: string, headers: Readonly<Record<string, string>> = {}) =>
    send(tollgate.origin, { path: path + query, headers, body: contents })
  for (const answer of [
    await query(`?key=${key}`),
    await query(`?alt=json&key=${encodeURIComponent(key)}`),
    await query('', google(key)),
    await query('', bearer(key)),
    await query('', { 'x-api-key': key }),
    await query('', { 'api-key': key }),
    await query('?key=', google(key)),
    await query(`?key=${key}`, google('AIzaNobody')),
    await query('?key=AIzaNobody', google(key)),
    await query(`?key=${key}`, google(key)),
  ]) {
    assert.equal(answer.status, 200, answer.text)
  }
  for (const [answer, status, code] of [
    [await query(`?key=${key}&key=${key}`), 400, 'repeated_credential'],
    [await query(`?key=${key}&key=`), 400, 'repeated_credential'],
    [await query(`?KEY=${key}`), 401, 'missing_api_key'],
    [await query(`?api_key=${key}`), 401, 'missing_api_key'],
    [await query(''), 401, 'missing_api_key'],
    [await query('?key='), 401, 'missing_api_key'],
    [await query('?key=nobody'), 401, 'invalid_api_key'],
    [await query(`?key=AIza${'SyA'.padEnd(35, '0')}`), 401, 'provider_api_key'],
  ] as const) {
    assert.deepEqual([answer.status, codeIn(answer), shapeIn(answer)], [status, code, 'gemini'], answer.text)
    assert.ok(!answer.text.includes(key))
  }
  for (const [path, body] of [
    ['/v1/chat/completions', chat()],
    ['/v1/responses', input()],
    ['/v1/alt/v1/messages', messages()],
    ['/v1/embeddings', input('text-embedding-small')],
    ['/v1/models', undefined],
  ] as const) {
    const answer = await send(tollgate.origin, { path: `${path}?key=${key}`, body })
    assert.deepEqual([answer.status, codeIn(answer)], [401, 'missing_api_key'], path)
    assert.ok(!answer.text.includes(key))
  }
})

test('a credential header that is sent twice is rejected on every path, in its format', async () => {
  const port = Number(new URL(tollgate.origin).port)
  for (const [path, shape] of [
    ['/v1/chat/completions', 'openai-chat'],
    ['/v1/responses', 'openai-chat'],
    ['/v1/alt/v1/messages', 'anthropic'],
    ['/v1/alt/v1/messages/count_tokens', 'anthropic'],
    ['/v1beta/models/sandbox-echo:generateContent', 'gemini'],
    ['/v1beta/models/sandbox-echo:countTokens', 'gemini'],
  ] as const) {
    for (const header of ['x-goog-api-key', 'x-api-key', 'authorization']) {
      const value = header === 'authorization' ? `Bearer ${key}` : key
      const client = new RawClient(port)
      const line = `${header}: ${value}\r\n`
      client.send(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n${line}${line}\r\n{}`)
      const answer = await client.answer()
      client.close()
      const read = { text: answer?.body ?? '' } as Answer
      assert.deepEqual([answer?.status, codeIn(read), shapeIn(read)], [400, 'repeated_credential', shape])
    }
  }
})

const modelLists = [
  ['/v1/models', 'openai'],
  ['/v1/models/', 'openai'],
  ['/models', 'openai'],
  ['/openai/v1/models', 'openai'],
  ['/api/v1/models?any=thing', 'openai'],
  ['/v1/alt/v1/models', 'anthropic'],
  ['/v1/alt/models', 'anthropic'],
  ['/anthropic/v1/models', 'anthropic'],
  ['/v1beta/models', 'gemini'],
  ['/v1beta/models/', 'gemini'],
  ['/v1beta/models?pageSize=1000', 'gemini'],
  ['/v1beta/v1beta/models', 'gemini'],
  ['/v1/v1beta/models', 'gemini'],
] as const

/** The name of the list, and the one model below it. */
const listShapes = {
  openai: { list: 'data', id: 'sandbox-echo', name: 'id' },
  anthropic: { list: 'has_more', id: 'sandbox-echo', name: 'id' },
  gemini: { list: 'models', id: 'models/sandbox-echo', name: 'name' },
} as const

for (const [path, shape] of modelLists) {
  test(`GET ${path} lists models as ${shape} does, and each model below it`, async () => {
    const list = parsed(await send(tollgate.origin, { path, headers: bearer(key) }))
    const { list: listed, id, name } = listShapes[shape]
    assert.ok(listed in list, JSON.stringify(list).slice(0, 200))
    const [below, query = ''] = path.split('?')
    const one = await send(tollgate.origin, {
      path: `${below?.replace(/\/$/, '')}/sandbox-echo?${query}`,
      headers: bearer(key),
    })
    assert.equal(parsed(one)[name], id)
    if (shape !== 'gemini') assert.equal(parsed(one)[shape === 'openai' ? 'object' : 'type'], 'model')
    const head = await send(tollgate.origin, { path, method: 'HEAD', headers: bearer(key) })
    assert.deepEqual([head.status, head.bytes.length], [200, 0])
    const rejected = await send(tollgate.origin, { path })
    assert.deepEqual([rejected.status, shapeIn(rejected)], [401, shape === 'openai' ? 'openai-chat' : shape])
    const missing = await send(tollgate.origin, {
      path: `${below?.replace(/\/$/, '')}/nobody`,
      headers: bearer(key),
    })
    assert.deepEqual([missing.status, shapeIn(missing)], [404, shape === 'openai' ? 'openai-chat' : shape])
  })
}

test('on shared paths the headers of a format select its shape', async () => {
  for (const [headers, shape] of [
    [{ ...bearer(key), 'anthropic-version': '2023-06-01' }, 'anthropic'],
    [google(key), 'gemini'],
    [{ ...google(key), 'anthropic-version': '2023-06-01' }, 'anthropic'],
    [{ 'x-api-key': key }, 'openai'],
    [bearer(key), 'openai'],
  ] as const) {
    const { list, id, name } = listShapes[shape]
    const { authorization: _key, ...withoutKey } = headers as Record<string, string>
    assert.ok(list in parsed(await send(tollgate.origin, { path: '/v1/models', headers })))
    const one = await send(tollgate.origin, { path: '/v1/models/sandbox-echo', headers })
    assert.equal(parsed(one)[name], id)
    const unknown = await send(tollgate.origin, { path: '/v1/models/nobody', headers })
    assert.equal(shapeIn(unknown), shape === 'openai' ? 'openai-chat' : shape, JSON.stringify(withoutKey))
  }
})

test('a model is shown under the name that its own list has for it', async () => {
  const path = '/v1beta/models/models/sandbox-echo'
  const twice = await send(tollgate.origin, { path, headers: google(key) })
  assert.deepEqual([twice.status, shapeIn(twice)], [404, 'gemini'])
  const missing = await send(tollgate.origin, {
    path: '/v1beta/models/nobody:generateContent',
    headers: google(key),
    body: contents,
  })
  assert.deepEqual([missing.status, codeIn(missing), shapeIn(missing)], [404, 'model_not_found', 'gemini'])
})

// WebSocket: agents try it first.

for (const path of ['/v1/responses', '/responses', '/v1/v1/responses/', '/openai/v1/responses?any=thing']) {
  test(`GET ${path} as a WebSocket is rejected immediately`, async () => {
    for (const auth of ['', `authorization: Bearer ${key}\r\n`, 'authorization: Bearer nobody\r\n']) {
      const client = new RawClient(Number(new URL(tollgate.origin).port))
      const handshake =
        'connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
      client.send(`GET ${path} HTTP/1.1\r\nhost: a\r\n${auth}${handshake}\r\n`)
      const answer = await client.answer()
      assert.equal(answer?.status, 426, answer?.body)
      assert.match(answer?.head ?? '', /^connection: close$/im)
      assert.match(answer?.head ?? '', /^content-type: application\/json/im)
      assert.doesNotMatch(answer?.head ?? '', /^upgrade:/im)
      assert.equal(codeIn({ text: answer?.body ?? '' } as Answer), 'upgrade_required')
      client.close()
    }
    const plain = await send(tollgate.origin, { path, headers: bearer(key) })
    assert.deepEqual([plain.status, plain.headers.allow], [405, 'POST'])
  })
}

test('a name with a slash is found unescaped and escaped', async () => {
  for (const path of ['/v1/models/gpt-maker/with-slash', '/v1/models/gpt-maker%2Fwith-slash']) {
    assert.equal(
      parsed(await send(tollgate.origin, { path, headers: bearer(key) })).id,
      'gpt-maker/with-slash',
    )
  }
})

for (const path of ['/v1/credits', '/v1/key', '/api/v1/credits', '/v1/key/']) {
  test(`GET ${path}`, async () => {
    assert.equal((await send(tollgate.origin, { path, headers: bearer(key) })).status, 200)
    assert.equal((await send(tollgate.origin, { path })).status, 401)
  })
}

for (const path of ['/v1/alt', '/v1/alt/', '/v1/alt/v1', '/api/v1/alt', '/v1/alt?any=thing']) {
  test(`GET and HEAD ${path} are liveness probes`, async () => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await send(tollgate.origin, { path, method })
      assert.deepEqual([answer.status, answer.headers.location], [200, undefined])
      assert.equal(answer.bytes.length > 0, method === 'GET')
    }
  })
}

// Everything else.

const unknown = [
  ['/v1', 'openai-chat'],
  ['/v1/', 'openai-chat'],
  ['/v1/chat', 'openai-chat'],
  ['/v1/chat/completions/more', 'openai-chat'],
  ['/openai', 'openai-chat'],
  ['/api', 'openai-chat'],
  ['/api/v1', 'openai-chat'],
  ['/api/v1/nothing', 'openai-chat'],
  ['/nothing', 'openai-chat'],
  ['/credits', 'openai-chat'],
  ['/key', 'openai-chat'],
  ['/generations/req_1', 'openai-chat'],
  ['/V1/chat/completions', 'openai-chat'],
  ['/v1/%63hat/completions', 'openai-chat'],
  ['/v1/constructor', 'openai-chat'],
  ['/__proto__/v1', 'openai-chat'],
  ['/v1/models/%E0%A4%A', 'openai-chat'],
  ['/v1/alt/nothing', 'anthropic'],
  ['/anthropic/nothing', 'anthropic'],
  ['/anthropic', 'anthropic'],
  ['/v1/embeddings/more', 'openai-chat'],
  ['/v1/engines/gpt-small/embeddings', 'openai-chat'],
  ['/v1/responses/resp_1/nothing', 'openai-chat'],
  ['/v1beta', 'gemini'],
  ['/v1beta/', 'gemini'],
  ['/v1beta/nothing', 'gemini'],
  ['/v1beta/models/:generateContent', 'gemini'],
  ['/v1beta/models/%E0%A4%A:generateContent', 'gemini'],
] as const

for (const [path, shape] of unknown) {
  test(`${path} does not exist, and says so as ${shape}`, async () => {
    for (const method of ['GET', 'POST', 'PUT', 'OPTIONS']) {
      for (const headers of [{}, bearer(key), bearer('wrong')]) {
        const body = method === 'POST' ? chat() : undefined
        const answer = await send(tollgate.origin, { path, method, headers, body })
        assert.equal(answer.status, 404, `${method}: ${answer.text}`)
        assert.match(answer.headers['content-type'] ?? '', /^application\/json/)
        assert.equal(shapeIn(answer), shape)
        assert.equal(codeIn(answer), 'unknown_path')
        assert.ok(String(errorIn(answer).message).includes(`${tollgate.origin}${bases[shape]}`), answer.text)
        assert.equal(answer.headers.location, undefined)
      }
    }
  })
}

for (const path of ['/api/nothing', '/api/chat/completions']) {
  test(`${path} names the base URLs too`, async () => {
    for (const method of ['GET', 'POST']) {
      const body = method === 'POST' ? chat() : undefined
      const answer = await send(tollgate.origin, { path, method, body })
      assert.equal(answer.status, 404, answer.text)
      assert.match(answer.headers['content-type'] ?? '', /^application\/json/)
      assert.ok(answer.text.includes(`${tollgate.origin}/v1/alt`), answer.text)
      assert.ok(answer.text.includes(`${tollgate.origin}/v1 `), answer.text)
    }
  })
}

for (const method of ['batchGenerateContents', 'generateText', 'countMessageTokens', 'constructor']) {
  test(`an unknown method of Gemini (${method}) is reported in its format`, async () => {
    const path = `/v1beta/models/sandbox-echo:${method}`
    for (const headers of [{}, google(key)]) {
      const answer = await send(tollgate.origin, { path, headers, body: contents })
      assert.deepEqual([answer.status, codeIn(answer), shapeIn(answer)], [404, 'unknown_path', 'gemini'])
      assert.ok(String(errorIn(answer).message).includes(`${tollgate.origin}${bases.gemini}`), answer.text)
    }
  })
}

const methods = [
  ['/v1/chat/completions', 'POST', 'openai-chat'],
  ['/chat/completions', 'POST', 'openai-chat'],
  ['/v1/alt/v1/messages', 'POST', 'anthropic'],
  ['/v1/messages', 'POST', 'anthropic'],
  ['/v1/messages/count_tokens', 'POST', 'anthropic'],
  ['/v1/responses', 'POST', 'openai-chat'],
  ['/v1/responses/compact', 'POST', 'openai-chat'],
  ['/v1/embeddings', 'POST', 'openai-chat'],
  ['/v1beta/models/sandbox-echo:generateContent', 'POST', 'gemini'],
  ['/v1/models/sandbox-echo:streamGenerateContent', 'POST', 'gemini'],
  ['/v1beta/models/sandbox-echo:countTokens', 'POST', 'gemini'],
  ['/v1beta/models', 'GET', 'gemini'],
  ['/v1beta/models/sandbox-echo', 'GET', 'gemini'],
  ['/v1/models', 'GET', 'openai-chat'],
  ['/v1/models/sandbox-echo', 'GET', 'openai-chat'],
  ['/v1/alt/v1/models', 'GET', 'anthropic'],
  ['/v1/credits', 'GET', 'openai-chat'],
  ['/v1/key', 'GET', 'openai-chat'],
  ['/v1/generations/req_1', 'GET', 'openai-chat'],
  ['/v1/alt', 'GET', 'anthropic'],
] as const

for (const [path, allowed, shape] of methods) {
  test(`${path} allows only ${allowed}`, async () => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      if (method === allowed) continue
      for (const headers of [{}, bearer(key)]) {
        const answer = await send(tollgate.origin, { path, method, headers })
        assert.equal(answer.status, 405, `${method}: ${answer.text}`)
        assert.ok(answer.headers.allow?.split(', ').includes(allowed))
        assert.deepEqual([shapeIn(answer), codeIn(answer)], [shape, 'method_not_allowed'])
      }
    }
  })
}

// Names of models.

interface ShapedRequest {
  readonly path: string
  readonly body: object
}

function shapedRequest(model: string, shape: string): ShapedRequest {
  const shapes: Readonly<Record<string, ShapedRequest>> = {
    'openai-chat': { path: '/v1/chat/completions', body: chat(model) },
    'openai-responses': { path: '/v1/responses', body: input(model) },
    'openai-embeddings': { path: '/v1/embeddings', body: input(model) },
    anthropic: { path: '/v1/alt/v1/messages', body: messages(model) },
    gemini: { path: `/v1beta/models/${encodeURIComponent(model)}:generateContent`, body: contents },
    'gemini-embeddings': { path: `/v1beta/models/${encodeURIComponent(model)}:embedContent`, body: embedded },
  }
  const found = shapes[shape]
  assert.ok(found !== undefined, shape)
  return found
}

const conversations = ['openai-chat', 'openai-responses', 'anthropic', 'gemini']

for (const [model, path, body] of [
  ['claude-small', '/v1/embeddings', input('claude-small')],
  ['gpt-small', '/v1/embeddings', input('gpt-small')],
  ['claude-small', '/v1/responses/compact', input('claude-small')],
  ['text-embedding-small', '/v1/chat/completions', chat('text-embedding-small')],
  ['text-embedding-small', '/v1/responses', input('text-embedding-small')],
  ['text-embedding-small', '/v1/alt/v1/messages', messages('text-embedding-small')],
  ['text-embedding-small', '/v1beta/models/text-embedding-small:generateContent', contents],
  ['text-embedding-small', '/v1beta/models/text-embedding-small:embedContent', embedded],
  ['gemini-small', '/v1beta/models/gemini-small:embedContent', embedded],
  ['gemini-embedding-small', '/v1/chat/completions', chat('gemini-embedding-small')],
] as const) {
  test(`${model} cannot be requested at ${path}, and libraries need not retry`, async () => {
    const answer = await send(tollgate.origin, { path, body, headers: bearer(key) })
    assert.equal(answer.status, 501, answer.text)
    assert.equal(codeIn(answer), 'format_not_supported')
    assert.equal(answer.headers['x-should-retry'], 'false')
  })
}

test('every 401, 403 and 404 says that a retry gets the same answer', async () => {
  const wrong = bearer('not-a-key-of-this-server')
  const limited = bearer((await tollgate.account('10', { models: ['claude-small'] })).key)
  const generate = conversations.map((shape) => shapedRequest('gpt-small', shape))
  const unknown = conversations.map((shape) => shapedRequest('gpt-unknown', shape))
  const cases: readonly (readonly [
    status: number,
    path: string,
    headers?: Sent['headers'],
    body?: object,
  ])[] = [
    ...generate.map(({ path, body }) => [401, path, wrong, body] as const),
    ...generate.map(({ path, body }) => [401, path, {}, body] as const),
    ...generate.map(({ path, body }) => [403, path, limited, body] as const),
    ...unknown.map(({ path, body }) => [404, path, bearer(key), body] as const),
    [401, '/v1/models', wrong],
    [404, '/v1/models/gpt-unknown', bearer(key)],
    [404, '/v1/nothing', bearer(key)],
    [404, '/v1/nothing', bearer(key), chat()],
    [404, '/v1beta/nothing', bearer(key)],
    [401, '/api/me'],
    [404, '/api/nothing'],
    [
      403,
      '/api/keys',
      { origin: 'https://elsewhere.example', cookie: 'tollgate.session_token=x' },
      { name: 'x' },
    ],
  ]
  for (const [status, path, headers = {}, body] of cases) {
    const answer = await send(tollgate.origin, { path, headers, ...(body === undefined ? {} : { body }) })
    assert.equal(answer.status, status, `${path}: ${answer.text}`)
    assert.equal(answer.headers['x-should-retry'], 'false', `${status} ${path}`)
  }
})

for (const shape of ['openai-chat', 'anthropic', 'gemini']) {
  test(`a model name that is not available is not found, for whatever reason (${shape})`, async () => {
    const owners = new Set<string>()
    for (const model of ['gpt-unknown', 'gpt-withdrawn', 'gpt-unpriced', '__proto__', 'constructor']) {
      const answer = await send(tollgate.origin, { ...shapedRequest(model, shape), headers: bearer(key) })
      assert.equal(answer.status, 404, answer.text)
      assert.deepEqual([shapeIn(answer), codeIn(answer)], [shape, 'model_not_found'])
      owners.add(String(errorIn(answer).message).replace(/"[^"]*"|Did you mean [^?]*\? /g, ''))
      const shown = await send(tollgate.origin, { path: `/v1/models/${model}`, headers: bearer(key) })
      assert.equal(shown.status, 404)
    }
    assert.equal(owners.size, 1, [...owners].join('\n'))
  })

  test(`a misspelled model name gets the correct one (${shape})`, async () => {
    for (const [model, expected] of [
      ['gpt-smal', 'gpt-small'],
      ['GPT-Small', 'gpt-small'],
      ['claude_small', 'claude-small'],
      ['sandbox-ecko', 'sandbox-echo'],
    ] as const) {
      const answer = await send(tollgate.origin, { ...shapedRequest(model, shape), headers: bearer(key) })
      assert.equal(answer.status, 404, answer.text)
      assert.ok(String(errorIn(answer).message).includes(expected), answer.text)
    }
  })
}

test('listed models can be requested, others cannot, and the price list has those for sale', async () => {
  const headers = bearer(key)
  const list = parsed(await send(tollgate.origin, { path: '/v1/models', headers }))
  const rows = list.data as readonly { readonly id: string; readonly formats: readonly string[] }[]
  const names = rows.map(({ id }) => id)
  assert.ok(names.includes('gpt-small') && names.includes('sandbox-echo'))
  assert.ok(!names.includes('gpt-withdrawn') && !names.includes('gpt-unpriced'))

  const listed = parsed(await send(tollgate.origin, { path: '/v1/alt/v1/models?limit=1000', headers }))
  assert.deepEqual(
    (listed.data as readonly { id: string }[]).map(({ id }) => id),
    names,
  )
  const pricing = parsed(await send(tollgate.origin, { path: '/api/pricing' }))
  assert.deepEqual(
    (pricing.data as readonly { model: string }[]).map(({ model }) => model),
    names.filter((name) => !name.startsWith('sandbox-')),
  )

  // An empty balance is rejected for funds, after the name was found and priced.
  const poor = bearer((await tollgate.account('0')).key)
  const before = upstream.requests.length
  for (const { id, formats } of rows) {
    const isEmbedding = formats.includes('openai-embeddings')
    for (const shape of isEmbedding ? formats : conversations) {
      const answer = await send(tollgate.origin, { ...shapedRequest(id, shape), headers: poor })
      assert.equal(answer.status, 402, `${id} as ${shape}: ${answer.text}`)
    }
  }
  assert.equal(upstream.requests.length, before)
})
