/** Which models are available: from the table, the file and the command line to one snapshot. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinModels, sandboxModels } from './builtin/builtin.ts'
import type { ModelDefinition } from './definition.ts'
import { draftModels, type PriceDraft } from './drafts.ts'
import { catalogMistakes } from './mistakes.ts'
import { buildSnapshot } from './snapshot.ts'
import type { CatalogSources, ProviderFacts } from './sources.ts'
import { priceAt, type Snapshot } from './types.ts'

const providers: readonly ProviderFacts[] = [
  {
    provider: 'openai',
    displayName: 'OpenAI',
    families: ['gpt-', 'chatgpt-', 'o1', 'o3', 'o4'],
    defaultOrigin: 'https://api.openai.com',
    formats: ['openai-chat', 'openai-responses', 'openai-embeddings'],
  },
  {
    provider: 'anthropic',
    displayName: 'Anthropic',
    families: ['claude-'],
    defaultOrigin: 'https://api.anthropic.com',
    formats: ['anthropic'],
  },
  {
    provider: 'google',
    displayName: 'Google',
    families: ['gemini-'],
    defaultOrigin: 'https://generativelanguage.googleapis.com',
    formats: ['gemini', 'openai-embeddings', 'gemini-embeddings'],
  },
  {
    provider: 'sandbox',
    displayName: 'the sandbox',
    families: ['sandbox-'],
    defaultOrigin: 'http://127.0.0.1:1',
    formats: ['openai-chat', 'openai-responses', 'anthropic', 'gemini'],
  },
]

function upstream(provider: string, name = provider, url: string | null = null) {
  return { name, provider, url, credential: 'none', weight: 1 }
}

const everything: CatalogSources = {
  builtin: [
    ...builtinModels,
    ...sandboxModels([
      { name: 'sandbox-echo', testModel: 'basic' },
      { name: 'sandbox-chat-echo', formats: ['openai-chat'], testModel: 'special' },
    ]),
  ],
  configured: [],
  overrides: [],
  aliases: {},
  disabled: [],
  markup: null,
  upstreams: [upstream('openai'), upstream('anthropic'), upstream('google'), upstream('sandbox')],
  providers,
}

function snapshotOf(changed: Partial<CatalogSources>): Snapshot {
  const sources = { ...everything, ...changed }
  const ids = new Map<string, bigint>()
  const idOf = (price: PriceDraft) => {
    const key = `${price.model} ${price.effectiveFromMs} ${price.text}`
    ids.set(key, ids.get(key) ?? BigInt(ids.size + 1))
    return ids.get(key)!
  }
  return buildSnapshot(draftModels(sources), sources, idOf)
}

const houseModel: ModelDefinition = {
  id: 'house-1',
  provider: 'openai',
  upstreamId: 'gpt-4.1',
  context: 1_000,
  maxOutput: 100,
  prices: [{ input: '1', output: '2' }],
}

/** Leaves out Google's image models. */
const spoken: readonly (readonly [name: string, formats: readonly string[]])[] = [
  ['gpt-5', ['openai-chat', 'openai-responses']],
  ['gpt-5-codex', ['openai-responses']],
  ['gpt-6.1-sol', ['openai-responses']],
  ['text-embedding-3-small', ['openai-embeddings']],
  ['claude-opus-5', ['anthropic']],
  ['gemini-2.5-pro', ['gemini']],
  ['gemini-3.8-flash', ['gemini']],
  ['gemini-embedding-001', ['openai-embeddings', 'gemini-embeddings']],
  ['sandbox-echo', ['openai-chat', 'openai-responses', 'anthropic', 'gemini']],
  ['sandbox-chat-echo', ['openai-chat']],
]

for (const [name, formats] of spoken) {
  test(`${name} is sold once it has an upstream, and is spoken to in ${formats.join(', ')}`, () => {
    assert.deepEqual(snapshotOf({}).models.get(name)?.formats, formats)
  })
}

test('the input that a model takes is what it says, else its context', () => {
  const { models } = snapshotOf({})
  assert.equal(models.get('gpt-5')?.inputTokensMax, 272_000)
  assert.equal(models.get('gpt-4o')?.inputTokensMax, 128_000)
  assert.equal(models.get('text-embedding-3-small')?.inputTokensMax, 300_000)
  assert.equal(models.get('text-embedding-3-small')?.outputTokensMax, 0)
})

const unsold: readonly [what: string, name: string, changed: Partial<CatalogSources>, reason: RegExp][] = [
  [
    'served by another API only',
    'gpt-5-codex',
    { providers: providers.map((facts) => ({ ...facts, formats: ['openai-chat'] })) },
    /^not reachable yet in any format/,
  ],
  [
    'embeddings in a format that is not spoken',
    'gemini-embedding-001',
    { providers: providers.map((facts) => ({ ...facts, formats: ['gemini'] })) },
    /^not reachable yet in any format/,
  ],
  ['what makes pictures', 'gemini-2.5-flash-image', {}, /^its image output has no price$/],
  [
    'what is said to make videos',
    'house-1',
    { configured: [{ ...houseModel, outputs: ['text', 'video'] }] },
    /^its video output has no price$/,
  ],
  [
    'a provider that is not spoken to',
    'gemini-2.5-pro',
    { providers: providers.filter(({ provider }) => provider !== 'google') },
    /^not reachable yet in any format/,
  ],
  ['no upstream', 'gpt-5', { upstreams: [] }, /^no upstream with an API key is configured for OpenAI$/],
  [
    'an upstream that serves other models',
    'gpt-5',
    { upstreams: [{ ...upstream('openai'), models: [{ id: 'gpt-4.1' }] }] },
    /^no upstream of OpenAI serves it: add it to the models of one$/,
  ],
  ['disabled in the file', 'gpt-5', { disabled: ['gpt-5'] }, /^disabled/],
  [
    'disabled by command',
    'gpt-5',
    { overrides: [{ name: 'gpt-5', definition: null, disabled: true }] },
    /^disabled/,
  ],
  ['no price', 'house-1', { configured: [{ ...houseModel, prices: undefined }] }, /^no price is known$/],
  ['no size', 'house-1', { configured: [{ ...houseModel, context: undefined }] }, /^context and maxOutput/],
  [
    'no provider',
    'house-1',
    { configured: [{ ...houseModel, provider: undefined }] },
    /^the provider is missing/,
  ],
  [
    'an alias of nothing',
    'quick',
    { aliases: { quick: 'nowhere' } },
    /^it is an alias of nowhere, which is not a model$/,
  ],
  ['an alias of an alias', 'quick', { aliases: { fast: 'gpt-5', quick: 'fast' } }, /which is not a model$/],
  [
    'an alias of what is not sold',
    'quick',
    { aliases: { quick: 'gpt-5' }, disabled: ['gpt-5'] },
    /^it is an alias of gpt-5, which is not enabled: disabled/,
  ],
]

for (const [what, name, changed, reason] of unsold) {
  test(`not sold, with the reason: ${what}`, () => {
    const { models, unsold } = snapshotOf(changed)
    assert.equal(models.has(name), false)
    assert.match(unsold.get(name) ?? '', reason)
  })
}

test('the file changes what it says of a built-in model and leaves the rest', () => {
  const { models } = snapshotOf({
    configured: [{ id: 'claude-opus-5', displayName: 'Ours', prices: [{ input: '1', output: '2' }] }],
  })
  const model = models.get('claude-opus-5')!
  assert.equal(model.displayName, 'Ours')
  assert.equal(model.contextTokens, 1_000_000)
  assert.equal(model.prices.length, 1)
  assert.equal(model.prices[0]?.rates.input, 1_000_000_000n)
  assert.deepEqual(model.prices[0]?.options, {})
})

for (const names of [
  ['openai', 'anthropic'],
  ['anthropic', 'openai'],
]) {
  test(`cache writes of a model at ${names.join(' and ')} cost no less than at Anthropic`, () => {
    const offers = names.map((name) => ({ upstream: name, model: 'a-model' }))
    const model = {
      id: 'two-offers',
      context: 1_000,
      maxOutput: 100,
      prices: [{ input: '4', output: '8' }],
      offers,
    }
    const price = snapshotOf({ configured: [model] }).models.get('two-offers')?.prices[0]
    const rates = [price?.rates.input, price?.rates.cacheWrite5m, price?.rates.cacheWrite1h]
    assert.deepEqual(rates, [4_000_000_000n, 5_000_000_000n, 8_000_000_000n])
  })
}

for (const [there, fiveMinutes, oneHour] of [
  ['eu.anthropic.claude-opus-4-6-v1', 5_000_000_000n, 8_000_000_000n],
  ['Claude Sonnet', 5_000_000_000n, 8_000_000_000n],
  ['another-model', 4_000_000_000n, 4_000_000_000n],
] as const) {
  test(`cache writes of ${there} at a host other than Anthropic have the rates of its maker`, () => {
    const model = {
      id: 'renamed',
      context: 1_000,
      maxOutput: 100,
      prices: [{ input: '4', output: '8' }],
      offers: [{ upstream: 'openai', model: there }],
    }
    const rates = snapshotOf({ configured: [model] }).models.get('renamed')?.prices[0]?.rates
    assert.deepEqual([rates?.cacheWrite5m, rates?.cacheWrite1h], [fiveMinutes, oneHour])
  })
}

test('a price by command comes to the others and is in force from its date on', () => {
  const definition: ModelDefinition = {
    id: 'gpt-5',
    prices: [{ effectiveFrom: '2026-10-01', input: '9', output: '9' }],
  }
  const model = snapshotOf({ overrides: [{ name: 'gpt-5', definition, disabled: false }] }).models.get(
    'gpt-5',
  )!
  assert.equal(model.prices.length, 2)
  assert.equal(priceAt(model, Date.UTC(2026, 8, 30)).rates.input, 1_250_000_000n)
  assert.equal(priceAt(model, Date.UTC(2026, 9, 1)).rates.input, 9_000_000_000n)
})

test('an alias shares the model: what goes upstream, what it costs, which version', () => {
  const { models } = snapshotOf({ configured: [houseModel], aliases: { quick: 'house-1' } })
  const [alias, model] = [models.get('quick')!, models.get('house-1')!]
  assert.equal(alias.upstreamModel, 'gpt-4.1')
  assert.deepEqual(alias.prices, model.prices)
  assert.equal(alias.prices[0]?.model, 'house-1')
})

test("a model's own markup goes before the one for all", () => {
  const { models } = snapshotOf({ markup: '10%', configured: [{ id: 'gpt-5', markup: '0%' }] })
  assert.equal(models.get('gpt-5')?.prices[0]?.rates.input, 1_250_000_000n)
  assert.equal(models.get('gpt-4o')?.prices[0]?.rates.input, 2_750_000_000n)
  assert.equal(models.get('gpt-4o')?.prices[0]?.listRates.input, 2_500_000_000n)
})

test('a new name finds its provider by the longest family that it begins with', () => {
  const own = { ...providers[0]!, provider: 'house', families: ['gpt-house-'] }
  const { models, families } = snapshotOf({
    providers: [...providers, own],
    upstreams: [upstream('house'), upstream('openai')],
    configured: [
      { ...houseModel, id: 'gpt-house-1', provider: undefined, upstreamId: undefined },
      { ...houseModel, id: 'gpt-next', provider: undefined, upstreamId: undefined },
    ],
  })
  assert.equal(models.get('gpt-house-1')?.provider, 'house')
  assert.equal(models.get('gpt-next')?.provider, 'openai')
  assert.deepEqual(families[0], { prefix: 'gpt-house-', provider: 'house' })
})

test('offers keep the order of the upstreams; one without a URL has the provider’s', () => {
  const mirror = { ...upstream('openai', 'first', 'http://127.0.0.1:9/openai/v1'), models: 'all' as const }
  const { models } = snapshotOf({ upstreams: [mirror, upstream('openai', 'second')] })
  assert.deepEqual(
    models.get('gpt-4.1')?.offers.map(({ upstream: { name, origin, basePath } }) => [name, origin, basePath]),
    [
      ['first', 'http://127.0.0.1:9', '/openai/v1'],
      ['second', 'https://api.openai.com', ''],
    ],
  )
})

const mistakes: readonly [what: string, changed: Partial<CatalogSources>, expected: readonly string[]][] = [
  ['nothing', {}, []],
  [
    'a provider that a later version speaks to',
    { upstreams: [upstream('google')], providers: providers.filter(({ provider }) => provider !== 'google') },
    [],
  ],
  [
    'embeddings without a size of output',
    { configured: [{ ...houseModel, formats: ['openai-embeddings'], maxOutput: undefined }] },
    [],
  ],
  [
    'an unknown provider',
    { upstreams: [upstream('opnai')] },
    ['upstreams: opnai: unknown provider opnai; did you mean openai?'],
  ],
  ['a model twice', { configured: [houseModel, houseModel] }, ['models[1]: house-1 is listed twice']],
  [
    'a new model without its sizes',
    { configured: [{ id: 'gpt-new' }] },
    ['models[0].context: is missing', 'models[0].maxOutput: is missing'],
  ],
  [
    'a new model of nobody',
    { configured: [{ ...houseModel, provider: undefined }] },
    ['models[0].provider: is missing and cannot be detected from the name house-1'],
  ],
  [
    'an alias of nothing',
    { aliases: { quick: 'gpt5' } },
    ['aliases.quick: unknown model gpt5; did you mean gpt-5?'],
  ],
  ['an alias that is a model', { aliases: { 'gpt-5': 'gpt-4' } }, ['aliases.gpt-5: a model has this name']],
  ['an alias of an alias', { aliases: { a: 'b', b: 'gpt-4' } }, ['aliases.a: b is an alias itself']],
  [
    'an unknown disabled name',
    { disabled: ['gpt-55'] },
    ['disabled: unknown model gpt-55; did you mean gpt-5?'],
  ],
]

for (const [what, changed, expected] of mistakes) {
  test(`mistakes of the whole: ${what}`, () => {
    assert.deepEqual(catalogMistakes({ ...everything, ...changed }), expected)
  })
}
