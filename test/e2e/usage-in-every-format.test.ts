/**
 * Usage as an upstream counts it is charged to the nano-dollar and reported to every client as the client's format counts it: cache
 * reads and writes, reasoning, audio, tiers, options, fees and searches. What exceeds the hold is written off.
 */
import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { formatUsd, parseUsd } from '../../contract/usd.ts'
import { createLog } from '../../src/base/log.ts'
import type { ModelDefinition, PriceDefinition } from '../../src/catalog/definition.ts'
import type { ReceiptRow } from '../../src/ledger/types.ts'
import { faultUpstream, sendsThen } from '../support/fault-upstream.ts'
import { at, eventsIn, type FormatClient, formatClients, type Json } from '../support/format-clients.ts'
import {
  meteredGateway,
  textFor,
  type UpstreamName,
  upstreamNames,
  upstreams,
} from '../support/metered-gateway.ts'
import { isWholeRun } from '../support/sampled.ts'

/** Answers every request with the content of `says`. */
let says = ''
const replaying = await faultUpstream(() => sendsThen('fin', says))

const golden: PriceDefinition = { input: '3', cacheWrite5m: '3.75', cacheRead: '0.3', output: '15' }
const prices: Readonly<Record<string, PriceDefinition>> = {
  golden,
  small: { input: '1.75', cacheRead: '0.175', cacheWrite5m: '2.1875', output: '8.75' },
  lasting: { ...golden, cacheWrite1h: '6' },
  tiered: { ...golden, tiers: [{ aboveInputTokens: 200_000, input: '6', cacheRead: '0.6', output: '22.5' }] },
  heard: { ...golden, inputAudio: '10' },
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
  upstreamNames.map((upstream) => ({
    id: `${upstream}-${name}`,
    ...upstreams[upstream],
    context: 1_000_000,
    maxOutput: 64_000,
    inputs: ['text', 'audio'],
    prices: [price],
  })),
)
models.push({ ...models[0]!, id: 'chat-marked-up', markup: '10%' })
const { origin } = replaying
const logged: string[] = []
const gate = await meteredGateway({
  models,
  log: createLog({ level: 'warn', destination: { write: (line) => void logged.push(line) } }),
  openai: origin,
  anthropic: origin,
  google: origin,
})
after(async () => {
  await gate.end()
  await replaying.close()
})

type Usage = Readonly<Record<string, unknown>>

function json(body: object): string {
  const text = JSON.stringify(body)
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
}

function sse(events: readonly (object | string)[]): string {
  const lines = events.map((event) => {
    if (typeof event === 'string') return `data: ${event}\n\n`
    const { type } = event as { type?: string }
    return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(event)}\n\n`
  })
  return `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n${lines.join('')}`
}

const message = {
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'yes', annotations: [] }],
}
const response = (usage: Usage, more: Json): Json => {
  const { items = [], ...rest } = more as { items?: readonly Json[] }
  return {
    id: 'resp_1',
    object: 'response',
    status: 'completed',
    model: 'm',
    output: [...items, message],
    usage,
    ...rest,
  }
}
const candidate = (text: string, finishReason?: string): Json => ({
  candidates: [
    {
      content: { role: 'model', parts: [{ text }] },
      index: 0,
      ...(finishReason === undefined ? {} : { finishReason }),
    },
  ],
  modelVersion: 'm',
  responseId: 'r1',
})

interface Saying {
  readonly whole: (usage: Usage, more: Json) => string
  readonly streamed: (usage: Usage, more: Json) => string
}

const sayings: Readonly<Record<UpstreamName, Saying>> = {
  chat: {
    whole: (usage, more) =>
      json({
        id: 'c1',
        object: 'chat.completion',
        choices: [{ index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' }],
        usage,
        ...more,
      }),
    streamed: (usage, more) =>
      sse([
        { choices: [{ index: 0, delta: { content: 'yes' }, finish_reason: null }], ...more },
        { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], ...more },
        { choices: [], usage, ...more },
        '[DONE]',
      ]),
  },
  responses: {
    whole: (usage, more) => json(response(usage, more)),
    streamed: (usage, more) =>
      sse([
        {
          type: 'response.created',
          sequence_number: 0,
          response: { id: 'resp_1', status: 'in_progress', output: [] },
        },
        {
          type: 'response.output_item.added',
          sequence_number: 1,
          output_index: 0,
          item: { ...message, status: 'in_progress', content: [] },
        },
        {
          type: 'response.content_part.added',
          sequence_number: 2,
          output_index: 0,
          content_index: 0,
          part: { type: 'output_text', text: '', annotations: [] },
        },
        {
          type: 'response.output_text.delta',
          sequence_number: 3,
          output_index: 0,
          content_index: 0,
          delta: 'yes',
        },
        { type: 'response.output_item.done', sequence_number: 4, output_index: 0, item: message },
        { type: 'response.completed', sequence_number: 5, response: response(usage, more) },
      ]),
  },
  messages: {
    whole: (usage, more) =>
      json({
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [{ type: 'text', text: 'yes' }],
        stop_reason: 'end_turn',
        usage,
        ...more,
      }),
    streamed: ({ output_tokens, output_tokens_details, ...input }) =>
      sse([
        {
          type: 'message_start',
          message: {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            model: 'm',
            content: [],
            usage: { ...input, output_tokens: 1 },
          },
        },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'yes' } },
        { type: 'content_block_stop', index: 0 },
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn' },
          usage: { output_tokens, output_tokens_details },
        },
        { type: 'message_stop' },
      ]),
  },
  gemini: {
    whole: (usage, more) => json({ ...candidate('yes', 'STOP'), usageMetadata: usage, ...more }),
    streamed: (usage, more) =>
      sse([
        {
          ...candidate('yes'),
          usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
        },
        { ...candidate('', 'STOP'), usageMetadata: usage, ...more },
      ]),
  },
}

interface Row {
  readonly what: string
  readonly upstream: UpstreamName
  readonly price: string
  readonly usage: Usage
  /** Next to the usage in the response. */
  readonly answer?: Json
  /** In the request, by the client's format; a client without a row requests nothing. */
  readonly asks?: Readonly<Partial<Record<string, object>>>
  readonly usd: string
  readonly receipt?: Partial<ReceiptRow>
}

const responsesUsage = (usage: Usage): Usage => ({
  input_tokens: 1_000,
  output_tokens: 100,
  total_tokens: 1_100,
  ...usage,
})
const geminiUsage = (usage: Usage): Usage => ({
  promptTokenCount: 1_000,
  candidatesTokenCount: 100,
  totalTokenCount: 1_100,
  ...usage,
})
const search = { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'a' } }
const looking = {
  type: 'web_search_call',
  status: 'completed',
  action: { type: 'open_page', url: 'https://a.example' },
}
const asksSearch = {
  'openai-responses': { tools: [{ type: 'web_search' }] },
  anthropic: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
}

const rows: readonly Row[] = [
  {
    what: 'searches by use, where they are seen among the items',
    upstream: 'responses',
    price: 'optional',
    usage: responsesUsage({}),
    asks: asksSearch,
    answer: {
      items: [
        { id: 'ws_1', ...search },
        { id: 'ws_2', ...search },
        { id: 'ws_3', ...looking },
      ],
    },
    usd: '0.0245',
    receipt: { fees: { web_search: 2 } },
  },
  {
    what: 'searches by use, as the provider tells their number',
    upstream: 'responses',
    price: 'optional',
    usage: responsesUsage({}),
    asks: asksSearch,
    answer: { items: [{ id: 'ws_1', ...search }], tool_usage: { web_search: { num_requests: 3 } } },
    usd: '0.0345',
    receipt: { fees: { web_search: 3 } },
  },
  {
    what: 'more searches than anybody can have made: the ones that are seen, and a flag',
    upstream: 'responses',
    price: 'optional',
    usage: responsesUsage({}),
    asks: asksSearch,
    answer: { items: [{ id: 'ws_1', ...search }], tool_usage: { web_search: { num_requests: 1e20 } } },
    usd: '0.0145',
    receipt: { fees: { web_search: 1 }, unpricedUsage: true },
  },
  {
    what: 'more cached than anybody can have read: the rest, and a flag',
    upstream: 'messages',
    price: 'golden',
    usage: { input_tokens: 1_000, output_tokens: 100, cache_read_input_tokens: 1e20 },
    usd: '0.0045',
    receipt: { unpricedUsage: true },
  },
  {
    what: 'a total that nobody can have used: its parts, and a flag',
    upstream: 'chat',
    price: 'golden',
    usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1e20 },
    usd: '0.0045',
    receipt: { unpricedUsage: true },
  },
  {
    what: 'searches of another maker’s tool, asked for by any client',
    upstream: 'messages',
    price: 'optional',
    usage: { input_tokens: 1_000, output_tokens: 100, server_tool_use: { web_search_requests: 2 } },
    asks: asksSearch,
    usd: '0.0245',
    receipt: { fees: { web_search: 2 } },
  },
  {
    what: 'all of the input at the tier’s edge',
    upstream: 'gemini',
    price: 'tiered',
    usage: {
      promptTokenCount: 200_000,
      cachedContentTokenCount: 100_000,
      candidatesTokenCount: 1_000,
      totalTokenCount: 201_000,
    },
    usd: '0.345',
  },
  {
    what: 'one token beyond it: the tier for the whole request',
    upstream: 'gemini',
    price: 'tiered',
    usage: {
      promptTokenCount: 200_001,
      cachedContentTokenCount: 100_000,
      candidatesTokenCount: 1_000,
      totalTokenCount: 201_001,
    },
    usd: '0.682506',
  },
  {
    what: 'what tools brought counts for the tier too',
    upstream: 'gemini',
    price: 'tiered',
    usage: {
      promptTokenCount: 150_000,
      toolUsePromptTokenCount: 50_001,
      candidatesTokenCount: 1,
      totalTokenCount: 200_002,
    },
    usd: '1.2000285',
  },
  {
    what: 'sound at its own rate',
    upstream: 'gemini',
    price: 'heard',
    usage: geminiUsage({
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 400 },
        { modality: 'AUDIO', tokenCount: 600 },
      ],
    }),
    usd: '0.0087',
    receipt: { inputAudio: 600, inputUncached: 400 },
  },
  {
    what: 'sound at a model without a rate for it: at the rate of text, and a flag',
    upstream: 'gemini',
    price: 'golden',
    usage: geminiUsage({ promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 600 }] }),
    usd: '0.0045',
    receipt: { inputAudio: 600, unpricedUsage: true },
  },
  {
    what: 'pictures that nobody priced: the known part, and a flag',
    upstream: 'gemini',
    price: 'golden',
    usage: geminiUsage({ candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 50 }] }),
    usd: '0.0045',
    receipt: { unpricedUsage: true },
  },
  {
    what: 'a tier that was not asked for and not priced: the known part, and a flag',
    upstream: 'gemini',
    price: 'golden',
    usage: geminiUsage({ serviceTier: 'PRIORITY' }),
    usd: '0.0045',
    receipt: { unpricedUsage: true, ranAt: ['service_tier:priority'] },
  },
  {
    what: 'the tier that the answer says it ran at',
    upstream: 'responses',
    price: 'optional',
    usage: responsesUsage({}),
    answer: { service_tier: 'priority' },
    usd: '0.009',
    receipt: { ranAt: ['service_tier:priority'] },
  },
]

const inMessages = (usage: Usage): Usage => ({ input_tokens: 0, output_tokens: 1, ...usage })
const inChat = (usage: Usage): Usage => ({ prompt_tokens: 0, completion_tokens: 0, ...usage })
const anthropicAnswer = (usage: Usage): Usage =>
  inMessages({ input_tokens: 1_000, output_tokens: 100, ...usage })
const openaiAnswer = inChat({ prompt_tokens: 1_000, completion_tokens: 100 })

/** For clients of the upstream's own format. */
const ownRows: readonly Row[] = [
  {
    what: 'the golden request',
    upstream: 'messages',
    price: 'golden',
    usage: inMessages({ input_tokens: 3, cache_creation_input_tokens: 12_304, output_tokens: 550 }),
    usd: '0.054399',
    receipt: { inputUncached: 3, cacheWrite5m: 12_304, output: 550, usageSource: 'reported' },
  },
  {
    what: 'the same usage where writes and reads are parts of the prompt',
    upstream: 'chat',
    price: 'golden',
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
    upstream: 'messages',
    price: 'small',
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
    upstream: 'chat',
    price: 'small',
    usage: inChat({
      prompt_tokens: 24_951 + 64_126 + 2_805,
      completion_tokens: 854,
      prompt_tokens_details: { cached_tokens: 64_126, cache_write_tokens: 2_805 },
    }),
    usd: '0.068494738',
  },
  {
    what: 'writes by lifetime',
    upstream: 'messages',
    price: 'lasting',
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
    upstream: 'messages',
    price: 'golden',
    usage: inMessages({
      cache_creation_input_tokens: 1_000,
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 1_000 },
    }),
    usd: '0.006015',
  },
  {
    what: 'all of the input at the tier’s edge, of whatever class',
    upstream: 'messages',
    price: 'tiered',
    usage: inMessages({ input_tokens: 100_000, cache_read_input_tokens: 100_000, output_tokens: 1_000 }),
    usd: '0.345',
  },
  {
    what: 'one token beyond it: the tier for the whole request',
    upstream: 'messages',
    price: 'tiered',
    usage: inMessages({ input_tokens: 100_001, cache_read_input_tokens: 100_000, output_tokens: 1_000 }),
    usd: '0.682506',
  },
  {
    what: 'more cached than there was',
    upstream: 'chat',
    price: 'golden',
    usage: inChat({ prompt_tokens: 10, completion_tokens: 1, prompt_tokens_details: { cached_tokens: 50 } }),
    usd: '0.000018',
    receipt: { cacheRead: 10, inputUncached: 0, unpricedUsage: true },
  },
  {
    what: 'reasoning, which is a part of the output',
    upstream: 'chat',
    price: 'golden',
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
    upstream: 'chat',
    price: 'optional',
    asks: { 'openai-chat': { service_tier: 'flex' } },
    answer: { service_tier: 'flex' },
    usage: openaiAnswer,
    usd: '0.00225',
    receipt: { ranAt: ['service_tier:flex'] },
  },
  {
    what: 'flex, asked for and not given',
    upstream: 'chat',
    price: 'optional',
    asks: { 'openai-chat': { service_tier: 'flex' } },
    answer: { service_tier: 'default' },
    usage: openaiAnswer,
    usd: '0.0045',
    receipt: { ranAt: [] },
  },
  {
    what: 'priority, asked for and given',
    upstream: 'chat',
    price: 'optional',
    asks: { 'openai-chat': { service_tier: 'priority' } },
    answer: { service_tier: 'priority' },
    usage: openaiAnswer,
    usd: '0.009',
  },
  {
    what: 'a tier that nobody priced: the known part, and a flag',
    upstream: 'chat',
    price: 'golden',
    answer: { service_tier: 'lightning' },
    usage: openaiAnswer,
    usd: '0.0045',
    receipt: { unpricedUsage: true, ranAt: ['service_tier:lightning'] },
  },
  {
    what: 'speed and place, multiplied',
    upstream: 'messages',
    price: 'optional',
    asks: { anthropic: { speed: 'fast', inference_geo: 'us' } },
    usage: anthropicAnswer({ speed: 'fast', inference_geo: 'us' }),
    usd: '0.0297',
  },
  {
    what: 'searches by use',
    upstream: 'messages',
    price: 'optional',
    asks: { anthropic: { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 4 }] } },
    usage: anthropicAnswer({ server_tool_use: { web_search_requests: 3 } }),
    usd: '0.0345',
    receipt: { fees: { web_search: 3 } },
  },
  {
    what: 'searches that nobody priced: the known part, and a flag',
    upstream: 'messages',
    price: 'golden',
    usage: anthropicAnswer({ server_tool_use: { web_search_requests: 3 } }),
    usd: '0.0045',
    receipt: { unpricedUsage: true },
  },
  {
    what: 'a counter that nobody knows: the known part, and a flag',
    upstream: 'messages',
    price: 'golden',
    usage: anthropicAnswer({ video_tokens: 70 }),
    usd: '0.0045',
    receipt: { unpricedUsage: true },
  },
  {
    what: 'a markup: the customer’s price and the list’s',
    upstream: 'chat',
    price: 'marked-up',
    usage: openaiAnswer,
    usd: '0.00495',
    receipt: { upstreamCost: 4_500_000n },
  },
]

/** Searches by a tool that was not offered are implausible: the tokens alone are charged. */
const unoffered = { usd: '0.0045', of: { fees: { web_search: 0 } } }

async function charged(
  client: FormatClient,
  row: Row,
  stream: boolean,
): Promise<{ text: string; receipt: ReceiptRow }> {
  says = sayings[row.upstream][stream ? 'streamed' : 'whole'](row.usage, row.answer ?? {})
  const account = await gate.account('50')
  const more = { ...client.limit(2_000), ...row.asks?.[client.format] }
  const asked = { model: `${row.upstream}-${row.price}`, text: textFor(row.usage), stream, more }
  const answer = await gate.askAs(account, client, asked).whole()
  assert.equal(answer.status, 200, answer.text)
  const receipt = await gate.receiptOf(account)
  const { posted } = await gate.balance(account.id)
  const isOffered = row.asks === undefined || row.asks[client.format] !== undefined
  const { usd, of } = isOffered ? { usd: row.usd, of: row.receipt } : unoffered
  assert.equal(formatUsd(receipt.charged), usd)
  assert.equal(formatUsd(parseUsd('50')! - posted), usd)
  assert.partialDeepStrictEqual(receipt, {
    endReason: 'complete',
    usageSource: 'reported',
    ...(isOffered ? { unpricedUsage: false, implausible: null } : {}),
    ...of,
  })
  if (!stream) {
    assert.equal(answer.headers['x-tollgate-cost'], usd)
    assert.equal(answer.headers['x-tollgate-balance'], formatUsd(posted), 'the balance after the charge')
  }
  const lookup = await fetch(`${gate.origin}/v1/generations/${String(answer.headers['x-request-id'])}`, {
    headers: { authorization: `Bearer ${account.key}` },
  })
  const { data } = (await lookup.json()) as {
    data: { cost: string; status: string; usage: { unpriced: boolean } }
  }
  assert.deepEqual([data.status, data.cost, data.usage.unpriced], ['complete', usd, receipt.unpricedUsage])
  return { text: answer.text, receipt }
}

const ownClients: Readonly<Record<UpstreamName, FormatClient>> = {
  chat: formatClients.find(({ format }) => format === 'openai-chat')!,
  responses: formatClients.find(({ format }) => format === 'openai-responses')!,
  messages: formatClients.find(({ format }) => format === 'anthropic')!,
  gemini: formatClients.find(({ format }) => format === 'gemini')!,
}

suite('charges', () => {
  for (const [at, row] of [...rows, ...ownRows].entries()) {
    const own = ownClients[row.upstream]
    const others = formatClients.filter((client) => client !== own)
    const clients = ownRows.includes(row) ? [] : isWholeRun ? others : [others[at % others.length]!]
    for (const client of [own, ...clients]) {
      for (const stream of [false, true]) {
        test(`${client.format} → ${row.upstream}, ${stream ? 'streamed' : 'whole'}: ${row.what}`, async () => {
          await charged(client, row, stream)
        })
      }
    }
  }
})

/** 12,307 of input, of which 4,000 read from a cache and (but for Gemini) 2,000 written; 550 of output with 100 of thought. */
const mixed: Readonly<Record<UpstreamName, Usage>> = {
  chat: {
    prompt_tokens: 12_307,
    completion_tokens: 550,
    total_tokens: 12_857,
    prompt_tokens_details: { cached_tokens: 4_000, cache_write_tokens: 2_000 },
    completion_tokens_details: { reasoning_tokens: 100 },
  },
  responses: {
    input_tokens: 12_307,
    input_tokens_details: { cached_tokens: 4_000, cache_write_tokens: 2_000 },
    output_tokens: 550,
    output_tokens_details: { reasoning_tokens: 100 },
    total_tokens: 12_857,
  },
  messages: {
    input_tokens: 6_307,
    cache_read_input_tokens: 4_000,
    cache_creation_input_tokens: 2_000,
    output_tokens: 550,
    output_tokens_details: { thinking_tokens: 100 },
  },
  gemini: {
    promptTokenCount: 12_307,
    cachedContentTokenCount: 4_000,
    candidatesTokenCount: 450,
    thoughtsTokenCount: 100,
    totalTokenCount: 12_857,
  },
}

/** The members of a usage object that a library adds up, as each format counts them. */
function told(client: FormatClient, usage: unknown, written: number): Json {
  const wanted: Readonly<Record<string, Json>> = {
    'openai-chat': mixed.chat,
    'openai-responses': mixed.responses,
    anthropic: {
      ...mixed.messages,
      input_tokens: 12_307 - 4_000 - written,
      cache_creation_input_tokens: written,
    },
    gemini: mixed.gemini,
  }
  const named = wanted[client.format] ?? {}
  const withoutWrites = JSON.parse(JSON.stringify(named), (name, value: unknown) =>
    name === 'cache_write_tokens' ? written : value,
  ) as Json
  assert.partialDeepStrictEqual(usage, withoutWrites)
  return withoutWrites
}

const usageIn = (answer: Json): unknown =>
  at(answer, 'usage') ?? at(answer, 'response', 'usage') ?? at(answer, 'usageMetadata')

suite('ways of counting', () => {
  for (const upstream of upstreamNames) {
    for (const client of formatClients) {
      const written = upstream === 'gemini' ? 0 : 2_000
      const row: Row = {
        what: 'mixed',
        upstream,
        price: 'golden',
        usage: mixed[upstream],
        usd: upstream === 'gemini' ? '0.034371' : '0.035871',
        receipt: {
          inputUncached: 8_307 - written,
          cacheRead: 4_000,
          cacheWrite5m: written,
          output: 550,
          reasoning: 100,
        },
      }
      test(`${client.format} → ${upstream}: usage is reported as the client’s format counts it`, async () => {
        const whole = await charged(client, row, false)
        told(client, usageIn(JSON.parse(whole.text) as Json), written)
        const { text } = await charged(client, row, true)
        const last = eventsIn(text).findLast(
          (event) => typeof usageIn(event) === 'object' && usageIn(event) !== null,
        )
        assert.ok(last !== undefined, text)
        if (client.format !== 'anthropic' || upstream !== 'messages') told(client, usageIn(last), written)
      })
    }
  }
})

/** A context full of what only the upstream saw: possible, but not covered by the hold. */
const unseen: Readonly<Record<UpstreamName, Usage>> = {
  chat: inChat({ prompt_tokens: 900_000, completion_tokens: 1 }),
  responses: responsesUsage({ input_tokens: 900_000, output_tokens: 1, total_tokens: 900_001 }),
  messages: { input_tokens: 900_000, output_tokens: 1 },
  gemini: geminiUsage({ promptTokenCount: 900_000, candidatesTokenCount: 1, totalTokenCount: 900_001 }),
}

for (const upstream of upstreamNames) {
  for (const stream of [false, true]) {
    test(`${upstream}, ${stream ? 'streamed' : 'whole'}: a cost above the hold is charged up to it, and the rest written off`, async () => {
      const client = ownClients[upstream]
      says = sayings[upstream][stream ? 'streamed' : 'whole'](unseen[upstream], {})
      const account = await gate.account('5')
      logged.length = 0
      const model = `${upstream}-golden`
      await gate.askAs(account, client, { model, text: 'hello', stream, more: client.limit(16) }).whole()
      const receipt = await gate.receiptOf(account)
      assert.deepEqual([receipt.charged, receipt.implausible], [receipt.hold, null])
      assert.equal(receipt.writtenOff, 900_000n * 3_000n + 15_000n - receipt.hold)
      assert.equal((await gate.balance(account.id)).posted, parseUsd('5')! - receipt.hold)
      assert.equal((await gate.ledger.account(account.id))?.writtenOffToday, 0n, 'not the account’s doing')
      const warning = logged.find((line) => line.includes('not charged')) ?? 'null'
      assert.partialDeepStrictEqual(JSON.parse(warning), {
        upstream: receipt.upstream,
        model,
        writtenOffUsd: formatUsd(receipt.writtenOff),
      })
    })
  }
}
