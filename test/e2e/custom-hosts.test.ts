/**
 * Servers of the operator's own, from the file and added while the gateway runs: each is asked in its formats, with its key
 * and headers, for its own models alone, and none of them is on sale without a price.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Config, readConfig } from '../../src/config/config.ts'
import { testGateway } from '../support/gateway.ts'
import { asking, personActor, servingControlOf } from '../support/operators.ts'

interface Seen {
  readonly method: string | undefined
  readonly path: string | undefined
  readonly headers: IncomingMessage['headers']
  readonly model: unknown
}

interface LocalServer {
  readonly origin: string
  readonly seen: Seen[]
}

const servers: Server[] = []

const answers: Readonly<Record<string, object>> = {
  '/chat/completions': {
    id: 'c-1',
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'local chat' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  },
  '/messages': {
    id: 'm-1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'local message' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 10, output_tokens: 2 },
  },
  ':generateContent': {
    candidates: [
      { index: 0, content: { role: 'model', parts: [{ text: 'local gemini' }] }, finishReason: 'STOP' },
    ],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 2, totalTokenCount: 12 },
  },
  '/models': { object: 'list', data: [{ id: 'llama-3.3' }, { id: 'qwen-3' }] },
}

async function localServer(): Promise<LocalServer> {
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      const { method, url: path, headers } = request
      const text = Buffer.concat(pieces).toString()
      const { model, stream } = JSON.parse(text === '' ? '{}' : text) as { model?: unknown; stream?: boolean }
      seen.push({ method, path, headers, model })
      if (stream === true) {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        return void response.end(streamedWith('"role":"",'))
      }
      const answer = Object.entries(answers).find(([end]) => path?.endsWith(end))?.[1]
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer ?? { error: { message: 'no such path' } }))
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

/** A stream whose deltas after the first have `role` before their text. */
const streamedWith = (role: string) =>
  [
    '{"choices":[{"index":0,"delta":{"role":"assistant","content":"a"},"finish_reason":null}]}',
    ...['b', 'c', 'd'].map(
      (text) => `{"choices":[{"index":0,"delta":{${role}"content":"${text}"},"finish_reason":null}]}`,
    ),
    `{"choices":[{"index":0,"delta":{${role}"content":""},"finish_reason":"stop"}]}`,
    '[DONE]',
  ]
    .map((data) => `data: ${data}\n\n`)
    .join('')

const vllm = await localServer()
const proxy = await localServer()
const key = ['key', 'of', 'the', 'proxy', '7'.repeat(8)].join('-')

const file = `
upstreams:
  - name: my-vllm
    provider: vllm
    url: ${vllm.origin}/v1
  - name: my-proxy
    provider: custom
    url: ${proxy.origin}/gate/v1
    credential: ${key}
    formats: [anthropic, openai-chat, gemini]
    auth: { header: X-Gate-Key }
    headers: { X-Team: research }
    models: [{ id: my-proxy/llama-3.3, upstreamId: llama }, cheap]
models:
  - id: my-vllm/llama-3.3
    context: 8192
    maxOutput: 1024
    prices: [{ input: "0", output: "0" }]
  - id: my-vllm/unpriced
    context: 8192
    maxOutput: 1024
  - id: my-proxy/llama-3.3
    context: 8192
    maxOutput: 1024
    prices: [{ input: "1", output: "2" }]
  - id: cheap
    provider: my-proxy
    upstreamId: small
    context: 8192
    maxOutput: 1024
    prices: [{ input: "1", output: "1" }]
`

const folder = mkdtempSync(join(tmpdir(), 'tollgate-custom-'))

/** What the file says, as the server reads it. */
function configured(text: string): readonly string[] | Config {
  writeFileSync(join(folder, 'tollgate.yaml'), text)
  const read = readConfig({ TOLLGATE_DATA: folder }, folder)
  return read.kind === 'mistakes' ? read.mistakes : read.config
}

const config = configured(file)
assert.ok('upstreams' in config, String(config))
const gate = await testGateway({
  models: config.models,
  upstreams: config.upstreams,
  offers: 'as configured',
  limits: { hostModelsMs: 5_000 },
})
const control = servingControlOf(gate)
const operator = asking(control, personActor('ada', { operator: true }))
const account = await gate.account('5')
after(async () => {
  await gate.close()
  for (const server of servers) server.close()
  rmSync(folder, { recursive: true, force: true })
})

const chat = (model: string) => ({ model, max_tokens: 9, messages: [{ role: 'user', content: 'hello' }] })

async function ask(path: string, body: object): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' }
  const answer = await fetch(gate.origin + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, text: await answer.text() }
}

test('the empty role of a delta, at which older libraries stop, is left out', async () => {
  const { status, text } = await ask('/v1/chat/completions', { ...chat('my-vllm/llama-3.3'), stream: true })
  assert.deepEqual([status, text], [200, streamedWith('')])
})

test('a server without a key is asked without one, by the name below its own', async () => {
  const { status, text } = await ask('/v1/chat/completions', chat('my-vllm/llama-3.3'))
  assert.deepEqual([status, text.includes('local chat')], [200, true], text)
  const { path, headers, model } = vllm.seen.at(-1) ?? assert.fail('nothing arrived')
  assert.deepEqual([path, model, headers.authorization], ['/v1/chat/completions', 'llama-3.3', undefined])
})

test('each format is asked where the address has it, with the header for the key and the other headers', async () => {
  const asked = [
    ['/v1/chat/completions', chat('my-proxy/llama-3.3'), '/gate/v1/chat/completions', 'llama'],
    ['/v1/messages', chat('cheap'), '/gate/v1/messages', 'small'],
    [
      '/v1beta/models/cheap:generateContent',
      { contents: [{ role: 'user', parts: [{ text: 'hello' }] }], generationConfig: { maxOutputTokens: 9 } },
      '/gate/v1beta/models/small:generateContent',
      undefined,
    ],
  ] as const
  for (const [path, body, there, model] of asked) {
    const { status, text } = await ask(path, body)
    assert.deepEqual([status, text.includes('local ')], [200, true], text)
    const arrived = proxy.seen.at(-1) ?? assert.fail('nothing arrived')
    assert.deepEqual([arrived.path, arrived.model], [there, model])
    const { 'x-gate-key': sentKey, 'x-team': team, authorization } = arrived.headers
    assert.deepEqual([sentKey, team, authorization], [key, 'research', undefined])
  }
})

test('a model without a price is not on sale; a price of zero is one', async () => {
  const unpriced = await ask('/v1/chat/completions', chat('my-vllm/unpriced'))
  assert.equal(unpriced.status, 404, unpriced.text)
  const rows = await operator.done('models.list', {})
  const reasonOf = (name: string) => rows.find((row) => row.model === name)?.reason
  assert.equal(reasonOf('my-vllm/unpriced'), 'no price is known')
  assert.equal(reasonOf('my-vllm/llama-3.3'), null)
})

const added = { upstream: 'my-ollama', provider: 'ollama' }

test('a server that is added lists its models, sells none unasked, and each at the price that was given', async () => {
  const local = await localServer()
  const here = { ...added, url: local.origin }
  const found = await operator.done('upstreams.check', { ...here, askHost: true })
  assert.deepEqual([found.host?.models, found.sells], [['llama-3.3', 'qwen-3'], []])
  assert.deepEqual(
    found.paths.map(({ url, state }) => [url, state]),
    [
      [`${local.origin}/v1/chat/completions`, 'untested'],
      [`${local.origin}/v1/embeddings`, 'untested'],
    ],
  )
  const made = await operator.done('upstreams.put', here)
  assert.deepEqual(
    [made.provider, made.serves, made.custom],
    [
      'ollama',
      [],
      { formats: ['openai-chat', 'openai-embeddings'], keyHeader: 'authorization', headers: [] },
    ],
  )
  assert.equal((await ask('/v1/chat/completions', chat('my-ollama/qwen-3'))).status, 404)
  await operator.done('models.add', {
    model: 'my-ollama/qwen-3',
    contextTokens: 8_192,
    outputTokensMax: 1_024,
    price: { input: '0', output: '0' },
  })
  assert.equal((await ask('/v1/chat/completions', chat('my-ollama/qwen-3'))).status, 200)
  assert.equal(local.seen.at(-1)?.model, 'qwen-3')
  await operator.done('upstreams.put', { ...here, disabled: true })
  assert.equal((await ask('/v1/chat/completions', chat('my-ollama/qwen-3'))).status, 404)
  await operator.done('upstreams.remove', { upstream: 'my-ollama' })
})

test('headers are stored like the credential: never shown, and never sent to another address', async () => {
  const first = await localServer()
  const secret = ['header', 'secret', '9'.repeat(9)].join('-')
  const here = {
    upstream: 'guarded',
    provider: 'custom',
    url: first.origin,
    formats: ['openai-chat'],
    credential: key,
    headers: { 'X-Access': secret },
  }
  const made = await operator.done('upstreams.put', here)
  assert.deepEqual(made.custom?.headers, ['x-access'])
  assert.doesNotMatch(JSON.stringify(await operator.done('upstreams.list', {})), new RegExp(secret))
  // Without naming them again they stay.
  const { headers: _headers, credential: _credential, ...bare } = here
  await operator.done('upstreams.put', { ...bare, weight: 2 })
  await operator.done('upstreams.check', { ...bare, askHost: true })
  assert.equal(first.seen.at(-1)?.headers['x-access'], secret)
  const second = await localServer()
  const moved = await operator.rejected('upstreams.put', { ...bare, url: second.origin })
  assert.deepEqual([moved.code, moved.param], ['missing_field', 'credential'])
  await operator.done('upstreams.put', { ...bare, url: second.origin, credential: key })
  await operator.done('upstreams.check', { ...bare, url: second.origin, askHost: true })
  assert.ok(second.seen.length > 0 && second.seen.every(({ headers }) => headers['x-access'] === undefined))
  await operator.done('upstreams.remove', { upstream: 'guarded' })
})

const base = { upstream: 'wrong', provider: 'custom', url: 'http://127.0.0.1:9', formats: ['openai-chat'] }
const wrong: readonly (readonly [what: string, ask: object, param: string])[] = [
  ['the name of a provider', { upstream: 'groq' }, 'upstream'],
  ['no address', { url: undefined }, 'url'],
  ['no format', { formats: undefined }, 'formats'],
  ['a header that the request has', { headers: { Host: 'elsewhere' } }, 'headers'],
  ['the header of the key twice', { headers: { authorization: 'x' } }, 'headers'],
  ['a line break in a header', { headers: { 'x-a': 'a\r\nx-b: c' } }, 'headers'],
  ['no name of a header', { auth: { header: 'x key' } }, 'auth'],
  ['formats for a provider of the list', { provider: 'groq', url: undefined }, 'formats'],
]
for (const [what, more, param] of wrong) {
  test(`a custom host is rejected with ${what}`, async () => {
    const rejected = await operator.rejected('upstreams.put', { ...base, ...more })
    assert.deepEqual([rejected.status, rejected.param], [400, param], rejected.message)
  })
}

const mistaken: readonly (readonly [upstream: string, mistake: string])[] = [
  ['{ name: a, provider: custom, formats: [openai-chat] }', 'upstreams[0].url: is missing'],
  [
    '{ name: a, provider: custom, url: "http://h:1" }',
    'upstreams[0].formats: choose at least one API format',
  ],
  ['{ name: a, provider: groq }', 'upstreams[0].credential: is missing'],
  [
    '{ name: a, provider: groq, credential: b, auth: { header: x-api-key } }',
    'upstreams[0].auth: cannot be set for the provider groq',
  ],
  ['{ name: a, provider: vllm, headers: { cookie: b } }', 'upstreams[0].headers: cookie cannot be set'],
]
for (const [upstream, mistake] of mistaken) {
  test(`the file is rejected: ${mistake}`, () => {
    assert.deepEqual(configured(`upstreams: [${upstream}]`), [`tollgate.yaml: ${mistake}`])
  })
}
