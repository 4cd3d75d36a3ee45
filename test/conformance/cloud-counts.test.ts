/**
 * Counting tokens at clouds: asked of the cloud in its own way where it counts, and estimated where it does not or where
 * it rejects the count.
 */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import {
  type CloudFacts,
  type CloudRejection,
  type CloudRequest,
  imitateCloud,
} from '../support/cloud-imitation.ts'
import { rejections } from '../support/cloud-place.ts'
import { testGateway } from '../support/gateway.ts'
import { pdfOf } from '../support/pdf.ts'

type Provider = 'azure' | 'bedrock' | 'vertex'
const project = '/v1/projects/p-1/locations/global'
const keyHeaders = {
  azure: ['x-api-key', 'key-1'],
  bedrock: ['authorization', 'Bearer key-1'],
  vertex: ['x-goog-api-key', 'key-1'],
} as const
const closing: (() => Promise<void>)[] = []
after(async () => {
  for (const close of closing.reverse()) await close()
})

async function place(
  provider: Provider,
  count: (request: CloudRequest) => CloudRejection | null,
  messagesPath = '',
) {
  const [header, value] = keyHeaders[provider]
  const facts: CloudFacts = {
    route: (url) => (url === messagesPath ? { format: 'messages' } : null),
    mistake: () => '',
    rejections,
    issue: (request) => (request.headers[header] === value ? count(request) : rejections.credential),
  }
  const cloud = await imitateCloud(facts)
  const tollgate = await testGateway({
    upstreams: [
      {
        ...{ name: provider, provider, credential: 'key-1', weight: 1, models: 'all' as const },
        url: provider === 'vertex' ? cloud.origin + project : cloud.origin,
      },
    ],
  })
  closing.push(cloud.close, tollgate.close)
  const account = await tollgate.account('5')
  const options = { apiKey: account.key, authToken: null, baseURL: tollgate.origin, maxRetries: 0 }
  return { cloud, tollgate, account, anthropic: new Anthropic({ ...options, logLevel: 'off' }) }
}

const content = 'How many tokens are these?'
const messages = [{ role: 'user' as const, content }]

/** What each cloud is sent for a count of Claude, and its number. */
const claude: readonly (readonly [
  provider: Provider,
  model: string,
  url: string,
  body: (sent: Record<string, unknown>) => unknown,
  answer: object,
])[] = [
  [
    'azure',
    'azure/claude-haiku-4-5',
    '/anthropic/v1/messages/count_tokens',
    (sent) => sent,
    { input_tokens: 77 },
  ],
  [
    'vertex',
    'vertex/claude-haiku-4-5@20251001',
    `${project}/publishers/anthropic/models/count-tokens:rawPredict`,
    (sent) => sent,
    { input_tokens: 77 },
  ],
  [
    'bedrock',
    'bedrock/eu.anthropic.claude-haiku-4-5-20251001-v1:0',
    '/model/anthropic.claude-haiku-4-5-20251001-v1%3A0/count-tokens',
    ({ input }) => {
      const { invokeModel } = input as { invokeModel: { body: string } }
      return JSON.parse(Buffer.from(invokeModel.body, 'base64').toString())
    },
    { inputTokens: 77 },
  ],
]

for (const [provider, model, url, body, answer] of claude) {
  const upstreamModel = model.slice(provider.length + 1)

  test(`${model}: the cloud counts for a client of Messages and of Chat's other formats`, async () => {
    const { cloud, anthropic, tollgate, account } = await place(provider, (request) =>
      request.url === url ? { status: 200, body: answer } : null,
    )
    assert.equal((await anthropic.messages.countTokens({ model, messages })).input_tokens, 77)
    const sent = body(JSON.parse(cloud.issued.at(-1)?.text ?? '') as Record<string, unknown>)
    const named = provider === 'bedrock' ? {} : { model: upstreamModel }
    const required = { anthropic_version: 'bedrock-2023-05-31', max_tokens: 1 }
    assert.deepEqual(sent, { ...(provider === 'bedrock' ? required : {}), ...named, messages })
    const other = await fetch(`${tollgate.origin}/v1/responses/input_tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${account.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, input: content }),
    })
    assert.equal(((await other.json()) as { input_tokens: number }).input_tokens, 77)
    assert.equal(other.headers.get('x-tollgate-tokens'), 'reported')
    assert.equal((await tollgate.balance(account.id)).posted, 5_000_000_000n)
  })

  test(`${model}: a beta that the cloud does not know is dropped, and reported`, async () => {
    const path =
      provider === 'vertex'
        ? `${project}/publishers/anthropic/models/claude-haiku-4-5@20251001:rawPredict`
        : '/anthropic/v1/messages'
    const { cloud, anthropic } = await place(
      provider,
      (request) => (request.url === url ? { status: 200, body: answer } : null),
      path,
    )
    const headers = { 'anthropic-beta': 'context-1m-2025-08-07, of-tomorrow-2027-01-01' }
    const { response } = await anthropic.messages.countTokens({ model, messages }, { headers }).withResponse()
    const generated = await anthropic.messages
      .create({ model, messages, max_tokens: 9 }, { headers })
      .withResponse()
    for (const sent of [cloud.issued.at(-1), cloud.requests.at(-1)])
      assert.equal(sent?.headers['anthropic-beta'], 'context-1m-2025-08-07')
    for (const { headers: answered } of [response, generated.response])
      assert.equal(answered.get('x-tollgate-adjusted'), 'dropped=anthropic-beta:of-tomorrow-2027-01-01')
  })

  test(`${model}: a count that the cloud rejects is estimated`, async () => {
    const rejected = { status: 400, body: { message: "The provided model doesn't support counting tokens." } }
    for (const rejection of [rejected, rejections.credential, rejections.rate]) {
      const { cloud, anthropic } = await place(provider, () => rejection)
      const { data, response } = await anthropic.messages.countTokens({ model, messages }).withResponse()
      assert.ok(data.input_tokens > 0 && data.input_tokens < 77)
      assert.equal(response.headers.get('x-tollgate-tokens'), 'estimated')
      assert.ok(cloud.issued.length > 0)
    }
  })
}

for (const [provider, model, url, body, answer] of claude) {
  test(`${model}: a document is served that the balance covers by the cloud's count only`, async () => {
    const path =
      provider === 'vertex'
        ? `${project}/publishers/anthropic/models/claude-haiku-4-5@20251001:rawPredict`
        : '/anthropic/v1/messages'
    const { cloud, tollgate } = await place(
      provider,
      (request) => (request.url === url ? { status: 200, body: answer } : null),
      path,
    )
    const poor = await tollgate.account('0.02')
    const options = { apiKey: poor.key, authToken: null, baseURL: tollgate.origin, maxRetries: 0 }
    const data = pdfOf(3).toString('base64')
    const source = { type: 'base64' as const, media_type: 'application/pdf' as const, data }
    const long = [
      {
        role: 'user' as const,
        content: [
          { type: 'document' as const, source },
          { type: 'text' as const, text: 'say text' },
        ],
      },
    ]
    const asked = { model, max_tokens: 100, messages: long }
    const message = await new Anthropic({ ...options, logLevel: 'off' }).messages.create(asked)
    assert.equal(message.stop_reason, 'end_turn')
    const sent = body(JSON.parse(cloud.issued.at(-1)?.text ?? '') as Record<string, unknown>)
    assert.deepEqual((sent as { messages: unknown }).messages, long)
    if (provider !== 'bedrock') assert.equal((sent as { model: unknown }).model, upstreamNameOf(model))
  })
}

const upstreamNameOf = (model: string) => model.slice(model.indexOf('/') + 1)

test('vertex/gemini: the request is counted as Vertex takes it, whether the client wrapped it or not', async () => {
  const { cloud, tollgate, account } = await place('vertex', ({ url }) =>
    url === `${project}/publishers/google/models/gemini-3.5-flash:countTokens`
      ? { status: 200, body: { totalTokens: 77, totalBillableCharacters: 5 } }
      : null,
  )
  const contents = [{ role: 'user', parts: [{ text: content }] }]
  const model = 'vertex/gemini-3.5-flash'
  for (const body of [
    { contents },
    { generateContentRequest: { model: `models/${model}`, contents, safetySettings: [] } },
  ]) {
    const answer = await fetch(`${tollgate.origin}/v1beta/models/${model}:countTokens`, {
      method: 'POST',
      headers: { 'x-goog-api-key': account.key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    assert.equal(answer.status, 200)
    assert.equal(((await answer.json()) as { totalTokens: number }).totalTokens, 77)
    assert.deepEqual(JSON.parse(cloud.issued.at(-1)?.text ?? ''), { contents })
  }
})

test('a model of a cloud that counts in no format of it is estimated without a request', async () => {
  const { cloud, anthropic } = await place('bedrock', () => null)
  const asked = { model: 'bedrock/openai.gpt-oss-120b', messages }
  const { response } = await anthropic.messages.countTokens(asked).withResponse()
  assert.equal(response.headers.get('x-tollgate-tokens'), 'estimated')
  assert.equal(cloud.requests.length + cloud.issued.length, 0)
})
