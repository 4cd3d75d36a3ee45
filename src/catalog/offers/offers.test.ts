/** Offers: which model may be requested where, over random configurations, with one independently computed rule. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { connectors } from '../../providers/registry.ts'
import type { ModelDefinition, UpstreamDefinition } from '../definition.ts'
import { draftModels } from '../drafts.ts'
import { catalogMistakes } from '../mistakes.ts'
import type { CatalogSources, ProviderFacts } from '../sources.ts'

const facts = (provider: string, families: string[]): ProviderFacts => ({
  ...{
    provider,
    families,
    displayName: provider.toUpperCase(),
    defaultOrigin: `https://api.${provider}.example`,
  },
  formats: ['openai-chat'],
})
const providers = [
  { ...facts('one', ['own-']), servedElsewhere: ['own-open'] },
  facts('two', ['other-']),
  { ...facts('any', []), servesAnyName: true },
]
const sized = { context: 10, maxOutput: 5, prices: [{ input: '1', output: '1' }] }
const builtin: readonly ModelDefinition[] = [{ id: 'listed-by-table', provider: 'one', ...sized }]
const ids = ['own-a', 'own-open-b', 'foreign-c', 'listed-by-table', 'other-d']
const names = ['u1', 'u2', 'u3']

const model = fc.record({
  id: fc.constantFrom(...ids.filter((id) => id !== 'listed-by-table')),
  provider: fc.constantFrom('one', 'two', 'any'),
  upstreamId: fc.option(fc.constantFrom('own-x', 'foreign-x', 'listed-by-table'), { nil: undefined }),
  offers: fc.option(
    fc.subarray(names, { minLength: 1 }).map((chosen) => chosen.map((name) => ({ upstream: name }))),
    { nil: undefined },
  ),
})
const upstream = fc.record({
  name: fc.constantFrom(...names),
  provider: fc.constantFrom('one', 'two', 'any'),
  url: fc.constantFrom(null, 'https://api.one.example/v1', 'https://elsewhere.example/v1'),
  models: fc.option(
    fc.oneof(
      fc.constant('all' as const),
      fc.subarray(ids).map((chosen) => chosen.map((id) => ({ id, upstreamId: `${id}-there` }))),
    ),
    { nil: undefined },
  ),
})
const by =
  <Key extends string>(key: Key) =>
  (one: Readonly<Record<Key, string>>) =>
    one[key]

/** The name at the upstream if the prompt may be sent there; undefined: it may not. */
function given(
  at: Omit<UpstreamDefinition, 'credential' | 'weight'>,
  of: ModelDefinition,
): string | undefined {
  const own = of.upstreamId ?? of.id
  const isAtHome = at.url === null || at.url.startsWith(`https://api.${at.provider}.example`)
  const models = at.models ?? (isAtHome ? 'all' : [])
  const listed = models === 'all' ? undefined : models.find(({ id }) => id === of.id)
  const isOwn =
    of.provider === 'any' ||
    (of.provider === 'one' &&
      (own === 'listed-by-table' || (own.startsWith('own-') && !own.startsWith('own-open')))) ||
    (of.provider === 'two' && own.startsWith('other-'))
  const isListed = at.provider === of.provider && (models === 'all' ? isOwn : listed !== undefined)
  const isGiven = of.offers?.some(({ upstream: name }) => name === at.name) ?? isListed
  return isGiven ? (listed?.upstreamId ?? own) : undefined
}

test('a model has the offers that were given to it, whatever else is configured', (context) => {
  const seed = process.pid
  context.diagnostic(`seed ${seed}`)
  let offers = 0
  const property = fc.property(
    fc.uniqueArray(model, { selector: by('id') }),
    fc.uniqueArray(upstream, { selector: by('name') }),
    (models, upstreams) => {
      const configured = models.map((one) => ({ ...one, ...sized }))
      const sources: CatalogSources = {
        ...{ builtin, configured, overrides: [], aliases: {}, disabled: [], markup: null, providers },
        upstreams: upstreams.map((one) => ({ ...one, credential: 'none', weight: 1 })),
      }
      const drafts = new Map(draftModels(sources).map((draft) => [draft.name, draft]))
      for (const of of [...configured, ...builtin]) {
        const draft = drafts.get(of.id)
        const found = draft?.kind === 'sold' ? draft.model.offers : []
        const expected = upstreams
          .flatMap((at) => {
            const there = given(at, of)
            return there === undefined ? [] : [[at.name, there]]
          })
          .sort()
        assert.deepEqual(
          // Sorted, because offers of a list have its order.
          found.map((offer) => [offer.upstream.name, offer.upstreamModel]).sort(),
          expected,
        )
        offers += found.length
      }
    },
  )
  fc.assert(property, { numRuns: 1_000, seed })
  assert.ok(offers > 100)
})

test('a profile of Amazon Bedrock by its ARN is requested as the model that it is of', () => {
  const arn = (rest: string) => `arn:aws:bedrock:eu-central-1:000000000000:${rest}`
  const profiles = [
    ['claude-opus-4-8', arn('inference-profile/eu.anthropic.claude-opus-4-8'), 'anthropic'],
    ['claude-opus-4-8', arn('application-inference-profile/a1b2c3d4e5f6'), 'anthropic'],
    ['house-claude', arn('foundation-model/anthropic.claude-opus-4-8'), 'anthropic'],
    ['house-nova', arn('inference-profile/eu.amazon.nova-pro-v1:0'), 'bedrock-converse'],
  ] as const
  const upstreams = [at('aws', { provider: 'bedrock', url: null })]
  for (const [id, name, format] of profiles) {
    const configured = [{ id, provider: 'anthropic', ...sized, offers: [{ upstream: 'aws', model: name }] }]
    const sources = {
      ...{ builtin: [], configured, overrides: [], aliases: {}, disabled: [], markup: null },
      upstreams,
    }
    const [draft] = draftModels({ ...sources, providers: connectors })
    const [offer] = draft?.kind === 'sold' ? draft.model.offers : []
    assert.equal(offer?.upstreamModel, name)
    assert.deepEqual(offer?.formats.includes(format), true, `${name}: ${offer?.formats}`)
    if (format === 'anthropic') assert.deepEqual(offer?.formats, ['anthropic'], name)
  }
})

const operatorsNames: readonly (readonly [
  id: string,
  provider: string,
  nameThere: string,
  inTables: string,
  formats: string,
])[] = [
  ['house-claude', 'anthropic', 'claude-opus-4-8', 'claude-opus-4-8', 'anthropic'],
  ['house-claude', 'anthropic', 'claude-haiku-4-5-20251001', 'claude-haiku-4-5-20251001', 'anthropic'],
  ['house-claude', 'bedrock', 'eu.anthropic.claude-opus-4-8', 'eu.anthropic.claude-opus-4-8', 'anthropic'],
  ['house-claude', 'vertex', 'claude-opus-4-8@20260401', 'claude-opus-4-8@20260401', 'anthropic'],
  ['house-claude', 'azure', 'claude-opus-4-8', 'claude-opus-4-8', 'anthropic'],
  ['house-nova', 'bedrock', 'eu.amazon.nova-pro-v1:0', 'eu.amazon.nova-pro-v1:0', 'bedrock-converse'],
  ['house-gpt', 'azure', 'gpt-5.4', 'gpt-5.4', 'openai-chat openai-responses'],
  ['house-gpt', 'openai', 'gpt-4o', 'gpt-4o', 'openai-chat openai-responses'],
  ['house-gemini', 'google', 'gemini-2.5-flash', 'gemini-2.5-flash', 'gemini'],
  ['house-open', 'groq', 'openai/gpt-oss-120b', 'openai/gpt-oss-120b', 'openai-chat'],
  ['house-open', 'groq', 'maker/unknown', 'maker/unknown', 'openai-chat'],
  // The name at the upstream identifies nothing; the public name does.
  ['claude-opus-4-8', 'anthropic', 'opus-at-the-mirror', 'claude-opus-4-8', 'anthropic'],
  ['gpt-5.4', 'azure', 'my-deployment', 'gpt-5.4', 'openai-chat openai-responses'],
  ['azure/gpt-5.4', 'azure', 'my-deployment', 'gpt-5.4', 'openai-chat openai-responses'],
  // Another model under the name of a known one.
  ['claude-opus-4-8', 'groq', 'maker/unknown', 'maker/unknown', 'openai-chat'],
]

for (const [id, provider, there, inTables, formats] of operatorsNames) {
  test(`${id} is ${inTables} where ${provider} calls it ${there}`, () => {
    const connector = connectors.find((one) => one.provider === provider)
    const url = connector?.addressExample ?? null
    const offered = { id, ...sized, offers: [{ upstream: 'there', model: there }] }
    const listed = { id, ...sized, provider }
    const cases = [
      [offered, []],
      [listed, [{ id, upstreamId: there }]],
    ] as const
    for (const [definition, models] of cases) {
      const upstreams = [at('there', { provider, url, models })]
      const [draft] = draftModels({
        ...{ builtin: [], configured: [definition], overrides: [], aliases: {}, disabled: [], markup: null },
        ...{ upstreams, providers: connectors },
      })
      const [offer] = draft?.kind === 'sold' ? draft.model.offers : []
      assert.deepEqual(
        [offer?.upstreamModel, offer?.catalogName, offer?.formats.join(' ')],
        [there, inTables, formats],
      )
    }
  })
}

const at = (name: string, more: Partial<UpstreamDefinition>): UpstreamDefinition => ({
  ...{ name, provider: 'one', url: 'https://elsewhere.example', credential: 'none', weight: 1 },
  ...more,
})
const house = { id: 'house', provider: 'one', ...sized }

const mistakes: readonly (readonly [
  what: string,
  sources: Partial<CatalogSources>,
  mistake: RegExp | null,
])[] = [
  [
    'no models at another address',
    { upstreams: [at('u', {})] },
    /^upstreams: u: its URL is not ONE's own, so list/,
  ],
  [
    'no models, but one that names it',
    { upstreams: [at('u', {})], configured: [{ ...house, offers: [{ upstream: 'u' }] }] },
    null,
  ],
  ["no models at the provider's own address", { upstreams: [at('u', { url: null })] }, null],
  [
    'an alias',
    { upstreams: [at('u', { models: [{ id: 'quick' }] })], aliases: { quick: 'listed-by-table' } },
    /quick is an alias; list listed-by-table$/,
  ],
  [
    'a model of another provider',
    { upstreams: [at('u', { models: [{ id: 'other-d' }] })], configured: [{ id: 'other-d', ...sized }] },
    /other-d is a model of two, but the upstream is one of one$/,
  ],
  [
    'a model that names others',
    {
      upstreams: [at('u', { models: [{ id: 'house' }] }), at('v', { models: 'all' })],
      configured: [{ ...house, offers: [{ upstream: 'v' }] }],
    },
    /house names its own upstreams \(v\), but u is not one of them$/,
  ],
]

for (const [what, sources, mistake] of mistakes) {
  test(`mistakes of offers: ${what}`, () => {
    const empty = {
      builtin,
      configured: [],
      overrides: [],
      aliases: {},
      disabled: [],
      markup: null,
      upstreams: [],
    }
    const found = catalogMistakes({ ...empty, providers, ...sources })
    assert.equal(found.length, mistake === null ? 0 : 1, found.join('\n'))
    if (mistake !== null) assert.match(found[0] ?? '', mistake)
  })
}
