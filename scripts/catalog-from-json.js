/**
 * Writes the rows of src/catalog/builtin-models.ts to stdout from a list of models in JSON: facts alone (names,
 * limits, list prices, dates), amounts as decimal strings. `node scripts/catalog-from-json.js models.json`
 */
import { readFileSync } from 'node:fs'

/**
 * @typedef {{ input: number, output?: number, cache_read?: number, cache_write?: number, cache_write_1h?: number, input_audio?: number }} ListedRates
 * @typedef {{ id: string, provider: string, name: string, released?: string, status?: string, context: number,
 *   maxInput?: number, maxOutput: number, input: string[], output: string[], reasoning: boolean, tools: boolean,
 *   api?: string, source?: string, usdPerMillionTokens: ListedRates,
 *   priceTiers?: (ListedRates & { aboveInputTokens: number })[], serviceTiers?: Record<string, number> }} Listed
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

const path = process.argv[2]
if (path === undefined) throw new Error('usage: node scripts/catalog-from-json.js models.json')
/** @type {{ models: Listed[] }} */
const list = JSON.parse(readFileSync(path, 'utf8'))
for (const model of list.models) process.stdout.write(`${row(corrected(model))},\n`)

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
        options: options(model.serviceTiers),
        source: model.source,
      },
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
