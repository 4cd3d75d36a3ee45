/**
 * Reports of usage in which numbers are missing, zero, smaller than before or repeated, in the six formats of upstreams: delivered
 * text and its prompt are never free, a zero takes nothing back, and what no report can be right about is counted within the hold.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { inputTokens, outputTokens } from '../../contract/meters.ts'
import { createLog } from '../../src/base/log.ts'
import type { ReceiptRow } from '../../src/ledger/types.ts'
import { converseEvent } from '../support/event-stream-frames.ts'
import { type Behaviour, faultUpstream, sendsThen, wholeAnswer } from '../support/fault-upstream.ts'
import { meteredGateway } from '../support/metered-gateway.ts'
import { Sent } from '../support/paying-client.ts'
import { repeated } from '../support/sampled.ts'

/** What one report says; a direction that is left out is missing in it. */
interface Report {
  readonly input?: { readonly fresh: number; readonly cached: number }
  readonly output?: number
}

interface Format {
  readonly model: string
  readonly path: `/${string}`
  /** How many reports a stream can have; 0: it has no streams. */
  readonly reportsMax: number
  /** A number that goes down is the true one, unless it goes down to 0. */
  readonly goesDown?: boolean
  readonly whole: (report: Report) => object
  readonly streamed: (reports: readonly Report[]) => readonly (string | Uint8Array)[]
}

const text = 'window '.repeat(30).trim()
const event = (data: object | string, name?: string) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`
const typed = (type: string, more: object) => event({ type, ...more }, type)

const chatUsage = ({ input, output }: Report): object => ({
  ...(input === undefined
    ? {}
    : {
        prompt_tokens: input.fresh + input.cached,
        prompt_tokens_details: { cached_tokens: input.cached },
      }),
  ...(output === undefined ? {} : { completion_tokens: output }),
})
const responsesUsage = ({ input, output }: Report): object => ({
  ...(input === undefined
    ? {}
    : { input_tokens: input.fresh + input.cached, input_tokens_details: { cached_tokens: input.cached } }),
  ...(output === undefined ? {} : { output_tokens: output }),
})
const messagesUsage = ({ input, output }: Report): object => ({
  ...(input === undefined ? {} : { input_tokens: input.fresh, cache_read_input_tokens: input.cached }),
  ...(output === undefined ? {} : { output_tokens: output }),
})
const geminiUsage = ({ input, output }: Report): object => ({
  ...(input === undefined
    ? {}
    : { promptTokenCount: input.fresh + input.cached, cachedContentTokenCount: input.cached }),
  ...(output === undefined ? {} : { candidatesTokenCount: output }),
})
const converseUsage = ({ input, output }: Report): object => ({
  ...(input === undefined ? {} : { inputTokens: input.fresh, cacheReadInputTokens: input.cached }),
  ...(output === undefined ? {} : { outputTokens: output }),
})

const chatChunk = (delta: object, reason: string | null, usage: object | null) =>
  event({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: reason }], usage })
const message = { id: 'msg', type: 'message', role: 'assistant', model: 'm' }
const item = { id: 'i', type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }
const response = (usage: object) => ({ id: 'resp_1', status: 'completed', model: 'm', output: [item], usage })
const candidate = (said: string, usage: object | undefined, finishReason?: string) => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text: said }] }, finishReason }],
  usageMetadata: usage,
})

const formats: Readonly<Record<string, Format>> = {
  'Chat Completions': {
    model: 'chat',
    path: '/v1/chat/completions',
    reportsMax: 4,
    whole: (report) => ({
      id: 'c',
      choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      usage: chatUsage(report),
    }),
    streamed: (reports) => [
      chatChunk({ role: 'assistant', content: text }, null, null),
      ...reports.slice(0, -1).map((report) => chatChunk({}, null, chatUsage(report))),
      chatChunk({}, 'stop', null),
      event({ id: 'c', choices: [], usage: chatUsage(reports.at(-1) ?? {}) }),
      event('[DONE]'),
    ],
  },
  Responses: {
    model: 'responses',
    path: '/v1/responses',
    reportsMax: 1,
    whole: (report) => response(responsesUsage(report)),
    streamed: ([report = {}]) => [
      typed('response.output_text.delta', { output_index: 0, delta: text }),
      typed('response.output_item.done', { output_index: 0, item }),
      typed('response.completed', { response: response(responsesUsage(report)) }),
    ],
  },
  Messages: {
    model: 'messages',
    path: '/v1/messages',
    reportsMax: 4,
    whole: (report) => ({
      ...message,
      content: [{ type: 'text', text }],
      stop_reason: 'end_turn',
      usage: messagesUsage(report),
    }),
    streamed: (reports) => [
      // Its output is a placeholder.
      typed('message_start', {
        message: { ...message, content: [], usage: messagesUsage({ ...reports[0], output: 1 }) },
      }),
      typed('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      typed('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      typed('content_block_stop', { index: 0 }),
      ...reports.map((report) =>
        typed('message_delta', { delta: { stop_reason: 'end_turn' }, usage: messagesUsage(report) }),
      ),
      typed('message_stop', {}),
    ],
  },
  Gemini: {
    model: 'gemini',
    path: '/v1beta/models/gemini',
    reportsMax: 4,
    goesDown: true,
    whole: (report) => candidate(text, geminiUsage(report), 'STOP'),
    streamed: (reports) => [
      event(candidate(text, undefined)),
      ...reports.slice(0, -1).map((report) => event(candidate('', geminiUsage(report)))),
      event(candidate('', geminiUsage(reports.at(-1) ?? {}), 'STOP')),
    ],
  },
  Embeddings: {
    model: 'embeddings',
    path: '/v1/embeddings',
    reportsMax: 0,
    whole: ({ input }) => ({
      object: 'list',
      data: [{ object: 'embedding', index: 0, embedding: [0.5] }],
      usage: input === undefined ? {} : { prompt_tokens: input.fresh + input.cached },
    }),
    streamed: () => [],
  },
  Converse: {
    model: 'converse',
    path: '/v1/chat/completions',
    reportsMax: 1,
    whole: (report) => ({
      output: { message: { role: 'assistant', content: [{ text }] } },
      stopReason: 'end_turn',
      usage: converseUsage(report),
    }),
    streamed: ([report = {}]) => [
      converseEvent('messageStart', { role: 'assistant' }),
      converseEvent('contentBlockDelta', { contentBlockIndex: 0, delta: { text } }),
      converseEvent('contentBlockStop', { contentBlockIndex: 0 }),
      converseEvent('messageStop', { stopReason: 'end_turn' }),
      converseEvent('metadata', { usage: converseUsage(report) }),
    ],
  },
}

let says: Behaviour
const upstream = await faultUpstream(() => says)
const { origin } = upstream
const prices = [{ input: '1', cacheRead: '0.1', cacheWrite5m: '1.25', cacheWrite1h: '2', output: '10' }]
const facts = { context: 100_000, maxOutput: 8_000, prices }
const warned: string[] = []
const gate = await meteredGateway({
  openai: origin,
  anthropic: origin,
  google: origin,
  upstreams: [{ name: 'bedrock', provider: 'bedrock', url: origin, credential: 'a-key', weight: 1 }],
  limits: { requestsPerMinute: null, attemptsMax: 1 },
  log: createLog({ level: 'warn', destination: { write: (line: string) => void warned.push(line) } }),
  models: [
    { id: 'chat', provider: 'openai', formats: ['openai-chat'], ...facts },
    { id: 'responses', provider: 'openai', formats: ['openai-responses'], ...facts },
    { id: 'messages', provider: 'anthropic', formats: ['anthropic'], ...facts },
    { id: 'gemini', provider: 'google', formats: ['gemini'], ...facts },
    { id: 'embeddings', provider: 'openai', formats: ['openai-embeddings'], ...facts },
    { id: 'converse', provider: 'bedrock', upstreamId: 'amazon.nova-pro-v1:0', ...facts },
  ],
})
after(async () => {
  await gate.end()
  await upstream.close()
})

const prompt = 'Which window is it? '.repeat(20)
const bodies: Readonly<Record<string, object>> = {
  responses: { model: 'responses', input: prompt, max_output_tokens: 1_000 },
  gemini: {
    contents: [{ role: 'user', parts: [{ text: prompt }] }],
    generationConfig: { maxOutputTokens: 1_000 },
  },
  embeddings: { model: 'embeddings', input: prompt },
}
const chatBody = (model: string) => ({
  model,
  max_tokens: 1_000,
  messages: [{ role: 'user', content: prompt }],
})

const streamHead = (type: string) => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: close\r\n\r\n`

/** The receipt of a response with these reports; without a list the response is not streamed. */
async function receiptFor(format: Format, reports: readonly Report[] | Report): Promise<ReceiptRow> {
  const isStream = Array.isArray(reports)
  const type = format.model === 'converse' ? 'application/vnd.amazon.eventstream' : 'text/event-stream'
  says = isStream
    ? sendsThen('fin', streamHead(type), ...format.streamed(reports as readonly Report[]))
    : wholeAnswer(200, JSON.stringify(format.whole(reports as Report)), ['content-type: application/json'])
  const { model } = format
  const account = await gate.account('1')
  const ending = model !== 'gemini' ? '' : isStream ? ':streamGenerateContent?alt=sse' : ':generateContent'
  const body = {
    ...(bodies[model] ?? chatBody(model)),
    ...(isStream && model !== 'gemini' ? { stream: true } : {}),
  }
  const { status, text: said } = await new Sent(gate.origin, {
    key: account.key,
    format: `${format.path}${ending}`,
    body,
  }).whole()
  assert.equal(status, 200, said)
  return await gate.receiptOf(account)
}

/** `zero`, and half of the truth, may take back what an earlier report said. */
const truth = { fresh: 50, cached: 60, output: 70 } as const
const input = fc.constantFrom<Report['input']>(
  undefined,
  { fresh: 0, cached: 0 },
  { fresh: truth.fresh, cached: truth.cached },
  // Read from the cache whole: no zero.
  { fresh: 0, cached: truth.fresh + truth.cached },
)
const output = fc.constantFrom<Report['output']>(undefined, 0, truth.output / 2, truth.output, 2)
const report = fc
  .record({ input, output })
  .map(
    (said) => Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined)) as Report,
  )

interface Counted {
  readonly input: number
  readonly output: number
}

/** What is charged: the last input that is not 0; the last output that is not 0, or what was delivered where that is contradicted. */
function due(
  reports: readonly Report[],
  counted: Counted,
  goesDown = false,
): Counted & { isReported: boolean } {
  const sums = reports.flatMap(({ input }) => (input === undefined ? [] : [input.fresh + input.cached]))
  const told = sums.findLast((sum) => sum > 0)
  // In Gemini's format a count that is missing next to others is 0.
  const outputs = reports.flatMap(({ input, output }) => output ?? (goesDown && input !== undefined ? 0 : []))
  const last = outputs.findLast((tokens) => tokens > 0)
  const final = outputs.at(-1) ?? 0
  const isTakenBack = last !== undefined && final < (goesDown ? Math.min(last, 1) : Math.max(...outputs))
  const produced = last === undefined || isTakenBack ? Math.max(counted.output, last ?? 0) : last
  return {
    input: told ?? counted.input,
    output: produced,
    isReported: told !== undefined && last !== undefined && !isTakenBack,
  }
}

async function countedIn(format: Format, reports: readonly Report[] | Report): Promise<Counted> {
  const receipt = await receiptFor(format, reports)
  return { input: inputTokens(receipt), output: outputTokens(receipt) }
}

const marked = (ttl: '5m' | '1h') => ({
  ...chatBody('messages'),
  system: [{ type: 'text', text: prompt.repeat(50), cache_control: { type: 'ephemeral', ttl } }],
})
const written = 4_631
const split = (short: number, long: number) => ({
  ephemeral_5m_input_tokens: short,
  ephemeral_1h_input_tokens: long,
})

/** Usage of `message_start` and of `message_delta`; the cost of what was written, per token in nano-USD. */
const writes: readonly [what: string, ttl: '5m' | '1h', opening: object, final: object, rate: bigint][] = [
  [
    'a split that the end corrects',
    '1h',
    { cache_creation: split(written, 0) },
    { cache_creation: { ephemeral_1h_input_tokens: written } },
    2_000n,
  ],
  ['a split that says what the marks do not', '1h', {}, { cache_creation: split(written, 0) }, 1_250n],
  [
    'a split that the end takes back',
    '1h',
    { cache_creation: split(0, written) },
    { cache_creation: split(0, 0) },
    2_000n,
  ],
  ['no split, marks of an hour', '1h', {}, {}, 2_000n],
  ['no split, marks of five minutes', '5m', {}, {}, 1_250n],
  ['an end that takes back what was written', '1h', {}, { cache_creation_input_tokens: 0 }, 2_000n],
]

for (const [what, ttl, opening, final, rate] of writes) {
  test(`Messages, written to the cache: ${what}`, async () => {
    const counts = { input_tokens: 10, cache_creation_input_tokens: written }
    const start = { ...message, content: [], usage: { ...counts, output_tokens: 1, ...opening } }
    const events = [
      typed('message_start', { message: start }),
      typed('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      typed('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
      typed('message_delta', {
        delta: { stop_reason: 'end_turn' },
        usage: { ...counts, output_tokens: 20, ...final },
      }),
      typed('message_stop', {}),
    ]
    says = sendsThen('fin', streamHead('text/event-stream'), ...events)
    const account = await gate.account('1')
    const body = { ...marked(ttl), stream: true }
    await new Sent(gate.origin, { key: account.key, format: '/v1/messages', body }).whole()
    const { charged, usageSource } = await gate.receiptOf(account)
    assert.deepEqual([charged, usageSource], [10_000n + 200_000n + BigInt(written) * rate, 'reported'])
  })
}

const runs = repeated(30, 300)

for (const [name, format] of Object.entries(formats)) {
  test(`${name}: what is delivered is never free, and no zero takes a number back`, async (context) => {
    const seed = process.pid
    context.diagnostic(`seed ${seed}, ${runs} cases`)
    const isText = format.model !== 'embeddings'
    // Without any report both are counted here.
    const counted = {
      whole: await countedIn(format, {}),
      streamed: await countedIn(format, isText ? [{}] : {}),
    }
    assert.ok(counted.whole.input > 50 && counted.whole.output === (isText ? 30 : 0))
    const reports = fc.oneof(
      report,
      ...(format.reportsMax === 0 ? [] : [fc.array(report, { minLength: 1, maxLength: format.reportsMax })]),
    )
    await fc.assert(
      fc.asyncProperty(reports, async (said) => {
        warned.length = 0
        const receipt = await receiptFor(format, said)
        const list = Array.isArray(said) ? (said as readonly Report[]) : [said as Report]
        const expected = due(list, Array.isArray(said) ? counted.streamed : counted.whole, format.goesDown)
        assert.equal(inputTokens(receipt), expected.input)
        assert.equal(outputTokens(receipt), isText ? expected.output : 0)
        const isReported = isText
          ? expected.isReported
          : list.some(({ input }) => (input?.fresh ?? 0) + (input?.cached ?? 0) > 0)
        assert.equal(receipt.usageSource, isReported ? 'reported' : 'counted')
        // The operator finds it in the log.
        assert.equal(
          warned.some((line) => line.includes('counted instead')),
          !isReported,
          warned.join(''),
        )
        const { cacheRead, inputUncached, output } = receipt
        const cost = BigInt(inputUncached) * 1_000n + BigInt(cacheRead) * 100n + BigInt(output) * 10_000n
        assert.deepEqual([receipt.charged, receipt.charged <= receipt.hold], [cost, true])
      }),
      { numRuns: runs, seed },
    )
  })
}
