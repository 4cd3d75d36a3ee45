/**
 * The official `openai` library against a running gateway, with only its base URL and key
 * changed: programs get the same objects from it as when it calls the upstream directly.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import OpenAI, { type ClientOptions } from 'openai'
import { behaviors } from '../../sandbox/scenarios/behaviors-table.ts'
import {
  type FailingModel,
  failingModels,
  type Refused,
  silentModels,
  titleOf,
} from '../support/failing-models.ts'
import { eventually, isAnswering, listPrice, meteredGateway } from '../support/metered-gateway.ts'
import { movableClock, passTime } from '../support/movable-clock.ts'

type Params = OpenAI.ChatCompletionCreateParamsNonStreaming
type Message = OpenAI.ChatCompletionMessageParam

const models = behaviors.map(({ name }) => ({
  id: name.replace('sandbox', 'gpt'),
  provider: 'openai',
  upstreamId: name,
  context: 200_000,
  maxOutput: 32_000,
  prices: [listPrice],
}))
const gate = await meteredGateway({
  models,
  limits: { eventBytesMax: 64 * 1024, requestsPerMinute: null, holdWaitMs: 50 },
})
const time = movableClock()
/** Where upstreams time out. */
const timed = await meteredGateway({ models, clock: time })
after(() => Promise.all([gate.end(), timed.end()]))

/** The model as the library calls it: the sandbox as its own provider, and the provider's connector. */
const ways = ['sandbox', 'gpt'] as const

function clientOf(key: string, options: ClientOptions = {}): OpenAI {
  return new OpenAI({ apiKey: key, baseURL: `${gate.origin}/v1`, maxRetries: 0, logLevel: 'off', ...options })
}

async function newClient(options: ClientOptions = {}): Promise<OpenAI> {
  return clientOf((await gate.account('5')).key, options)
}

/** Calls the upstream, without the gateway. */
const direct = clientOf('any', { baseURL: `${gate.sandbox.origin}/v1` })

function user(content: string): Message[] {
  return [{ role: 'user', content }]
}

/** What a program reads of a response, without what differs between responses. */
function summaryOf({ choices, usage, model, object }: OpenAI.ChatCompletion): unknown {
  const choiceSummaries = choices.map(({ index, finish_reason, message }) => ({
    index,
    finish_reason,
    role: message.role,
    content: message.content,
    refusal: message.refusal ?? null,
    calls: (message.tool_calls ?? []).map((call) => call.type === 'function' && call.function),
  }))
  return { choices: choiceSummaries, usage, model, object }
}

interface ErrorDetails {
  readonly status: string
  readonly cost: string
  readonly usage: { readonly output: number; readonly input_uncached: number; readonly reasoning: number }
}

async function receipt(client: OpenAI, requestId: string | null | undefined): Promise<ErrorDetails> {
  assert.match(String(requestId), /^req_/)
  const { data } = await client.get<{ data: ErrorDetails }>(`/generations/${requestId}`)
  return data
}

/** A stream read to its end by hand, with the final response that the library makes of the same chunks. */
async function streamed(client: OpenAI, params: Params) {
  const { data, response, request_id } = await client.chat.completions
    .create({ ...params, stream: true })
    .withResponse()
  const [one, other] = data.tee()
  const chunks: OpenAI.ChatCompletionChunk[] = []
  const collecting = (async () => {
    for await (const chunk of one) chunks.push(chunk)
  })()
  const { ChatCompletionStream } = await import('openai/lib/ChatCompletionStream')
  const final = ChatCompletionStream.fromReadableStream(other.toReadableStream()).finalChatCompletion()
  await Promise.all([collecting, final])
  return { chunks, final: await final, response, requestId: request_id }
}

interface Prompt {
  readonly name: string
  readonly behaviour: string
  readonly params: Omit<Params, 'model'>
}

const prompts: readonly Prompt[] = [
  { name: 'an echo', behaviour: 'echo', params: { messages: user('Grüße, 世界! 👋🏽 \u2028 "quoted" \\n') } },
  { name: 'words', behaviour: 'stream', params: { messages: user('tokens=40') } },
  { name: 'bytes one by one', behaviour: 'split', params: { messages: user('é世👋') } },
  {
    name: 'a limit that cuts',
    behaviour: 'stream',
    params: { messages: user('hi'), max_completion_tokens: 5 },
  },
  { name: 'three choices', behaviour: 'stream', params: { messages: user('tokens=7'), n: 3 } },
  { name: 'hidden reasoning', behaviour: 'think', params: { messages: user('tokens=7 thinking=9') } },
  {
    name: 'a system message and parts',
    behaviour: 'echo',
    params: {
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: [{ type: 'text', text: 'in parts' }] },
      ],
    },
  },
]

for (const way of ways) {
  for (const { name, behaviour, params } of prompts) {
    test(`${way}: ${name}: whole, streamed and without the gateway are one response`, async () => {
      const client = await newClient()
      const model = `${way}-${behaviour}`
      const expected = await direct.chat.completions.create({ ...params, model: `sandbox-${behaviour}` })
      const whole = await client.chat.completions.create({ ...params, model })
      assert.deepEqual(summaryOf(whole), summaryOf(expected))

      const request = { ...params, model, stream_options: { include_usage: true } }
      const withUsage = await streamed(client, request)
      assert.deepEqual(summaryOf(withUsage.final), summaryOf(expected))
      const reports = withUsage.chunks.filter(({ usage }) => usage != null)
      assert.deepEqual(
        reports.map(({ usage, choices }) => ({ usage, choices })),
        [{ usage: expected.usage, choices: [] }],
        'exactly one chunk of usage',
      )
      const without = await streamed(client, { ...params, model })
      assert.deepEqual(
        without.chunks.filter((chunk) => chunk.usage != null || chunk.choices.length === 0),
        [],
      )
      assert.deepEqual(summaryOf({ ...without.final, usage: expected.usage! }), summaryOf(expected))

      const receipts = await Promise.all(
        [whole._request_id, withUsage.requestId, without.requestId].map((id) => receipt(client, id)),
      )
      const paid = receipts.map(({ status, cost, usage }) => ({ status, cost, usage }))
      assert.deepEqual([paid[1], paid[2]], [paid[0], paid[0]])
      assert.equal(paid[0]?.status, 'complete')
      assert.equal(paid[0]?.usage.output, expected.usage?.completion_tokens)
      assert.equal(paid[0]?.usage.input_uncached, expected.usage?.prompt_tokens)
      assert.equal(paid[0]?.usage.reasoning, expected.usage?.completion_tokens_details?.reasoning_tokens)
    })
  }
}

const tools: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'weather',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string', enum: ['Zürich "old town"'] }, days: { type: 'integer' } },
        required: ['city', 'days'],
      },
    },
  },
  { type: 'function', function: { name: 'time', parameters: { type: 'object', properties: {} } } },
]
const argumentsOf: Readonly<Record<string, object>> = {
  weather: { city: 'Zürich "old town"', days: 1 },
  time: {},
}

for (const way of ways) {
  for (const isStreamed of [false, true]) {
    for (const calls of [1, 3]) {
      for (const wanted of ['weather', 'time']) {
        const manner = isStreamed ? 'streamed' : 'whole'
        test(`${way}, ${manner}: ${calls} × ${wanted} is called, run and answered`, async () => {
          const client = await newClient()
          const ask = async (params: Params): Promise<OpenAI.ChatCompletion> =>
            isStreamed ? (await streamed(client, params)).final : client.chat.completions.create(params)
          const messages = user(`calls=${calls}`)
          const common = { model: `${way}-tool`, tools }
          const first = await ask({
            ...common,
            messages,
            tool_choice: { type: 'function', function: { name: wanted } },
          })
          const [choice] = first.choices
          assert.equal(choice?.finish_reason, 'tool_calls')
          const made = choice.message.tool_calls ?? []
          assert.equal(made.length, calls)
          assert.equal(new Set(made.map(({ id }) => id)).size, calls)
          const results = made.map((call, index): Message => {
            assert.ok(call.type === 'function')
            assert.equal(call.function.name, wanted)
            assert.deepEqual(JSON.parse(call.function.arguments), argumentsOf[wanted])
            return { role: 'tool', tool_call_id: call.id, content: `result ${index}` }
          })
          const last = await ask({ ...common, messages: [...messages, choice.message, ...results] })
          const quoted = results.map(({ content }) => content).join(' | ')
          assert.equal(last.choices[0]?.message.content, `The tool answered: ${quoted}`)
          assert.equal(last.choices[0]?.finish_reason, 'stop')
        })
      }
    }
  }
}

test('the library runs tools automatically', async () => {
  const client = await newClient()
  for (const stream of [false, true]) {
    const cities: unknown[] = []
    const run = {
      type: 'function' as const,
      function: {
        name: 'weather',
        description: 'Tells the weather.',
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        parse: JSON.parse,
        function: (input: { city: string }) => {
          cities.push(input.city)
          return 'sunny'
        },
      },
    }
    const common = { model: 'gpt-tool', messages: user('weather?'), tools: [run] }
    const runner = stream
      ? client.chat.completions.runTools({ ...common, stream })
      : client.chat.completions.runTools(common)
    assert.equal(await runner.finalContent(), 'The tool answered: sunny')
    assert.deepEqual(cities, ['sample'])
  }
})

test('models are listed and retrieved, with prices', async () => {
  const client = await newClient()
  const listed: string[] = []
  for await (const model of client.models.list()) {
    assert.equal(model.object, 'model')
    assert.ok(Number.isInteger(model.created))
    listed.push(model.id)
  }
  assert.ok(listed.includes('sandbox-echo') && listed.includes('gpt-echo'))
  assert.equal(new Set(listed).size, listed.length)
  const model = await client.models.retrieve('gpt-echo')
  assert.deepEqual([model.id, model.object, model.owned_by], ['gpt-echo', 'model', 'openai'])
  assert.equal((model as unknown as { pricing: { prompt: string } }).pricing.prompt, '0.000003')
})

const unknown: Readonly<Record<string, (client: OpenAI) => Promise<unknown>>> = {
  send: (client) => client.chat.completions.create({ model: 'gpt-ehco', messages: user('hi') }),
  streamed: (client) =>
    client.chat.completions.create({ model: 'gpt-ehco', messages: user('hi'), stream: true }),
  retrieved: (client) => client.models.retrieve('gpt-ehco'),
}
for (const [how, ask] of Object.entries(unknown)) {
  test(`an unknown model that is ${how}: NotFoundError with the nearest name`, async () => {
    const client = await newClient()
    await assert.rejects(ask(client), (error) => {
      assert.ok(error instanceof OpenAI.NotFoundError)
      assert.equal(error.code, 'model_not_found')
      assert.match(error.message, /gpt-ehco.*gpt-echo/)
      return true
    })
  })
}

/** The class that the library's own documentation names for a status. */
function classOf(status: number): unknown {
  if (status >= 500) return OpenAI.InternalServerError
  const classes = { 400: OpenAI.BadRequestError, 429: OpenAI.RateLimitError } as const
  return classes[status as keyof typeof classes] ?? OpenAI.APIError
}

function checkRefused(error: unknown, { status, code: { chat: code } }: Refused): void {
  assert.ok(error instanceof OpenAI.APIError, String(error))
  assert.deepEqual([error.status, error.constructor], [status.chat, classOf(status.chat)], error.message)
  if (code === null) return
  const own = (error.error as { details?: { code?: string } }).details?.code
  assert.equal(own ?? error.code, code)
  assert.equal((error.error as { source?: string }).source, 'upstream')
}

function checkBroken(error: unknown, code: string): void {
  assert.ok(error instanceof OpenAI.APIError, String(error))
  assert.equal(error.status, undefined, 'the head had gone')
  assert.equal(error.code, code)
  assert.ok(error.message.length > 10)
}

async function fails(client: OpenAI, model: string, of: FailingModel): Promise<void> {
  const params = { model, messages: user(of.says ?? 'tokens=20') }
  if (of.whole.kind === 'answered') {
    const answer = await client.chat.completions.create(params)
    assert.equal(answer.choices[0]?.finish_reason, 'stop')
  } else {
    const error = await client.chat.completions.create(params).catch((thrown: unknown) => thrown)
    checkRefused(error, of.whole)
    const requestId = (error as InstanceType<typeof OpenAI.APIError>).requestID
    assert.equal((await receipt(client, requestId)).cost, '0.00')
  }
  const iterate = async (): Promise<void> => {
    for await (const chunk of await client.chat.completions.create({ ...params, stream: true })) {
      assert.equal(of.streamed.kind === 'refused', false, JSON.stringify(chunk))
      const finished = chunk.choices.some(({ finish_reason }) => finish_reason !== null)
      if (of.streamed.kind === 'broken') assert.equal(finished, false, 'nothing says that it is whole')
    }
  }
  const accumulate = () => client.chat.completions.stream(params).finalChatCompletion()
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

/** A chat stream with its finish is complete, also without its end mark. */
const failing = failingModels.map((of) => (of.name === 'no-end' ? { ...of, streamed: of.whole } : of))

for (const way of ways) {
  for (const of of failing) {
    test(`${way}-${titleOf(of)} fails with the library's own error`, async () => {
      await fails(await newClient(), `${way}-${of.name}`, of)
    })
  }
}
for (const of of silentModels) {
  test(`gpt-${titleOf(of)} fails with the library's own error`, async () => {
    const { key } = await timed.account('5')
    const client = clientOf(key, { baseURL: `${timed.origin}/v1` })
    await passTime(time, fails(client, `gpt-${of.name}`, of), () => isAnswering(timed.sandbox))
  })
}

test("an upstream's 429 reports how long to wait, and who sent it", async () => {
  const client = await newClient()
  const response = client.chat.completions.create({ model: 'gpt-429', messages: user('retry=7') })
  await assert.rejects(response, (error) => {
    assert.ok(error instanceof OpenAI.RateLimitError)
    assert.deepEqual(
      [error.headers.get('retry-after'), error.headers.get('retry-after-ms'), error.type],
      ['7', '7000', 'requests'],
    )
    return true
  })
})

test("so does the gateway's own 429", async () => {
  const rates = { requestsPerMinute: 1, tokensPerMinute: null, concurrent: null }
  const client = clientOf((await gate.account('5', { rates })).key)
  const ask = () => client.chat.completions.create({ model: 'gpt-echo', messages: user('hi') })
  await ask()
  await assert.rejects(ask(), (error) => {
    assert.ok(error instanceof OpenAI.RateLimitError)
    assert.equal(error.code, 'rate_limit_exceeded')
    assert.ok(Number(error.headers.get('retry-after')) > 0)
    assert.equal(error.headers.get('x-ratelimit-remaining-requests'), '0')
    assert.equal((error.error as { source: string }).source, 'gateway')
    return true
  })
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
      const client = await newClient({ maxRetries })
      const marker = `case ${index} of retries`
      const params = { model: `gpt-${name}`, messages: user(`${prompt} ${marker}`) }
      const take = stream
        ? client.chat.completions.stream(params).finalChatCompletion()
        : client.chat.completions.create(params)
      if (outcome === 'succeeded') await take
      else await assert.rejects(take, OpenAI.APIError)
      assert.equal(asksOf(marker), asks)
    })
  })
  const delayed = suite.test(
    'a balance reserved by a running request: retried, and served once it is free',
    heldThenServed,
  )
  await Promise.all([...cases, delayed])
})

async function heldThenServed(): Promise<void> {
  const { id, key } = await gate.account('0.03')
  const running = new AbortController()
  const statuses: number[] = []
  const client = clientOf(key, {
    maxRetries: 1,
    fetch: async (...args) => {
      const response = await fetch(...args)
      statuses.push(response.status)
      running.abort()
      await eventually(
        'the first request holds no longer',
        () => gate.balance(id),
        ({ openHolds }) => openHolds === 0,
      )
      return response
    },
  })
  const params = { messages: user('a long wait'), max_completion_tokens: 5_000 }
  const first = clientOf(key).chat.completions.create(
    { ...params, model: 'gpt-hang', stream: true },
    { signal: running.signal },
  )
  const aborted = assert.rejects(first, OpenAI.APIUserAbortError)
  await eventually(
    'the first request holds',
    () => gate.balance(id),
    ({ openHolds }) => openHolds === 1,
  )
  const answer = await client.chat.completions.create({ ...params, model: 'gpt-echo' })
  assert.equal(answer.choices[0]?.message.content, 'a long wait')
  assert.deepEqual(statuses, [402, 200])
  await aborted
}

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

for (const stream of [false, true]) {
  test(`insufficient funds, ${stream ? 'streamed' : 'whole'}: 402 with our code, once, and nothing sent upstream`, async () => {
    const counter = counting()
    const client = clientOf((await gate.account('0')).key, { maxRetries: 2, fetch: counter.fetch })
    const marker = `no money ${stream}`
    const response = client.chat.completions.create({ model: 'gpt-echo', messages: user(marker), stream })
    await assert.rejects(response, (error) => {
      assert.ok(error instanceof OpenAI.APIError)
      assert.deepEqual(
        [error.status, error.code, error.type],
        [402, 'insufficient_balance', 'insufficient_quota'],
      )
      assert.match(error.message, /^402 .*balance/i)
      assert.equal(error.headers?.get('x-should-retry'), 'false')
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
  "OpenAI's": ['provider_api_key', async () => `sk-${'proj'}-${'a1B2'.repeat(20)}`],
}
for (const [name, [code, key]] of Object.entries(invalidKeys)) {
  test(`a key that is ${name}: AuthenticationError, once`, async () => {
    const counter = counting()
    const client = clientOf(await key(), { maxRetries: 2, fetch: counter.fetch })
    const calls = [
      () => client.chat.completions.create({ model: 'gpt-echo', messages: user('hi') }),
      () => client.chat.completions.create({ model: 'gpt-echo', messages: user('hi'), stream: true }),
      () => client.models.list(),
      () => client.models.retrieve('gpt-echo'),
    ]
    for (const call of calls) {
      await assert.rejects(call(), (error) => {
        assert.ok(error instanceof OpenAI.AuthenticationError)
        assert.equal(error.code, code)
        assert.match(String(error.requestID), /^req_/)
        return true
      })
    }
    assert.equal(counter.count, calls.length)
  })
}

test('every response has a request ID, which is the ID of its receipt', async () => {
  const client = await newClient()
  for (const way of ways) {
    for (const stream of [false, true]) {
      const pending = client.chat.completions.create({ model: `${way}-echo`, messages: user('hi'), stream })
      const { data, response, request_id } = await pending.withResponse()
      if (Symbol.asyncIterator in data) for await (const _ of data) assert.ok(true)
      else assert.equal('_request_id' in data && data._request_id, request_id)
      assert.equal(response.headers.get('x-request-id'), request_id)
      assert.equal(response.headers.get('request-id'), request_id)
      assert.equal((await receipt(client, request_id)).status, 'complete')
    }
  }
})
