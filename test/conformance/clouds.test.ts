/**
 * Azure, Bedrock and Vertex against strict imitations of them, through the whole gateway and with the official libraries: what
 * they are asked, what it costs, and what becomes of their rejections. The facts of the imitations are from the pages of the clouds.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { priceAt } from '../../src/catalog/types.ts'
import { cloudUsage } from '../support/cloud-answers.ts'
import { type CloudFacts, type CloudImitation, imitateCloud } from '../support/cloud-imitation.ts'
import { converseMistake } from '../support/converse-rules.ts'
import { type TestAccount, type TestGateway, testGateway } from '../support/gateway.ts'
import { eventually } from '../support/metered-gateway.ts'

type Provider = 'azure' | 'bedrock' | 'vertex'

const key = (provider: Provider) => `key-of-${provider}`
const openaiPaths = { '/openai/v1/chat/completions': 'chat', '/openai/v1/responses': 'responses' } as const
const project = '/v1/projects/p-1/locations/global'

const facts: Readonly<Record<Provider, CloudFacts>> = {
  // learn.microsoft.com/azure/foundry/openai/api-version-lifecycle
  azure: {
    route(url) {
      if (url === '/anthropic/v1/messages') return { format: 'messages' }
      const format = openaiPaths[url as keyof typeof openaiPaths]
      return format === undefined ? null : { format }
    },
    mistake({ url, headers }) {
      const name = url.startsWith('/anthropic') ? 'x-api-key' : 'api-key'
      if (headers.authorization !== undefined) return 'authorization beside a key'
      return headers[name] === key('azure') ? '' : name
    },
    rejections: {
      credential: { status: 401, body: { statusCode: 401, message: 'Access denied for account 7.' } },
      rate: {
        status: 429,
        headers: { 'retry-after-ms': '900' },
        body: { error: { code: '429', message: 'Requests have exceeded call rate limit.' } },
      },
      overload: { status: 503, body: { error: { code: 'ServiceUnavailable', message: 'busy' } } },
      missing: {
        status: 404,
        body: { error: { code: 'DeploymentNotFound', message: 'no such deployment' } },
      },
    },
  },
  // docs.aws.amazon.com/bedrock/latest/userguide/inference-messages-api.html, API_runtime_ConverseStreamOutput
  bedrock: {
    route(url) {
      if (url === '/anthropic/v1/messages') return { format: 'messages' }
      const converse = /^\/model\/(?:amazon|meta)\.[\w.-]+%3A\d+\/converse(-stream)?$/.exec(url)
      if (converse !== null) return { format: 'converse', isStream: converse[1] !== undefined }
      const format = openaiPaths[url as keyof typeof openaiPaths]
      return format === undefined ? null : { format }
    },
    mistake({ url, headers }) {
      const version = headers['anthropic-version']
      if (url.startsWith('/anthropic') && !/^\d{4}-\d\d-\d\d$/.test(String(version))) return 'version'
      const isFrames = headers.accept === 'application/vnd.amazon.eventstream'
      if (url.endsWith('/converse-stream') && !isFrames) return `accept ${headers.accept}`
      return headers.authorization === `Bearer ${key('bedrock')}` ? '' : 'authorization'
    },
    bodyMistake: (url, body) => (url.startsWith('/model/') ? converseMistake(body) : ''),
    rejections: {
      credential: {
        status: 403,
        headers: { 'x-amzn-errortype': 'AccessDeniedException' },
        body: { message: 'not authorized: account 7' },
      },
      rate: {
        status: 429,
        headers: { 'x-amzn-errortype': 'ThrottlingException:http://internal.example' },
        body: { message: 'Too many requests' },
      },
      overload: {
        status: 429,
        headers: { 'x-amzn-errortype': 'ModelNotReadyException' },
        body: { message: 'The model is not ready' },
      },
      missing: {
        status: 404,
        headers: { 'x-amzn-errortype': 'ResourceNotFoundException' },
        body: { message: 'no such model' },
      },
    },
  },
  // cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude
  vertex: {
    route(url) {
      if (!url.startsWith(`${project}/`)) return null
      const path = url.slice(project.length)
      if (path === '/endpoints/openapi/chat/completions') return { format: 'chat' }
      const claude = /^\/publishers\/anthropic\/models\/claude-[\w.@-]+:(rawPredict|streamRawPredict)$/.exec(
        path,
      )
      if (claude !== null) return { format: 'messages', isStream: claude[1] === 'streamRawPredict' }
      const gemini =
        /^\/publishers\/google\/models\/gemini-[\w.-]+:(generateContent|streamGenerateContent\?alt=sse)$/.exec(
          path,
        )
      return gemini === null ? null : { format: 'gemini', isStream: gemini[1] !== 'generateContent' }
    },
    mistake: ({ headers }) => (headers['x-goog-api-key'] === key('vertex') ? '' : 'key'),
    bodyMistake(url, body) {
      if (!url.includes('/anthropic/')) return ''
      if ('model' in body) return 'model: Extra inputs are not permitted'
      return body['anthropic_version'] === 'vertex-2023-10-16' ? '' : 'anthropic_version: Field required'
    },
    rejections: {
      credential: {
        status: 403,
        body: [{ error: { code: 403, status: 'PERMISSION_DENIED', message: 'denied on project 7' } }],
      },
      rate: {
        status: 429,
        body: { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'exhausted' } },
      },
      overload: { status: 503, body: { error: { code: 503, status: 'UNAVAILABLE', message: 'busy' } } },
      missing: { status: 404, body: '<!DOCTYPE html><title>Error 404 (Not Found)!!1</title>' },
    },
  },
}

const clouds = new Map<Provider, CloudImitation>()
let tollgate: TestGateway
let account: TestAccount
let openai: OpenAI
let anthropic: Anthropic

before(async () => {
  for (const [provider, row] of Object.entries(facts))
    clouds.set(provider as Provider, await imitateCloud(row))
  tollgate = await testGateway({
    upstreams: [...clouds].map(([provider, { origin }]) => ({
      name: provider,
      provider,
      url: provider === 'vertex' ? origin + project : origin,
      credential: key(provider),
      weight: 1,
      models: 'all' as const,
    })),
    limits: { cooldownMsMax: 0, failuresBeforeEjection: 1_000, attemptsMax: 1, readOnPerAccountMax: 1 },
  })
  account = await tollgate.account('1000')
  const client = { apiKey: account.key, maxRetries: 0 }
  openai = new OpenAI({ ...client, baseURL: `${tollgate.origin}/v1` })
  anthropic = new Anthropic({ ...client, authToken: null, baseURL: tollgate.origin, logLevel: 'off' })
})
after(async () => {
  await tollgate.close()
  await Promise.all([...clouds.values()].map((cloud) => cloud.close()))
})

/** What the imitation's usage costs with this model, in nano-USD. */
function costOf(model: string): bigint {
  const found = tollgate.gateway.services.catalog.snapshot.models.get(model)
  assert.ok(found !== undefined, `${model} is not sold`)
  const { input, cacheRead, output } = priceAt(found, Date.now()).rates
  const { input: whole, cached, output: written } = cloudUsage
  const total = input * BigInt(whole - cached) + cacheRead * BigInt(cached) + output * BigInt(written)
  return (total + 999_999n) / 1_000_000n
}

async function spent(work: () => Promise<void>): Promise<bigint> {
  const { posted } = await tollgate.balance(account.id)
  await work()
  await eventually(
    'the request is settled',
    () => tollgate.balance(account.id),
    ({ openHolds }) => openHolds === 0,
  )
  return posted - (await tollgate.balance(account.id)).posted
}

const lastOf = (provider: Provider) => clouds.get(provider)?.requests.at(-1)

/** A model, where it is asked whole and streamed, and whether the format of the request is Messages. */
const models: readonly (readonly [model: string, provider: Provider, whole: string, streamed: string])[] = [
  ['azure/gpt-4o', 'azure', '/openai/v1/chat/completions', '/openai/v1/chat/completions'],
  ['azure/gpt-5.3-codex', 'azure', '/openai/v1/responses', '/openai/v1/responses'],
  ['azure/claude-haiku-4-5', 'azure', '/anthropic/v1/messages', '/anthropic/v1/messages'],
  ['bedrock/openai.gpt-oss-120b', 'bedrock', '/openai/v1/chat/completions', '/openai/v1/chat/completions'],
  ['bedrock/qwen.qwen3-coder-next', 'bedrock', '/openai/v1/chat/completions', '/openai/v1/chat/completions'],
  [
    'bedrock/eu.anthropic.claude-haiku-4-5-20251001-v1:0',
    'bedrock',
    '/anthropic/v1/messages',
    '/anthropic/v1/messages',
  ],
  [
    'bedrock/amazon.nova-pro-v1:0',
    'bedrock',
    '/model/amazon.nova-pro-v1%3A0/converse',
    '/model/amazon.nova-pro-v1%3A0/converse-stream',
  ],
  [
    'bedrock/meta.llama3-3-70b-instruct-v1:0',
    'bedrock',
    '/model/meta.llama3-3-70b-instruct-v1%3A0/converse',
    '/model/meta.llama3-3-70b-instruct-v1%3A0/converse-stream',
  ],
  [
    'vertex/gemini-3.5-flash',
    'vertex',
    `${project}/publishers/google/models/gemini-3.5-flash:generateContent`,
    `${project}/publishers/google/models/gemini-3.5-flash:streamGenerateContent?alt=sse`,
  ],
  [
    'vertex/claude-haiku-4-5@20251001',
    'vertex',
    `${project}/publishers/anthropic/models/claude-haiku-4-5@20251001:rawPredict`,
    `${project}/publishers/anthropic/models/claude-haiku-4-5@20251001:streamRawPredict`,
  ],
  [
    'vertex/openai/gpt-oss-120b-maas',
    'vertex',
    `${project}/endpoints/openapi/chat/completions`,
    `${project}/endpoints/openapi/chat/completions`,
  ],
]

const tool = { name: 'look', description: 'looks', parameters: { type: 'object', properties: {} } }

for (const [model, provider, whole, streamed] of models) {
  test(`${model}: the openai library gets text, a stream and a call, each at its price`, async () => {
    const messages = [{ role: 'user' as const, content: 'say text' }]
    const text = await spent(async () => {
      const answer = await openai.chat.completions.create({ model, messages })
      assert.equal(answer.choices[0]?.message.content, 'hello', lastOf(provider)?.rejected)
    })
    assert.equal(text, costOf(model))
    assert.equal(lastOf(provider)?.url, whole)
    const stream = await spent(async () => {
      let written = ''
      const chunks = await openai.chat.completions.create({ model, messages, stream: true })
      for await (const chunk of chunks) {
        // Azure's last choice has none, whatever the library's types say.
        const delta = chunk.choices[0]?.delta as { content?: string } | undefined
        written += delta?.content ?? ''
      }
      assert.equal(written, 'hello')
    })
    assert.equal(stream, costOf(model))
    assert.equal(lastOf(provider)?.url, streamed)
  })

  test(`${model}: the anthropic library gets text and a stream`, async () => {
    const body = { model, max_tokens: 100, messages: [{ role: 'user' as const, content: 'say text' }] }
    const answer = await anthropic.messages.create(body).catch((error: unknown) => {
      throw new Error(`${lastOf(provider)?.url} ${lastOf(provider)?.rejected}`, { cause: error })
    })
    assert.deepEqual(
      answer.content.map((block) => (block.type === 'text' ? block.text : block.type)),
      ['hello'],
    )
    const message = await anthropic.messages.stream(body).finalMessage()
    assert.equal(message.stop_reason, 'end_turn')
    assert.equal(lastOf(provider)?.rejected, '')
  })

  test(`${model}: what the cloud says of the operator reaches no caller`, async () => {
    for (const [said, code, status] of [
      ['credential', 'upstream_unavailable', 503],
      ['overload', 'upstream_overloaded', 503],
    ] as const) {
      const messages = [{ role: 'user' as const, content: `say ${said}` }]
      const error = await openai.chat.completions
        .create({ model, messages })
        .catch((reason: unknown) => reason)
      assert.ok(error instanceof OpenAI.APIError, String(error))
      assert.equal(error.code, code)
      assert.equal(error.status, status)
      assert.doesNotMatch(error.message, /\b7\b|account|project/)
    }
  })
}

for (const model of [
  'azure/gpt-4o',
  'bedrock/openai.gpt-oss-120b',
  'bedrock/amazon.nova-pro-v1:0',
  'vertex/gemini-3.5-flash',
]) {
  test(`${model}: a call of a tool arrives`, async () => {
    const messages = [{ role: 'user' as const, content: 'say tool' }]
    const tools = [{ type: 'function' as const, function: tool }]
    const { choices } = await openai.chat.completions.create({ model, messages, tools })
    const [call] = choices[0]?.message.tool_calls ?? []
    assert.ok(call?.type === 'function')
    assert.deepEqual(JSON.parse(call.function.arguments), { a: 1 })
  })
}

for (const model of [
  'bedrock/openai.gpt-oss-120b',
  'bedrock/eu.anthropic.claude-haiku-4-5-20251001-v1:0',
  'bedrock/amazon.nova-pro-v1:0',
]) {
  test(`mistake 5: ${model}: a turn without tools, or that may call none, after a history with tools`, async () => {
    const call = { id: 'call_1', type: 'function' as const, function: { name: 'look', arguments: '{}' } }
    const messages = [
      { role: 'user' as const, content: 'look' },
      { role: 'assistant' as const, content: null, tool_calls: [call] },
      { role: 'tool' as const, tool_call_id: 'call_1', content: 'done' },
      { role: 'user' as const, content: 'say text' },
    ]
    const none = { tools: [{ type: 'function' as const, function: tool }], tool_choice: 'none' as const }
    for (const more of [{}, none]) {
      const { choices } = await openai.chat.completions.create({ model, messages, ...more })
      assert.equal(choices[0]?.message.content, 'hello')
    }
    const history = [
      { role: 'user' as const, content: 'look' },
      {
        role: 'assistant' as const,
        content: [{ type: 'tool_use' as const, id: 'toolu_1', name: 'look', input: {} }],
      },
      {
        role: 'user' as const,
        content: [
          { type: 'tool_result' as const, tool_use_id: 'toolu_1', content: 'done' },
          { type: 'text' as const, text: 'say text' },
        ],
      },
    ]
    const answer = await anthropic.messages.create({ model, max_tokens: 100, messages: history })
    assert.equal(answer.stop_reason, 'end_turn', lastOf('bedrock')?.text)
  })
}

/** Whether the one response that may be read for a client that has left is being read. */
async function isReadOn(): Promise<boolean> {
  const { readOnSlots } = tollgate.gateway.deps
  const isFree = readOnSlots.tryAcquire(account.id)
  if (isFree) readOnSlots.release(account.id)
  return !isFree
}

for (const [model, provider] of [
  ['bedrock/eu.anthropic.claude-haiku-4-5-20251001-v1:0', 'bedrock'],
  ['bedrock/amazon.nova-pro-v1:0', 'bedrock'],
  ['vertex/claude-haiku-4-5@20251001', 'vertex'],
] as const) {
  test(`mistake 9: ${model}: after its client has left, a stream is read to its end and billed by its usage`, async () => {
    const cost = await spent(async () => {
      const messages = [{ role: 'user' as const, content: 'say hold' }]
      const stream = await anthropic.messages.create({ model, max_tokens: 100, messages, stream: true })
      for await (const event of stream) if (event.type === 'content_block_delta') break
      await eventually('the gateway has seen that the client left', isReadOn, (isRead) => isRead)
      assert.equal(lastOf(provider)?.closed, false)
      clouds.get(provider)?.finishHeld()
    })
    assert.equal(cost, costOf(model))
  })
}

test('a rate limit is one, and capacity that all customers share is not', async () => {
  for (const [model, code] of [
    ['azure/gpt-4o', 'rate_limit_exceeded'],
    ['bedrock/openai.gpt-oss-120b', 'rate_limit_exceeded'],
    ['bedrock/amazon.nova-pro-v1:0', 'rate_limit_exceeded'],
    ['vertex/gemini-3.5-flash', 'upstream_overloaded'],
  ] as const) {
    const messages = [{ role: 'user' as const, content: 'say rate' }]
    const error = await openai.chat.completions.create({ model, messages }).catch((reason: unknown) => reason)
    assert.ok(error instanceof OpenAI.APIError)
    assert.equal(error.code, code, model)
  }
})

test('Responses reach the models that serve it in that format', async () => {
  for (const model of ['azure/gpt-5.4', 'bedrock/openai.gpt-oss-120b']) {
    const answer = await openai.responses.create({ model, input: 'say text' })
    assert.equal(answer.output_text, 'hello')
    assert.equal(lastOf(model.split('/')[0] as Provider)?.url, '/openai/v1/responses')
  }
})

test('the version of the format that a cloud demands is written over the caller’s', async () => {
  const answer = await fetch(`${tollgate.origin}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': account.key, 'content-type': 'application/json' },
    body: '{"model":"vertex/claude-haiku-4-5@20251001","anthropic_version":"bedrock-2023-05-31","max_tokens":9,"messages":[{"role":"user","content":"say text"}]}',
  })
  assert.equal(answer.status, 200, await answer.text())
  assert.deepEqual(Object.keys(JSON.parse(lastOf('vertex')?.text ?? '')), [
    'anthropic_version',
    'max_tokens',
    'messages',
  ])
})

const converseModel = 'bedrock/amazon.nova-pro-v1:0'

test('Converse: an exception before the first word is the response that it would have been, and costs nothing', async () => {
  const cost = await spent(async () => {
    const messages = [{ role: 'user' as const, content: 'say exception' }]
    const error = await openai.chat.completions
      .create({ model: converseModel, messages, stream: true })
      .catch((reason: unknown) => reason)
    assert.ok(error instanceof OpenAI.APIError, String(error))
    assert.deepEqual([error.status, error.code], [429, 'rate_limit_exceeded'])
  })
  assert.equal(cost, 0n)
})

test('Converse: an exception behind the first word ends the stream with an error of the client’s format', async () => {
  const messages = [{ role: 'user' as const, content: 'say break' }]
  let written = ''
  await assert.rejects(async () => {
    const chunks = await openai.chat.completions.create({ model: converseModel, messages, stream: true })
    for await (const chunk of chunks) {
      written += chunk.choices[0]?.delta.content ?? ''
      if (written !== '') clouds.get('bedrock')?.finishHeld()
    }
  })
  assert.equal(written, 'hello')
})

test('Converse: an image reaches the model, and a schema is rejected by its field', async () => {
  const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'say text' }, image] }]
  const { choices } = await openai.chat.completions.create({ model: converseModel, messages })
  assert.equal(choices[0]?.message.content, 'hello')
  assert.match(
    lastOf('bedrock')?.text ?? '',
    /"image":\{"format":"png","source":\{"bytes":"iVBORw0KGgo="\}\}/,
  )
  const json_schema = { name: 'a', schema: { type: 'object', properties: {} } }
  const error = await openai.chat.completions
    .create({ model: converseModel, messages, response_format: { type: 'json_schema', json_schema } })
    .catch((reason: unknown) => reason)
  assert.ok(error instanceof OpenAI.APIError)
  assert.deepEqual([error.status, error.code, error.param], [400, 'untranslatable', 'response_format'])
})
