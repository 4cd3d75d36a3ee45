/** The known models of hosts: every line of their tables is a model that can be enabled, only at that host. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hostVariables } from '../../../contract/hosts.ts'
import { type CloudName, clouds } from '../../providers/clouds/clouds-table.ts'
import { connectors } from '../../providers/registry.ts'
import type { UpstreamDefinition } from '../definition.ts'
import { draftModels } from '../drafts.ts'
import { catalogMistakes } from '../mistakes.ts'
import type { CatalogSources } from '../sources.ts'
import { hostModels } from './host-models.ts'

const upstream = (provider: string): UpstreamDefinition => ({
  name: provider,
  provider,
  url: Object.hasOwn(clouds, provider) ? clouds[provider as CloudName].addressExample : null,
  credential: 'x',
  weight: 1,
  models: 'all',
})

async function sources(...providers: string[]): Promise<CatalogSources> {
  return {
    builtin: await hostModels(providers),
    configured: [],
    overrides: [],
    aliases: {},
    disabled: [],
    markup: null,
    upstreams: providers.map(upstream),
    providers: connectors,
  }
}

test('a host sells what is known of it with a price, at that host alone and under its name there', async () => {
  const all = await sources(...Object.keys(hostVariables), ...Object.keys(clouds))
  assert.deepEqual(catalogMistakes(all), [])
  const drafts = draftModels(all)
  assert.ok(drafts.length > 800, String(drafts.length))
  for (const draft of drafts) {
    const [provider = ''] = draft.name.split('/', 1)
    if (draft.kind === 'unsold') {
      assert.equal(draft.reason, 'no price is known', draft.name)
      continue
    }
    const there = draft.name.slice(provider.length + 1)
    assert.deepEqual(
      draft.model.offers.map((offer) => [offer.upstream.name, offer.upstreamModel]),
      [[provider, there]],
    )
    assert.equal(draft.model.upstreamModel, there)
    for (const { body } of draft.prices)
      assert.ok(body.rates.input > 0n || body.rates.output > 0n, draft.name)
  }
})

test('the models of a host are not there without an upstream of that host', async () => {
  assert.deepEqual(await hostModels(['openai', 'anthropic', 'perplexity', 'sandbox']), [])
  const models = await hostModels(['groq', 'groq'])
  assert.ok(models.length > 0)
  assert.ok(models.every(({ provider }) => provider === 'groq'))
})

test('DeepSeek costs twice as much at the peak hours of working days', async () => {
  const flash = (await hostModels(['deepseek'])).find(({ id }) => id === 'deepseek/deepseek-flash')
  const [price] = flash?.prices ?? []
  assert.deepEqual([price?.input, price?.output, price?.cacheRead], ['0.15', '0.6', '0.003'])
  assert.deepEqual(price?.schedule, [
    {
      times: ['Mon-Fri 01:00-04:00', 'Mon-Fri 06:00-10:00'],
      input: '0.3',
      output: '1.2',
      cacheRead: '0.006',
    },
  ])
  assert.match(price?.source ?? '', /api-docs\.deepseek\.com/)
})

test('every line has a known price with a source and a date, and none that no provider asks', async () => {
  const drafts = draftModels(await sources(...Object.keys(hostVariables)))
  for (const draft of drafts) {
    if (draft.kind === 'unsold') continue
    const [base] = draft.prices
    assert.match(base?.source ?? '', /\d{4}-\d{2}/, draft.name)
    for (const { body } of draft.prices) {
      const { input, output, cacheRead } = body.rates
      const usd = (nano: bigint): number => Number(nano) / 1e9
      assert.ok(usd(input) <= 200 && usd(output) <= 700, draft.name)
      assert.ok(cacheRead <= input * 5n, draft.name)
      assert.ok(output === 0n || output * 20n >= input, draft.name)
      for (const tier of body.tiers) assert.ok(tier.rates.input >= input, draft.name)
    }
  }
})

test('models whose price depends on who serves are known and not sold', async () => {
  for (const provider of ['huggingface']) {
    const drafts = draftModels(await sources(provider))
    assert.ok(drafts.length > 0)
    assert.ok(
      drafts.every(({ kind }) => kind === 'unsold'),
      provider,
    )
  }
})

test('a model that the table does not know is sold at its host where the operator says its price', async () => {
  const given = await sources('groq')
  const drafts = draftModels({
    ...given,
    configured: [
      { id: 'groq/new', context: 1_000, maxOutput: 100, prices: [{ input: '1', output: '2' }] },
      {
        id: 'quick',
        provider: 'groq',
        upstreamId: 'llama-3.1-8b-instant',
        context: 1_000,
        maxOutput: 100,
        prices: [{ input: '1', output: '2' }],
      },
    ],
  })
  const offers = (name: string) =>
    drafts.flatMap((draft) =>
      draft.name === name && draft.kind === 'sold' ? draft.model.offers.map((one) => one.upstreamModel) : [],
    )
  assert.deepEqual(offers('groq/new'), ['new'])
  assert.deepEqual(offers('quick'), ['llama-3.1-8b-instant'])
})
