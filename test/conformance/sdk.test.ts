/**
 * The official `openai` and `@anthropic-ai/sdk` libraries against a running gateway, with only their base URL and key
 * changed: programs get the same objects from them as when they call the upstream directly.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import OpenAI from 'openai'
import { ChatCompletionStream } from 'openai/lib/ChatCompletionStream'
import { behaviors } from '../../sandbox/scenarios/behaviors-table.ts'
import { bearer, type Receipt, send } from '../support/bytes-client.ts'
import {
  type FailingModel,
  failingModels,
  type Rejected,
  silentModels,
  titleOf,
} from '../support/failing-models.ts'
import { eventually, isAnswering, listPrice, meteredGateway } from '../support/metered-gateway.ts'
import { movableClock, passTime } from '../support/movable-clock.ts'

const models = (['openai', 'anthropic'] as const).flatMap((provider) =>
  behaviors.map(({ name }) => ({
    id: name.replace('sandbox', provider === 'openai' ? 'gpt' : 'claude'),
    provider,
    upstreamId: name,
    context: 200_000,
    maxOutput: 32_000,
    prices: [listPrice],
  })),
)
const gate = await meteredGateway({
  models,
  limits: { eventBytesMax: 64 * 1024, requestsPerMinute: null, holdWaitMs: 50 },
})
const time = movableClock()
/** Where upstreams time out. */
const timed = await meteredGateway({ models, clock: time })
after(() => Promise.all([gate.end(), timed.end()]))

type Params = Readonly<Record<string, unknown>> & { readonly model: string }

interface Answer {
  /** Everything that a program reads of a response, without what differs between responses. */
  readonly summary: unknown
  readonly text: string
  readonly finish: string | null
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: unknown }[]
  readonly tokens: { readonly input: number; readonly output: number; readonly reasoning?: number }
  /** Itself and the results of its calls, as the next request has them. */
  readonly continued: (results: readonly string[]) => readonly object[]
  readonly requestId: string | null | undefined
}

/** A library with a key. */
interface Session {
  whole(params: Params): Promise<Answer>
  streamed(params: Params): Promise<Answer>
  /** Whether each event of a stream says that the response is whole. */
  finishes(params: Params): AsyncIterable<boolean>
  list(): Promise<readonly string[]>
  retrieve(model: string): Promise<object>
  /** Has the library itself run the tool. */
  runTool(model: string, stream: boolean, run: (input: { city: string }) => string): Promise<string>
}

interface Options {
  readonly baseURL?: string
  readonly maxRetries?: number
  readonly fetch?: typeof fetch
}

interface LibraryError {
  readonly status: number | undefined
  readonly type: string | null | undefined
  readonly code: string | undefined
  readonly source: string | undefined
  readonly requestId: string | null | undefined
  readonly headers: Headers | undefined
}

type ErrorClass = new (...of: never[]) => Error

interface Library {
  readonly name: string
  readonly prefix: 'gpt' | 'claude'
  readonly format: 'chat' | 'messages'
  session(key: string, options?: Options): Session
  /** A session for each way in which a key can be sent. */
  sessions(key: string, options: Options): readonly Session[]
  params(model: string, text: string, limit?: number): Params
  readonly prompts: readonly (readonly [name: string, behaviour: string, more: object])[]
  readonly tools: readonly object[]
  choice(name: string): object
  readonly words: { readonly calls: string; readonly end: string; readonly billing: string }
  readonly model: object
  readonly errors: Readonly<
    Record<'APIError' | 'NotFoundError' | 'RateLimitError' | 'AuthenticationError', ErrorClass>
  >
  classOf(status: number): unknown
  readError(error: Error): LibraryError
  readonly providerKey: string
}

const user = (content: string) => [{ role: 'user' as const, content }]
const city = { type: 'string', enum: ['Zürich "old town"'] } as const
const weather = {
  type: 'object' as const,
  properties: { city, days: { type: 'integer' } },
  required: ['city', 'days'],
}
const nothing = { type: 'object' as const, properties: {} }
const oneCity = { type: 'object', properties: { city }, required: ['city'] } as const
const inputs: Readonly<Record<string, object>> = {
  weather: { city: 'Zürich "old town"', days: 1 },
  time: {},
}

async function gathered<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const found: Item[] = []
  for await (const item of items) found.push(item)
  return found
}

function chatAnswer(answer: OpenAI.ChatCompletion, requestId: string | null | undefined): Answer {
  const { choices, usage, model, object } = answer
  const calls = (message: OpenAI.ChatCompletionMessage | undefined) =>
    (message?.tool_calls ?? []).flatMap((call) =>
      call.type === 'function' ? [{ id: call.id, ...call.function }] : [],
    )
  const [first] = choices
  return {
    summary: {
      ...{ usage, model, object },
      choices: choices.map(({ index, finish_reason, message }) => ({
        ...{ index, finish_reason, role: message.role, content: message.content },
        refusal: message.refusal ?? null,
        calls: calls(message).map(({ id: _, ...call }) => call),
      })),
    },
    text: first?.message.content ?? '',
    finish: first?.finish_reason ?? null,
    calls: calls(first?.message).map(({ id, name, arguments: input }) => ({
      ...{ id, name, input: JSON.parse(input) as unknown },
    })),
    tokens: {
      input: usage?.prompt_tokens ?? 0,
      output: usage?.completion_tokens ?? 0,
      reasoning: usage?.completion_tokens_details?.reasoning_tokens ?? 0,
    },
    continued: (results) => [
      first?.message ?? {},
      ...results.map((content, index) => ({
        ...{ role: 'tool', tool_call_id: calls(first?.message)[index]?.id, content },
      })),
    ],
    requestId,
  }
}

function openaiSession(key: string, options: Options = {}): Session {
  const base = { apiKey: key, baseURL: `${gate.origin}/v1`, maxRetries: 0, logLevel: 'off' as const }
  const client = new OpenAI({ ...base, ...options })
  const { completions } = client.chat
  type ChatParams = OpenAI.ChatCompletionCreateParamsNonStreaming
  return {
    async whole(params) {
      const answer = await completions.create(params as unknown as ChatParams)
      return chatAnswer(answer, answer._request_id)
    },
    async streamed(params) {
      const asked = { ...(params as unknown as ChatParams), stream_options: { include_usage: true } }
      const { data, request_id } = await completions.create({ ...asked, stream: true }).withResponse()
      const stream = ChatCompletionStream.fromReadableStream(data.toReadableStream())
      return chatAnswer(await stream.finalChatCompletion(), request_id)
    },
    async *finishes(params) {
      const chunks = await completions.create({ ...(params as unknown as ChatParams), stream: true })
      for await (const { choices } of chunks)
        yield choices.some(({ finish_reason }) => finish_reason !== null)
    },
    list: async () => (await gathered(client.models.list())).map(({ id }) => id),
    retrieve: (model) => client.models.retrieve(model),
    async runTool(model, stream, run) {
      const tool = {
        type: 'function' as const,
        function: {
          name: 'weather',
          description: 'Tells the weather.',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string', enum: [...city.enum] } },
            required: ['city'],
          },
          parse: JSON.parse,
          function: (input: { city: string }) => run(input),
        },
      }
      const common = { model, messages: user('weather?'), tools: [tool] }
      const runner = stream ? completions.runTools({ ...common, stream }) : completions.runTools(common)
      return (await runner.finalContent()) ?? ''
    },
  }
}

const openai: Library = {
  name: 'openai',
  prefix: 'gpt',
  format: 'chat',
  session: openaiSession,
  sessions: (key, options) => [openaiSession(key, options)],
  params: (model, text, limit) => ({
    ...{ model, messages: user(text) },
    ...(limit === undefined ? {} : { max_completion_tokens: limit }),
  }),
  prompts: [
    ['three choices', 'stream', { messages: user('tokens=7'), n: 3 }],
    ['hidden reasoning', 'think', { messages: user('tokens=7 thinking=9') }],
    [
      'a system message and parts',
      'echo',
      {
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: [{ type: 'text', text: 'in parts' }] },
        ],
      },
    ],
  ],
  tools: [
    { type: 'function', function: { name: 'weather', parameters: weather } },
    { type: 'function', function: { name: 'time', parameters: nothing } },
  ],
  choice: (name) => ({ type: 'function', function: { name } }),
  words: { calls: 'tool_calls', end: 'stop', billing: 'insufficient_quota' },
  model: { id: 'gpt-echo', object: 'model', owned_by: 'openai', pricing: { prompt: '0.000003' } },
  errors: OpenAI,
  /** The library's own documentation says so. */
  classOf(status) {
    if (status >= 500) return OpenAI.InternalServerError
    const classes = { 400: OpenAI.BadRequestError, 429: OpenAI.RateLimitError } as const
    return classes[status as keyof typeof classes] ?? OpenAI.APIError
  },
  readError(error) {
    assert.ok(error instanceof OpenAI.APIError, String(error))
    const { status, type, code, requestID: requestId, headers } = error
    const own = error.error as { source?: string; details?: { code?: string } } | undefined
    return { status, type, code: own?.details?.code ?? code ?? '', source: own?.source, requestId, headers }
  },
  providerKey: `sk-${'proj'}-${'a1B2'.repeat(20)}`,
}

function messageAnswer(message: Anthropic.Message, requestId: string | null | undefined): Answer {
  const { content, usage, role, model, stop_reason, stop_sequence } = message
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage
  const blocks = content.map((block) => (block.type === 'tool_use' ? { ...block, id: 'any' } : block))
  const calls = content.filter((block) => block.type === 'tool_use')
  return {
    summary: {
      blocks: JSON.parse(JSON.stringify(blocks)),
      usage: [input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens],
      fields: [role, model, stop_reason, stop_sequence],
    },
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    finish: stop_reason,
    calls: calls.map(({ id, name, input }) => ({ id, name, input })),
    tokens: { input: input_tokens, output: output_tokens },
    continued: (results) => [
      { role: 'assistant', content },
      {
        role: 'user',
        content: results.map((result, index) => ({
          ...{ type: 'tool_result', tool_use_id: calls[index]?.id, content: result },
        })),
      },
    ],
    requestId,
  }
}

function anthropicSession(key: string, options: ClientOptions = {}): Session {
  const base = { apiKey: key, authToken: null, baseURL: `${gate.origin}/v1/alt` }
  const client = new Anthropic({ ...base, maxRetries: 0, logLevel: 'off', ...options })
  const { messages } = client
  type MessageParams = Anthropic.MessageCreateParamsNonStreaming
  return {
    async whole(params) {
      const message = await messages.create(params as unknown as MessageParams)
      return messageAnswer(message, message._request_id)
    },
    async streamed(params) {
      const stream = messages.stream(params as unknown as MessageParams)
      const events = (await gathered(stream)).map(({ type }) => type)
      const message = await stream.finalMessage()
      assert.deepEqual([events[0], ...events.slice(-2)], ['message_start', 'message_delta', 'message_stop'])
      return messageAnswer(message, stream.request_id)
    },
    async *finishes(params) {
      const events = await messages.create({ ...(params as unknown as MessageParams), stream: true })
      for await (const { type } of events) yield type === 'message_delta' || type === 'message_stop'
    },
    list: async () => (await gathered(client.models.list({ limit: 7 }))).map(({ id }) => id),
    retrieve: (model) => client.models.retrieve(model),
    async runTool(model, stream, run) {
      const tool = betaTool({ name: 'weather', description: 'The weather.', inputSchema: oneCity, run })
      const asked = { model, max_tokens: 500, stream, messages: user('calls=1'), tools: [tool] }
      const [block] = (await client.beta.messages.toolRunner(asked).runUntilDone()).content
      return block?.type === 'text' ? block.text : ''
    },
  }
}

/** Each way in which the library, now or in earlier releases, sends a key. */
const credentials: readonly ((key: string) => ClientOptions)[] = [
  (apiKey) => ({ apiKey, authToken: null }),
  (authToken) => ({ apiKey: null, authToken }),
  (key) => ({
    apiKey: null,
    authToken: null,
    defaultHeaders: { 'x-api-key': key, authorization: null },
  }),
]

const thinking = { type: 'enabled', budget_tokens: 1_024 } as const
const anthropic: Library = {
  name: 'anthropic',
  prefix: 'claude',
  format: 'messages',
  session: anthropicSession,
  sessions: (key, options) =>
    credentials.map((credential) => anthropicSession(key, { ...options, ...credential(key) })),
  params: (model, text, limit = 200) => ({ model, max_tokens: limit, messages: user(text) }),
  prompts: [
    ['thinking', 'think', { max_tokens: 2_000, thinking, messages: user('tokens=7 thinking=9') }],
    [
      'a system prompt and blocks',
      'echo',
      {
        system: [{ type: 'text', text: 'Be brief.' }],
        messages: [{ role: 'user', content: [{ type: 'text', text: 'in blocks' }] }],
      },
    ],
  ],
  tools: [
    { name: 'weather', input_schema: weather },
    { name: 'time', input_schema: nothing },
  ],
  choice: (name) => ({ type: 'tool', name }),
  words: { calls: 'tool_use', end: 'end_turn', billing: 'billing_error' },
  model: { id: 'claude-echo', type: 'model', max_tokens: 32_000 },
  errors: Anthropic,
  classOf: (status) =>
    ({
      400: Anthropic.BadRequestError,
      429: Anthropic.RateLimitError,
      502: Anthropic.InternalServerError,
      503: Anthropic.ServiceUnavailableError,
      504: Anthropic.GatewayTimeoutError,
      529: Anthropic.OverloadedError,
    })[status],
  readError(error) {
    assert.ok(error instanceof Anthropic.APIError, String(error))
    const { status, type, requestID: requestId, headers } = error
    const { code, source } = (error.details ?? {}) as { code?: string; source?: string }
    return { status, type, code, source, requestId, headers }
  },
  providerKey: `sk-${'ant'}-${'api03'}-${'a1B2'.repeat(23)}`,
}

async function receipt(origin: string, key: string, requestId: string | null | undefined): Promise<Receipt> {
  assert.match(String(requestId), /^req_/)
  const found = await send(origin, { path: `/v1/generations/${requestId}`, headers: bearer(key) })
  assert.equal(found.status, 200, found.text)
  return (JSON.parse(found.text) as { data: Receipt }).data
}

/** The error that is thrown; fails where there is none. */
async function thrown(work: Promise<unknown>): Promise<Error> {
  return work.then(
    () => assert.fail('it ended as if it were whole'),
    (error: unknown) => error as Error,
  )
}

/** Requests at the sandbox that contain this text. */
function asksOf(text: string): number {
  return gate.sandbox.requestLog().filter(({ body }) => body?.includes(text)).length
}

/** Counts what a library sends. */
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

interface RetryCase {
  readonly name: string
  readonly prompt?: string
  readonly stream: boolean
  readonly maxRetries: number
  readonly asks: number
}

const retried: readonly RetryCase[] = [
  { name: '429', prompt: 'retry=0.1', stream: false, maxRetries: 1, asks: 2 },
  { name: '429', prompt: 'retry=0.1', stream: true, maxRetries: 1, asks: 2 },
  { name: '500', stream: false, maxRetries: 1, asks: 2 },
  { name: '529', stream: true, maxRetries: 1, asks: 2 },
  { name: '401', stream: false, maxRetries: 1, asks: 1 },
  { name: 'error-first', stream: true, maxRetries: 1, asks: 2 },
  { name: 'cut-after', stream: true, maxRetries: 2, asks: 1 },
  { name: 'error-after', stream: true, maxRetries: 2, asks: 1 },
  { name: '400-context', stream: false, maxRetries: 2, asks: 1 },
  { name: 'flaky', stream: false, maxRetries: 1, asks: 2 },
]

for (const library of [openai, anthropic]) {
  const { name, prefix, format, params, readError } = library
  /** The sandbox as its own provider, and the provider's connector. */
  const ways = ['sandbox', prefix]
  const opened = async (options: Options = {}) => library.session((await gate.account('5')).key, options)
  /** Calls the upstream, without the gateway. */
  const direct = library.session('any', {
    baseURL: `${gate.sandbox.origin}${name === 'openai' ? '/v1' : ''}`,
  })

  const prompts = [
    ['an echo', 'echo', params('', 'Grüße, 世界! 👋🏽 \u2028 "quoted" \\n')],
    ['words', 'stream', params('', 'tokens=40')],
    ['bytes one by one', 'split', params('', 'é世👋')],
    ['a limit that cuts', 'stream', params('', 'hi', 5)],
    ...library.prompts,
  ] as const
  for (const way of ways) {
    for (const [what, behaviour, more] of prompts) {
      test(`${name}, ${way}: ${what}: whole, streamed and without the gateway are one response`, async () => {
        const { key } = await gate.account('5')
        const session = library.session(key)
        const asked = { ...params('', ''), ...more }
        const expected = await direct.whole({ ...asked, model: `sandbox-${behaviour}` })
        const answers = [
          await session.whole({ ...asked, model: `${way}-${behaviour}` }),
          await session.streamed({ ...asked, model: `${way}-${behaviour}` }),
        ]
        for (const { summary } of answers) assert.deepEqual(summary, expected.summary)
        const receipts = await Promise.all(
          answers.map(({ requestId }) => receipt(gate.origin, key, requestId)),
        )
        const [whole, streamed] = receipts.map(({ status, cost, usage }) => ({ status, cost, usage }))
        assert.deepEqual(streamed, whole)
        assert.equal(whole?.status, 'complete')
        const { input_uncached: input, output, reasoning } = whole?.usage ?? {}
        const paid =
          expected.tokens.reasoning === undefined ? { input, output } : { input, output, reasoning }
        assert.deepEqual(paid, expected.tokens)
      })
    }

    for (const how of ['whole', 'streamed'] as const) {
      for (const [calls, wanted] of [
        [1, 'weather'],
        [3, 'weather'],
        [1, 'time'],
        [3, 'time'],
      ] as const) {
        test(`${name}, ${way}, ${how}: ${calls} × ${wanted} is called, run and answered`, async () => {
          const session = await opened()
          const first = { ...params(`${way}-tool`, `calls=${calls}`, 500), tools: library.tools }
          const called = await session[how]({ ...first, tool_choice: library.choice(wanted) })
          assert.equal(called.finish, library.words.calls)
          assert.deepEqual(
            called.calls.map((call) => [call.name, call.input]),
            Array.from({ length: calls }, () => [wanted, inputs[wanted]]),
          )
          assert.equal(new Set(called.calls.map(({ id }) => id)).size, calls)
          const results = called.calls.map((_, index) => `result ${index}`)
          const messages = [...user(`calls=${calls}`), ...called.continued(results)]
          const { text, finish } = await session[how]({ ...first, messages })
          assert.deepEqual([text, finish], [`The tool answered: ${results.join(' | ')}`, library.words.end])
        })
      }

      test(`${name}, ${way}, ${how}: the library's tool runner, with its defaults, runs a tool`, async () => {
        const cities: string[] = []
        const run = ({ city }: { city: string }) => {
          cities.push(city)
          return 'sunny'
        }
        const text = await (await opened()).runTool(`${way}-tool`, how === 'streamed', run)
        assert.deepEqual([text, cities], ['The tool answered: sunny', [city.enum[0]]])
      })
    }
  }

  test(`${name}: models are listed and retrieved`, async () => {
    const session = await opened()
    const listed = await session.list()
    assert.ok(listed.includes('sandbox-echo') && listed.includes(`${prefix}-echo`))
    assert.ok(listed.length > 7 && new Set(listed).size === listed.length)
    assert.partialDeepStrictEqual(await session.retrieve(`${prefix}-echo`), library.model)
  })

  test(`${name}: an unknown model is a NotFoundError with the nearest name`, async () => {
    const session = await opened()
    const misspelt = params(`${prefix}-ehco`, 'hi')
    for (const ask of [
      () => session.whole(misspelt),
      () => session.streamed(misspelt),
      () => session.retrieve(misspelt.model),
    ]) {
      const error = await thrown(ask())
      assert.ok(error instanceof library.errors.NotFoundError)
      assert.equal(readError(error).code, 'model_not_found')
      assert.match(error.message, new RegExp(`${prefix}-ehco.*${prefix}-echo`))
    }
  })

  function checkRejected(error: Error, { status, code }: Rejected): void {
    const found = readError(error)
    assert.deepEqual([found.status, error.constructor], [status[format], library.classOf(status[format])])
    if (code[format] !== null) assert.deepEqual([found.code, found.source], [code[format], 'upstream'])
  }

  async function fails(
    at: { origin: string; key: string },
    model: string,
    { says, whole, streamed }: FailingModel,
  ): Promise<void> {
    const session = library.session(at.key, { baseURL: `${at.origin}${name === 'openai' ? '/v1' : ''}` })
    const asked = params(model, says ?? 'tokens=20', 100)
    if (whole.kind === 'answered') assert.equal((await session.whole(asked)).finish, library.words.end)
    else {
      const error = await thrown(session.whole(asked))
      checkRejected(error, whole)
      assert.equal((await receipt(at.origin, at.key, readError(error).requestId)).cost, '0.00')
    }
    const iterated = async () => {
      for await (const isFinish of session.finishes(asked)) {
        assert.notEqual(streamed.kind, 'rejected')
        if (streamed.kind === 'broken') assert.equal(isFinish, false, 'nothing says that it is whole')
      }
    }
    for (const take of [iterated, () => session.streamed(asked)]) {
      if (streamed.kind === 'answered') {
        await take()
        continue
      }
      const error = await thrown(take())
      if (streamed.kind === 'rejected') checkRejected(error, streamed)
      else {
        const { status, code, source } = readError(error)
        assert.deepEqual([status, code, source], [undefined, streamed.code, 'upstream'], error.message)
      }
    }
  }

  for (const way of ways) {
    for (const of of failingModels) {
      test(`${name}, ${way}-${titleOf(of)} fails with the library's own error`, async () => {
        const { key } = await gate.account('5')
        // A chat stream with its finish is complete, also without its end mark.
        const isWhole = format === 'chat' && of.name === 'no-end'
        const expected = isWhole ? { ...of, streamed: of.whole } : of
        await fails({ origin: gate.origin, key }, `${way}-${of.name}`, expected)
      })
    }
  }
  for (const of of silentModels) {
    test(`${name}, ${prefix}-${titleOf(of)} fails with the library's own error`, async () => {
      const { key } = await timed.account('5')
      const failing = fails({ origin: timed.origin, key }, `${prefix}-${of.name}`, of)
      await passTime(time, failing, () => isAnswering(timed.sandbox))
    })
  }

  test(`${name}: an upstream's 429 and the gateway's own report how long to wait, and who sent them`, async () => {
    const rates = { requestsPerMinute: 1, tokensPerMinute: null, concurrent: null }
    const session = library.session((await gate.account('5', { rates })).key)
    for (const source of ['upstream', 'gateway']) {
      const error = await thrown(session.whole(params(`${prefix}-429`, 'retry=7')))
      assert.ok(error instanceof library.errors.RateLimitError)
      const found = readError(error)
      assert.equal(found.source, source)
      const [seconds, exact] = ['retry-after', 'retry-after-ms'].map((header) => found.headers?.get(header))
      if (source === 'upstream') assert.deepEqual([seconds, exact], ['7', '7000'])
      else assert.ok(Number(seconds) > 0)
    }
  })

  test(`${name}: the library retries exactly where it helps`, { concurrency: true }, async (suite) => {
    const cases = retried.map(({ name: behaviour, prompt = '', stream, maxRetries, asks }, index) => {
      const title = `${behaviour}, ${stream ? 'streamed' : 'whole'}, ${maxRetries} retries: ${asks} asked`
      return suite.test(title, async () => {
        const session = await opened({ maxRetries })
        const marker = `case ${index} of retries of ${name}`
        const asked = params(`${prefix}-${behaviour}`, `${prompt} ${marker}`, 99)
        const take = stream ? session.streamed(asked) : session.whole(asked)
        if (behaviour === 'flaky') await take
        else await assert.rejects(take, library.errors.APIError)
        assert.equal(asksOf(marker), asks)
      })
    })
    await Promise.all(cases)
  })

  test(`${name}: insufficient funds: 402 with our code, once, and nothing sent upstream`, async () => {
    for (const how of ['whole', 'streamed'] as const) {
      const counter = counting()
      const options = { maxRetries: 2, fetch: counter.fetch }
      const session = library.session((await gate.account('0')).key, options)
      const marker = `no money of ${name} ${how}`
      const error = await thrown(session[how](params(`${prefix}-echo`, marker)))
      const { status, type, code, headers } = readError(error)
      assert.deepEqual([status, type, code], [402, library.words.billing, 'insufficient_balance'])
      assert.match(error.message, /balance/i)
      assert.equal(headers?.get('x-should-retry'), 'false')
      assert.deepEqual([counter.count, asksOf(marker)], [1, 0])
    }
  })

  const invalidKeys: readonly (readonly [code: string, key: () => Promise<string>])[] = [
    [
      'revoked_api_key',
      async () => {
        const { key, keyId } = await gate.account('5')
        await library.session(key).list()
        await gate.gateway.services.access.revoke(keyId)
        return key
      },
    ],
    ['invalid_api_key', async () => 'nonsense'],
    ['provider_api_key', async () => library.providerKey],
  ]
  for (const [code, key] of invalidKeys) {
    test(`${name}: ${code} is an AuthenticationError, once, however it is sent`, async () => {
      const counter = counting()
      for (const session of library.sessions(await key(), { maxRetries: 2, fetch: counter.fetch })) {
        counter.count = 0
        const asked = params(`${prefix}-echo`, 'hi')
        const calls = [
          () => session.whole(asked),
          () => session.streamed(asked),
          () => session.list(),
          () => session.retrieve(asked.model),
        ]
        for (const call of calls) {
          const error = await thrown(call())
          assert.ok(error instanceof library.errors.AuthenticationError, String(error))
          const found = readError(error)
          assert.equal(found.code, code)
          assert.match(String(found.requestId), /^req_/)
        }
        assert.equal(counter.count, calls.length)
      }
    })
  }
}

// Tests of a single library.

test('openai: usage that the program did not ask for is not in its stream', async () => {
  const { key } = await gate.account('5')
  const client = new OpenAI({ apiKey: key, baseURL: `${gate.origin}/v1`, maxRetries: 0 })
  for (const [isAsked, expected] of [
    [true, 1],
    [false, 0],
  ] as const) {
    const asked = { model: 'gpt-stream', messages: user('tokens=4'), stream: true as const }
    const options = isAsked ? { stream_options: { include_usage: true } } : {}
    const { data, response, request_id } = await client.chat.completions
      .create({ ...asked, ...options })
      .withResponse()
    const chunks = await gathered(data)
    const reports = chunks.filter(({ usage, choices }) => usage != null || choices.length === 0)
    assert.equal(reports.length, expected)
    const ids = ['x-request-id', 'request-id'].map((header) => response.headers.get(header))
    assert.deepEqual(ids, [request_id, request_id])
  }
})

test('openai: a balance reserved by a running request: retried, and served once it is free', async () => {
  const { id, key } = await gate.account('0.03')
  const running = new AbortController()
  const statuses: number[] = []
  const openHolds = (count: number) =>
    eventually(
      `${count} requests hold`,
      () => gate.balance(id),
      (balance) => balance.openHolds === count,
    )
  const clientWith = (options: Options) =>
    new OpenAI({ apiKey: key, baseURL: `${gate.origin}/v1`, maxRetries: 0, ...options }).chat.completions
  const retrying = clientWith({
    maxRetries: 1,
    fetch: async (...args) => {
      const response = await fetch(...args)
      statuses.push(response.status)
      running.abort()
      await openHolds(0)
      return response
    },
  })
  const params = { messages: user('a long wait'), max_completion_tokens: 5_000 }
  const first = clientWith({}).create(
    { ...params, model: 'gpt-hang', stream: true },
    { signal: running.signal },
  )
  const aborted = assert.rejects(first, OpenAI.APIUserAbortError)
  await openHolds(1)
  const answer = await retrying.create({ ...params, model: 'gpt-echo' })
  assert.equal(answer.choices[0]?.message.content, 'a long wait')
  assert.deepEqual(statuses, [402, 200])
  await aborted
})

for (const base of ['/v1/alt', '']) {
  test(`anthropic: {origin}${base} with each credential: requested whole and streamed, and looked up`, async () => {
    const { key } = await gate.account('5')
    for (const session of anthropic.sessions(key, { baseURL: `${gate.origin}${base}` })) {
      const params = anthropic.params('claude-echo', 'hello', 50)
      assert.equal((await session.whole(params)).text, 'hello')
      assert.equal((await session.streamed(params)).text, 'hello')
      assert.partialDeepStrictEqual(await session.retrieve('claude-echo'), anthropic.model)
      const { headers = {} } = gate.sandbox.requestLog().at(-1) ?? {}
      assert.equal(headers['x-api-key'], 'upstream-credential')
      assert.doesNotMatch(JSON.stringify(headers), /sk-tg-/, 'the key stays here')
    }
  })
}

test('anthropic: thinking returns with its signature, and only unchanged', async () => {
  for (const way of ['sandbox', 'claude']) {
    for (const how of ['whole', 'streamed'] as const) {
      const session = anthropicSession((await gate.account('5')).key)
      const asked = { ...anthropic.params(`${way}-think`, 'tokens=4 thinking=8', 2_000), thinking }
      const [answer] = (await session[how](asked)).continued([]) as {
        content: Anthropic.ContentBlockParam[]
      }[]
      const [thought, ...rest] = answer?.content ?? []
      assert.ok(thought?.type === 'thinking' && thought.signature.length > 20)
      assert.equal(thought.thinking.trim().split(' ').length, 8)
      const again = (content: Anthropic.ContentBlockParam[]) => {
        const said = [...user('tokens=4 thinking=8'), { role: 'assistant', content }, ...user('tokens=2')]
        return session[how]({ ...asked, messages: said })
      }
      assert.equal((await again([thought, ...rest])).finish, 'end_turn')
      const forged = { ...thought, thinking: `${thought.thinking} more` }
      const error = await thrown(again([forged, ...rest]))
      assert.ok(error instanceof Anthropic.BadRequestError)
      assert.match(error.message, /Invalid `signature`/)
    }
  }
})

const threads: readonly (readonly [thread: object, details: object])[] = [
  [{ type: 'create' }, { error_code: 'thread_unsupported_request', unsupported: ['thread'] }],
  [{ type: 'continue', previous_message_id: 'msg_1' }, { error_code: 'thread_not_found' }],
]
for (const way of ['sandbox', 'claude']) {
  test(`anthropic, ${way}: a thread is rejected with the code that libraries continue after`, async () => {
    const { key } = await gate.account('5')
    for (const [thread, expected] of threads) {
      const body = { ...anthropic.params(`${way}-echo`, 'hi'), thread }
      const answer = await send(gate.origin, { path: '/v1/alt/v1/messages', headers: bearer(key), body })
      assert.equal(answer.status, 400)
      const details = { code: 'reference_not_owned', ...expected }
      assert.partialDeepStrictEqual(JSON.parse(answer.text), { error: { details } })
    }
  })
}
