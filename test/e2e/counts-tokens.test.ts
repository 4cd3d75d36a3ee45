/**
 * Tokens are counted for every model in every format with a counting endpoint: by the upstream if it counts, else by a
 * labeled estimate; without a charge, with a separate rate limit, and never at the expense of paid requests.
 */
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { type Config, limitDefaults } from '../../src/config/config.ts'
import { carrierId } from '../../src/wire/translation/reasoning-carriers.ts'
import { type Answer, bearer, send } from '../support/bytes-client.ts'
import {
  type Behaviour,
  type FaultUpstream,
  faultUpstream,
  hangs,
  type SeenRequest,
  sendsThen,
  wholeAnswer,
} from '../support/fault-upstream.ts'
import {
  type TestAccount,
  type TestGateway,
  type TestGatewayOptions,
  testGateway,
} from '../support/gateway.ts'
import { manualClock } from '../support/manual-clock.ts'

const formats = ['messages', 'responses', 'gemini'] as const
type Format = (typeof formats)[number]

/** How each format requests a count, and the response itself. */
interface Shape {
  readonly path: (model: string) => string
  readonly answerPath: (model: string) => string
  readonly body: (model: string, text: string) => object
  readonly tokens: string
  readonly fields: readonly string[]
}

const tool = { name: 'get_weather', description: 'The weather of a city, now or on a day of this week.' }
const schema = {
  type: 'object',
  properties: { city: { type: 'string', description: 'The name of the city.' }, day: { type: 'string' } },
  required: ['city'],
}

const shapes: Readonly<Record<Format, Shape>> = {
  messages: {
    path: () => '/v1/alt/v1/messages/count_tokens',
    answerPath: () => '/v1/alt/v1/messages',
    body: (model, text) => ({
      model,
      system: 'You are brief.',
      tools: [{ ...tool, input_schema: schema }],
      messages: [{ role: 'user', content: text }],
    }),
    tokens: 'input_tokens',
    fields: ['input_tokens'],
  },
  responses: {
    path: () => '/v1/responses/input_tokens',
    answerPath: () => '/v1/responses',
    body: (model, text) => ({
      model,
      instructions: 'You are brief.',
      tools: [{ type: 'function', ...tool, parameters: schema, strict: false }],
      input: text,
    }),
    tokens: 'input_tokens',
    fields: ['input_tokens', 'object'],
  },
  gemini: {
    path: (model) => `/v1beta/models/${model}:countTokens`,
    answerPath: (model) => `/v1beta/models/${model}:generateContent`,
    body: (model, text) => ({
      generateContentRequest: {
        model: `models/${model}`,
        systemInstruction: { parts: [{ text: 'You are brief.' }] },
        tools: [{ functionDeclarations: [{ ...tool, parameters: schema }] }],
        contents: [{ role: 'user', parts: [{ text }] }],
      },
    }),
    tokens: 'totalTokens',
    fields: ['totalTokens'],
  },
}

const closing: (() => Promise<void>)[] = []
after(async () => {
  for (const close of closing.toReversed()) await close()
})

async function gatewayWith(options: TestGatewayOptions): Promise<TestGateway> {
  // A busy machine needs time to start the token-counting thread; its deadline is tested elsewhere.
  const gateway = await testGateway({ ...options, limits: { countMs: 60_000, ...options.limits } })
  closing.push(() => gateway.close())
  return gateway
}

interface Faulty {
  readonly gate: TestGateway
  readonly upstream: FaultUpstream
}

/** One model of each vendor, all at one upstream; each also has an alias. */
const makers = { messages: 'anthropic', responses: 'openai', gemini: 'google' } as const
const models: Config['models'] = formats.map((format) => ({
  id: `${format}-model`,
  provider: makers[format],
  upstreamId: `upstream-${format}`,
  context: 200_000,
  maxOutput: 32_000,
  prices: [{ input: '3', output: '15' }],
}))

async function faulty(behaviour: Behaviour, more: TestGatewayOptions = {}): Promise<Faulty> {
  const upstream = await faultUpstream(() => behaviour)
  closing.push(() => upstream.close())
  const { origin } = upstream
  const gate = await gatewayWith({ models, openai: origin, anthropic: origin, google: origin, ...more })
  return { gate, upstream }
}

let sharedAnswer = hangs
/** Retried however often it failed, since the cases share it. */
const shared = await faulty(
  { answer: (reply) => sharedAnswer.answer(reply) },
  { limits: { cooldownMsMax: 0, failuresBeforeEjection: 1_000, countRequestsPerMinute: 10_000 } },
)

/** Sets what the upstream of `shared` responds from now on; returns the requests that it gets from now on. */
function answering(behaviour: Behaviour): () => readonly SeenRequest[] {
  sharedAnswer = behaviour
  const earlier = shared.upstream.requests.length
  return () => shared.upstream.requests.slice(earlier)
}

function count(
  gate: TestGateway,
  account: TestAccount,
  of: { format: Format; model: string; body?: unknown },
): Promise<Answer> {
  const shape = shapes[of.format]
  return send(gate.origin, {
    path: shape.path(of.model),
    headers: bearer(account.key),
    body: of.body ?? shape.body(of.model, 'What is the weather in Paris?'),
  })
}

function tokensIn(format: Format, answer: Answer): number {
  assert.equal(answer.status, 200, answer.text)
  const fields = JSON.parse(answer.text) as Record<string, number>
  for (const member of shapes[format].fields) assert.ok(Object.hasOwn(fields, member), answer.text)
  const tokens = fields[shapes[format].tokens]
  assert.ok(typeof tokens === 'number' && Number.isInteger(tokens) && tokens > 0, answer.text)
  return tokens
}

const json = ['content-type: application/json']
const numbers: Readonly<Record<Format, string>> = {
  messages: '{ "input_tokens": 4711 }',
  responses: '{"object":"response.input_tokens", "input_tokens":4711}',
  gemini: '{"totalTokens": 4711, "promptTokensDetails":[{"modality":"TEXT","tokenCount":4711}]}',
}

const sandbox = await gatewayWith({ limits: { countRequestsPerMinute: 10_000 } })

const sandboxModels = {
  'sandbox-echo': 'reported',
  'sandbox-messages-echo': 'reported',
  'sandbox-responses-echo': 'reported',
  'sandbox-gemini-echo': 'reported',
  'sandbox-chat-echo': 'estimated',
} as const

for (const format of formats) {
  for (const [model, source] of Object.entries(sandboxModels)) {
    test(`${format} counts the tokens of ${model}: ${source}, without a charge`, async () => {
      const account = await sandbox.account('0.000000001')
      const answer = await count(sandbox, account, { format, model })
      tokensIn(format, answer)
      assert.equal(answer.headers['x-tollgate-tokens'], source)
      assert.deepEqual(await sandbox.balance(account.id), { posted: 1n, held: 0n, openHolds: 0 })
    })
  }

  for (const model of Object.keys(sandboxModels).filter((name) => name !== 'sandbox-chat-echo')) {
    test(`${format} → ${model}: the count equals what is billed`, async () => {
      const account = await sandbox.account('5')
      const asked = shapes[format].body(model, 'As they say, all that glitters is not gold. '.repeat(50))
      const tokens = tokensIn(format, await count(sandbox, account, { format, model, body: asked }))
      const answer = await send(sandbox.origin, {
        path: shapes[format].answerPath(model),
        headers: bearer(account.key),
        body: wholeOf(format, asked),
      })
      assert.equal(answer.status, 200, answer.text)
      const [receipt] = await sandbox.gateway.services.ledger.receipts(account.id, 1, null)
      assert.ok(receipt !== undefined)
      // Cache markers, which translation adds in some formats, count as input as well.
      const { inputUncached, cacheRead, cacheWrite5m, cacheWrite1h } = receipt
      assert.equal(inputUncached + cacheRead + cacheWrite5m + cacheWrite1h, tokens)
    })
  }
}

/** The request for the response whose tokens were counted. */
function wholeOf(format: Format, asked: object): object {
  if (format === 'messages') return { ...asked, max_tokens: 500 }
  return 'generateContentRequest' in asked ? (asked.generateContentRequest as object) : asked
}

const rejections: Readonly<Record<Format, string>> = {
  messages:
    '{ "type":"error", "error":{"type":"invalid_request_error","message":"messages.0: not like this"}}',
  responses:
    '{ "error":{"message":"not like this","type":"invalid_request_error","param":"input","code":"invalid_value"}}',
  gemini: '{ "error":{"code":400,"message":"not like this","status":"INVALID_ARGUMENT"}}',
}

for (const format of formats) {
  const model = `${format}-model`

  test(`${format}: the body is forwarded unchanged except for the model, and the response is relayed unchanged`, async () => {
    const requests = answering(wholeAnswer(200, numbers[format], json))
    const { gate } = shared
    const account = await gate.account('0.01')
    const written = JSON.stringify(shapes[format].body(model, 'Grüße ☃'), null, 3).replace(
      'Grüße',
      'Gr\\u00fc\u00dfe',
    )
    const answer = await send(gate.origin, {
      path: `${shapes[format].path(model)}?beta=true`,
      headers: { ...bearer(account.key), 'anthropic-beta': 'some-beta' },
      body: written,
    })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.text, numbers[format])
    assert.equal(answer.headers['x-tollgate-tokens'], 'reported')
    const [request] = requests()
    assert.ok(request !== undefined)
    assert.equal(request.body.toString(), written.replace(model, `upstream-${format}`))
    const paths = {
      messages: '/v1/messages/count_tokens?beta=true',
      responses: '/v1/responses/input_tokens',
      gemini: '/v1beta/models/upstream-gemini:countTokens',
    }
    assert.equal(request.path, paths[format])
    if (format === 'messages') assert.match(request.head, /anthropic-beta: some-beta/i)
  })

  test(`${format}: an upstream error is relayed with its message`, async () => {
    answering(wholeAnswer(400, rejections[format], json))
    const { gate } = shared
    const answer = await count(gate, await gate.account('0.01'), { format, model })
    assert.equal(answer.status, 400)
    assert.equal(answer.text, rejections[format])
    assert.equal(answer.headers['x-tollgate-tokens'], undefined)
  })

  for (const other of formats.filter((name) => name !== format)) {
    test(`${format} → ${other}: the count of another format, and its error, in the caller's format`, async () => {
      const requests = answering(wholeAnswer(200, numbers[other], json))
      const { gate } = shared
      const account = await gate.account('0.01')
      const answer = await count(gate, account, { format, model: `${other}-model` })
      assert.equal(tokensIn(format, answer), 4_711)
      assert.equal(answer.headers['x-tollgate-tokens'], 'reported')
      const [request] = requests()
      const sent = JSON.parse(request?.body.toString() ?? '') as Record<string, unknown>
      const said = JSON.stringify(sent)
      for (const piece of [
        'You are brief.',
        'get_weather',
        'The name of the city.',
        'in Paris?',
        `upstream-${other}`,
      ]) {
        assert.ok(said.includes(piece), `${piece} in ${said}`)
      }
      for (const member of ['max_tokens', 'max_output_tokens', 'stream', 'store']) {
        assert.ok(!Object.hasOwn(sent, member), `${member} in ${said}`)
      }
      answering(wholeAnswer(400, rejections[other], json))
      const rejected = await count(gate, account, { format, model: `${other}-model` })
      assert.equal(rejected.status, 400)
      assert.match(rejected.text, /not like this/)
      assert.equal(
        JSON.stringify(Object.keys((JSON.parse(rejected.text) as { error: object }).error)).includes(
          'status',
        ),
        format === 'gemini',
      )
    })
  }
}

/** Reasons why an upstream cannot be called. */
const troubles: Readonly<Record<string, Behaviour>> = {
  'fails with 500': wholeAnswer(500, '{"error":{"message":"It failed."}}', json),
  'limits its rate': wholeAnswer(429, '{"error":{"message":"Slow down."}}', json),
  'has no such address': wholeAnswer(404, '{"error":{"message":"Not found"}}', json),
  'rejects the credential': wholeAnswer(401, '{"error":{"message":"no"}}', json),
  'answers with a page': wholeAnswer(200, '<html></html>', ['content-type: text/html']),
  'answers without a number': wholeAnswer(200, '{"input_tokens":"many","totalTokens":-1}', json),
  'breaks the connection': sendsThen('rst', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{'),
}

async function assertEstimated(gate: TestGateway, account: TestAccount, format: Format): Promise<void> {
  const answer = await count(gate, account, { format, model: `${format}-model` })
  const tokens = tokensIn(format, answer)
  assert.equal(answer.headers['x-tollgate-tokens'], 'estimated')
  assert.ok(tokens > 40 && tokens < 200, `${tokens} tokens`)
}

for (const [trouble, behaviour] of Object.entries(troubles)) {
  test(`an estimate replaces an upstream that ${trouble}`, async () => {
    const requests = answering(behaviour)
    const account = await shared.gate.account('0.01')
    for (const format of formats) await assertEstimated(shared.gate, account, format)
    assert.ok(requests().length >= formats.length)
  })
}

test('an estimate replaces an upstream that does not respond', async () => {
  const clock = manualClock()
  const { gate, upstream } = await faulty(hangs, { clock })
  const account = await gate.account('0.01')
  for (const format of formats) {
    const estimated = assertEstimated(gate, account, format)
    const { closed } = await upstream.nextRequest()
    clock.advance(limitDefaults.countAskMs)
    await estimated
    await closed
  }
})

test('another upstream of the provider is called when the first one fails', async () => {
  const failing = await faultUpstream(() => wholeAnswer(500, '{}', json))
  const counting = await faultUpstream(() => wholeAnswer(200, numbers.messages, json))
  closing.push(
    () => failing.close(),
    () => counting.close(),
  )
  const upstreams = [failing, counting].map(({ origin }, index) => ({
    name: `upstream-${index}`,
    provider: 'anthropic',
    url: origin,
    credential: 'upstream-credential',
    weight: 1,
  }))
  const gate = await gatewayWith({ models, upstreams })
  const account = await gate.account('0.01')
  for (let times = 0; times < 4; times += 1) {
    const answer = await count(gate, account, { format: 'messages', model: 'messages-model' })
    assert.equal(answer.text, numbers.messages)
  }
  assert.equal(counting.requests.length, 4)
})

test('a kept-alive connection that breaks before the first byte does not lead to an estimate', async () => {
  let answered = 0
  const upstream = await faultUpstream(({ connection }) => {
    if (connection === 0 && answered > 0) return sendsThen('rst')
    answered += 1
    return wholeAnswer(200, numbers.messages, json)
  })
  closing.push(() => upstream.close())
  const gate = await gatewayWith({ models, anthropic: upstream.origin })
  const account = await gate.account('0.01')
  for (let times = 0; times < 2; times += 1) {
    const answer = await count(gate, account, { format: 'messages', model: 'messages-model' })
    assert.equal(answer.headers['x-tollgate-tokens'], 'reported')
  }
  assert.deepEqual(
    upstream.requests.map(({ connection }) => connection),
    [0, 0, 1],
  )
})

test('reasoning carriers in IDs do not go upstream', async () => {
  const requests = answering(wholeAnswer(200, numbers.messages, json))
  const { gate } = shared
  const encrypted = { vendor: 'google', data: Buffer.from('signature').toString('base64') } as const
  const id = carrierId('toolu_1', { encrypted, thoughts: [] })
  assert.notEqual(id, 'toolu_1')
  const body = {
    model: 'messages-model',
    messages: [
      { role: 'user', content: 'What is the weather in Paris?' },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id, name: 'get_weather', input: { city: 'Paris' } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'sunny' }] },
    ],
  }
  const answer = await count(gate, await gate.account('0.01'), { format: 'messages', model: '', body })
  assert.equal(answer.text, numbers.messages)
  const sent = requests()[0]?.body.toString() ?? ''
  assert.equal(
    sent,
    JSON.stringify(body).replaceAll(id, 'toolu_1').replace('messages-model', 'upstream-messages'),
  )
})

test('a client that disconnects cancels the request to the upstream', async () => {
  const { gate, upstream } = await faulty(hangs, { limits: { countsPerAccountMax: 1 } })
  const account = await gate.account('0.01')
  const leaving = httpRequest(`${gate.origin}${shapes.messages.path('')}`, {
    method: 'POST',
    agent: false,
    headers: { 'content-type': 'application/json', ...bearer(account.key) },
  })
  leaving.on('error', () => {})
  leaving.end(JSON.stringify(shapes.messages.body('messages-model', 'hello')))
  const reply = await upstream.nextRequest()
  const rejected = await count(gate, account, { format: 'messages', model: 'messages-model' })
  assert.equal(rejected.status, 429)
  assert.equal(rejected.headers['retry-after'], '1')
  assert.match(rejected.text, /concurrent counting requests/)
  leaving.destroy()
  await reply.closed
  await gate.gateway.deps.inFlight.whenIdle()
  assert.equal(gate.gateway.deps.counting.places.tryAcquire(account.id), true)
  gate.gateway.deps.counting.places.release(account.id)
  assert.equal(gate.gateway.deps.events.used, 0)
  assert.equal(gate.gateway.deps.bodies.used, 0)
})

test('counting has a separate rate limit, reported in each format', async () => {
  const gate = await gatewayWith({ limits: { countRequestsPerMinute: 2, requestsPerMinute: 1 } })
  const codes = { messages: 'rate_limit_error', responses: 'rate_limited', gemini: 'RESOURCE_EXHAUSTED' }
  const remaining = {
    messages: 'anthropic-ratelimit-requests-remaining',
    responses: 'x-ratelimit-remaining-requests',
    gemini: undefined,
  }
  for (const format of formats) {
    const account = await gate.account('5')
    const ask = () => count(gate, account, { format, model: 'sandbox-echo' })
    const left = [await ask(), await ask()].map(({ status, headers }) => {
      assert.equal(status, 200)
      return remaining[format] === undefined ? undefined : headers[remaining[format]]
    })
    assert.deepEqual(left, remaining[format] === undefined ? [undefined, undefined] : ['1', '0'])
    const rejected = await ask()
    assert.equal(rejected.status, 429)
    assert.ok(Number(rejected.headers['retry-after']) >= 1)
    assert.ok(rejected.text.includes(codes[format]), rejected.text)
    // The rate of paid requests is unaffected.
    const paid = await send(gate.origin, {
      path: '/v1/chat/completions',
      headers: bearer(account.key),
      body: { model: 'sandbox-echo', messages: [{ role: 'user', content: 'hello' }] },
    })
    assert.equal(paid.status, 200, paid.text)
  }
})

test('an invalid request is rejected before anything is counted', async () => {
  const account = await sandbox.account('0.01')
  const body = shapes.messages.body('sandbox-echo', 'hello')
  const path = shapes.messages.path('')
  const deep = `{"model":"sandbox-echo","messages":${'['.repeat(200_000)}`
  const cases: readonly (readonly [status: number, headers: Record<string, string>, body: unknown])[] = [
    [401, {}, body],
    [404, bearer(account.key), { ...body, model: 'no-such-model' }],
    [400, bearer(account.key), deep],
    [400, bearer(account.key), '{"model":"sandbox-echo"}'],
    [400, bearer(account.key), '{'],
    [415, { ...bearer(account.key), 'content-type': 'text/plain' }, JSON.stringify(body)],
  ]
  for (const [status, headers, sent] of cases) {
    const answer = await send(sandbox.origin, { path, headers, body: sent })
    assert.equal(answer.status, status, answer.text)
    assert.equal((JSON.parse(answer.text) as { type: string }).type, 'error')
  }
  const narrow = await gatewayWith({ limits: { bodyBytesMax: 1_000 } })
  const { key } = await narrow.account('0.01')
  const large = await send(narrow.origin, {
    path,
    headers: bearer(key),
    body: { ...body, system: 'x'.repeat(2_000) },
  })
  assert.equal(large.status, 413)
})

test('text that cannot be counted in time gets an upper bound, which is labeled', async () => {
  const gate = await gatewayWith({ limits: { countBytesMax: 100 } })
  const account = await gate.account('0.01')
  for (const format of formats) {
    const body = shapes[format].body('sandbox-chat-echo', 'x'.repeat(200))
    const answer = await count(gate, account, { format, model: 'sandbox-chat-echo', body })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers['x-tollgate-tokens'], 'bounded')
    assert.ok(Number(JSON.parse(answer.text)[shapes[format].tokens]) >= 200, answer.text)
  }
  assert.equal(gate.gateway.deps.bodies.used, 0)
})

test('an account that never had credit gets an estimate, and no upstream is called', async () => {
  for (const format of formats) {
    const requests = answering(wholeAnswer(200, numbers[format], json))
    const { gate } = shared
    const stranger = await gate.account('0')
    const model = `${format}-model`
    const answer = await count(gate, stranger, { format, model })
    assert.equal(answer.status, 200, answer.text)
    assert.equal(answer.headers['x-tollgate-tokens'], 'estimated')
    assert.equal(requests().length, 0)
    assert.equal(
      (await count(gate, await gate.account('0.01'), { format, model })).headers['x-tollgate-tokens'],
      'reported',
    )
  }
})

test('a large body counts as several requests in the rate, also without a Content-Length', async () => {
  const gate = await gatewayWith({ limits: { countRequestsPerMinute: 10 } })
  const body = shapes.messages.body('sandbox-chat-echo', 'x'.repeat(5 * 256 * 1024))
  for (const length of [{}, { 'transfer-encoding': 'chunked' }]) {
    const { key } = await gate.account('0')
    const ask = () =>
      send(gate.origin, { path: shapes.messages.path(''), headers: { ...bearer(key), ...length }, body })
    const first = await ask()
    assert.equal(first.status, 200, first.text)
    const second = await ask()
    assert.equal(second.status, 429, second.text)
    assert.ok(Number(second.headers['retry-after']) >= 1)
  }
})

test('the official libraries can count tokens', async () => {
  const account = await sandbox.account('0.01')
  const anthropic = new Anthropic({ apiKey: account.key, baseURL: `${sandbox.origin}/v1/alt`, maxRetries: 0 })
  const openai = new OpenAI({ apiKey: account.key, baseURL: `${sandbox.origin}/v1`, maxRetries: 0 })
  for (const model of Object.keys(sandboxModels)) {
    const counted = await anthropic.messages.countTokens({
      model,
      system: 'You are brief.',
      messages: [{ role: 'user', content: 'hello' }],
      tools: [{ ...tool, input_schema: { ...schema, type: 'object' } }],
    })
    assert.ok(counted.input_tokens > 10)
    const input = await openai.responses.inputTokens.count({
      model,
      instructions: 'You are brief.',
      input: 'hello',
    })
    assert.equal(input.object, 'response.input_tokens')
    assert.ok(input.input_tokens > 3)
    const google = await send(sandbox.origin, {
      path: shapes.gemini.path(model),
      headers: { 'x-goog-api-key': account.key, 'x-goog-api-client': 'google-genai-sdk/3.1.0 gl-node/v24' },
      body: { contents: [{ parts: [{ text: 'hello' }], role: 'user' }] },
    })
    assert.ok(tokensIn('gemini', google) > 0)
  }
})
