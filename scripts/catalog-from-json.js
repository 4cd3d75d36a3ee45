/**
 * Writes the rows of src/catalog/builtin-models.ts to stdout from a list of models in JSON: facts alone (names,
 * limits, list prices, dates), amounts as decimal strings. `node scripts/catalog-from-json.js models.json`
 */
import { readFileSync } from 'node:fs'

/**
 * @typedef {{ input: number, output?: number, cache_read?: number, cache_write?: number, cache_write_1h?: number, input_audio?: number, output_audio?: number }} ListedRates
 * @typedef {{ id: string, provider: string, name: string, released?: string, status?: string, context: number,
 *   maxInput?: number, maxOutput: number, input: string[], output: string[], reasoning: boolean, tools: boolean,
 *   api?: string, source?: string, usdPerMillionTokens: ListedRates,
 *   priceTiers?: (ListedRates & { aboveInputTokens: number })[], serviceTiers?: Record<string, number>,
 *   options?: Record<string, string>, fees?: Record<string, string>,
 *   later?: { effectiveFrom: string, rates: ListedRates } }} Listed
 */

/** What a provider's rows speak that do not say it. @type {Record<string, string>} */
const apis = { anthropic: 'messages', google: 'generateContent' }

/**
 * What embedding models take in one request, all of its inputs together: more than `context`, which is for one.
 * platform.openai.com/docs/api-reference/embeddings, 2026-07
 * @type {Record<string, number>}
 */
const embeddingInputs = { openai: 300_000 }

/** Where the list is known to be wrong, or its own word for a source is not one to follow. @type {Record<string, Partial<Listed>>} */
const corrections = {
  'claude-sonnet-4-6': {
    maxOutput: 128_000,
    source: 'platform.claude.com/docs/en/models/sonnet-4-6/overview, 2026-11',
  },
  'claude-sonnet-5': { source: 'platform.claude.com/docs/en/models/sonnet-5/overview, 2026-11' },
  'claude-opus-5': { source: 'platform.claude.com/docs/en/about-claude/pricing, 2026-10' },
  'claude-opus-5-5': { source: 'platform.claude.com/docs/en/models/opus-5-5/overview, 2026-10' },
  'claude-sonnet-5-5': { source: 'platform.claude.com/docs/en/models/sonnet-5-5/overview, 2026-11' },
  'gpt-6-sol': { source: 'quoted from developers.openai.com/api/docs/pricing, 2026-10' },
  'gpt-6-luna': { source: 'quoted from developers.openai.com/api/docs/pricing, 2026-10' },
  'gpt-6.1-sol': { source: 'quoted from developers.openai.com/api/docs/models/gpt-6.1-sol, 2026-10' },
  'gemini-3.8-flash': {
    source: 'vercel.com/ai-gateway/models/gemini-3.8-flash, 2026-10; introductory until 2026-12-31',
  },
}

/**
 * What sound costs where the list says nothing of it; `input`: the one rate that Google publishes for every
 * kind of input. ai.google.dev/gemini-api/docs/pricing, 2026-10
 * @type {Record<string, number | 'input'>}
 */
const audioRates = {
  'gemini-2.0-flash': 0.7,
  'gemini-2.0-flash-lite': 'input',
  'gemini-2.5-pro': 'input',
  'gemini-flash-lite-latest': 0.3,
  'gemini-3-pro-preview': 'input',
  'gemini-3.1-pro-preview': 'input',
  'gemini-3.1-pro-preview-customtools': 'input',
}

const gpt56 = {
  api: 'chat',
  provider: 'openai',
  released: '2026-07-09',
  context: 1_050_000,
  maxOutput: 128_000,
  input: ['text', 'image', 'pdf'],
  output: ['text'],
  reasoning: true,
  tools: true,
}
const sol = {
  ...gpt56,
  // The list price; a promotion of 4 and 20 was announced until 2026-11-21.
  usdPerMillionTokens: { input: 5, output: 30, cache_read: 0.5, cache_write: 6.25 },
  priceTiers: [{ aboveInputTokens: 272_000, input: 10, output: 45, cache_read: 1, cache_write: 12.5 }],
  source: 'developers.openai.com/api/docs/models/gpt-5.6-sol, 2026-11',
}
const chatOf4o = {
  provider: 'openai',
  api: 'chat',
  context: 128_000,
  maxOutput: 16_384,
  output: ['text'],
  reasoning: false,
}
const audio = {
  ...chatOf4o,
  input: ['text', 'audio'],
  output: ['text', 'audio'],
  tools: true,
  options: { 'modality:audio': '1' },
}
/** Each request searches, which is a fee for the request. */
const search = { ...chatOf4o, input: ['text'], tools: false, options: { web_search_options: '1' } }

/** Models that the list lacks. @type {Listed[]} */
const additions = [
  { ...sol, id: 'gpt-5.6', name: 'GPT-5.6 Sol' },
  { ...sol, id: 'gpt-5.6-sol', name: 'GPT-5.6 Sol' },
  {
    ...gpt56,
    id: 'gpt-5.6-terra',
    name: 'GPT-5.6 Terra',
    usdPerMillionTokens: { input: 2, output: 12, cache_read: 0.2, cache_write: 2.5 },
    priceTiers: [{ aboveInputTokens: 272_000, input: 4, output: 18, cache_read: 0.4, cache_write: 5 }],
    source: 'developers.openai.com/api/docs/models/gpt-5.6-terra, 2026-11',
  },
  {
    ...gpt56,
    id: 'gpt-5.6-luna',
    name: 'GPT-5.6 Luna',
    usdPerMillionTokens: { input: 0.2, output: 1.2, cache_read: 0.02, cache_write: 0.25 },
    priceTiers: [{ aboveInputTokens: 272_000, input: 0.4, output: 1.8, cache_read: 0.04, cache_write: 0.5 }],
    source: 'developers.openai.com/api/docs/models/gpt-5.6-luna, 2026-11',
  },
  {
    ...audio,
    id: 'gpt-audio',
    name: 'GPT Audio',
    usdPerMillionTokens: { input: 2.5, output: 10, input_audio: 32, output_audio: 64 },
    source: 'developers.openai.com/api/docs/pricing, 2026-10',
  },
  {
    ...audio,
    id: 'gpt-audio-mini',
    name: 'GPT Audio Mini',
    usdPerMillionTokens: { input: 0.6, output: 2.4, input_audio: 10, output_audio: 20 },
    source: 'developers.openai.com/api/docs/pricing, 2026-10',
  },
  {
    ...audio,
    id: 'gpt-4o-audio-preview',
    name: 'GPT-4o Audio',
    status: 'deprecated',
    usdPerMillionTokens: { input: 2.5, output: 10, input_audio: 40, output_audio: 80 },
    source: 'developers.openai.com/api/docs/models/gpt-4o-audio-preview, 2026-11',
  },
  {
    ...audio,
    id: 'gpt-4o-mini-audio-preview',
    name: 'GPT-4o Mini Audio',
    status: 'deprecated',
    usdPerMillionTokens: { input: 0.15, output: 0.6, input_audio: 10, output_audio: 20 },
    source: 'developers.openai.com/api/docs/pricing, 2026-10',
  },
  {
    ...search,
    id: 'gpt-4o-search-preview',
    name: 'GPT-4o Search Preview',
    released: '2025-03-12',
    usdPerMillionTokens: { input: 2.5, output: 10 },
    fees: { request: '0.025' },
    source: 'developers.openai.com/api/docs/pricing (web search preview), 2026-10',
  },
  {
    ...search,
    id: 'gpt-4o-mini-search-preview',
    name: 'GPT-4o Mini Search Preview',
    released: '2025-03-12',
    usdPerMillionTokens: { input: 0.15, output: 0.6 },
    fees: { request: '0.025' },
    source: 'developers.openai.com/api/docs/pricing (web search preview), 2026-10',
  },
  {
    id: 'claude-3-5-haiku-20241022',
    provider: 'anthropic',
    name: 'Claude Haiku 3.5',
    released: '2024-10-22',
    status: 'deprecated',
    context: 200_000,
    maxOutput: 8_192,
    input: ['text', 'image', 'pdf'],
    output: ['text'],
    reasoning: false,
    tools: true,
    usdPerMillionTokens: { input: 0.8, output: 4, cache_read: 0.08, cache_write: 1 },
    source: 'platform.claude.com/docs/en/about-claude/pricing, 2026-10',
  },
  {
    id: 'gemini-3.6-flash',
    provider: 'google',
    name: 'Gemini 3.6 Flash',
    released: '2026-07-21',
    context: 1_048_576,
    maxOutput: 65_536,
    input: ['text', 'image', 'video', 'audio', 'pdf'],
    output: ['text'],
    reasoning: true,
    tools: true,
    usdPerMillionTokens: { input: 0.75, output: 3.75, cache_read: 0.075, input_audio: 0.75 },
    later: {
      effectiveFrom: '2027-01-01',
      rates: { input: 1.5, output: 7.5, cache_read: 0.15, input_audio: 1.5 },
    },
    source: 'ai.google.dev/gemini-api/docs/pricing, 2026-10; introductory until 2026-12-31',
  },
]

const path = process.argv[2]
if (path === undefined) throw new Error('usage: node scripts/catalog-from-json.js models.json')
/** @type {{ models: Listed[] }} */
const list = JSON.parse(readFileSync(path, 'utf8'))
for (const model of [...list.models, ...additions]) process.stdout.write(`${row(corrected(model))},\n`)

/** @param {Listed} model @returns {Listed} */
function corrected(model) {
  const { usdPerMillionTokens: rates, priceTiers: tiers } = model
  return {
    ...model,
    usdPerMillionTokens: withAudio(model.id, rates),
    ...(tiers === undefined
      ? {}
      : { priceTiers: tiers.map((tier) => ({ ...tier, ...withAudio(model.id, tier) })) }),
    ...corrections[model.id],
  }
}

/** @param {string} id @param {ListedRates} rates @returns {ListedRates} */
function withAudio(id, rates) {
  const audio = audioRates[id]
  if (audio === undefined) return rates
  return { ...rates, input_audio: audio === 'input' ? rates.input : audio }
}

/** @param {Listed} model */
function row(model) {
  const api = model.api ?? apis[model.provider]
  return JSON.stringify({
    id: model.id,
    provider: model.provider,
    api,
    displayName: model.name,
    released: model.released,
    context: model.context,
    ...(api === 'embeddings' ? vectors(model) : answers(model)),
    reasoning: model.reasoning,
    tools: model.tools,
    deprecated: model.status === 'deprecated' ? true : undefined,
    prices: [
      {
        ...rates(model.usdPerMillionTokens),
        tiers: model.priceTiers?.map((tier) => ({ aboveInputTokens: tier.aboveInputTokens, ...rates(tier) })),
        options: model.options ?? options(model.serviceTiers),
        fees: model.fees,
        source: model.source,
      },
      ...(model.later === undefined
        ? []
        : [{ effectiveFrom: model.later.effectiveFrom, ...rates(model.later.rates), source: model.source }]),
    ],
  })
}

/** @param {Listed} model */
function answers(model) {
  return {
    maxInput: model.maxInput,
    maxOutput: model.maxOutput,
    inputs: model.input.filter((input) => isTaken(model, input)),
    outputs: model.output,
  }
}

/** What requests may hold: sound, and video with its sound, where sound has a price. @param {Listed} model @param {string} input */
function isTaken({ usdPerMillionTokens: { input_audio } }, input) {
  return (input !== 'video' && input !== 'audio') || input_audio !== undefined
}

/** A vector is no text, and its length no number of tokens. @param {Listed} model */
function vectors(model) {
  return { maxInput: embeddingInputs[model.provider], inputs: model.input, outputs: ['embeddings'] }
}

/** @param {ListedRates} listed */
function rates(listed) {
  return {
    input: decimal(listed.input),
    output: decimal(listed.output),
    cacheRead: decimal(listed.cache_read),
    cacheWrite5m: decimal(listed.cache_write),
    cacheWrite1h: decimal(listed.cache_write_1h),
    inputAudio: decimal(listed.input_audio),
    outputAudio: decimal(listed.output_audio),
  }
}

/** @param {Record<string, number> | undefined} tiers */
function options(tiers) {
  if (tiers === undefined) return undefined
  return Object.fromEntries(
    Object.entries(tiers).map(([tier, factor]) => [`service_tier:${tier}`, decimal(factor)]),
  )
}

/** @param {number | undefined} amount */
function decimal(amount) {
  return amount === undefined ? undefined : String(amount)
}
