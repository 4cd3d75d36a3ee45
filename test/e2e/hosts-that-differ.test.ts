/**
 * Hosts of Chat Completions that an operator runs or rents, whose answers differ from those of the format's vendor: the
 * words of their errors, their waits, what they do not take, and how they send bytes.
 */
import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { customHostOf } from '../../contract/custom-hosts.ts'
import { bearer, receiptOf, send } from '../support/bytes-client.ts'
import { testGateway } from '../support/gateway.ts'
import { type Replay, replayUpstream } from '../support/replay-upstream.ts'

const [first, second] = [await replayUpstream(), await replayUpstream()]
const upstream = (name: string, origin: string) => ({
  ...{ name, provider: name, url: `${origin}/v1`, credential: '', weight: 1, models: 'all' as const },
  custom: customHostOf('custom', { formats: ['openai-chat'] }),
})
const model = (id: string, more: object = {}) => ({
  ...{ id, context: 10_000, maxOutput: 1_000, prices: [{ input: '1', output: '2' }] },
  ...more,
})
const gate = await testGateway({
  upstreams: [upstream('own', first.origin), upstream('other', second.origin)],
  models: [
    model('own/alone'),
    model('own/small', { fallbacks: ['other/large'] }),
    model('other/large', { context: 100_000 }),
  ],
  limits: {
    cooldownMsMax: 0,
    failuresBeforeEjection: 1_000,
    answerBytesMax: 300_000,
    eventBytesMax: 300_000,
  },
})
const account = await gate.account('10')
after(async () => {
  await gate.close()
  await Promise.all([first.close(), second.close()])
})

const json = { 'content-type': 'application/json' }
const answering = (status: number, body: unknown, headers = {}): Replay => ({
  status,
  headers: { ...json, ...headers },
  bytes: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
})
const choice = { index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }
const usage = { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 }
const served = answering(200, { id: 'c', object: 'chat.completion', choices: [choice], usage })
const chunk = (value: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', ...value })}\n\n`
const streaming = (...events: readonly string[]): Replay => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  bytes: Buffer.from(events.join('')),
  chunkBytes: 64,
})
const word = chunk({ choices: [{ index: 0, delta: { content: 'hello' }, finish_reason: null }] })

beforeEach(() => {
  first.play(served)
  second.play(served)
})

const paths = { chat: '/v1/chat/completions', messages: '/v1/messages', responses: '/v1/responses' } as const

function questionOf(client: keyof typeof paths): object {
  return client === 'responses'
    ? { input: 'hello' }
    : { messages: [{ role: 'user', content: 'hello' }], max_tokens: 50 }
}

function ask(client: keyof typeof paths, name: string, more: object = {}) {
  return send(gate.origin, {
    path: paths[client],
    headers: { ...bearer(account.key), 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: name, ...questionOf(client), ...more }),
  })
}

/** As the hosts word it: issues of vllm, sglang, ollama and lmstudio; pages of together and minimax. */
const overflows: readonly (readonly [
  host: string,
  status: number,
  sentence: string,
  code?: string | number,
])[] = [
  [
    'vLLM 0.16',
    400,
    "You passed 8193 input tokens and requested 0 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 8192 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=8193)",
    400,
  ],
  ['vLLM', 400, 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.', 400],
  [
    'vLLM, with a limit',
    400,
    "'max_tokens' or 'max_completion_tokens' is too large: 8000. This model's maximum context length is 8192 tokens and your request has 900 input tokens (8000 > 8192 - 900).",
  ],
  ['SGLang', 400, "Requested token count exceeds the model's maximum context length of 8192 tokens."],
  [
    'SGLang, of the input',
    400,
    "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
  ],
  [
    'Together',
    422,
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193.',
    'validation',
  ],
  ['MiniMax', 200, 'invalid params, context window exceeds limit (2013)', 2013],
  ['Ollama', 400, 'prompt too long; exceeded max context length by 17 tokens'],
  ['Ollama, as its own failure', 500, 'the input length exceeds the context length'],
  [
    'LM Studio',
    400,
    'The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length.',
  ],
  [
    'llama.cpp',
    400,
    'the request exceeds the available context size, try increasing it',
    'exceed_context_size_error',
  ],
  ['a proxy', 413, 'Request Entity Too Large'],
  [
    'LiteLLM',
    400,
    "litellm.BadRequestError: OpenAIException - This model's maximum context length is 8192 tokens.",
  ],
]

for (const [host, status, message, code = null] of overflows) {
  test(`${host}: agents recognize a context that is too long, and the larger fallback is asked`, async () => {
    const bodies =
      status === 200
        ? [{ base_resp: { status_code: code, status_msg: message } }]
        : [
            { error: { message, type: 'BadRequestError', param: null, code } },
            { object: 'error', message, type: 'BadRequestError', param: null, code },
            { error: message },
          ]
    for (const body of bodies) {
      first.play(answering(status, body))
      for (const stream of [false, true]) {
        const told = await ask('chat', 'own/alone', { stream })
        assert.equal(told.status, 400, told.text)
        const { error } = JSON.parse(told.text) as { error: { message: string; code: string } }
        assert.equal(error.code, 'context_length_exceeded')
        assert.ok(error.message.includes(message), told.text)
      }
      const agent = await ask('messages', 'own/alone')
      assert.deepEqual([agent.status, agent.text.includes('prompt is too long')], [400, true], agent.text)
      const asked = await ask('chat', 'own/small')
      assert.deepEqual([asked.status, asked.text.includes('hello')], [200, true], asked.text)
    }
  })
}

test('a rejection for another reason keeps the words of the host', async () => {
  const others: readonly (readonly [number, string])[] = [
    [400, "Invalid 'messages[0].name': string too long. Expected a string with maximum length 64."],
    [400, 'max_tokens is too large: 9000. This model supports at most 4096 completion tokens.'],
    [400, 'Too many tokens per minute, please wait before trying again.'],
  ]
  for (const [status, message] of others) {
    first.play(answering(status, { error: { message, type: 'BadRequestError', code: null } }))
    const { text } = await ask('chat', 'own/small')
    assert.equal((JSON.parse(text) as { error: { message: string } }).error.message, message)
  }
})

const limited =
  'Rate limit reached for gpt-5 in organization org-4wA9 on tokens per min: Limit 1. Please try again in 17s.'

test('a rate limit inside a stream says how long to wait, where agents look for it', async () => {
  const error = `data: ${JSON.stringify({ error: { message: limited, type: 'tokens', code: 'rate_limit_exceeded' } })}\n\n`
  for (const events of [[word, error], [error]]) {
    for (const client of ['chat', 'messages', 'responses'] as const) {
      first.play(streaming(...events))
      const { status, text, headers } = await ask(client, 'own/alone', { stream: true })
      assert.match(text, /rate limit was exceeded\. Try again in 17s\./)
      assert.doesNotMatch(text, /org-4wA9/)
      if (status === 200) continue
      assert.deepEqual([status, headers['retry-after']], [429, '17'], text)
    }
  }
})

test('a limit always comes with a wait that can be believed', async () => {
  const waits: readonly (readonly [header: Record<string, string>, message: string, seconds: string])[] = [
    [{ 'retry-after': '0' }, 'slow down', '5'],
    [{ 'retry-after': '-1' }, 'slow down', '5'],
    [{ 'retry-after': '1e9' }, 'slow down', '5'],
    [{ 'retry-after': '1000000000' }, 'slow down', '300'],
    [{ 'retry-after': '' }, 'slow down', '5'],
    [{}, 'slow down', '5'],
    [{ 'retry-after': '0' }, limited, '17'],
    [{ 'retry-after': '9' }, limited, '9'],
  ]
  for (const [header, message, seconds] of waits) {
    for (const host of [first, second]) host.play(answering(429, { error: { message } }, header))
    const { status, headers, text } = await ask('chat', 'own/small')
    assert.deepEqual([status, headers['retry-after']], [429, seconds], JSON.stringify(header) + text)
    assert.match(text, new RegExp(`Try again in ${seconds}s\\.`))
  }
})

const rejections: readonly (readonly [status: number, message: string])[] = [
  [400, 'Unrecognized request argument supplied: stream_options'],
  [
    422,
    "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted'}]",
  ],
  [400, 'stream_options is not supported.'],
]

for (const [at, [status, message]] of rejections.entries()) {
  for (const client of ['chat', 'messages', 'responses'] as const) {
    test(`a stream is counted at a host that rejects what asks for its usage: ${message}, ${client}`, async () => {
      const host = `strict-${at}-${client}`
      const strict = await replayUpstream()
      const gateway = await testGateway({
        upstreams: [upstream(host, strict.origin)],
        models: [model(`${host}/small`)],
      })
      try {
        const { key } = await gateway.account('10')
        const rejected = answering(status, { error: { message, type: 'invalid_request_error', code: null } })
        const last = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
        const stream = streaming(word, last, 'data: [DONE]\n\n')
        const hasOption = (body: Buffer) => 'stream_options' in (JSON.parse(body.toString()) as object)
        strict.playFor(({ body }) => (hasOption(body) ? rejected : stream))
        const question = { model: `${host}/small`, stream: true, ...questionOf(client) }
        const asking = (more: object) =>
          send(gateway.origin, {
            path: paths[client],
            headers: { ...bearer(key), 'anthropic-version': '2023-06-01' },
            body: JSON.stringify({ ...question, ...more }),
          })
        // The option of a caller is the caller's affair, and says nothing of the host.
        const own = { stream_options: { include_usage: true, of_the_caller: 1 } }
        if (client === 'chat') assert.equal((await asking(own)).status, status)
        for (const requests of [2, 1]) {
          const before = strict.requests.length
          const served = await asking({})
          assert.deepEqual([served.status, served.text.includes('hello')], [200, true], served.text)
          assert.equal(strict.requests.length - before, requests)
          const { usage: used } = await receiptOf(gateway.origin, key, served)
          assert.deepEqual([used.source, used.output > 0], ['counted', true])
        }
      } finally {
        await gateway.close()
        await strict.close()
      }
    })
  }
}

const encodings: readonly (readonly [name: string, encode: (bytes: Uint8Array) => Buffer])[] = [
  ['gzip', gzipSync],
  ['X-Gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
]
const compressed = (replay: Replay, [name, encode]: (typeof encodings)[number], chunkBytes = 7): Replay => ({
  ...replay,
  headers: { ...replay.headers, 'content-encoding': name },
  bytes: encode(replay.bytes),
  chunkBytes,
})

for (const encoding of encodings) {
  test(`${encoding[0]}: a response that is compressed without being asked for is read`, async () => {
    const last = chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage })
    for (const client of ['chat', 'messages', 'responses'] as const) {
      first.play(compressed(served, encoding))
      const whole = await ask(client, 'own/alone')
      assert.deepEqual([whole.status, whole.text.includes('hello')], [200, true], whole.text)
      assert.equal(whole.headers['content-encoding'], undefined)
      first.play(compressed(streaming(word, last, 'data: [DONE]\n\n'), encoding))
      const streamed = await ask(client, 'own/alone', { stream: true })
      assert.deepEqual([streamed.status, streamed.text.includes('hello')], [200, true], streamed.text)
      first.play(compressed(answering(400, { error: { message: 'no such voice', code: null } }), encoding))
      const rejected = await ask(client, 'own/alone')
      assert.deepEqual([rejected.status, rejected.text.includes('no such voice')], [400, true], rejected.text)
    }
  })

  test(`${encoding[0]}: a small response that decompresses to a large one is cut off at the limit`, async () => {
    const bomb = answering(200, `{"padding":"${'x'.repeat(20_000_000)}"}`)
    first.play(compressed(bomb, encoding, 65_536))
    const whole = await ask('chat', 'own/alone')
    assert.equal(whole.status, 502, whole.text)
    assert.match(whole.text, /exceeds the size limit/)
    first.play(compressed({ ...bomb, headers: { 'content-type': 'text/event-stream' } }, encoding, 65_536))
    const streamed = await ask('chat', 'own/alone', { stream: true })
    assert.equal(streamed.status, 502, streamed.text)
  })
}

test('a response that cannot be decompressed is not said to be a lost connection', async () => {
  const gzip = encodings[0]!
  const broken: readonly Replay[] = [
    { ...served, headers: { ...served.headers, 'content-encoding': 'compress' } },
    { ...served, headers: { ...served.headers, 'content-encoding': 'gzip, br' } },
    { ...served, headers: { ...served.headers, 'content-encoding': '__proto__' } },
    { ...served, headers: { ...served.headers, 'content-encoding': 'gzip' } },
    { ...compressed(served, gzip), bytes: gzipSync(served.bytes).subarray(0, 40) },
  ]
  for (const replay of broken) {
    first.play(replay)
    const { status, text } = await ask('chat', 'own/alone')
    assert.equal(status, 502, text)
    assert.match(text, /sent a response that cannot be read/)
  }
})
