/** The built-in table: every row well-formed and priced, known prices as published, sources given. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModelDefinition } from '../definition.ts'
import { definitionMistake } from '../mistakes.ts'
import { priceBody } from '../prices/prices.ts'
import { builtinModels } from './builtin.ts'
import { builtinFees, builtinOptions } from './builtin-options-table.ts'

const isEmbedding = ({ formats }: ModelDefinition) => formats?.includes('openai-embeddings') === true
const byId = new Map(builtinModels.map((model) => [model.id, model]))

test('every row has a provider, limits, and prices without a mistake and with a source', () => {
  assert.equal(byId.size, builtinModels.length, 'an id stands twice')
  for (const model of builtinModels) {
    assert.ok(model.provider !== undefined, model.id)
    assert.ok((model.context ?? 0) > 0, model.id)
    if (isEmbedding(model)) assert.deepEqual(model.outputs, ['embeddings'], model.id)
    else assert.ok((model.maxOutput ?? 0) > 0, model.id)
    assert.equal(definitionMistake(model), undefined, model.id)
    assert.ok((model.prices?.length ?? 0) >= 1, model.id)
    for (const { source } of model.prices ?? []) assert.match(source ?? '', /20\d\d-\d\d/, model.id)
  }
})

test('every model that an option names is in the table, and every option row has a source', () => {
  for (const { models, source } of [
    ...builtinOptions,
    ...builtinFees.map(({ source }) => ({ source, models: [] })),
  ]) {
    assert.match(source, /20\d\d-\d\d/)
    assert.deepEqual(
      models.filter((id) => !byId.has(id)),
      [],
    )
  }
})

test('what one request may embed is all of its inputs together', () => {
  const sold = builtinModels.filter((model) => isEmbedding(model) && model.provider === 'openai')
  assert.equal(sold.length, 3)
  for (const { maxInput, prices } of sold) {
    assert.equal(maxInput, 300_000)
    assert.equal(prices?.[0]?.output, '0')
  }
})

/** Google's published prices of long prompts: input, cached input, output. */
const longPrompts: readonly (readonly [model: string, input: string, cached: string, output: string])[] = [
  ['gemini-2.5-pro', '2.5', '0.25', '15'],
  ['gemini-3-pro-preview', '4', '0.4', '18'],
  ['gemini-3.1-pro-preview', '4', '0.4', '18'],
]

for (const [id, input, cached, output] of longPrompts) {
  test(`${id} costs ${input} / ${cached} / ${output} above 200,000 tokens`, () => {
    const body = priceBody(byId.get(id)!.prices![0]!, ['google'], null)
    const [tier] = body.tiers
    assert.equal(tier?.aboveInputTokens, 200_000)
    const usd = (rate: bigint) => String(Number(rate) / 1e9)
    assert.deepEqual([tier.rates.input, tier.rates.cacheRead, tier.rates.output].map(usd), [
      input,
      cached,
      output,
    ])
  })
}

test('audio costs what the price list names, and is not sold where it names nothing', () => {
  const audio = (id: string) => priceBody(byId.get(id)!.prices![0]!, ['google'], null).rates.inputAudio
  assert.equal(audio('gemini-2.5-flash'), 1_000_000_000n)
  assert.equal(audio('gemini-3.5-flash'), 1_500_000_000n)
  assert.equal(audio('gemini-2.5-pro'), 1_250_000_000n)
  assert.equal(audio('gemini-2.5-flash-image'), null)
  const tier = priceBody(byId.get('gemini-2.5-pro')!.prices![0]!, ['google'], null).tiers[0]
  assert.equal(tier?.rates.inputAudio, 2_500_000_000n, 'a long prompt has the dearer rate')
})

test('a search of Google costs as published, by the prompt up to 2.5 and by the search from 3 on', () => {
  const fee = (id: string) => byId.get(id)!.prices![0]!.fees!.web_search
  assert.deepEqual(
    ['gemini-2.5-pro', 'gemini-2.0-flash', 'gemini-3-flash-preview', 'gemini-flash-latest'].map(fee),
    ['0.035', '0.035', '0.014', '0.014'],
  )
})

/** Published prices in USD with the option's factor applied: input, cached input and output. */
const published: readonly [model: string, option: string, input: string, cached: string, output: string][] = [
  ['gpt-5.5', 'service_tier:priority', '12.5', '1.25', '75'],
  ['gpt-5.4-mini', 'service_tier:fast', '1.5', '0.15', '9'],
  ['gpt-5-mini', 'service_tier:priority', '0.45', '0.045', '3.6'],
  ['gpt-4.1', 'service_tier:priority', '3.5', '0.875', '14'],
  ['gpt-4.1-nano', 'service_tier:priority', '0.2', '0.05', '0.8'],
  ['gpt-4o', 'service_tier:priority', '4.25', '2.125', '17'],
  ['gpt-4o-mini', 'service_tier:priority', '0.25', '0.125', '1'],
  ['o3', 'service_tier:priority', '3.5', '0.875', '14'],
  ['o4-mini', 'service_tier:priority', '2', '0.5', '8'],
  ['gpt-5', 'service_tier:flex', '0.625', '0.0625', '5'],
  ['gpt-6-sol', 'service_tier:flex', '1', '0.1', '5'],
  ['claude-opus-5-5', 'speed:fast', '8', '0.4', '40'],
  ['claude-sonnet-5-5', 'inference_geo:us', '2.2', '0.22', '11'],
]

for (const [id, option, input, cached, output] of published) {
  test(`${id} with ${option} costs ${input} / ${cached} / ${output}`, () => {
    const model = byId.get(id)!
    const body = priceBody(model.prices![0]!, [model.provider!], null)
    const factor = body.options[option]!
    const cost = (rate: bigint) => Number((rate * factor.numerator * 1_000n) / factor.denominator) / 1e12
    assert.deepEqual(
      [cost(body.rates.input), cost(body.rates.cacheRead), cost(body.rates.output)].map(String),
      [input, cached, output],
    )
  })
}
