/**
 * Whole lists of the published size: read in small steps and bounded memory, and the models of the clouds have the names that
 * they have here.
 */
// own-process: it measures how long each step takes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  litellmList,
  litellmModel,
  modelsDevList,
  modelsDevModel,
} from '../../../test/support/price-lists.ts'
import { turnTimes } from '../../../test/support/turn-times.ts'
import { runSteps } from '../../base/steps.ts'
import { limitDefaults } from '../../config/config.ts'
import { hostModels } from '../hosts/host-models.ts'
import type { ListedModel } from './listed-model.ts'
import { type PriceList, priceListSteps } from './price-list.ts'

const options = {
  depthMax: limitDefaults.jsonDepthMax,
  valuesMax: limitDefaults.priceListValuesMax,
  modelsMax: limitDefaults.priceListModelsMax,
}
/** Same settings as in `catalog.check`. */
const unitsPerTurn = 20
const turnMsMax = 5

function read(text: string): Extract<PriceList, { kind: 'list' }> {
  const list = runSteps(priceListSteps(text, options))
  assert.ok(list.kind === 'list', JSON.stringify(list).slice(0, 200))
  return list
}

for (const [name, text, models] of [
  ['LiteLLM', litellmList(), 2_985],
  ['models.dev', modelsDevList(), 4_000],
] as const) {
  test(`a whole list of ${name} is read in short turns`, () => {
    assert.ok(text.length > 1_500_000 && text.length < limitDefaults.priceListBytesMax, String(text.length))
    const list = read(text)
    assert.equal(list.format, name)
    assert.ok(list.models.length + list.otherModels >= models)
    const times = turnTimes(() => priceListSteps(text, options), { unitsPerTurn, limitMs: turnMsMax })
    const longest = Math.max(...times)
    // On a machine that is busy or slow all turns are longer; none may be a large part of the work.
    const allowed = Math.max(turnMsMax, times.reduce((sum, ms) => sum + ms, 0) / 20)
    assert.ok(longest < allowed, `${longest.toFixed(2)} ms in one of ${times.length} turns`)
    assert.ok(times.length > text.length / (unitsPerTurn * 1_024))
  })
}

/** The names that our hosts' tables have, as LiteLLM writes them: a provider and a name there. */
const atLitellm: readonly (readonly [host: string, model: string, provider: string, listed: string])[] = [
  ['azure', 'gpt-5.4', 'azure', 'azure/gpt-5.4'],
  ['azure', 'claude-sonnet-5', 'azure_ai', 'azure_ai/claude-sonnet-5'],
  ['azure', 'llama-3.3-70b-instruct', 'azure_ai', 'azure_ai/Llama-3.3-70B-Instruct'],
  [
    'bedrock',
    'anthropic.claude-sonnet-4-5-20250929-v1:0',
    'bedrock_converse',
    'anthropic.claude-sonnet-4-5-20250929-v1:0',
  ],
  ['bedrock', 'amazon.nova-pro-v1:0', 'bedrock_converse', 'amazon.nova-pro-v1:0'],
  ['bedrock', 'eu.anthropic.claude-sonnet-5', 'bedrock_converse', 'eu.anthropic.claude-sonnet-5'],
  ['bedrock', 'moonshotai.kimi-k2.5', 'bedrock', 'bedrock/moonshotai.kimi-k2.5'],
  ['vertex', 'gemini-2.5-pro', 'vertex_ai-language-models', 'gemini-2.5-pro'],
  [
    'vertex',
    'claude-sonnet-4-5@20250929',
    'vertex_ai-anthropic_models',
    'vertex_ai/claude-sonnet-4-5@20250929',
  ],
  [
    'vertex',
    'deepseek-ai/deepseek-v3.2-maas',
    'vertex_ai-deepseek_models',
    'vertex_ai/deepseek-ai/deepseek-v3.2-maas',
  ],
  ['vertex', 'zai-org/glm-5-maas', 'vertex_ai-zai_models', 'vertex_ai/zai-org/glm-5-maas'],
]

/** LiteLLM's entries for the clouds that are not a callable model at a single price. */
const leftOut: readonly (readonly [provider: string, listed: string])[] = [
  ['azure', 'azure/eu/gpt-5.4'],
  ['azure', 'azure/gpt-4o-2024-08-06'],
  ['azure_ai', 'azure_ai/model_router'],
  ['bedrock', 'bedrock/us-east-1/deepseek.v3.2'],
  ['bedrock', 'us.twelvelabs.pegasus-1-2-v1:0'],
  ['bedrock_mantle', 'bedrock_mantle/openai.gpt-5.5'],
  ['vertex_ai-anthropic_models', 'vertex_ai/claude-sonnet-4-5'],
  ['vertex_ai-mistral_models', 'vertex_ai/codestral-2'],
]

const namesOf = (models: readonly ListedModel[], host: string) =>
  models.filter(({ provider }) => provider === host).map(({ name }) => name)

test('LiteLLM: the models of the clouds have the names of our tables', async () => {
  const rows = [...atLitellm.map(([, , provider, listed]) => [provider, listed] as const), ...leftOut]
  const list = read(
    JSON.stringify(Object.fromEntries(rows.map(([provider, name]) => [name, litellmModel(provider)]))),
  )
  assert.equal(list.otherModels, leftOut.length)
  for (const host of ['azure', 'bedrock', 'vertex']) {
    const ours = (await hostModels([host])).map(({ id }) => id)
    const expected = atLitellm.filter(([provider]) => provider === host).map(([, model]) => model)
    assert.deepEqual(namesOf(list.models, host), expected)
    for (const model of expected) assert.ok(ours.includes(`${host}/${model}`), model)
  }
  assert.ok(list.models.every(({ price }) => price.kind === 'price'))
})

test('models.dev: the models of the clouds, and Claude on Vertex AI from a provider of its own', () => {
  const at = (id: string, ...names: readonly string[]) => [
    id,
    { id, models: Object.fromEntries(names.map((name) => [name, modelsDevModel(name)])) },
  ]
  const list = read(
    JSON.stringify(
      Object.fromEntries([
        at('azure', 'gpt-5.4', 'text-embedding-3-small'),
        at('amazon-bedrock', 'anthropic.claude-opus-4-1-20250805-v1:0', 'amazon.nova-pro-v1:0'),
        at('google-vertex', 'gemini-2.5-pro', 'gemini-flash-latest'),
        at('google-vertex-anthropic', 'claude-sonnet-5@default'),
      ]),
    ),
  )
  assert.deepEqual(namesOf(list.models, 'azure'), ['gpt-5.4'])
  assert.deepEqual(namesOf(list.models, 'bedrock'), [
    'anthropic.claude-opus-4-1-20250805-v1:0',
    'amazon.nova-pro-v1:0',
  ])
  assert.deepEqual(namesOf(list.models, 'vertex'), ['gemini-2.5-pro', 'claude-sonnet-5@default'])
  assert.ok(list.models.every(({ price }) => price.kind === 'price'))
  assert.equal(list.otherModels, 2)
})

test('models.dev: the regions of Bedrock have no price of their own there', () => {
  const names = ['us.', 'jp.', 'au.', '', 'global.'].map((region) => `${region}anthropic.claude-opus-4-6-v1`)
  const older = ['anthropic.claude-opus-4-1-20250805-v1:0', 'us.anthropic.claude-sonnet-4-20250514-v1:0']
  const models = Object.fromEntries([...names, ...older].map((name) => [name, modelsDevModel(name)]))
  const list = read(JSON.stringify({ 'amazon-bedrock': { id: 'amazon-bedrock', models } }))
  const kinds = list.models.map(({ name, price }) => `${name} ${price.kind}`)
  assert.deepEqual(kinds, [
    ...names.slice(0, 4).map((name) => `${name} unclear`),
    ...[names[4]!, ...older].map((name) => `${name} price`),
  ])
})

test('a name with a colon is a version at Bedrock, and a choice of something elsewhere', () => {
  const reasonOf = (provider: string, name: string) => {
    const [model] = read(JSON.stringify({ [name]: litellmModel(provider) })).models
    return model?.price.kind === 'unclear' ? model.price.reason : null
  }
  assert.equal(reasonOf('bedrock', 'anthropic.claude-v2:1'), null)
  assert.match(reasonOf('bedrock', 'anthropic.claude-v2:1:18k') ?? '', /^the suffix of the name chooses/)
  assert.match(reasonOf('groq', 'groq/llama:0') ?? '', /^the suffix of the name chooses/)
})
