/**
 * What changes a price is priced, capped or rejected in every format it is requested in and for every upstream:
 * headers of one format never reach another, and objects stored at a provider cannot be referenced.
 */
import assert from 'node:assert/strict'
import { after, suite, test } from 'node:test'
import { parseUsd } from '../../contract/usd.ts'
import type { ModelDefinition, PriceDefinition } from '../../src/catalog/definition.ts'
import type { ConversationFormat } from '../../src/wire/format-names.ts'
import { at, clientOf, formatClients, type Json } from '../support/format-clients.ts'
import {
  listPrice,
  meteredGateway,
  type UpstreamName,
  upstreamNames,
  upstreams,
} from '../support/metered-gateway.ts'
import { rejectionIn, type Whole } from '../support/paying-client.ts'

const inputs = ['text', 'image', 'pdf', 'audio']
const made = (name: string, price: PriceDefinition): readonly ModelDefinition[] =>
  upstreamNames.map((upstream) => ({
    id: `${upstream}-${name}`,
    ...upstreams[upstream],
    upstreamId: 'sandbox-echo',
    context: 200_000,
    maxOutput: 32_000,
    inputs,
    prices: [price],
  }))
const gate = await meteredGateway({
  models: [
    ...made('plain', listPrice),
    ...made('searching', { ...listPrice, fees: { web_search: '0.01' } }),
    ...made('hearing', { ...listPrice, inputAudio: '10' }),
  ],
})
after(() => gate.end())
const rich = await gate.account('1000')

interface Asked {
  readonly format: ConversationFormat
  readonly model: string
  readonly more?: object
  readonly headers?: Readonly<Record<string, string>>
}

async function ask({ format, model, more = {}, headers = {} }: Asked): Promise<Whole> {
  const client = clientOf(format)
  return gate
    .askAs(rich, client, { model, text: 'hello', headers, more: { ...client.limit(100), ...more } })
    .whole()
}

const hold = ({ headers }: Whole): bigint => parseUsd(String(headers['x-tollgate-hold']))!
const lastBody = (): Json => JSON.parse(String(gate.sandbox.requestLog().at(-1)?.body)) as Json

async function assertRejected(asked: Asked, codes: readonly string[]): Promise<void> {
  const before = gate.sandbox.requests()
  const { posted } = await gate.balance(rich.id)
  const answer = await ask(asked)
  assert.equal(answer.status, 400, answer.text)
  assert.ok(codes.includes(rejectionIn(answer.text).code), answer.text)
  assert.equal(gate.sandbox.requests(), before, 'nothing was sent')
  assert.deepEqual(await gate.balance(rich.id), { posted, held: 0n, openHolds: 0 })
}

const chatPart = (part: object): object => ({ messages: [{ role: 'user', content: [part] }] })
const item = (part: object): object => ({ input: [{ role: 'user', content: [part] }] })
const geminiPart = (part: object): object => ({ contents: [{ role: 'user', parts: [part] }] })

/** What is stored at a provider and would be read, and charged, without being in the body. */
const stored: Readonly<Record<ConversationFormat, readonly object[]>> = {
  'openai-chat': [
    chatPart({ type: 'file', file: { file_id: 'file-1' } }),
    { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] },
    { conversation: 'conv_1' },
    { previous_response_id: 'resp_1' },
    { prompt: { id: 'pmpt_1' } },
  ],
  'openai-responses': [
    { previous_response_id: 'resp_1' },
    { conversation: { id: 'conv_1' } },
    { prompt: { id: 'pmpt_1' } },
    item({ type: 'input_file', file_id: 'file-1' }),
    item({ type: 'input_image', file_id: 'file-1' }),
    {
      input: [
        { role: 'user', content: 'a' },
        { type: 'item_reference', id: 'msg_1' },
      ],
    },
    { tools: [{ type: 'code_interpreter', container: 'cntr_1' }] },
    { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
  ],
  anthropic: [
    { container: 'container_1' },
    chatPart({ type: 'document', source: { type: 'file', file_id: 'file_1' } }),
    chatPart({ type: 'image', source: { type: 'file', file_id: 'file_1' } }),
  ],
  gemini: [
    { cachedContent: 'cachedContents/1' },
    { cached_content: 'cachedContents/1' },
    { continuationToken: 'a' },
    geminiPart({
      fileData: {
        fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/a',
        mimeType: 'image/png',
      },
    }),
  ],
}

/** What costs something that no model here has a price for. */
const dear: Readonly<Record<ConversationFormat, readonly object[]>> = {
  'openai-chat': [{ service_tier: 'flex' }, { service_tier: 'priority' }, { web_search_options: {} }],
  'openai-responses': [
    { service_tier: 'flex' },
    { reasoning: { mode: 'pro' } },
    { context_management: [{ type: 'compaction', compact_threshold: 1_000 }] },
  ],
  anthropic: [
    { speed: 'fast' },
    { inference_geo: 'us' },
    { service_tier: 'priority' },
    { context_management: { edits: [{ type: 'compact_20260112' }] } },
    { cache_control: { type: 'ephemeral', ttl: '24h' } },
  ],
  gemini: [
    { serviceTier: 'FLEX' },
    { generationConfig: { responseModalities: ['IMAGE'] } },
    { generationConfig: { speechConfig: {} } },
    { modelArmorConfig: { promptTemplateName: 'a' } },
  ],
}

suite('rejected for every upstream', () => {
  for (const { format } of formatClients) {
    for (const upstream of upstreamNames) {
      test(`${format} → ${upstream}: objects stored at a provider`, async () => {
        for (const more of stored[format]) {
          await assertRejected({ format, model: `${upstream}-plain`, more }, ['reference_not_owned'])
        }
      })

      test(`${format} → ${upstream}: options without a price`, async () => {
        for (const more of dear[format]) {
          await assertRejected({ format, model: `${upstream}-plain`, more }, ['unpriced_option'])
        }
      })
    }
  }
})

suite('tools on other servers', () => {
  const more = { mcp_servers: [{ type: 'url', url: 'https://a.example', name: 'a' }] }
  for (const upstream of upstreamNames) {
    const code = upstream === 'messages' ? 'unpriced_option' : 'untranslatable'
    test(`anthropic → ${upstream}: ${code}`, () =>
      assertRejected({ format: 'anthropic', model: `${upstream}-plain`, more }, [code]))
  }
})

suite('headers', () => {
  const headers = {
    'anthropic-beta': 'user-profiles-billing-2026-01-01',
    'anthropic-version': '2026-10-21',
    'openai-beta': 'other=1',
    'openai-organization': 'org-1',
    'idempotency-key': 'a',
    'x-goog-user-project': 'project-1',
  }
  for (const { format } of formatClients) {
    for (const upstream of upstreamNames) {
      test(`${format} → ${upstream}: headers of another format are not forwarded`, async () => {
        if (format === 'anthropic') {
          return assertRejected({ format, model: `${upstream}-plain`, headers }, ['unpriced_option'])
        }
        assert.equal((await ask({ format, model: `${upstream}-plain`, headers })).status, 200)
        const sent = gate.sandbox.requestLog().at(-1)?.headers ?? {}
        const isOwn =
          format ===
          { chat: 'openai-chat', responses: 'openai-responses', messages: '', gemini: 'gemini' }[upstream]
        const forwarded = isOwn ? ['openai-beta'] : []
        for (const [name, value] of Object.entries(headers)) {
          if (!forwarded.includes(name)) assert.notEqual(sent[name], value, name)
        }
      })
    }
  }
})

/** How each client declares a search, with this maximum number of uses. */
const searches: readonly { readonly format: ConversationFormat; readonly more: (uses?: number) => object }[] =
  [
    {
      format: 'openai-responses',
      more: (uses) => ({
        tools: [{ type: 'web_search' }],
        ...(uses === undefined ? {} : { max_tool_calls: uses }),
      }),
    },
    {
      format: 'anthropic',
      more: (uses) => ({
        tools: [
          {
            type: 'web_search_20250305',
            name: 'web_search',
            ...(uses === undefined ? {} : { max_uses: uses }),
          },
        ],
      }),
    },
    { format: 'gemini', more: () => ({ tools: [{ googleSearch: {} }] }) },
  ]

const usesWritten: Readonly<Partial<Record<UpstreamName, (body: Json) => unknown>>> = {
  responses: (body) => body.max_tool_calls,
  messages: (body) => at(body, 'tools', 0, 'max_uses'),
}

suite('searches', () => {
  for (const { format, more } of searches) {
    for (const upstream of ['responses', 'messages'] as const) {
      for (const uses of format === 'gemini' ? [undefined] : [undefined, 2, 9]) {
        test(`${format} → ${upstream}: a maximum of ${uses ?? 'no'} uses is forwarded capped, and its fees are reserved`, async () => {
          const answer = await ask({ format, model: `${upstream}-searching`, more: more(uses) })
          assert.equal(answer.status, 200, answer.text)
          const capped = Math.min(uses ?? 5, 5)
          assert.equal(usesWritten[upstream]?.(lastBody()), capped)
          assert.ok(hold(answer) > parseUsd('0.01')! * BigInt(capped), 'the hold covers the fees')
        })
      }

      test(`${format} → ${upstream}: is rejected where it has no price`, () =>
        assertRejected({ format, model: `${upstream}-plain`, more: more() }, ['unpriced_option']))
    }

    test(`${format} → chat: is omitted and reported, and nothing is reserved for it`, async () => {
      const answer = await ask({ format, model: 'chat-searching', more: more() })
      assert.equal(answer.status, 200, answer.text)
      assert.match(String(answer.headers['x-tollgate-adjusted']), /dropped=tools\[0\]/)
      assert.equal(lastBody().tools, undefined)
      assert.ok(hold(answer) < parseUsd('0.01')!)
    })

    if (format === 'gemini') continue
    test(`${format} → gemini: is omitted and reported, because its uses cannot be capped`, async () => {
      const answer = await ask({ format, model: 'gemini-searching', more: more() })
      assert.equal(answer.status, 200, answer.text)
      assert.match(String(answer.headers['x-tollgate-adjusted']), /dropped=tools\[0\]/)
      assert.equal(lastBody().tools, undefined)
    })
  }
})

suite('cache lifetimes', () => {
  const marked = (ttl?: string): object =>
    chatPart({
      type: 'text',
      text: 'words '.repeat(300),
      cache_control: { type: 'ephemeral', ...(ttl === undefined ? {} : { ttl }) },
    })

  for (const format of ['openai-chat', 'anthropic'] as const) {
    test(`${format} → messages: an hour is reserved, written and charged at its own rate`, async () => {
      const short = await ask({ format, model: 'messages-plain', more: marked() })
      const long = await ask({ format, model: 'messages-plain', more: marked('1h') })
      assert.equal(at(lastBody(), 'messages', 0, 'content', 0, 'cache_control', 'ttl'), '1h')
      assert.ok(hold(long) * 10n > hold(short) * 15n, `${hold(long)} is held, ${hold(short)} for minutes`)
      const [receipt] = await gate.ledger.receipts(rich.id, 1, null)
      const { cacheWrite1hTokens, inputTokens, outputTokens } = gate.sandbox.requestLog().at(-1)!
      const { cacheReadTokens, cacheWrite5mTokens } = gate.sandbox.requestLog().at(-1)!
      const uncached = inputTokens - cacheWrite1hTokens - cacheReadTokens - cacheWrite5mTokens
      const cost =
        BigInt(uncached) * 3_000n +
        BigInt(cacheWrite1hTokens) * 6_000n +
        BigInt(cacheReadTokens) * 300n +
        BigInt(cacheWrite5mTokens) * 3_750n +
        BigInt(outputTokens) * 15_000n
      assert.equal(receipt?.charged, cost)
    })
  }
})

suite('media', () => {
  const sound = 'A'.repeat(40_000)
  const sounds: Readonly<Partial<Record<ConversationFormat, object>>> = {
    'openai-chat': chatPart({ type: 'input_audio', input_audio: { data: sound, format: 'wav' } }),
    gemini: geminiPart({ inlineData: { mimeType: 'audio/wav', data: sound } }),
  }
  for (const [format, more] of Object.entries(sounds) as [ConversationFormat, object][]) {
    test(`${format} → gemini: sound is reserved at its own rate, and rejected where it has none`, async () => {
      await assertRejected({ format, model: 'gemini-plain', more }, ['unpriced_option'])
      const answer = await ask({ format, model: 'gemini-hearing', more })
      // 30,000 bytes may be 60 seconds, of 32 tokens each.
      assert.ok(hold(answer) >= (parseUsd('10')! * 1_920n) / 1_000_000n, `${hold(answer)} is held`)
      assert.ok(hold(answer) < parseUsd('0.2')!, 'not a token for each byte')
    })
  }

  const picture = 'iVBORw0KGgo'.padEnd(80_000, 'A')
  const pictures: Readonly<Record<ConversationFormat, object>> = {
    'openai-chat': chatPart({ type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } }),
    'openai-responses': item({ type: 'input_image', image_url: `data:image/png;base64,${picture}` }),
    anthropic: chatPart({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: picture },
    }),
    gemini: geminiPart({ inlineData: { mimeType: 'image/png', data: picture } }),
  }
  for (const { format } of formatClients) {
    for (const upstream of upstreamNames) {
      test(`${format} → ${upstream}: an image is reserved by its provider’s formula, not by its bytes`, async () => {
        const { headers, text } = await ask({ format, model: `${upstream}-plain`, more: pictures[format] })
        const most = { chat: '0.2', responses: '0.2', messages: '0.03', gemini: '0.02' }[upstream]
        const held = parseUsd(String(headers['x-tollgate-hold'])) ?? 0n
        assert.ok(
          held > parseUsd('0.008')! && held < parseUsd(most)!,
          `${held} is held: ${text.slice(0, 300)}`,
        )
      })
    }
  }
})
