/**
 * models.dev's api.json: provider → models → cost in USD per million tokens. Read from packages/core/src/schema.ts of
 * github.com/anomalyco/models.dev, 2026-07-02: `tiers` with `tier.size`, and `context_over_200k` in place of them in older lists.
 */
import type { ExactJson, ExactObject } from './exact-json.ts'
import {
  checkedPrice,
  dateOf,
  flagOf,
  nameProblem,
  objectOf,
  type RateFields,
  readRates,
  shownNameOf,
  textsOf,
  tierStartOf,
  tiersProblem,
  tokensOf,
  unclear,
} from './list-fields.ts'
import { listNames } from './list-names-table.ts'
import type { FormatReader, ListedModel, ListedPrice, ListedTier } from './listed-model.ts'

const fields: RateFields = [
  ['input', 'input'],
  ['output', 'output'],
  // Reasoning is counted as output here, at the higher of both rates.
  ['reasoning', 'output'],
  ['cache_read', 'cacheRead'],
  ['cache_write', 'cacheWrite5m'],
  ['input_audio', 'inputAudio'],
  ['output_audio', 'outputAudio'],
]

const providers = new Map(
  Object.entries(listNames).flatMap(([provider, { modelsDev, leftOut }]) =>
    modelsDev.map((id) => [id, { provider, leftOut }] as const),
  ),
)

export const readModelsDev: FormatReader = function* (root) {
  const models: ListedModel[] = []
  let isModelsDev = false
  let otherModels = 0
  for (const [id, value] of root) {
    const rows = objectOf(objectOf(value)?.get('models'))
    if (rows === undefined) continue
    isModelsDev = true
    const known = providers.get(id)
    for (const [name, row] of rows) {
      if (known === undefined || known.leftOut?.test(name) === true) otherModels += 1
      else models.push(modelOf(known.provider, name, row))
      yield
    }
  }
  return isModelsDev ? { models, otherModels } : undefined
}

function modelOf(provider: string, name: string, value: ExactJson): ListedModel {
  const row = objectOf(value)
  if (row === undefined) {
    return {
      provider,
      name,
      converses: true,
      facts: {},
      price: unclear('the model is listed twice or is not an object'),
    }
  }
  const limit = objectOf(row.get('limit'))
  const modalities = objectOf(row.get('modalities'))
  const outputs = textsOf(modalities?.get('output')) ?? ['text']
  const maxOutput = tokensOf(limit?.get('output'))
  return {
    provider,
    name,
    converses: outputs.length === 1 && outputs[0] === 'text' && maxOutput !== undefined,
    price: priceOf(provider, name, objectOf(row.get('cost'))),
    facts: {
      displayName: shownNameOf(row.get('name')),
      released: dateOf(row.get('release_date')),
      context: tokensOf(limit?.get('context')),
      maxInput: tokensOf(limit?.get('input')),
      maxOutput,
      inputs: textsOf(modalities?.get('input')),
      reasoning: flagOf(row.get('reasoning')),
      tools: flagOf(row.get('tool_call')),
      deprecated: row.get('status') === 'deprecated' ? true : undefined,
    },
  }
}

function priceOf(provider: string, name: string, cost: ExactObject | undefined): ListedPrice {
  const problem = nameProblem(provider, name)
  if (problem !== undefined) return unclear(problem)
  if (listNames[provider]?.mispricedInModelsDev?.test(name) === true)
    return unclear('models.dev has the global price, and a region costs more')
  if (cost === undefined) return unclear('the list has no price')
  const base = readRates(cost, fields, 'perMillionTokens')
  if (base.kind === 'unclear') return base
  const tiers = tiersOf(cost)
  return 'kind' in tiers ? tiers : checkedPrice({ kind: 'price', rates: base.rates, tiers })
}

function tiersOf(cost: ExactObject): readonly ListedTier[] | Extract<ListedPrice, { kind: 'unclear' }> {
  const given = cost.get('tiers')
  const over200k = objectOf(cost.get('context_over_200k'))
  if (given === undefined) return over200k === undefined ? [] : tierOf(over200k, 200_000)
  if (!Array.isArray(given)) return unclear('tiers is not a list')
  const problem = tiersProblem(given.length)
  if (problem !== undefined) return problem
  const tiers: ListedTier[] = []
  for (const value of given as readonly ExactJson[]) {
    const tier = objectOf(value)
    const size = objectOf(tier?.get('tier'))
    const above = tierStartOf(size?.get('size'))
    if (
      tier === undefined ||
      above === undefined ||
      above === 0 ||
      (size?.get('type') ?? 'context') !== 'context'
    ) {
      return unclear('a tier does not say from which input it applies')
    }
    const read = tierOf(tier, above)
    if ('kind' in read) return read
    tiers.push(...read)
  }
  return tiers
}

function tierOf(
  object: ExactObject,
  aboveInputTokens: number,
): readonly ListedTier[] | Extract<ListedPrice, { kind: 'unclear' }> {
  const read = readRates(object, fields, 'perMillionTokens')
  if (read.kind === 'unclear') return unclear(`in the tier above ${aboveInputTokens}: ${read.reason}`)
  return read.rates.input === undefined
    ? unclear(`the tier above ${aboveInputTokens} has no price of input`)
    : [{ aboveInputTokens, rates: read.rates }]
}
