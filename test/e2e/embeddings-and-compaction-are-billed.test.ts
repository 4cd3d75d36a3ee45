/**
 * Embeddings and compactions have a hold, are bounded and billed like any response, as their upstream reports them;
 * unsupported options are rejected before anything is reserved or sent.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { formatUsd, parseUsd } from '../../contract/usd.ts'
import type { ModelDefinition } from '../../src/catalog/definition.ts'
import type { ReceiptRow } from '../../src/ledger/types.ts'
import { type Behaviour, faultUpstream, hangs, wholeAnswer } from '../support/fault-upstream.ts'
import { eventually, meteredGateway } from '../support/metered-gateway.ts'
import { type Path, rejectionIn, Sent, type Whole } from '../support/paying-client.ts'

const type = ['content-type: application/json']
let behaviour: Behaviour = wholeAnswer(500, '{}', type)
const upstream = await faultUpstream(() => behaviour)
const models: readonly ModelDefinition[] = [
  {
    id: 'text-embedding-3-small',
    provider: 'openai',
    formats: ['openai-embeddings'],
    context: 8_192,
    prices: [{ input: '0.02', output: '0' }],
  },
  {
    id: 'gemini-embedding-001',
    provider: 'google',
    formats: ['openai-embeddings', 'gemini-embeddings'],
    context: 2_048,
    prices: [{ input: '0.15', output: '0' }],
  },
  {
    id: 'an-alias',
    provider: 'google',
    upstreamId: 'gemini-embedding-001',
    formats: ['openai-embeddings', 'gemini-embeddings'],
    context: 2_048,
    prices: [{ input: '0.15', output: '0' }],
  },
  {
    id: 'gpt-compacting',
    provider: 'openai',
    formats: ['openai-responses'],
    context: 400_000,
    maxOutput: 32_000,
    prices: [{ input: '3', cacheRead: '0.3', output: '15' }],
  },
  {
    id: 'claude-plain',
    provider: 'anthropic',
    context: 200_000,
    maxOutput: 32_000,
    prices: [{ input: '3', output: '15' }],
  },
]
const limits = { readOnMs: 400, attemptsMax: 1 }
const { origin } = upstream
const gate = await meteredGateway({ models, openai: origin, anthropic: origin, google: origin, limits })
after(async () => {
  await gate.end()
  await upstream.close()
})

const says = (body: object): Behaviour => wholeAnswer(200, JSON.stringify(body), type)
const post = (key: string, path: Path, body: object): Sent =>
  new Sent(gate.origin, { key, format: path, body })

interface Paid {
  readonly answer: Whole
  readonly receipt: ReceiptRow
}

async function paid(path: Path, body: object, usd = '1'): Promise<Paid> {
  const account = await gate.account(usd)
  const answer = await post(account.key, path, body).whole()
  const receipt = await gate.receiptOf(account)
  const { posted, held } = await gate.balance(account.id)
  assert.deepEqual([parseUsd(usd)! - posted, held], [receipt.charged, 0n])
  return { answer, receipt }
}

/** As long as the usage that its responses report. */
const embedding = { model: 'text-embedding-3-small', input: ['one '.repeat(1_300), 'two'] }
const vectors = {
  object: 'list',
  data: [
    { object: 'embedding', index: 0, embedding: [0.25] },
    { object: 'embedding', index: 1, embedding: [0.5] },
  ],
  model: 'text-embedding-3-small',
}

test('embeddings cost their input as reported, and are relayed unchanged', async () => {
  const told = { ...vectors, usage: { prompt_tokens: 1_234, total_tokens: 1_234 } }
  behaviour = says(told)
  const { answer, receipt } = await paid('/v1/embeddings', embedding)
  assert.equal(answer.text, JSON.stringify(told))
  assert.equal(answer.headers['x-tollgate-cost'], '0.00002468')
  assert.deepEqual(
    [formatUsd(receipt.charged), receipt.output, receipt.endReason],
    ['0.00002468', 0, 'complete'],
  )
})

const quarters = Buffer.from(new Float32Array([0.25, -1.5]).buffer).toString('base64')
for (const [asked, sent, received] of [
  ['base64', [0.25, -1.5], quarters],
  [undefined, quarters, [0.25, -1.5]],
  ['float', quarters, [0.25, -1.5]],
  ['base64', quarters, quarters],
  ['base64', [], []],
  ['float', 'no vector', 'no vector'],
  ['int8', [1, 2], [1, 2]],
] as const) {
  test(`embeddings: ${JSON.stringify(sent)}, ${asked} asked for, is ${JSON.stringify(received)}`, async () => {
    const told = (embedding: unknown) => ({
      ...vectors,
      data: [{ object: 'embedding', index: 0, embedding, of: 'the host' }],
      usage: { prompt_tokens: 1_234, total_tokens: 1_234 },
    })
    behaviour = says(told(sent))
    const { answer } = await paid('/v1/embeddings', { ...embedding, encoding_format: asked })
    assert.equal(answer.text, JSON.stringify(told(received)))
  })
}

test('embeddings without usage are counted, and never charged above the hold', async () => {
  behaviour = says(vectors)
  const { receipt } = await paid('/v1/embeddings', {
    ...embedding,
    input: 'words and more words '.repeat(50),
  })
  assert.equal(receipt.usageSource, 'counted')
  assert.ok(receipt.inputUncached > 150 && receipt.inputUncached < 300, `${receipt.inputUncached}`)
  assert.ok(receipt.charged > 0n && receipt.charged <= receipt.hold)
})

for (const [what, input] of [
  ['one text', 'a'.repeat(8_000)],
  ['many texts', Array.from({ length: 400 }, () => 'a'.repeat(20))],
  ['token ids', Array.from({ length: 2_000 }, (_, index) => index)],
  ['lists of token ids', Array.from({ length: 40 }, () => Array.from({ length: 50 }, (_, index) => index))],
] as const) {
  test(`embeddings: ${what} of 2,000 tokens or more are reserved`, async () => {
    behaviour = says({ ...vectors, usage: { prompt_tokens: 2_000, total_tokens: 2_000 } })
    const { receipt } = await paid('/v1/embeddings', { ...embedding, input })
    assert.ok(receipt.hold >= receipt.charged, `${receipt.hold} is held for ${receipt.charged}`)
    assert.equal(receipt.charged, 40_000n)
  })
}

test('embeddings of several long texts are bounded by all of them, not by the context window of one', async () => {
  const input = Array.from({ length: 8 }, () => 'word '.repeat(8_000))
  behaviour = says({ ...vectors, usage: { prompt_tokens: 64_000, total_tokens: 64_000 } })
  const { receipt } = await paid('/v1/embeddings', { ...embedding, input })
  assert.ok(receipt.hold >= receipt.charged, `${receipt.hold} is held for ${receipt.charged}`)
})

test('insufficient funds for embeddings mention no output limit, because there is none', async () => {
  const account = await gate.account('0.0000001')
  const before = upstream.requests.length
  const answer = await post(account.key, '/v1/embeddings', {
    ...embedding,
    input: 'word '.repeat(400),
  }).whole()
  const { facts, message } = rejectionIn(answer.text)
  assert.deepEqual([answer.status, facts.affordable_max_tokens], [402, 0])
  assert.doesNotMatch(message, /lower/)
  assert.equal(upstream.requests.length, before)
})

/** One text, and a batch of two, with what Google says to each. */
const googles = [
  [
    'embedContent',
    (text: string, _model: string) => ({ content: { parts: [{ text }] }, taskType: 'CLUSTERING' }),
  ],
  [
    'batchEmbedContents',
    (text: string, model: string) => ({
      requests: [text, 'two'].map((one) => ({
        model: `models/${model}`,
        content: { parts: [{ text: one }] },
      })),
    }),
  ],
] as const
const googleVectors = {
  embedContent: { embedding: { values: [0.25] } },
  batchEmbedContents: { embeddings: [{ values: [0.25] }, { values: [0.5] }] },
}
const several = 'words and more words '.repeat(50)

for (const [method, bodyOf] of googles) {
  for (const version of ['/v1beta', '/v1']) {
    for (const model of ['gemini-embedding-001', 'an-alias']) {
      const path: Path = `${version as '/v1'}/models/${model}:${method}`
      test(`${path}: as reported, counted where nothing is`, async () => {
        const told = {
          ...googleVectors[method],
          usageMetadata: { promptTokenCount: 160, totalTokenCount: 160 },
        }
        behaviour = says(told)
        const { answer, receipt } = await paid(path, bodyOf(several, model))
        assert.equal(answer.text, JSON.stringify(told))
        const sent = upstream.requests.at(-1)
        assert.equal(sent?.path, `/v1beta/models/gemini-embedding-001:${method}`)
        assert.deepEqual(JSON.parse(String(sent?.body)), bodyOf(several, 'gemini-embedding-001'))
        assert.deepEqual([formatUsd(receipt.charged), receipt.usageSource], ['0.000024', 'reported'])
        behaviour = says(googleVectors[method])
        const counted = (await paid(path, bodyOf(several, model))).receipt
        assert.equal(counted.usageSource, 'counted')
        assert.ok(counted.inputUncached > 150 && counted.inputUncached < 300, `${counted.inputUncached}`)
        assert.ok(counted.charged <= counted.hold)
      })
    }
  }
}

test('a model of Google is reached in the format of OpenAI, at an address of its own', async () => {
  const told = { ...vectors, usage: { prompt_tokens: 160, total_tokens: 160 } }
  behaviour = says(told)
  const { answer, receipt } = await paid('/v1/embeddings', { model: 'gemini-embedding-001', input: several })
  assert.deepEqual([answer.status, answer.text], [200, JSON.stringify(told)])
  const sent = upstream.requests.at(-1)
  assert.equal(sent?.path, '/v1beta/openai/embeddings')
  assert.match(String(sent?.head), /^authorization: Bearer /m)
  assert.equal(formatUsd(receipt.charged), '0.000024')
})

const one = { content: { parts: [{ text: 'one' }] } }
const googleRejected: readonly (readonly [what: string, method: string, body: object, status: number])[] = [
  ['nothing to embed', 'embedContent', {}, 400],
  ['nothing to embed in a batch', 'batchEmbedContents', { requests: [one, {}] }, 400],
  ['another model in the body', 'embedContent', { ...one, model: 'models/gemini-2.5-pro' }, 400],
  [
    'another model in a batch',
    'batchEmbedContents',
    {
      requests: [
        { ...one, model: 'models/gemini-embedding-001' },
        { ...one, model: 'models/dear' },
      ],
    },
    400,
  ],
  [
    'an image',
    'embedContent',
    { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'QUJD' } }] } },
    400,
  ],
  ['a batch in the background', 'asyncBatchEmbedContent', one, 501],
]
for (const [what, method, body, status] of googleRejected) {
  test(`Google's embeddings, ${what}: rejected before anything is sent`, async () => {
    const account = await gate.account('1')
    const before = upstream.requests.length
    const answer = await post(account.key, `/v1beta/models/gemini-embedding-001:${method}`, body).whole()
    assert.equal(answer.status, status, answer.text)
    assert.equal(typeof JSON.parse(answer.text).error.status, 'string')
    assert.equal(upstream.requests.length, before)
    assert.deepEqual(await gate.balance(account.id), { posted: parseUsd('1'), held: 0n, openHolds: 0 })
  })
}

const rejected: readonly (readonly [what: string, path: Path, body: object, statuses: readonly number[]])[] =
  [
    ['embeddings in a stream', '/v1/embeddings', { ...embedding, stream: true }, [400]],
    ['embeddings of a conversation', '/v1/embeddings', { ...embedding, input: { role: 'user' } }, [400]],
    ['embeddings without input', '/v1/embeddings', { model: embedding.model }, [400]],
    ['embeddings at a tier without a price', '/v1/embeddings', { ...embedding, service_tier: 'flex' }, [400]],
    [
      'embeddings of a model that answers',
      '/v1/embeddings',
      { ...embedding, model: 'gpt-compacting' },
      [400, 404, 501],
    ],
    [
      'embeddings of another maker’s model',
      '/v1/embeddings',
      { ...embedding, model: 'claude-plain' },
      [400, 404, 501],
    ],
    [
      'an answer of a model that embeds',
      '/v1/chat/completions',
      { model: embedding.model, messages: [{ role: 'user', content: 'hi' }] },
      [400, 404, 501],
    ],
    [
      'an answer of a model that embeds, as Messages',
      '/v1/messages',
      { model: embedding.model, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
      [400, 404, 501],
    ],
    [
      'a compaction by another maker’s model',
      '/v1/responses/compact',
      { model: 'claude-plain', input: 'hi' },
      [400, 404, 501],
    ],
    [
      'a compaction in the background',
      '/v1/responses/compact',
      { model: 'gpt-compacting', input: 'hi', background: true },
      [400],
    ],
    [
      'a compaction of what is kept upstream',
      '/v1/responses/compact',
      { model: 'gpt-compacting', input: 'hi', conversation: 'conv_1' },
      [400],
    ],
  ]

for (const [what, path, body, statuses] of rejected) {
  test(`${what}: rejected before anything is reserved or sent`, async () => {
    const account = await gate.account('1')
    const before = upstream.requests.length
    const answer = await post(account.key, path, body).whole()
    assert.ok(statuses.includes(answer.status), `${answer.status}: ${answer.text}`)
    assert.ok(rejectionIn(answer.text).message.length > 0)
    assert.equal(upstream.requests.length, before)
    assert.deepEqual(await gate.balance(account.id), { posted: parseUsd('1'), held: 0n, openHolds: 0 })
  })
}

const compaction = {
  id: 'resp_1',
  object: 'response.compaction',
  created_at: 1,
  output: [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
    { id: 'cmp_1', type: 'compaction', encrypted_content: 'opaque' },
  ],
  usage: {
    input_tokens: 10_000,
    input_tokens_details: { cached_tokens: 4_000 },
    output_tokens: 700,
    output_tokens_details: { reasoning_tokens: 300 },
    total_tokens: 10_700,
  },
}
const conversation = {
  model: 'gpt-compacting',
  input: [{ role: 'user', content: 'a long story '.repeat(4_000) }],
  instructions: 'Be brief.',
}

test('a compaction is billed as reported, and relayed unchanged', async () => {
  behaviour = says(compaction)
  const { answer, receipt } = await paid('/v1/responses/compact', conversation)
  assert.deepEqual([answer.status, answer.text], [200, JSON.stringify(compaction)])
  assert.equal(upstream.requests.at(-1)?.path, '/v1/responses/compact')
  assert.equal(formatUsd(receipt.charged), '0.0297')
  assert.equal(answer.headers['x-tollgate-cost'], '0.0297')
  assert.ok(receipt.hold >= receipt.charged)
  assert.partialDeepStrictEqual(receipt, {
    endReason: 'complete',
    cacheRead: 4_000,
    output: 700,
    reasoning: 300,
    usageSource: 'reported',
  })
})

test('a compaction that fails costs nothing', async () => {
  behaviour = wholeAnswer(500, '{"error":{"message":"broken","type":"server_error"}}', type)
  const { answer, receipt } = await paid('/v1/responses/compact', conversation)
  assert.ok(answer.status >= 500)
  assert.deepEqual([receipt.charged, receipt.endReason], [0n, 'upstream_error'])
})

for (const [path, body] of [
  ['/v1/embeddings', embedding],
  ['/v1/responses/compact', { ...conversation, input: 'a short story' }],
] as const) {
  test(`${path}: a disconnected client pays for what was sent, counted, if nothing arrives in time`, async () => {
    behaviour = hangs
    const account = await gate.account('1')
    const before = upstream.requests.length
    const sent = post(account.key, path, body)
    await eventually(
      'it arrives',
      () => upstream.requests.length,
      (count) => count > before,
    )
    sent.leave()
    const receipt = await gate.receiptOf(account)
    assert.deepEqual([receipt.endReason, receipt.usageSource, receipt.output], ['client_abort', 'counted', 0])
    assert.ok(receipt.charged > 0n && receipt.charged <= receipt.hold)
  })
}
