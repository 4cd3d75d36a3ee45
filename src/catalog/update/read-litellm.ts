/**
 * LiteLLM's model_prices_and_context_window.json: model → costs in USD per token. Read from
 * model_prices_and_context_window.schema.json of github.com/BerriAI/litellm, 2026-11-23. Rates of batches and of service tiers
 * other than the default are ignored: factors of options here are set by operators.
 */
import type { ExactJson, ExactObject } from './exact-json.ts'
import {
  checkedPrice,
  flagOf,
  nameProblem,
  objectOf,
  type RateFields,
  readRates,
  textOf,
  textsOf,
  tierStartOf,
  tiersProblem,
  tokensOf,
  type Unclear,
  unclear,
} from './list-fields.ts'
import { type LitellmNames, listNames } from './list-names-table.ts'
import type { FormatReader, ListedModel, ListedPrice, ListedTier } from './listed-model.ts'

const fields: RateFields = [
  ['input_cost_per_token', 'input'],
  ['output_cost_per_token', 'output'],
  ['output_cost_per_reasoning_token', 'output'],
  ['cache_read_input_token_cost', 'cacheRead'],
  ['cache_creation_input_token_cost', 'cacheWrite5m'],
  ['cache_creation_input_token_cost_above_1hr', 'cacheWrite1h'],
  ['input_cost_per_audio_token', 'inputAudio'],
  ['output_cost_per_audio_token', 'outputAudio'],
]

/** Costs besides tokens, with which a token price alone would be wrong. */
const otherCosts = ['input_cost_per_request', 'input_cost_per_query', 'citation_cost_per_token'] as const

const conversationModes: readonly string[] = ['chat', 'responses', 'completion']

interface ListedUnder extends LitellmNames {
  readonly ours: string
  readonly leftOut: RegExp | undefined
}

const providers: ReadonlyMap<string, ListedUnder> = new Map(
  Object.entries(listNames).flatMap(([ours, { litellm, leftOut }]) =>
    litellm.map((names) => [names.provider, { ...names, ours, leftOut }] as const),
  ),
)

export const readLitellm: FormatReader = function* (root) {
  if (!isLitellm(root)) return undefined
  const models: ListedModel[] = []
  let otherModels = 0
  for (const [name, value] of root) {
    if (notModels.includes(name)) continue
    const row = objectOf(value)
    const listed = providers.get(textOf(row?.get('litellm_provider')) ?? '')
    const ownName = listed === undefined ? undefined : nameThere(name, listed)
    if (row === undefined || listed === undefined || ownName === undefined) otherModels += 1
    else models.push(modelOf(listed.ours, ownName, row))
    yield
  }
  return { models, otherModels }
}

/** Entries of the list that describe it. */
const notModels: readonly string[] = ['sample_spec', 'fallback_generalizations']

function isLitellm(root: ExactObject): boolean {
  for (const [name, value] of root) {
    if (notModels.includes(name)) continue
    if (typeof objectOf(value)?.get('litellm_provider') === 'string') return true
  }
  return false
}

/** The provider's name for the model; undefined: it is left out. */
function nameThere(name: string, { prefix, isLowerCased, leftOut }: ListedUnder): string | undefined {
  const short = name.startsWith(prefix) ? name.slice(prefix.length) : name
  const ownName = isLowerCased === true ? short.toLowerCase() : short
  return leftOut?.test(ownName) === true ? undefined : ownName
}

function modelOf(provider: string, name: string, row: ExactObject): ListedModel {
  const mode = textOf(row.get('mode')) ?? ''
  const outputs = textsOf(row.get('supported_output_modalities')) ?? ['text']
  const maxInput = tokensOf(row.get('max_input_tokens'))
  const maxOutput = tokensOf(row.get('max_output_tokens'))
  return {
    provider,
    name,
    converses:
      conversationModes.includes(mode) && outputs.every((output) => output === 'text' || output === 'code'),
    price: priceOf(provider, name, row),
    facts: {
      // The list has no context window; the input limit is the maximum that is known to fit.
      context: maxInput,
      maxOutput,
      inputs: inputsOf(row),
      reasoning: flagOf(row.get('supports_reasoning')),
      tools: flagOf(row.get('supports_function_calling')),
    },
  }
}

const inputFlags: readonly (readonly [flag: string, kind: string])[] = [
  ['supports_vision', 'image'],
  ['supports_audio_input', 'audio'],
  ['supports_video_input', 'video'],
  ['supports_pdf_input', 'pdf'],
]

function inputsOf(row: ExactObject): readonly string[] {
  return ['text', ...inputFlags.filter(([flag]) => row.get(flag) === true).map(([, kind]) => kind)]
}

function priceOf(provider: string, name: string, row: ExactObject): ListedPrice {
  const problem = nameProblem(provider, name)
  if (problem !== undefined) return unclear(problem)
  const other = otherCosts.find((field) => row.has(field))
  if (other !== undefined) return unclear(`${other} has no counterpart here`)
  const base = readRates(row, fields, 'perToken')
  if (base.kind === 'unclear') return base
  const tiered = row.get('tiered_pricing')
  if (tiered !== undefined) return tieredPrice(tiered, base.rates)
  const tiers = thresholdTiers(row)
  return 'kind' in tiers ? tiers : checkedPrice({ kind: 'price', rates: base.rates, tiers })
}

/** `input_cost_per_token_above_200k_tokens` and its neighbors. */
function thresholdTiers(row: ExactObject): readonly ListedTier[] | Unclear {
  const thousands = new Set<number>()
  for (const field of row.keys()) {
    const match = /^input_cost_per_token_above_(\d{1,6})k_tokens$/.exec(field)
    if (match !== null) thousands.add(Number(match[1]))
  }
  const problem = tiersProblem(thousands.size)
  if (problem !== undefined) return problem
  const tiers: ListedTier[] = []
  for (const size of [...thousands].sort((lower, higher) => lower - higher)) {
    const named = fields.map(([field, rate]) => [`${field}_above_${size}k_tokens`, rate] as const)
    const read = readRates(row, named, 'perToken')
    if (read.kind === 'unclear') return read
    tiers.push({ aboveInputTokens: size * 1_000, rates: read.rates })
  }
  return tiers
}

/** `tiered_pricing`: the first range is the price below the second. */
function tieredPrice(value: ExactJson, base: ListedTier['rates']): ListedPrice {
  const items = Array.isArray(value) ? (value as readonly ExactJson[]) : []
  // The first range is the price below the tiers.
  const problem = tiersProblem(items.length - 1)
  if (problem !== undefined) return problem
  const ranges: ListedTier[] = []
  for (const item of items) {
    const object = objectOf(item)
    const range = object?.get('range')
    const from = Array.isArray(range) ? tierStartOf((range as readonly ExactJson[])[0]) : undefined
    if (object === undefined || from === undefined)
      return unclear('tiered_pricing has a tier without a range')
    const read = readRates(object, fields, 'perToken')
    if (read.kind === 'unclear') return unclear(`in tiered_pricing: ${read.reason}`)
    if (read.rates.input === undefined) return unclear('tiered_pricing has a tier without a price of input')
    ranges.push({ aboveInputTokens: from, rates: read.rates })
  }
  ranges.sort((lower, higher) => lower.aboveInputTokens - higher.aboveInputTokens)
  const [first, ...tiers] = ranges
  if (first === undefined || first.aboveInputTokens !== 0)
    return unclear('tiered_pricing does not begin at 0 tokens')
  return checkedPrice({ kind: 'price', rates: { ...base, ...first.rates }, tiers })
}
