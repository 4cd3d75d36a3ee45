/**
 * Writes src/catalog/builtin-<provider>-models.ts for each provider from a list of models in JSON: only facts (names,
 * limits, list prices, dates), amounts as decimal strings. `node scripts/catalog-from-json.js models.json`, then
 * `node scripts/run.js biome check --write src/catalog`
 */
import { readFileSync, writeFileSync } from 'node:fs'

/**
 * @typedef {{ input: number, output?: number, cache_read?: number, cache_write?: number, cache_write_1h?: number, input_audio?: number, output_audio?: number }} ListedRates
 * @typedef {{ id: string, provider: string, name: string, released?: string, status?: string, context: number,
 *   maxInput?: number, maxOutput: number, input: string[], output: string[], reasoning: boolean, tools: boolean,
 *   api?: string, source?: string, usdPerMillionTokens: ListedRates,
 *   priceTiers?: (ListedRates & { aboveInputTokens: number })[], serviceTiers?: Record<string, number>,
 *   options?: Record<string, string>, fees?: Record<string, string>,
 *   later?: { effectiveFrom: string, rates: ListedRates } }} Listed
 */

/** Default API of a provider's rows. @type {Record<string, string>} */
const apis = { anthropic: 'messages', google: 'generateContent' }

/**
 * Token limit of an embedding request over all its inputs; `context` is the limit of one input.
 * platform.openai.com/docs/api-reference/embeddings, 2026-07; ai.google.dev/api/embeddings: 100 texts.
 * @type {Record<string, number>}
 */
const embeddingInputs = { openai: 300_000, google: 204_800 }

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
 * Audio rates that the list lacks; `input`: the one rate that Google publishes for every kind of input.
 * ai.google.dev/gemini-api/docs/pricing, 2026-10
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

/** A product of rates, without floating-point noise. @param {number} amount */
const rounded = (amount) => Number(amount.toFixed(9))

/**
 * GPT-5.6: cached input costs a tenth of input, writing it a quarter more, and a long prompt twice the input rates and one
 * and a half times the output rate.
 * @param {string} id @param {string} name @param {{ input: number, output: number }} list @param {string} [page]
 * @returns {Listed}
 */
function gpt56(id, name, list, page = id) {
  const rates = { ...list, cache_read: rounded(list.input / 10), cache_write: rounded(list.input * 1.25) }
  const tier = {
    aboveInputTokens: 272_000,
    input: rounded(rates.input * 2),
    output: rounded(rates.output * 1.5),
    cache_read: rounded(rates.cache_read * 2),
    cache_write: rounded(rates.cache_write * 2),
  }
  return {
    id,
    name,
    provider: 'openai',
    api: 'chat',
    released: '2026-07-09',
    context: 1_050_000,
    maxOutput: 128_000,
    reasoning: true,
    tools: true,
    input: ['text', 'image', 'pdf'],
    output: ['text'],
    usdPerMillionTokens: rates,
    priceTiers: [tier],
    source: `developers.openai.com/api/docs/models/${page}, 2026-11`,
  }
}

const pricing = 'developers.openai.com/api/docs/pricing'
const of4o = { provider: 'openai', api: 'chat', context: 128_000, maxOutput: 16_384, reasoning: false }

/**
 * @param {string} id @param {string} name @param {ListedRates} usdPerMillionTokens @param {Partial<Listed>} [more]
 * @returns {Listed}
 */
function audioModel(id, name, usdPerMillionTokens, more = {}) {
  return {
    ...of4o,
    id,
    name,
    tools: true,
    input: ['text', 'audio'],
    output: ['text', 'audio'],
    usdPerMillionTokens,
    options: { 'modality:audio': '1' },
    source: `${pricing}, 2026-10`,
    ...more,
  }
}

/**
 * Each request searches the web, which is a fee of each request.
 * @param {string} id @param {string} name @param {ListedRates} usdPerMillionTokens
 * @returns {Listed}
 */
function searchModel(id, name, usdPerMillionTokens) {
  return {
    ...of4o,
    id,
    name,
    released: '2025-03-12',
    tools: false,
    input: ['text'],
    output: ['text'],
    usdPerMillionTokens,
    options: { web_search_options: '1' },
    fees: { request: '0.025' },
    source: `${pricing} (web search preview), 2026-10`,
  }
}

/** Models that the list lacks. @type {Listed[]} */
const additions = [
  // The list price; a promotion of 4 and 20 was announced until 2026-11-21.
  gpt56('gpt-5.6', 'GPT-5.6 Sol', { input: 5, output: 30 }, 'gpt-5.6-sol'),
  gpt56('gpt-5.6-sol', 'GPT-5.6 Sol', { input: 5, output: 30 }),
  gpt56('gpt-5.6-terra', 'GPT-5.6 Terra', { input: 2, output: 12 }),
  gpt56('gpt-5.6-luna', 'GPT-5.6 Luna', { input: 0.2, output: 1.2 }),
  audioModel('gpt-audio', 'GPT Audio', { input: 2.5, output: 10, input_audio: 32, output_audio: 64 }),
  audioModel('gpt-audio-mini', 'GPT Audio Mini', {
    input: 0.6,
    output: 2.4,
    input_audio: 10,
    output_audio: 20,
  }),
  audioModel(
    'gpt-4o-audio-preview',
    'GPT-4o Audio',
    { input: 2.5, output: 10, input_audio: 40, output_audio: 80 },
    { status: 'deprecated', source: 'developers.openai.com/api/docs/models/gpt-4o-audio-preview, 2026-11' },
  ),
  audioModel(
    'gpt-4o-mini-audio-preview',
    'GPT-4o Mini Audio',
    { input: 0.15, output: 0.6, input_audio: 10, output_audio: 20 },
    { status: 'deprecated' },
  ),
  searchModel('gpt-4o-search-preview', 'GPT-4o Search Preview', { input: 2.5, output: 10 }),
  searchModel('gpt-4o-mini-search-preview', 'GPT-4o Mini Search Preview', { input: 0.15, output: 0.6 }),
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
for (const [provider, name] of Object.entries({
  anthropic: 'Anthropic',
  google: 'Google',
  openai: 'OpenAI',
})) {
  const models = [...list.models, ...additions].filter((model) => model.provider === provider)
  const rows = models.map((model) => `${row(corrected(model))},\n`).join('')
  const constant = `builtin${provider[0]?.toUpperCase()}${provider.slice(1)}Models`
  const text = `/** Models of ${name} with its list prices in USD per million tokens; written by scripts/catalog-from-json.js. */
import type { ModelDefinition } from './definition.ts'

export const ${constant}: readonly ModelDefinition[] = [\n${rows}]\n`
  writeFileSync(new URL(`../src/catalog/builtin-${provider}-models.ts`, import.meta.url), text)
}

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

/** Audio and video inputs need an audio price. @param {Listed} model @param {string} input */
function isTaken({ usdPerMillionTokens: { input_audio } }, input) {
  return (input !== 'video' && input !== 'audio') || input_audio !== undefined
}

/** A vector is not text, and its length is not a number of tokens. @param {Listed} model */
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
