/**
 * Where the product answers: every spelling of an address that clients are known to use, what is told at
 * all others, and that the names in the lists are exactly the names that can be asked.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Answer, bearer, send } from '../support/bytes-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
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
    models: [
      { id: 'gpt-small', api: 'chat', ...size, prices: price },
      { id: 'gpt-maker/with-slash', api: 'chat', ...size, prices: price },
      { id: 'gpt-withdrawn', api: 'chat', ...size, prices: price },
      { id: 'gpt-unpriced', api: 'chat', ...size },
      { id: 'claude-small', api: 'messages', ...size, prices: price },
    ],
    limits: { requestsPerMinute: null },
  })
  await tollgate.gateway.parts.catalog.disable('gpt-withdrawn')
  key = (await tollgate.account('10')).key
})
after(async () => {
  await tollgate.close()
  await upstream.close()
})

const chat = (model = 'sandbox-echo') => ({ model, messages: [{ role: 'user', content: 'hi' }] })
const messages = (model = 'sandbox-echo') => ({ ...chat(model), max_tokens: 50 })

type Json = Readonly<Record<string, unknown>>
const parsed = (answer: Answer) => JSON.parse(answer.text) as Json
const errorIn = (answer: Answer) => (parsed(answer).error ?? {}) as Json & { details?: Json }
/** Our code, wherever the format has it. */
const codeIn = (answer: Answer) => errorIn(answer).details?.code ?? errorIn(answer).code
const shapeIn = (answer: Answer) => (parsed(answer).type === 'error' ? 'anthropic' : 'openai-chat')

// Spellings.

const chatSpellings = [
  '/v1/chat/completions',
  '/v1/chat/completions/',
  '/v1/chat/completions?api-version=2024-10-21',
  '/v1/chat/completions/?',
  '/chat/completions',
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

for (const [paths, body, has] of [
  [chatSpellings, chat(), 'choices'],
  [messagesSpellings, messages(), 'content'],
] as const) {
  for (const path of paths) {
    test(`POST ${path}`, async () => {
      const answer = await send(tollgate.origin, { path, headers: bearer(key), body })
      assert.equal(answer.status, 200, answer.text)
      assert.ok(has in parsed(answer))
      const refused = await send(tollgate.origin, { path, body })
      assert.equal(refused.status, 401)
      assert.equal(codeIn(refused), 'missing_api_key')
    })
  }
}

const modelLists = [
  ['/v1/models', 'openai'],
  ['/v1/models/', 'openai'],
  ['/models', 'openai'],
  ['/openai/v1/models', 'openai'],
  ['/api/v1/models?any=thing', 'openai'],
  ['/v1/alt/v1/models', 'anthropic'],
  ['/v1/alt/models', 'anthropic'],
  ['/anthropic/v1/models', 'anthropic'],
] as const

for (const [path, shape] of modelLists) {
  test(`GET ${path} lists models as ${shape} does, and each model below it`, async () => {
    const list = parsed(await send(tollgate.origin, { path, headers: bearer(key) }))
    assert.equal(shape === 'openai' ? list.object === 'list' : list.has_more !== undefined, true)
    const [below, query = ''] = path.split('?')
    const one = await send(tollgate.origin, {
      path: `${below?.replace(/\/$/, '')}/sandbox-echo?${query}`,
      headers: bearer(key),
    })
    assert.equal(parsed(one).id, 'sandbox-echo')
    assert.equal(parsed(one)[shape === 'openai' ? 'object' : 'type'], 'model')
    assert.equal((await send(tollgate.origin, { path })).status, 401)
  })
}

test('the version header of Messages clients chooses their shape', async () => {
  const headers = { ...bearer(key), 'anthropic-version': '2023-06-01' }
  const list = parsed(await send(tollgate.origin, { path: '/v1/models', headers }))
  assert.equal(list.has_more, true)
})

test('a name with a slash is found as it is and escaped', async () => {
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
  test(`GET and HEAD ${path} are signs of life`, async () => {
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
  ['/v1/audio/speech', 'openai-chat'],
  ['/v1/images/generations', 'openai-chat'],
  ['/openai', 'openai-chat'],
  ['/api', 'openai-chat'],
  ['/api/v1', 'openai-chat'],
  ['/api/v1/nothing', 'openai-chat'],
  ['/nothing', 'openai-chat'],
  ['/credits', 'openai-chat'],
  ['/key', 'openai-chat'],
  ['/generations/req_1', 'openai-chat'],
  ['//v1/chat/completions', 'openai-chat'],
  ['/V1/chat/completions', 'openai-chat'],
  ['/v1/%63hat/completions', 'openai-chat'],
  ['/v1/constructor', 'openai-chat'],
  ['/__proto__/v1', 'openai-chat'],
  ['/v1/models/%E0%A4%A', 'openai-chat'],
  ['/v1/alt/nothing', 'anthropic'],
  ['/v1/alt/v1/files', 'anthropic'],
  ['/v1/messages/batches', 'anthropic'],
  ['/v1/alt/v1/messages/batches', 'anthropic'],
  ['/anthropic/nothing', 'anthropic'],
  ['/anthropic', 'anthropic'],
] as const

for (const [path, shape] of unknown) {
  test(`${path} is nothing, and says so as ${shape}`, async () => {
    for (const method of ['GET', 'POST', 'PUT', 'OPTIONS']) {
      for (const headers of [{}, bearer(key), bearer('wrong')]) {
        const body = method === 'POST' ? chat() : undefined
        const answer = await send(tollgate.origin, { path, method, headers, body })
        assert.equal(answer.status, 404, `${method}: ${answer.text}`)
        assert.match(answer.headers['content-type'] ?? '', /^application\/json/)
        assert.equal(shapeIn(answer), shape)
        assert.equal(codeIn(answer), 'unknown_path')
        const base = shape === 'anthropic' ? '/v1/alt' : '/v1'
        assert.ok(String(errorIn(answer).message).includes(`${tollgate.origin}${base}`), answer.text)
        assert.equal(answer.headers.location, undefined)
      }
    }
  })
}

for (const path of ['/api/nothing', '/api/chat/completions', '/console/nothing', '/docs/nothing']) {
  test(`${path} names the base addresses too`, async () => {
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

const methods = [
  ['/v1/chat/completions', 'POST', 'openai-chat'],
  ['/chat/completions', 'POST', 'openai-chat'],
  ['/v1/alt/v1/messages', 'POST', 'anthropic'],
  ['/v1/messages', 'POST', 'anthropic'],
  ['/v1/models', 'GET', 'openai-chat'],
  ['/v1/models/sandbox-echo', 'GET', 'openai-chat'],
  ['/v1/alt/v1/models', 'GET', 'anthropic'],
  ['/v1/credits', 'GET', 'openai-chat'],
  ['/v1/key', 'GET', 'openai-chat'],
  ['/v1/generations/req_1', 'GET', 'openai-chat'],
  ['/v1/alt', 'GET', 'anthropic'],
] as const

for (const [path, allowed, shape] of methods) {
  test(`${path} takes ${allowed} alone`, async () => {
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

interface Asked {
  readonly path: string
  readonly body: object
}

const asked = (model: string, shape: string): Asked =>
  shape === 'anthropic'
    ? { path: '/v1/alt/v1/messages', body: messages(model) }
    : { path: '/v1/chat/completions', body: chat(model) }

for (const [model, shape] of [
  ['claude-small', 'openai-chat'],
  ['gpt-small', 'anthropic'],
] as const) {
  test(`${model} is not spoken to as ${shape} yet, and libraries need not ask again`, async () => {
    const answer = await send(tollgate.origin, { ...asked(model, shape), headers: bearer(key) })
    assert.equal(answer.status, 501, answer.text)
    assert.deepEqual([shapeIn(answer), codeIn(answer)], [shape, 'dialect_not_supported'])
    assert.equal(answer.headers['x-should-retry'], 'false')
  })
}

for (const shape of ['openai-chat', 'anthropic']) {
  test(`a name that is not sold is not found, for whatever reason (${shape})`, async () => {
    const told = new Set<string>()
    for (const model of ['gpt-unknown', 'gpt-withdrawn', 'gpt-unpriced', '__proto__', 'constructor']) {
      const answer = await send(tollgate.origin, { ...asked(model, shape), headers: bearer(key) })
      assert.equal(answer.status, 404, answer.text)
      assert.deepEqual([shapeIn(answer), codeIn(answer)], [shape, 'model_not_found'])
      told.add(String(errorIn(answer).message).replace(/"[^"]*"|Did you mean [^?]*\? /g, ''))
      const shown = await send(tollgate.origin, { path: `/v1/models/${model}`, headers: bearer(key) })
      assert.equal(shown.status, 404)
    }
    assert.equal(told.size, 1, [...told].join('\n'))
  })

  test(`a name that is nearly right is told the right one (${shape})`, async () => {
    for (const [model, meant] of [
      ['gpt-smal', 'gpt-small'],
      ['GPT-Small', 'gpt-small'],
      ['claude_small', 'claude-small'],
      ['sandbox-ecko', 'sandbox-echo'],
    ] as const) {
      const answer = await send(tollgate.origin, { ...asked(model, shape), headers: bearer(key) })
      assert.equal(answer.status, 404, answer.text)
      assert.ok(String(errorIn(answer).message).includes(meant), answer.text)
    }
  })
}

test('what is listed can be asked, what is not cannot, and the price list has the same names', async () => {
  const headers = bearer(key)
  const list = parsed(await send(tollgate.origin, { path: '/v1/models', headers }))
  const rows = list.data as readonly { readonly id: string; readonly dialects: readonly string[] }[]
  const names = rows.map(({ id }) => id)
  assert.ok(names.includes('gpt-small') && names.includes('sandbox-hang'))
  assert.ok(!names.includes('gpt-withdrawn') && !names.includes('gpt-unpriced'))

  const theirs = parsed(await send(tollgate.origin, { path: '/v1/alt/v1/models?limit=1000', headers }))
  assert.deepEqual(
    (theirs.data as readonly { id: string }[]).map(({ id }) => id),
    names,
  )
  const pricing = parsed(await send(tollgate.origin, { path: '/api/pricing' }))
  assert.deepEqual(
    (pricing.data as readonly { model: string }[]).map(({ model }) => model),
    names,
  )

  // Whoever has nothing is refused for money, after the name was found and priced.
  const poor = bearer((await tollgate.account('0')).key)
  const before = upstream.requests.length
  for (const { id, dialects } of rows) {
    for (const shape of dialects) {
      const answer = await send(tollgate.origin, { ...asked(id, shape), headers: poor })
      assert.equal(answer.status, 402, `${id} as ${shape}: ${answer.text}`)
    }
  }
  assert.equal(upstream.requests.length, before)
})
