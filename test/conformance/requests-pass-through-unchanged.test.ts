/**
 * What of a request reaches an upstream: the client's bytes, however unusual, with only the
 * necessary replacements; its query; of its headers only those on the list; and none of its credentials.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bearer, receiptOf, send } from '../support/bytes-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { type ReplayUpstream, replayUpstream } from '../support/replay-upstream.ts'

let upstream: ReplayUpstream
let tollgate: TestGateway

const price = {
  input: '1',
  output: '100',
  options: { 'service_tier:flex': '0.5', 'speed:fast': '2' },
  fees: { web_search: '0.001', web_fetch: '0' },
}

before(async () => {
  upstream = await replayUpstream()
  tollgate = await testGateway({
    openai: upstream.origin,
    anthropic: upstream.origin,
    models: [
      ...['gpt-same', 'gpt-renamed'].map((id) => ({
        id,
        provider: 'openai',
        // A host that supports only chat: nothing is moved to another format.
        formats: ['openai-chat'] as const,
        ...(id === 'gpt-renamed' ? { upstreamId: 'the "upstream\'s" name' } : {}),
        context: 100_000,
        maxOutput: 10_000,
        prices: [price],
      })),
      ...['claude-same', 'claude-renamed'].map((id) => ({
        id,
        provider: 'anthropic',
        ...(id === 'claude-renamed' ? { upstreamId: 'claude-upstream' } : {}),
        context: 100_000,
        maxOutput: 10_000,
        prices: [price],
      })),
    ],
  })
})
after(async () => {
  await tollgate.close()
  await upstream.close()
})

const paths = { chat: '/v1/chat/completions', messages: '/v1/alt/v1/messages' } as const
type Format = keyof typeof paths

const answers: Readonly<Record<Format, string>> = {
  chat: '{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}',
  messages: '{"content":[],"usage":{"input_tokens":1,"output_tokens":1}}',
}
const streams: Readonly<Record<Format, string>> = {
  chat: 'data: {"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  messages:
    'data: {"type":"message_start","message":{"usage":{"input_tokens":1}}}\n\n' +
    'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}\n\n' +
    'data: {"type":"message_stop"}\n\n',
}

interface ReceivedRequest {
  readonly usd?: string
  /** A key that exists already. */
  readonly key?: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Sends a body and returns what the upstream received, and what the gateway reported as lowered. */
async function passed(format: Format, body: string | Buffer, more: ReceivedRequest = {}) {
  const isStreamed = /"stream"\s*:\s*true/.test(body.toString())
  upstream.play({
    status: 200,
    headers: { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' },
    bytes: Buffer.from(isStreamed ? streams[format] : answers[format]),
  })
  const before = upstream.requests.length
  const key = more.key ?? (await tollgate.account(more.usd ?? '1000')).key
  const answer = await send(tollgate.origin, {
    path: `${paths[format]}${more.query ?? ''}`,
    headers: { ...bearer(key), ...more.headers },
    body: Buffer.from(body),
  })
  assert.equal(answer.status, 200, answer.text)
  assert.equal(upstream.requests.length, before + 1)
  const received = upstream.requests.at(-1)
  assert.ok(received)
  const lowered = answer.headers['x-tollgate-max-output']?.toString()
  const receipt = await receiptOf(tollgate.origin, key, answer)
  assert.equal(receipt.max_output_lowered, lowered !== undefined)
  if (lowered !== undefined) assert.equal(String(receipt.max_output), lowered)
  return { received, text: received.body.toString('utf8'), lowered }
}

const user = '[{"role":"user","content":"hi"}]'

// Bodies that are unchanged.

const untouched: readonly (readonly [name: string, format: Format, body: string])[] = [
  [
    'unknown fields of every kind',
    'chat',
    `{"model":"gpt-same","messages":${user},"a":null,"b":[1,[2,{}]],"c":{"model":"other","max_tokens":9},"d":"x","e":true}`,
  ],
  [
    'odd spaces, and none at the end',
    'chat',
    `\r\n\t {  "messages"\t:\r\n${user} ,\n"model"   :   "gpt-same"\n,"stop" : [ ] }\n\n `,
  ],
  [
    'escapes in text',
    'chat',
    `{"model":"gpt-same","messages":[{"role":"user","content":"\\u00e9\\ud83d\\ude00\\/\\b\\\\"}]}`,
  ],
  ['the name escaped', 'chat', `{"model":"gpt\\u002dsame","messages":${user}}`],
  [
    'text beyond ASCII',
    'chat',
    `{"model":"gpt-same","messages":[{"role":"user","content":"日本語 Ünïcödé 🎉"}],"ключ":"значение"}`,
  ],
  [
    'numbers in every spelling',
    'chat',
    `{"model":"gpt-same","messages":${user},"max_tokens":1.0e1,"seed":-0,"temperature":0.10,"big":1E400,"top_p":1.0}`,
  ],
  [
    'names twice where they say nothing of money',
    'chat',
    `{"model":"gpt-same","messages":${user},"tools":[{"type":"function","function":{"name":"f","parameters":{"x":1,"X":2}}}]}`,
  ],
  [
    'null for what is optional',
    'chat',
    `{"model":"gpt-same","messages":${user},"n":null,"max_tokens":null,"stream":null,"stream_options":null,"tools":null,"service_tier":null}`,
  ],
  ['a priced option', 'chat', `{"model":"gpt-same","messages":${user},"service_tier":"flex"}`],
  [
    'usage asked for',
    'chat',
    `{"model":"gpt-same","messages":${user},"stream":true,"stream_options":{"include_usage":true,"more":1}}`,
  ],
  [
    'every field that clients send by default',
    'chat',
    `{"model":"gpt-same","messages":${user},"store":false,"metadata":{"a":"b"},"user":"u","logit_bias":{},"parallel_tool_calls":true,"reasoning_effort":"low","response_format":{"type":"text"},"service_tier":"auto"}`,
  ],
  [
    'unknown fields and blocks',
    'messages',
    `{"model":"claude-same","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"hi","citations":{"enabled":true}},{"type":"new_block","anything":[1,2]}]}],"new_field":{"max_tokens":1}}`,
  ],
  [
    'a cap that is low enough',
    'messages',
    `{"model":"claude-same","max_tokens":9,"messages":${user},"tools":[{"type":"web_search_20250305","name":"web_search","max_uses":3}]}`,
  ],
  ['a stream', 'messages', `{"stream":true,"model":"claude-same","max_tokens":9,"messages":${user}}`],
  ['no output wanted', 'messages', `{"model":"claude-same","max_tokens":0,"messages":${user}}`],
  [
    'thinking and signatures',
    'messages',
    `{"model":"claude-same","max_tokens":2000,"thinking":{"type":"enabled","budget_tokens":1024},"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"thinking","thinking":"é","signature":"EqQBCkYIBxgCKkA="},{"type":"redacted_thinking","data":"xyz=="},{"type":"text","text":"b"}]},{"role":"user","content":"c"}]}`,
  ],
  ['speed', 'messages', `{"model":"claude-same","max_tokens":9,"speed":"fast","messages":${user}}`],
]

for (const [name, format, body] of untouched) {
  test(`${format}: ${name}: byte for byte`, async () => {
    const { received, lowered } = await passed(format, body)
    assert.equal(received.body.toString('utf8'), body)
    assert.equal(lowered, undefined)
  })
}

// Bodies in which something must be replaced.

/** `‹was|is›` marks a replacement: what the client wrote, and what replaces it. */
const spliced: readonly (readonly [name: string, format: Format, marked: string])[] = [
  ['the name', 'chat', `{"messages":${user},"model" : ‹"gpt-renamed"|"the \\"upstream's\\" name"›}`],
  [
    'the name, escaped',
    'chat',
    `{"model":‹"gpt\\u002drenamed"|"the \\"upstream's\\" name"›,"messages":${user}}`,
  ],
  [
    'the name, and not another one like it',
    'messages',
    `{"metadata":{"model":"claude-renamed"},"max_tokens":9,"messages":${user},"model":‹"claude-renamed"|"claude-upstream"›}`,
  ],
  [
    'usage',
    'chat',
    `{‹|"stream_options":{"include_usage":true},›"model":"gpt-same","messages":${user},"stream":true}`,
  ],
  [
    'usage, beside other options',
    'chat',
    `{"model":"gpt-same","messages":${user},"stream":true,"stream_options":{‹|"include_usage":true,› "include_obfuscation":false}}`,
  ],
  [
    'usage, in empty options',
    'chat',
    `{"model":"gpt-same","messages":${user},"stream":true,"stream_options":{‹|"include_usage":true›}}`,
  ],
  [
    'usage, in no options',
    'chat',
    `{"model":"gpt-same","messages":${user},"stream":true,"stream_options":‹null|{"include_usage":true}›}`,
  ],
  [
    'usage, declined',
    'chat',
    `{"model":"gpt-same","messages":${user},"stream":true,"stream_options":{"include_usage" : ‹false|true›}}`,
  ],
  [
    'a cap',
    'messages',
    `{"model":"claude-same","max_tokens":9,"messages":${user},"tools":[{‹|"max_uses":5,›"type":"web_search_20250305","name":"web_search"}]}`,
  ],
  [
    'caps that are too high',
    'messages',
    `{"model":"claude-same","max_tokens":9,"messages":${user},"tools":[{"type":"web_search_20250305","name":"web_search","max_uses": ‹50|5›},{"type":"web_fetch_20250910","name":"web_fetch","max_uses":‹null|5›}]}`,
  ],
  [
    'name and usage at once',
    'chat',
    `{‹|"stream_options":{"include_usage":true},›"model":‹"gpt-renamed"|"the \\"upstream's\\" name"›,"messages":${user},"stream":true}`,
  ],
]

const written = (marked: string) => marked.replace(/‹([^|]*)\|[^›]*›/g, '$1')
const arriving = (marked: string) => marked.replace(/‹[^|]*\|([^›]*)›/g, '$1')

for (const [name, format, marked] of spliced) {
  test(`${format}: ${name}: replaced, and nothing else`, async () => {
    const { text } = await passed(format, written(marked))
    assert.equal(text, arriving(marked))
    JSON.parse(text)
  })
}

/** With 0.30 USD at 100 USD per million, half of it pays for about 1,500 tokens. */
const lowered: readonly (readonly [name: string, format: Format, marked: string])[] = [
  ['max_tokens', 'messages', `{"model":"claude-same","max_tokens":‹8000|N›,"messages":${user}}`],
  ['max_tokens', 'chat', `{"model":"gpt-same","max_tokens" : ‹8000.0|N› ,"messages":${user}}`],
  [
    'max_completion_tokens',
    'chat',
    `{"model":"gpt-same","messages":${user},"max_completion_tokens":‹8e3|N›}`,
  ],
  [
    'both',
    'chat',
    `{"model":"gpt-same","messages":${user},"max_completion_tokens":‹8000|N›,"max_tokens":‹9000|N›}`,
  ],
  [
    'the higher of both',
    'chat',
    `{"model":"gpt-same","messages":${user},"max_completion_tokens":‹8000|N›,"max_tokens":100}`,
  ],
  ['none', 'chat', `{‹|"max_completion_tokens":N,›"model":"gpt-same","messages":${user}}`],
  ['a null', 'chat', `{"model":"gpt-same","messages":${user},"max_completion_tokens":‹null|N›}`],
]

for (const [name, format, marked] of lowered) {
  test(`${format}: ${name}, where the balance does not pay for it: lowered as reported`, async () => {
    const result = await passed(format, written(marked), { usd: '0.30' })
    assert.ok(Number(result.lowered) >= 1_024 && Number(result.lowered) < 2_000, result.lowered)
    assert.equal(result.text, arriving(marked).replaceAll('N', result.lowered ?? ''))
    JSON.parse(result.text)
  })
}

// What is sent next to the body.

const callersHeaders = {
  'user-agent': 'a-client/1.2',
  'openai-organization': 'org-callers',
  'openai-project': 'proj-callers',
  'openai-beta': 'assistants=v2',
  'anthropic-version': '2023-06-01',
  'anthropic-beta': 'context-1m-2025-08-07, unknown-beta-2030-01-01',
  'anthropic-dangerous-direct-browser-access': 'true',
  'idempotency-key': 'callers-own',
  'x-stainless-lang': 'js',
  'x-forwarded-for': '10.0.0.1',
  forwarded: 'for=10.0.0.1',
  via: '1.1 proxy',
  cookie: 'session=callers',
  referer: 'http://callers',
  origin: 'http://callers',
  'accept-encoding': 'gzip, br',
  'proxy-authorization': 'Basic callers',
  'x-unknown': 'callers',
  te: 'trailers',
  priority: 'u=1',
}

const bodies: Readonly<Record<Format, string>> = {
  chat: `{"model":"gpt-same","messages":${user}}`,
  messages: `{"model":"claude-same","max_tokens":9,"messages":${user}}`,
}
const common = [
  'host',
  'connection',
  'content-type',
  'content-length',
  'accept',
  'accept-encoding',
  'user-agent',
  // The upstreams are not at their providers' own addresses.
  'x-tollgate-hops',
]
const reaching: Readonly<Record<Format, readonly string[]>> = {
  chat: [...common, 'authorization', 'x-client-request-id', 'openai-beta'],
  messages: [...common, 'x-api-key', 'anthropic-version', 'anthropic-beta'],
}

for (const format of ['chat', 'messages'] as const) {
  test(`${format}: of a client's headers only those on the list are forwarded, unchanged`, async () => {
    const { received } = await passed(format, bodies[format], { headers: callersHeaders })
    assert.deepEqual(Object.keys(received.headers).sort(), [...reaching[format]].sort())
    for (const [name, value] of Object.entries(callersHeaders)) {
      const isTaken = reaching[format].includes(name) && name !== 'accept-encoding'
      assert.equal(
        received.headers[name],
        isTaken ? value : name === 'accept-encoding' ? 'identity' : undefined,
      )
    }
    assert.ok(!JSON.stringify(received.headers).includes('callers'))
  })

  test(`${format}: a client's key is not forwarded, wherever it was`, async () => {
    const { key } = await tollgate.account('1')
    for (const headers of [
      { authorization: `Bearer ${key}` },
      { authorization: `bearer ${key}`, 'x-api-key': 'other' },
      { authorization: 'Bearer other', 'x-api-key': key },
      { authorization: '', 'api-key': key },
      { authorization: '', 'x-goog-api-key': key },
    ]) {
      const query = `?key=${key}&api_key=${key}&beta=true`
      const { received } = await passed(format, bodies[format], { key, headers, query })
      const all = JSON.stringify([received.url, received.headers, received.body.toString('latin1')])
      assert.ok(!all.includes(key) && !all.includes('other'), all)
      assert.equal(received.url.endsWith('?beta=true'), format === 'messages', received.url)
    }
  })

  test(`${format}: of the query only what the format knows is forwarded, unchanged`, async () => {
    const path = format === 'chat' ? '/v1/chat/completions' : '/v1/messages'
    const known = format === 'chat' ? 'api-version=2024-10-21%20' : 'beta=true'
    for (const [query, forwarded] of [
      [`?${known}`, `?${known}`],
      [`?model=other&${known}&&c`, `?${known}`],
      ['?model=other', ''],
      ['?x=1?y=2', ''],
      ['?', ''],
    ] as const) {
      const { received } = await passed(format, bodies[format], { query })
      assert.equal(received.url, path + forwarded)
    }
  })
}

test('an omitted anthropic-version is sent as 2023-06-01', async () => {
  const { received } = await passed('messages', bodies.messages)
  assert.equal(received.headers['anthropic-version'], '2023-06-01')
  assert.equal(received.headers['anthropic-beta'], undefined)
})
