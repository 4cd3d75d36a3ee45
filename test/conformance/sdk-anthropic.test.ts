/**
 * The official `@anthropic-ai/sdk` library against a running gateway, with only its base URL and key
 * changed: programs get the same objects from it as when it calls the upstream directly.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { behaviors } from '../../sandbox/scenarios/behaviors-table.ts'
import { bearer, type Receipt, send } from '../support/bytes-client.ts'
import {
  type FailingModel,
  failingModels,
  type Refused,
  silentModels,
  titleOf,
} from '../support/failing-models.ts'
import { isAnswering, listPrice, meteredGateway } from '../support/metered-gateway.ts'
import { movableClock, passTime } from '../support/movable-clock.ts'

type Params = Anthropic.MessageCreateParamsNonStreaming
type Message = Anthropic.MessageParam

const models = behaviors.map(({ name }) => ({
  id: name.replace('sandbox', 'claude'),
  provider: 'anthropic',
  upstreamId: name,
  context: 200_000,
  maxOutput: 32_000,
  prices: [listPrice],
}))
const gate = await meteredGateway({ models, limits: { eventBytesMax: 64 * 1024, requestsPerMinute: null } })
const time = movableClock()
/** Where upstreams time out. */
const timed = await meteredGateway({ models, clock: time })
after(() => Promise.all([gate.end(), timed.end()]))

/** The sandbox as its own provider, and the provider's connector. */
const ways = ['sandbox', 'claude'] as const
const bases = ['/v1/alt', ''] as const

/** Each way in which the library, now or in earlier releases, sends a key. */
const credentials: Readonly<Record<string, (key: string) => ClientOptions>> = {
  apiKey: (apiKey) => ({ apiKey, authToken: null }),
  authToken: (authToken) => ({ apiKey: null, authToken }),
  'x-api-key': (key) => ({
    apiKey: null,
    authToken: null,
    defaultHeaders: { 'x-api-key': key, authorization: null },
  }),
}

function clientOf(key: string, options: ClientOptions = {}): Anthropic {
  const baseURL = `${gate.origin}/v1/alt`
  return new Anthropic({ apiKey: key, authToken: null, baseURL, maxRetries: 0, logLevel: 'off', ...options })
}

async function newClient(options: ClientOptions = {}): Promise<Anthropic> {
  return clientOf((await gate.account('5')).key, options)
}

/** Calls the upstream, without the gateway. */
const direct = clientOf('any', { baseURL: gate.sandbox.origin })

function user(content: string): Message[] {
  return [{ role: 'user', content }]
}

/** What a program reads of a response, without what differs between responses. */
function summaryOf({ content, usage, role, model, stop_reason, stop_sequence }: Anthropic.Message): unknown {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage
  const blocks = content.map((block) => (block.type === 'tool_use' ? { ...block, id: 'any' } : block))
  return {
    blocks: JSON.parse(JSON.stringify(blocks)),
    usage: [input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens],
    fields: [role, model, stop_reason, stop_sequence],
  }
}

async function receipt(origin: string, key: string, requestId: string | null | undefined): Promise<Receipt> {
  assert.match(String(requestId), /^req_/)
  const found = await send(origin, { path: `/v1/generations/${requestId}`, headers: bearer(key) })
  assert.equal(found.status, 200, found.text)
  return (JSON.parse(found.text) as { data: Receipt }).data
}

interface Prompt {
  readonly name: string
  readonly behaviour: string
  readonly params: Omit<Params, 'model'>
}

const thinking = { type: 'enabled', budget_tokens: 1_024 } as const
const prompts: readonly Prompt[] = [
  {
    name: 'an echo',
    behaviour: 'echo',
    params: { max_tokens: 200, messages: user('Grüße, 世界! 👋🏽 \u2028 "quoted" \\n') },
  },
  { name: 'words', behaviour: 'stream', params: { max_tokens: 200, messages: user('tokens=40') } },
  { name: 'bytes one by one', behaviour: 'split', params: { max_tokens: 200, messages: user('é世👋') } },
  { name: 'a limit that cuts', behaviour: 'stream', params: { max_tokens: 5, messages: user('hi') } },
  {
    name: 'thinking',
    behaviour: 'think',
    params: { max_tokens: 2_000, thinking, messages: user('tokens=7 thinking=9') },
  },
  {
    name: 'a system prompt and blocks',
    behaviour: 'echo',
    params: {
      max_tokens: 200,
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'in blocks' }] }],
    },
  },
]

for (const way of ways) {
  for (const { name, behaviour, params } of prompts) {
    test(`${way}: ${name}: whole, streamed and without the gateway are one response`, async () => {
      const { key } = await gate.account('5')
      const client = clientOf(key)
      const request = { ...params, model: `${way}-${behaviour}` }
      const expected = await direct.messages.create({ ...params, model: `sandbox-${behaviour}` })
      const whole = await client.messages.create(request)
      assert.deepEqual(summaryOf(whole), summaryOf(expected))

      const stream = client.messages.stream(request)
      const events: string[] = []
      for await (const { type } of stream) events.push(type)
      assert.deepEqual(summaryOf(await stream.finalMessage()), summaryOf(expected))
      assert.equal(events[0], 'message_start')
      assert.deepEqual(events.slice(-2), ['message_delta', 'message_stop'])

      const ids = [whole._request_id, stream.request_id]
      const receipts = await Promise.all(ids.map((id) => receipt(gate.origin, key, id)))
      const paid = receipts.map(({ status, cost, usage }) => ({ status, cost, usage }))
      assert.deepEqual(paid[1], paid[0])
      assert.equal(paid[0]?.status, 'complete')
      assert.deepEqual(
        [paid[0]?.usage.input_uncached, paid[0]?.usage.output],
        [expected.usage.input_tokens, expected.usage.output_tokens],
      )
    })
  }
}

for (const base of bases) {
  for (const [name, credential] of Object.entries(credentials)) {
    test(`{origin}${base} with ${name}: requested whole and streamed, and looked up`, async () => {
      const { key } = await gate.account('5')
      const client = clientOf(key, { baseURL: `${gate.origin}${base}`, ...credential(key) })
      const params = { model: 'claude-echo', max_tokens: 50, messages: user('hello') }
      const whole = await client.messages.create(params)
      assert.deepEqual(whole.content, [{ type: 'text', text: 'hello' }])
      assert.equal(await client.messages.stream(params).finalText(), 'hello')
      assert.equal((await client.models.retrieve('claude-echo')).id, 'claude-echo')
      const { headers = {} } = gate.sandbox.requestLog().at(-1) ?? {}
      assert.equal(headers['x-api-key'], 'upstream-credential')
      assert.doesNotMatch(JSON.stringify(headers), /sk-tg-/, 'the key stays here')
    })
  }
}

const tools: Anthropic.Tool[] = [
  {
    name: 'weather',
    input_schema: {
      type: 'object',
      properties: { city: { type: 'string', enum: ['Zürich "old town"'] }, days: { type: 'integer' } },
      required: ['city', 'days'],
    },
  },
  { name: 'time', input_schema: { type: 'object', properties: {} } },
]
const argumentsOf: Readonly<Record<string, object>> = {
  weather: { city: 'Zürich "old town"', days: 1 },
  time: {},
}

/** Requests a whole or streamed response; the library accumulates the stream. */
function asking(client: Anthropic, isStreamed: boolean): (params: Params) => Promise<Anthropic.Message> {
  return async (params) =>
    isStreamed ? client.messages.stream(params).finalMessage() : client.messages.create(params)
}

for (const way of ways) {
  for (const isStreamed of [false, true]) {
    const manner = isStreamed ? 'streamed' : 'whole'
    for (const calls of [1, 3]) {
      for (const wanted of ['weather', 'time']) {
        test(`${way}, ${manner}: ${calls} × ${wanted} is called, run and answered`, async () => {
          const ask = asking(await newClient(), isStreamed)
          const common = { model: `${way}-tool`, max_tokens: 500, tools }
          const messages = user(`calls=${calls}`)
          const first = await ask({ ...common, messages, tool_choice: { type: 'tool', name: wanted } })
          assert.equal(first.stop_reason, 'tool_use')
          const made = first.content.filter((block) => block.type === 'tool_use')
          assert.deepEqual(
            made.map(({ name, input }) => ({ name, input })),
            Array.from({ length: calls }, () => ({ name: wanted, input: argumentsOf[wanted] })),
          )
          assert.equal(new Set(made.map(({ id }) => id)).size, calls)
          const results = made.map(({ id }, index) => ({
            type: 'tool_result' as const,
            tool_use_id: id,
            content: `result ${index}`,
          }))
          const last = await ask({
            ...common,
            messages: [
              ...messages,
              { role: 'assistant', content: first.content },
              { role: 'user', content: results },
            ],
          })
          const quoted = results.map(({ content }) => content).join(' | ')
          const [block] = last.content
          assert.equal(block?.type === 'text' && block.text, `The tool answered: ${quoted}`)
          assert.equal(last.stop_reason, 'end_turn')
        })
      }
    }

    test(`${way}, ${manner}: the library's tool runner, with its defaults, runs a tool`, async () => {
      const client = await newClient()
      const run: unknown[] = []
      const runner = client.beta.messages.toolRunner({
        model: `${way}-tool`,
        max_tokens: 500,
        stream: isStreamed,
        messages: [{ role: 'user', content: 'calls=1' }],
        tools: [
          betaTool({
            name: 'weather',
            description: 'The weather.',
            inputSchema: {
              type: 'object',
              properties: { city: { type: 'string', enum: ['Zürich'] } },
              required: ['city'],
            },
            run: (input) => {
              run.push(input)
              return 'sunny'
            },
          }),
        ],
      })
      const last = await runner.runUntilDone()
      assert.deepEqual(run, [{ city: 'Zürich' }])
      const [block] = last.content
      assert.equal(block?.type === 'text' && block.text, 'The tool answered: sunny')
    })

    test(`${way}, ${manner}: thinking returns with its signature, and only unchanged`, async () => {
      const ask = asking(await newClient(), isStreamed)
      const common = { model: `${way}-think`, max_tokens: 2_000, thinking }
      const messages = user('tokens=4 thinking=8')
      const first = await ask({ ...common, messages })
      const [thought] = first.content
      assert.ok(thought?.type === 'thinking' && thought.signature.length > 20)
      assert.equal(thought.thinking.trim().split(' ').length, 8)
      const again = (content: Anthropic.ContentBlockParam[]) =>
        ask({ ...common, messages: [...messages, { role: 'assistant', content }, ...user('tokens=2')] })
      assert.equal((await again(first.content)).stop_reason, 'end_turn')
      const forged = [{ ...thought, thinking: `${thought.thinking} more` }, ...first.content.slice(1)]
      await assert.rejects(again(forged), (error) => {
        assert.ok(error instanceof Anthropic.BadRequestError)
        assert.match(error.message, /Invalid `signature`/)
        return true
      })
    })
  }
}

for (const base of bases) {
  test(`{origin}${base}: models are listed page by page and retrieved`, async () => {
    const client = await newClient({ baseURL: `${gate.origin}${base}` })
    const listed: string[] = []
    for await (const model of client.models.list({ limit: 7 })) {
      assert.equal(model.type, 'model')
      assert.ok(!Number.isNaN(Date.parse(model.created_at)))
      assert.equal(typeof model.display_name, 'string')
      listed.push(model.id)
    }
    assert.ok(listed.includes('sandbox-echo') && listed.includes('claude-echo'))
    assert.ok(listed.length > 7, 'more than one page')
    assert.equal(new Set(listed).size, listed.length)
    const model = await client.models.retrieve('claude-echo')
    assert.deepEqual([model.id, model.type, model.max_tokens], ['claude-echo', 'model', 32_000])
  })
}

const threads: readonly (readonly [thread: object, details: object])[] = [
  [{ type: 'create' }, { error_code: 'thread_unsupported_request', unsupported: ['thread'] }],
  [{ type: 'continue', previous_message_id: 'msg_1' }, { error_code: 'thread_not_found' }],
]
for (const way of ways) {
  for (const [thread, expected] of threads) {
    test(`${way}: a thread (${JSON.stringify(thread)}) is rejected with the code that libraries continue after`, async () => {
      const { key } = await gate.account('5')
      const body = JSON.stringify({ model: `${way}-echo`, max_tokens: 9, messages: user('hi'), thread })
      const { status, text } = await send(gate.origin, {
        path: '/v1/alt/v1/messages',
        method: 'POST',
        headers: { ...bearer(key), 'content-type': 'application/json' },
        body,
      })
      assert.equal(status, 400)
      assert.partialDeepStrictEqual(JSON.parse(text), {
        error: { details: { code: 'reference_not_owned', ...expected } },
      })
    })
  }
}

const misspelt = { model: 'claude-ehco', max_tokens: 9, messages: user('hi') }
const unknown: Readonly<Record<string, (client: Anthropic) => Promise<unknown>>> = {
  send: (client) => client.messages.create(misspelt),
  streamed: (client) => client.messages.stream(misspelt).finalMessage(),
  retrieved: (client) => client.models.retrieve(misspelt.model),
}
for (const [how, ask] of Object.entries(unknown)) {
  test(`an unknown model that is ${how}: NotFoundError with the nearest name`, async () => {
    await assert.rejects(ask(await newClient()), (error) => {
      assert.ok(error instanceof Anthropic.NotFoundError)
      assert.equal(error.type, 'not_found_error')
      assert.match(error.message, /claude-ehco.*claude-echo/)
      return true
    })
  })
}

/** The class that the library itself has for a status. */
const classes: Readonly<Record<number, unknown>> = {
  400: Anthropic.BadRequestError,
  429: Anthropic.RateLimitError,
  502: Anthropic.InternalServerError,
  503: Anthropic.ServiceUnavailableError,
  504: Anthropic.GatewayTimeoutError,
  529: Anthropic.OverloadedError,
}

interface OwnDetails {
  readonly code?: string
  readonly source?: string
}

function detailsOf(error: InstanceType<typeof Anthropic.APIError>): OwnDetails {
  return (error.details ?? {}) as OwnDetails
}

function checkRefused(error: unknown, { status, code: { messages: expected } }: Refused): void {
  assert.ok(error instanceof Anthropic.APIError, String(error))
  assert.deepEqual([error.status, error.constructor], [status.messages, classes[status.messages]])
  if (expected === null) return
  const { code, source } = detailsOf(error)
  assert.deepEqual([code, source], [expected, 'upstream'])
}

function checkBroken(error: unknown, expected: string): void {
  assert.ok(error instanceof Anthropic.APIError, String(error))
  assert.equal(error.status, undefined, 'the head had gone')
  const { code, source } = detailsOf(error)
  assert.deepEqual([code, source], [expected, 'upstream'])
  assert.ok(error.type !== null)
  assert.match(String(error.requestID), /^req_/)
}

async function fails(at: { origin: string; key: string }, model: string, of: FailingModel): Promise<void> {
  const client = clientOf(at.key, { baseURL: at.origin })
  const params = { model, max_tokens: 100, messages: user(of.says ?? 'tokens=20') }
  if (of.whole.kind === 'answered') {
    assert.equal((await client.messages.create(params)).stop_reason, 'end_turn')
  } else {
    const error = await client.messages.create(params).catch((thrown: unknown) => thrown)
    checkRefused(error, of.whole)
    const { requestID } = error as InstanceType<typeof Anthropic.APIError>
    assert.equal((await receipt(at.origin, at.key, requestID)).cost, '0.00')
  }
  const iterate = async (): Promise<void> => {
    for await (const event of await client.messages.create({ ...params, stream: true })) {
      assert.equal(of.streamed.kind === 'refused', false, JSON.stringify(event))
      if (of.streamed.kind !== 'broken') continue
      assert.ok(!['message_delta', 'message_stop'].includes(event.type), 'nothing says that it is whole')
    }
  }
  const accumulate = () => client.messages.stream(params).finalMessage()
  for (const take of [iterate, accumulate]) {
    if (of.streamed.kind === 'answered') {
      await take()
      continue
    }
    const error = await take().then(
      () => assert.fail('the stream ended as if it were whole'),
      (thrown: unknown) => thrown,
    )
    if (of.streamed.kind === 'refused') checkRefused(error, of.streamed)
    else checkBroken(error, of.streamed.code)
  }
}

for (const way of ways) {
  for (const of of failingModels) {
    test(`${way}-${titleOf(of)} fails with the library's own error`, async () => {
      const { key } = await gate.account('5')
      await fails({ origin: gate.origin, key }, `${way}-${of.name}`, of)
    })
  }
}
for (const of of silentModels) {
  test(`claude-${titleOf(of)} fails with the library's own error`, async () => {
    const { key } = await timed.account('5')
    const failing = fails({ origin: timed.origin, key }, `claude-${of.name}`, of)
    await passTime(time, failing, () => isAnswering(timed.sandbox))
  })
}

test("an upstream's 429 and the gateway's own report how long to wait, and who sent them", async () => {
  const rates = { requestsPerMinute: 1, tokensPerMinute: null, concurrent: null }
  const client = clientOf((await gate.account('5', { rates })).key)
  const events: unknown[] = []
  for (const source of ['upstream', 'gateway']) {
    const error = await client.messages
      .create({ model: 'claude-429', max_tokens: 9, messages: user('retry=7') })
      .catch((thrown: unknown) => thrown)
    assert.ok(error instanceof Anthropic.RateLimitError)
    assert.equal(error.type, 'rate_limit_error')
    assert.equal(detailsOf(error).source, source)
    events.push(error.headers.get('retry-after'))
  }
  assert.equal(events[0], '7')
  assert.ok(Number(events[1]) > 0)
})

/** Requests at the sandbox that contain this text. */
function asksOf(text: string): number {
  return gate.sandbox.requestLog().filter(({ body }) => body?.includes(text)).length
}

interface RetryCase {
  readonly name: string
  readonly prompt?: string
  readonly stream: boolean
  readonly maxRetries: number
  readonly asks: number
  readonly outcome: 'succeeded' | 'failed'
}

const retried: readonly RetryCase[] = [
  { name: '429', prompt: 'retry=0.1', stream: false, maxRetries: 1, asks: 2, outcome: 'failed' },
  { name: '429', prompt: 'retry=0.1', stream: true, maxRetries: 1, asks: 2, outcome: 'failed' },
  { name: '500', stream: false, maxRetries: 1, asks: 2, outcome: 'failed' },
  { name: '529', stream: true, maxRetries: 1, asks: 2, outcome: 'failed' },
  { name: '401', stream: false, maxRetries: 1, asks: 1, outcome: 'failed' },
  { name: 'error-first', stream: true, maxRetries: 1, asks: 2, outcome: 'failed' },
  { name: 'cut-after', stream: true, maxRetries: 2, asks: 1, outcome: 'failed' },
  { name: 'error-after', stream: true, maxRetries: 2, asks: 1, outcome: 'failed' },
  { name: '400-context', stream: false, maxRetries: 2, asks: 1, outcome: 'failed' },
  { name: 'flaky', stream: false, maxRetries: 1, asks: 2, outcome: 'succeeded' },
]

test('the library retries exactly where it helps', { concurrency: true }, async (suite) => {
  const cases = retried.map(({ name, prompt = '', stream, maxRetries, asks, outcome }, index) => {
    const title = `${name}, ${stream ? 'streamed' : 'whole'}, ${maxRetries} retries: ${asks} asked`
    return suite.test(title, async () => {
      const marker = `case ${index} of retries`
      const params = { model: `claude-${name}`, max_tokens: 99, messages: user(`${prompt} ${marker}`) }
      const take = asking(await newClient({ maxRetries }), stream)(params)
      if (outcome === 'succeeded') await take
      else await assert.rejects(take, Anthropic.APIError)
      assert.equal(asksOf(marker), asks)
    })
  })
  await Promise.all(cases)
})

/** Counts what the library sends. */
function counting(): { readonly fetch: typeof fetch; count: number } {
  const counter = {
    count: 0,
    fetch: (...args: Parameters<typeof fetch>) => {
      counter.count += 1
      return fetch(...args)
    },
  }
  return counter
}

for (const isStreamed of [false, true]) {
  const manner = isStreamed ? 'streamed' : 'whole'
  test(`insufficient funds, ${manner}: 402 with our code, once, and nothing sent upstream`, async () => {
    const counter = counting()
    const client = clientOf((await gate.account('0')).key, { maxRetries: 2, fetch: counter.fetch })
    const marker = `no money ${manner}`
    const params = { model: 'claude-echo', max_tokens: 99, messages: user(marker) }
    await assert.rejects(asking(client, isStreamed)(params), (error) => {
      assert.ok(error instanceof Anthropic.PaymentRequiredError)
      assert.deepEqual([error.status, error.type], [402, 'billing_error'])
      assert.equal(detailsOf(error).code, 'insufficient_balance')
      assert.match(String(error.apiMessage), /^Your credit balance is too low/)
      assert.equal(error.headers.get('x-should-retry'), 'false')
      return true
    })
    assert.deepEqual([counter.count, asksOf(marker)], [1, 0])
  })
}

const invalidKeys: Readonly<Record<string, readonly [code: string, key: () => Promise<string>]>> = {
  revoked: [
    'revoked_api_key',
    async () => {
      const { key, keyId } = await gate.account('5')
      await clientOf(key).models.list()
      await gate.gateway.services.access.revoke(keyId)
      return key
    },
  ],
  unknown: ['invalid_api_key', async () => 'nonsense'],
  "Anthropic's": ['provider_api_key', async () => `sk-${'ant'}-${'api03'}-${'a1B2'.repeat(23)}`],
}
for (const [name, [code, key]] of Object.entries(invalidKeys)) {
  test(`a key that is ${name}: AuthenticationError, once, however it is sent`, async () => {
    const secret = await key()
    for (const credential of Object.values(credentials)) {
      const counter = counting()
      const client = clientOf(secret, { ...credential(secret), maxRetries: 2, fetch: counter.fetch })
      const params = { model: 'claude-echo', max_tokens: 9, messages: user('hi') }
      const calls: readonly (() => Promise<unknown>)[] = [
        () => client.messages.create(params),
        () => client.messages.stream(params).finalMessage(),
        () => client.models.list(),
        () => client.models.retrieve('claude-echo'),
      ]
      for (const call of calls) {
        await assert.rejects(call(), (error) => {
          assert.ok(error instanceof Anthropic.AuthenticationError, String(error))
          assert.deepEqual([error.type, detailsOf(error).code], ['authentication_error', code])
          assert.match(String(error.requestID), /^req_/)
          return true
        })
      }
      assert.equal(counter.count, calls.length)
    }
  })
}

test('every response has a request ID, which is the ID of its receipt', async () => {
  const { key } = await gate.account('5')
  for (const way of ways) {
    for (const stream of [false, true]) {
      const client = clientOf(key)
      const params = { model: `${way}-echo`, max_tokens: 9, messages: user('hi'), stream }
      const { data, response, request_id } = await client.messages.create(params).withResponse()
      if (Symbol.asyncIterator in data) for await (const _ of data) assert.ok(true)
      else assert.equal('_request_id' in data && data._request_id, request_id)
      assert.equal(response.headers.get('x-request-id'), request_id)
      assert.equal(response.headers.get('request-id'), request_id)
      assert.equal((await receipt(gate.origin, key, request_id)).status, 'complete')
    }
  }
})
