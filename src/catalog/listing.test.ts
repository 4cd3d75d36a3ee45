/** The list of models for each kind of client: one set of names and prices everywhere. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TollgateError } from '../base/errors.ts'
import type { ModelDefinition } from './definition.ts'
import { draftModels } from './drafts.ts'
import { listModels, pricingRows, showModel } from './listing.ts'
import { buildSnapshot } from './snapshot.ts'
import type { Snapshot } from './types.ts'

const nowMs = Date.UTC(2026, 9, 1)
const view = { shows: 'names' as const, isKnownProvider: () => true, providerOf: () => undefined }
const now = { nowMs, view }
const moment = { ...now, limits: { modelsPageDefault: 2, modelsPageMax: 10 } }

function snapshotOf(builtin: readonly ModelDefinition[]): Snapshot {
  const sources = {
    builtin,
    configured: [],
    overrides: [],
    aliases: {},
    disabled: [],
    markup: null,
    upstreams: [{ name: 'house', provider: 'house', url: null, credential: 'none', weight: 1 }],
    providers: [
      {
        provider: 'house',
        displayName: 'House',
        families: ['m-'],
        defaultOrigin: 'http://127.0.0.1:1',
        formats: ['openai-chat', 'anthropic', 'openai-embeddings'] as const,
      },
    ],
  }
  return buildSnapshot(draftModels(sources), sources, ({ effectiveFromMs }) => BigInt(effectiveFromMs + 7))
}

const plain = { context: 1_000, maxOutput: 100, prices: [{ input: '3', output: '15' }] }

const snapshot = snapshotOf([
  { id: 'm-old', released: '2024-05-13', ...plain },
  {
    id: 'm-new',
    displayName: 'The newest',
    released: '2026-07-24',
    context: 1_000_000,
    maxInput: 900_000,
    maxOutput: 128_000,
    inputs: ['text', 'image'],
    prices: [
      {
        input: '0.1',
        output: '0.000000001',
        cacheRead: '0.01',
        inputAudio: '32',
        tiers: [{ aboveInputTokens: 200_000, input: '0.2' }],
        options: { 'service_tier:flex': '0.5', 'service_tier:priority': '5/3' },
        fees: { web_search: '0.01' },
        source: 'a page, 2026-07',
      },
      { effectiveFrom: '2027-01-01', input: '1', output: '1' },
    ],
  },
  { id: 'm-undated', ...plain },
  { id: 'm-mid-b', released: '2025-01-01', ...plain },
  { id: 'm-mid-a', released: '2025-01-01', ...plain },
])
const order = ['m-new', 'm-mid-a', 'm-mid-b', 'm-old', 'm-undated']

function list(format: 'openai-chat' | 'anthropic', query = '') {
  return listModels(snapshot, format, new URLSearchParams(query), moment) as {
    data: { id: string; pricing: Record<string, unknown> }[]
    has_more?: boolean
    first_id?: string | null
    last_id?: string | null
  }
}

test('Chat Completions clients get all of them in one page, the newest first', () => {
  const { data } = list('openai-chat')
  assert.deepEqual(
    data.map(({ id }) => id),
    order,
  )
})

test('a row for Chat Completions clients', () => {
  assert.deepEqual(showModel(snapshot, 'openai-chat', 'm-new', now), {
    id: 'm-new',
    object: 'model',
    created: Date.UTC(2026, 6, 24) / 1_000,
    owned_by: 'house',
    display_name: 'The newest',
    context_length: 1_000_000,
    max_output_tokens: 128_000,
    architecture: { input_modalities: ['text', 'image'], output_modalities: ['text'] },
    formats: ['openai-chat', 'anthropic'],
    deprecated: false,
    pricing: {
      prompt: '0.0000001',
      completion: '0.000000000000001',
      input_cache_read: '0.00000001',
      input_cache_write: '0.0000001',
      input_cache_write_1h: '0.0000001',
      audio: '0.000032',
      web_search: '0.01',
      overrides: [
        {
          min_prompt_tokens: 200_001,
          prompt: '0.0000002',
          completion: '0.000000000000001',
          input_cache_read: '0.00000002',
          input_cache_write: '0.0000002',
          input_cache_write_1h: '0.0000002',
          audio: '0.000032',
        },
      ],
      version: 'prc_0000000000007',
    },
  })
})

test('a row for Messages clients has their names and the same price', () => {
  const row = showModel(snapshot, 'anthropic', 'm-new', now) as Record<string, unknown>
  assert.equal(row.type, 'model')
  assert.equal(row.created_at, '2026-07-24T00:00:00Z')
  assert.equal(row.max_input_tokens, 900_000)
  assert.equal(row.max_tokens, 128_000)
  assert.deepEqual(row.pricing, (showModel(snapshot, 'openai-chat', 'm-new', now) as typeof row).pricing)
  const undated = showModel(snapshot, 'anthropic', 'm-undated', now) as Record<string, unknown>
  assert.equal(undated.created_at, '1970-01-01T00:00:00Z')
})

test('a row for Gemini clients has their names and the same price', () => {
  const row = showModel(snapshot, 'gemini', 'm-new', now) as Record<string, unknown>
  const { pricing, architecture, ...names } = row
  assert.deepEqual(names, {
    name: 'models/m-new',
    version: '2026-07-24',
    displayName: 'The newest',
    inputTokenLimit: 900_000,
    outputTokenLimit: 128_000,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
    thinking: false,
    display_name: 'The newest',
    context_length: 1_000_000,
    max_output_tokens: 128_000,
    formats: ['openai-chat', 'anthropic'],
    deprecated: false,
  })
  const openai = showModel(snapshot, 'openai-chat', 'm-new', now) as typeof row
  assert.deepEqual([pricing, architecture], [openai.pricing, openai.architecture])
  const undated = showModel(snapshot, 'gemini', 'm-undated', now) as typeof row
  assert.equal(undated.version, '')
})

test('an embedding model cannot be asked to generate', () => {
  const vectors = snapshotOf([{ id: 'm-vectors', ...plain, formats: ['openai-embeddings'] }])
  const row = showModel(vectors, 'gemini', 'm-vectors', now) as Record<string, unknown>
  assert.deepEqual(row.supportedGenerationMethods, [])
})

const geminiPages: readonly (readonly [query: string, names: readonly string[], next?: string])[] = [
  ['', order.slice(0, 2), 'm-mid-a'],
  ['pageSize=0', order.slice(0, 2), 'm-mid-a'],
  ['pageSize=5', order],
  ['pageSize=4', order.slice(0, 4), 'm-old'],
  ['pageSize=1000', order],
  ['page_size=1&page_token=m-new', order.slice(1, 2), 'm-mid-a'],
  ['pageToken=m-mid-a', order.slice(2, 4), 'm-old'],
  ['pageToken=m-old', order.slice(4)],
  ['pageToken=m-undated', []],
]

function geminiList(query: string) {
  return listModels(snapshot, 'gemini', new URLSearchParams(query), moment) as {
    models: { name: string }[]
    nextPageToken?: string
  }
}

for (const [query, names, next] of geminiPages) {
  test(`Gemini page ?${query}`, () => {
    const { models, ...rest } = geminiList(query)
    assert.deepEqual(
      models.map(({ name }) => name),
      names.map((name) => `models/${name}`),
    )
    assert.deepEqual(rest, next === undefined ? {} : { nextPageToken: next })
  })
}

for (const query of ['pageSize=-1', 'pageSize=two', 'pageToken=m-none']) {
  test(`no Gemini page ?${query}`, () => {
    assert.throws(
      () => geminiList(query),
      (error) => error instanceof TollgateError && error.code === 'invalid_value',
    )
  })
}

test('a name that is not sold has no row', () => {
  assert.equal(showModel(snapshot, 'openai-chat', 'm-none', now), undefined)
})

const pages: readonly [query: string, ids: readonly string[], hasMore: boolean][] = [
  ['', order.slice(0, 2), true],
  ['limit=10', order, false],
  ['limit=5', order, false],
  ['limit=4', order.slice(0, 4), true],
  ['after_id=m-mid-a', order.slice(2, 4), true],
  ['after_id=m-mid-b', order.slice(3, 5), false],
  ['after_id=m-undated', [], false],
  ['before_id=m-old', order.slice(1, 3), true],
  ['before_id=m-mid-b', order.slice(0, 2), false],
  ['before_id=m-mid-a', order.slice(0, 1), false],
  ['before_id=m-new', [], false],
]

for (const [query, ids, hasMore] of pages) {
  test(`page ?${query}`, () => {
    const { data, ...page } = list('anthropic', query)
    assert.deepEqual(
      data.map(({ id }) => id),
      ids,
    )
    assert.deepEqual(page, { has_more: hasMore, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null })
  })
}

for (const query of [
  'limit=0',
  'limit=11',
  'limit=two',
  'limit=-1',
  'after_id=m-none',
  'before_id=',
  'after_id=m-new&before_id=m-old',
]) {
  test(`no page ?${query}`, () => {
    assert.throws(
      () => list('anthropic', query),
      (error) => error instanceof TollgateError && error.code === 'invalid_value',
    )
  })
}

test('walking the pages meets every model once', () => {
  const seen: string[] = []
  for (let page = list('anthropic'); ; page = list('anthropic', `after_id=${page.last_id}`)) {
    seen.push(...page.data.map(({ id }) => id))
    if (page.has_more !== true) break
  }
  assert.deepEqual(seen, order)
})

test('what the lists say of a price is made once, however often they are read', () => {
  const read = () => pricingRows(snapshot, now)[0]?.price
  assert.equal(read(), read())
  const shown = () => list('openai-chat').data[0]?.pricing
  assert.equal(shown(), shown())
})

test('the price list has the same models, in USD per million tokens, and the prices to come', () => {
  const rows = pricingRows(snapshot, now) as {
    model: string
    reasons: boolean
    takesTools: boolean
    released: string | null
    price: Record<string, unknown>
    next: unknown[]
  }[]
  assert.deepEqual(
    rows.map(({ model }) => model),
    order,
  )
  for (const row of rows) {
    const model = snapshot.models.get(row.model)
    assert.deepEqual([row.reasons, row.takesTools], [model?.reasons, model?.takesTools])
    assert.match(row.released ?? '1970-01-01', /^\d{4}-\d{2}-\d{2}$/)
  }
  const [newest] = rows
  assert.deepEqual(newest?.price, {
    id: 'prc_0000000000007',
    effectiveFrom: '1970-01-01T00:00:00.000Z',
    input: '0.10',
    output: '0.000000001',
    cacheRead: '0.01',
    cacheWrite5m: '0.10',
    cacheWrite1h: '0.10',
    inputAudio: '32.00',
    outputAudio: null,
    tiers: [
      {
        aboveInputTokens: 200_000,
        input: '0.20',
        output: '0.000000001',
        cacheRead: '0.02',
        cacheWrite5m: '0.20',
        cacheWrite1h: '0.20',
        inputAudio: '32.00',
        outputAudio: null,
      },
    ],
    options: { 'service_tier:flex': '0.5', 'service_tier:priority': '5/3' },
    fees: { web_search: '0.01' },
    schedule: null,
  })
  assert.equal(newest?.next.length, 1)
  assert.equal(
    (pricingRows(snapshot, { ...now, nowMs: Date.UTC(2027, 0, 1) })[0]!.price as Record<string, unknown>)
      .input,
    '1.00',
  )
})
