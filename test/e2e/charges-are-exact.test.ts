/**
 * Reported usage is charged to the nano-dollar: meters, tiers, options and fees, in both formats,
 * streamed or whole. Implausible usage is replaced by a count, and no charge exceeds the hold.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { formatUsd, parseUsd } from '../../contract/usd.ts'
import { createLog } from '../../src/base/log.ts'
import type { ModelDefinition, PriceDefinition } from '../../src/catalog/definition.ts'
import type { ReceiptRow } from '../../src/ledger/types.ts'
import { faultUpstream, sendsThen } from '../support/fault-upstream.ts'
import { meteredGateway, textFor } from '../support/metered-gateway.ts'
import { type Format, formats, Sent } from '../support/paying-client.ts'

/** Answers every request with the content of `says`. */
let says = ''
const replaying = await faultUpstream(() => sendsThen('fin', says))

const golden: PriceDefinition = { input: '3', cacheWrite5m: '3.75', cacheRead: '0.3', output: '15' }
const prices: Readonly<Record<string, PriceDefinition>> = {
  golden,
  small: { input: '1.75', cacheRead: '0.175', cacheWrite5m: '2.1875', output: '8.75' },
  lasting: { ...golden, cacheWrite1h: '6' },
  tiered: { ...golden, tiers: [{ aboveInputTokens: 200_000, input: '6', output: '22.5' }] },
  optional: {
    ...golden,
    options: {
      'service_tier:flex': '0.5',
      'service_tier:priority': '2',
      'speed:fast': '6',
      'inference_geo:us': '1.1',
    },
    fees: { web_search: '0.01' },
  },
}

const models: ModelDefinition[] = Object.entries(prices).flatMap(([name, price]) =>
  formats.map((format) => ({
    id: `${format}-${name}`,
    provider: format === 'chat' ? 'openai' : 'anthropic',
    context: 1_000_000,
    maxOutput: 64_000,
    prices: [price],
  })),
)
models.push({ ...models[0]!, id: 'chat-marked-up', markup: '10%' })

const changing: ModelDefinition = {
  id: 'chat-changing',
  provider: 'openai',
  upstreamId: 'sandbox-stream',
  context: 200_000,
  maxOutput: 32_000,
  prices: [golden],
}
const gate = await meteredGateway({ models: [changing] })
const logged: string[] = []
const replay = await meteredGateway({
  models,
  log: createLog({ level: 'warn', destination: { write: (line) => void logged.push(line) } }),
  openai: replaying.origin,
  anthropic: replaying.origin,
})
after(async () => {
  await gate.end()
  await replay.end()
  await replaying.close()
})

type Usage = Readonly<Record<string, unknown>>

/** One response with this usage, as each format writes it. */
const wholeAnswers: Readonly<Record<Format, (usage: Usage, more: object) => string>> = {
  chat: (usage, more) =>
    json({ choices: [{ index: 0, message: { content: 'yes' }, finish_reason: 'stop' }], usage, ...more }),
  messages: (usage, more) =>
    json({
      type: 'message',
      content: [{ type: 'text', text: 'yes' }],
      stop_reason: 'end_turn',
      usage,
      ...more,
    }),
}
const streams: Readonly<Record<Format, (usage: Usage, more: object) => string>> = {
  chat: (usage, more) =>
    sse([
      { choices: [{ index: 0, delta: { content: 'yes' }, finish_reason: null }], ...more },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], ...more },
      { choices: [], usage, ...more },
      '[DONE]',
    ]),
  messages: ({ output_tokens, ...input }) =>
    sse([
      { type: 'message_start', message: { content: [], usage: { ...input, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'yes' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens } },
      { type: 'message_stop' },
    ]),
}

function json(body: object): string {
  const text = JSON.stringify(body)
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`
}

function sse(events: readonly (object | string)[]): string {
  const lines = events.map(
    (event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`,
  )
  return `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n${lines.join('')}`
}

interface Row {
  readonly what: string
  readonly model: string
  readonly usage: Usage
  /** Next to the usage in the response. */
  readonly answer?: object
  /** In the request. */
  readonly asks?: object
  readonly usd: string
  readonly receipt?: Partial<ReceiptRow>
}

const inMessages = (usage: Usage): Usage => ({ input_tokens: 0, output_tokens: 1, ...usage })
const inChat = (usage: Usage): Usage => ({ prompt_tokens: 0, completion_tokens: 0, ...usage })
const anthropicAnswer = (usage: Usage): Usage =>
  inMessages({ input_tokens: 1_000, output_tokens: 100, ...usage })
const openaiAnswer = inChat({ prompt_tokens: 1_000, completion_tokens: 100 })

const rows: readonly Row[] = [
  {
    what: 'the golden request',
    model: 'messages-golden',
    usage: inMessages({ input_tokens: 3, cache_creation_input_tokens: 12_304, output_tokens: 550 }),
    usd: '0.054399',
    receipt: { inputUncached: 3, cacheWrite5m: 12_304, output: 550, usageSource: 'reported' },
  },
  {
    what: 'the same usage where writes and reads are parts of the prompt',
    model: 'chat-golden',
    usage: inChat({
      prompt_tokens: 12_307,
      prompt_tokens_details: { cache_write_tokens: 12_304, cached_tokens: 0 },
      completion_tokens: 550,
    }),
    usd: '0.054399',
    receipt: { inputUncached: 3, cacheWrite5m: 12_304, output: 550 },
  },
  {
    what: 'half a nano-dollar, rounded up once',
    model: 'messages-small',
    usage: inMessages({
      input_tokens: 24_951,
      output_tokens: 854,
      cache_read_input_tokens: 64_126,
      cache_creation_input_tokens: 2_805,
    }),
    usd: '0.068494738',
  },
  {
    what: 'the same, in the other format',
    model: 'chat-small',
    usage: inChat({
      prompt_tokens: 24_951 + 64_126 + 2_805,
      completion_tokens: 854,
      prompt_tokens_details: { cached_tokens: 64_126, cache_write_tokens: 2_805 },
    }),
    usd: '0.068494738',
  },
  {
    what: 'writes by lifetime',
    model: 'messages-lasting',
    usage: inMessages({
      input_tokens: 10,
      cache_creation_input_tokens: 3_000,
      cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 2_000 },
    }),
    usd: '0.015795',
    receipt: { cacheWrite5m: 1_000, cacheWrite1h: 2_000 },
  },
  {
    what: 'hour-long writes without a price of their own, at twice the input',
    model: 'messages-golden',
    usage: inMessages({
      cache_creation_input_tokens: 1_000,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1_000 },
    }),
    usd: '0.006015',
  },
  {
    what: 'all of the input at the tier’s edge, of whatever class',
    model: 'messages-tiered',
    usage: inMessages({ input_tokens: 100_000, cache_read_input_tokens: 100_000, output_tokens: 1_000 }),
    usd: '0.345',
  },
  {
    what: 'one token beyond it: the tier for the whole request',
    model: 'messages-tiered',
    usage: inMessages({ input_tokens: 100_001, cache_read_input_tokens: 100_000, output_tokens: 1_000 }),
    usd: '0.682506',
  },
  {
    what: 'more cached than there was',
    model: 'chat-golden',
    usage: inChat({ prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 50 } }),
    usd: '0.000018',
    receipt: { cacheRead: 10, inputUncached: 0, unpricedUsage: true },
  },
  {
    what: 'reasoning, which is a part of the output',
    model: 'chat-golden',
    usage: inChat({
      prompt_tokens: 10,
      completion_tokens: 1_000,
      completion_tokens_details: { reasoning_tokens: 900 },
    }),
    usd: '0.01503',
    receipt: { output: 1_000, reasoning: 900 },
  },
  {
    what: 'flex, asked for and given',
    model: 'chat-optional',
    asks: { service_tier: 'flex' },
    answer: { service_tier: 'flex' },
    usage: openaiAnswer,
    usd: '0.00225',
    receipt: { ranAt: ['service_tier:flex'] },
  },
  {
    what: 'flex, asked for and not given',
    model: 'chat-optional',
    asks: { service_tier: 'flex' },
    answer: { service_tier: 'default' },
    usage: openaiAnswer,
    usd: '0.0045',
    receipt: { ranAt: [] },
  },
  {
    what: 'priority, asked for and given',
    model: 'chat-optional',
    asks: { service_tier: 'priority' },
    answer: { service_tier: 'priority' },
    usage: openaiAnswer,
    usd: '0.009',
  },
  {
    what: 'a tier that nobody priced: the known part, and a flag',
    model: 'chat-golden',
    answer: { service_tier: 'lightning' },
    usage: openaiAnswer,
    usd: '0.0045',
    receipt: { unpricedUsage: true, ranAt: ['service_tier:lightning'] },
  },
  {
    what: 'speed and place, multiplied',
    model: 'messages-optional',
    asks: { speed: 'fast', inference_geo: 'us' },
    usage: anthropicAnswer({ speed: 'fast', inference_geo: 'us' }),
    usd: '0.0297',
  },
  {
    what: 'searches by use',
    model: 'messages-optional',
    asks: { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 4 }] },
    usage: anthropicAnswer({ server_tool_use: { web_search_requests: 3 } }),
    usd: '0.0345',
    receipt: { fees: { web_search: 3 } },
  },
  {
    what: 'searches that nobody priced: the known part, and a flag',
    model: 'messages-golden',
    usage: anthropicAnswer({ server_tool_use: { web_search_requests: 3 } }),
    usd: '0.0045',
    receipt: { unpricedUsage: true },
  },
  {
    what: 'a counter that nobody knows: the known part, and a flag',
    model: 'messages-golden',
    usage: anthropicAnswer({ video_tokens: 70 }),
    usd: '0.0045',
    receipt: { unpricedUsage: true },
  },
  {
    what: 'a markup: the customer’s price and the list’s',
    model: 'chat-marked-up',
    usage: openaiAnswer,
    usd: '0.00495',
    receipt: { upstreamCost: 4_500_000n },
  },
]

for (const row of rows) {
  for (const stream of [false, true]) {
    test(`${row.what}: $${row.usd} (${row.model}, ${stream ? 'streamed' : 'whole'})`, async () => {
      const format = row.model.startsWith('messages') ? 'messages' : 'chat'
      says = (stream ? streams : wholeAnswers)[format](row.usage, row.answer ?? {})
      const account = await replay.account('50')
      const messages = [{ role: 'user', content: textFor(row.usage) }]
      const sent = replay.ask(account, { model: row.model, max_tokens: 2_000, stream, messages, ...row.asks })
      const answer = await sent.whole()
      assert.equal(answer.status, 200, answer.text)
      const receipt = await replay.receiptOf(account)
      const { posted } = await replay.balance(account.id)
      assert.equal(formatUsd(receipt.charged), row.usd)
      assert.equal(formatUsd(parseUsd('50')! - posted), row.usd)
      assert.equal(receipt.writtenOff, 0n)
      assert.partialDeepStrictEqual(receipt, { endReason: 'complete', unpricedUsage: false, ...row.receipt })
      if (!stream) {
        assert.equal(answer.headers['x-tollgate-cost'], row.usd)
        const { posted } = await replay.balance(account.id)
        assert.equal(answer.headers['x-tollgate-balance'], formatUsd(posted), 'the balance after the charge')
      }
      const lookup = await fetch(
        `${replay.origin}/v1/generations/${String(answer.headers['x-request-id'])}`,
        {
          headers: { authorization: `Bearer ${account.key}` },
        },
      )
      const { data } = (await lookup.json()) as { data: { cost: string; status: string } }
      assert.deepEqual([data.status, data.cost], ['complete', row.usd])
    })
  }
}

/** 3 and 15 USD per million tokens, as all models of the sandbox. */
const cost = (input: number, output: number): bigint => BigInt(input) * 3_000n + BigInt(output) * 15_000n

for (const format of formats) {
  for (const stream of [false, true]) {
    test(`${format}, ${stream ? 'streamed' : 'whole'}: a cost above the hold is charged up to it, and the rest written off`, async () => {
      // A context full of what only the upstream saw: possible, but not covered by the hold.
      says = (stream ? streams : wholeAnswers)[format](inputOf[format](900_000), {})
      const account = await replay.account('5')
      const messages = [{ role: 'user', content: 'hello' }]
      logged.length = 0
      await replay.ask(account, { model: `${format}-golden`, max_tokens: 10, stream, messages }).whole()
      const receipt = await replay.receiptOf(account)
      assert.deepEqual([receipt.charged, receipt.implausible], [receipt.hold, null])
      assert.equal(receipt.writtenOff, cost(900_000, 1) - receipt.hold)
      assert.equal((await replay.balance(account.id)).posted, parseUsd('5')! - receipt.hold)
      assert.equal((await replay.ledger.account(account.id))?.writtenOffToday, 0n, 'not the account’s doing')
      const warning = logged.find((line) => line.includes('not charged')) ?? 'null'
      assert.partialDeepStrictEqual(JSON.parse(warning), {
        upstream: receipt.upstream,
        model: `${format}-golden`,
        writtenOffUsd: formatUsd(receipt.writtenOff),
      })
    })
  }
}

const inputOf: Readonly<Record<Format, (tokens: number) => Usage>> = {
  chat: (tokens) => inChat({ prompt_tokens: tokens, completion_tokens: 1 }),
  messages: (tokens) => ({ input_tokens: tokens, output_tokens: 1 }),
}

for (const include_usage of [true, false]) {
  test(`a chat client that ${include_usage ? 'requests' : 'does not request'} usage sees ${Number(include_usage)} of it and pays the same`, async () => {
    const account = await gate.account('1')
    const messages = [{ role: 'user', content: 'tokens=12' }]
    const asked = { model: 'chat-stream', stream: true, stream_options: { include_usage }, messages }
    const { text } = await new Sent(gate.origin, { key: account.key, format: 'chat', body: asked }).whole()
    assert.equal(text.match(/"usage":\{/g)?.length ?? 0, Number(include_usage))
    const receipt = await gate.receiptOf(account)
    assert.deepEqual([receipt.usageSource, receipt.output], ['reported', 12])
    assert.equal(receipt.charged, cost(gate.meterOf(receipt).inputTokens, 12))
  })
}

test('a price that changes while a request runs applies to the next one', async () => {
  const { catalog } = gate.gateway.services
  const account = await gate.account('1')
  const messages = [{ role: 'user', content: 'tokens=40 rate=100' }]
  const asked = { model: 'chat-changing', max_tokens: 100, stream: true, messages }
  const running = gate.ask(account, asked)
  await running.contents(1)
  assert.equal((await catalog.price('chat-changing', { input: '30', output: '150' })).kind, 'changed')
  await running.whole()
  const first = await gate.receiptOf(account)
  assert.equal(first.charged, cost(gate.meterOf(first).inputTokens, 40))
  await gate.ask(account, asked).whole()
  const second = await gate.receiptOf(account, 2)
  assert.equal(second.charged, 10n * cost(gate.meterOf(second).inputTokens, 40))
  assert.notEqual(first.priceVersion, second.priceVersion)
})

test('a model that is disabled while a request runs serves it to its end, and no request after it', async () => {
  const { catalog } = gate.gateway.services
  const account = await gate.account('1')
  const messages = [{ role: 'user', content: 'tokens=40 rate=100' }]
  const asked = { model: 'chat-changing', max_tokens: 100, stream: true, messages }
  const running = gate.ask(account, asked)
  await running.contents(1)
  assert.equal((await catalog.disable('chat-changing')).kind, 'changed')
  assert.match((await running.whole()).text, /\[DONE\]/)
  assert.equal((await gate.receiptOf(account)).endReason, 'complete')
  assert.equal((await gate.ask(account, asked).whole()).status, 404)
})

test('the streams of a suspended account end and are charged, and new requests are rejected until it is resumed', async () => {
  const account = await gate.account('1')
  const messages = [{ role: 'user', content: 'tokens=40 rate=100' }]
  const asked = { model: 'chat-stream', max_tokens: 100, stream: true, messages }
  const running = gate.ask(account, asked)
  await running.contents(1)
  await gate.ledger.suspend(account.id, 1)
  const { text } = await running.whole()
  assert.match(text, /"code":"account_suspended"/)
  assert.doesNotMatch(text, /\[DONE\]/)
  const { charged } = await gate.receiptOf(account)
  assert.ok(charged > 0n)
  assert.equal((await gate.balance(account.id)).posted, parseUsd('1')! - charged)
  assert.equal((await gate.ask(account, asked).whole()).status, 403)
  await gate.ledger.suspend(account.id, null)
  assert.equal((await gate.ask(account, asked).whole()).status, 200)
})

for (const format of formats) {
  test(`${format}: several choices, or none, are charged as they are produced`, async () => {
    const account = await gate.account('1')
    const messages = [{ role: 'user', content: 'tokens=40' }]
    const more = format === 'chat' ? { max_tokens: 30, n: 3 } : { max_tokens: 0 }
    const { status, headers } = await gate
      .ask(account, { model: `${format}-stream`, messages, ...more })
      .whole()
    const { charged, hold, inputUncached } = await gate.receiptOf(account)
    const output = format === 'chat' ? 90 : 0
    assert.equal(status, 200)
    assert.equal(charged, cost(inputUncached, output))
    assert.ok(hold >= charged)
    assert.equal(headers['x-tollgate-max-output'], undefined)
  })
}
