/** Rebuilding a large catalog: in small pieces, the snapshot switched as a whole, and changes that race are all in it. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { manualClock } from '../../test/support/manual-clock.ts'
import { openTestLedger } from '../../test/support/open-ledger.ts'
import { createSealer } from '../access/sealing.ts'
import { idSource, systemRandom } from '../base/ids.ts'
import { settingsOf } from '../store/settings.ts'
import { type Catalog, type CatalogDeps, openCatalog } from './catalog.ts'
import { priceAt } from './types.ts'

const modelsTotal = 300
const unitsPerTurn = 10

const clock = manualClock()

async function prepare(context: TestContext, onTurn: () => void): Promise<Catalog> {
  return openCatalog(await depsOf(context, onTurn))
}

async function depsOf(context: TestContext, onTurn: () => void): Promise<CatalogDeps> {
  const { store } = await openTestLedger(context, { clock })
  return {
    ...{ store, clock, nextId: idSource(clock, 3), settings: settingsOf(store) },
    sealer: createSealer(systemRandom(32), systemRandom),
    turns: {
      unitsPerTurn,
      async yieldTurn() {
        onTurn()
        await new Promise((resolve) => setImmediate(resolve))
      },
    },
    sources: {
      builtin: Array.from({ length: modelsTotal }, (_, index) => ({
        id: `house-${index}`,
        context: 1_000,
        maxOutput: 100,
        prices: [{ input: '1', output: '2' }],
      })),
      ...{ configured: [], aliases: {}, disabled: [], markup: null },
      upstreams: [{ name: 'house', provider: 'house', url: null, credential: 'none', weight: 1 }],
      providers: [
        {
          ...{ provider: 'house', displayName: 'House', families: ['house-'] },
          defaultOrigin: 'http://127.0.0.1:1',
          dialects: ['openai-chat'],
        },
      ],
    },
  }
}

test('a change of one price yields often, and requests see the old snapshot until the new one is whole', async (context) => {
  let turns = 0
  let seen: (() => void) | undefined
  const catalog = await prepare(context, () => {
    turns += 1
    seen?.()
  })
  const before = catalog.snapshot
  turns = 0
  const snapshots = new Set<unknown>()
  seen = () => snapshots.add(catalog.snapshot)
  await catalog.price('house-7', { input: '3', output: '4' })
  // Merging, drafting, looking up prices twice and building are a unit each for every model.
  assert.ok(turns >= (5 * modelsTotal) / unitsPerTurn, `${turns} turns`)
  assert.deepEqual([...snapshots], [before])
  assert.notEqual(catalog.snapshot, before)
})

const asked = { name: 'second', provider: 'house', url: null, weight: 1, disabled: false, credential: 'key' }

/** What looks at the whole catalog before it changes anything. */
const checks: Readonly<Record<string, (catalog: Catalog) => Promise<unknown>>> = {
  'a preview of an upstream': (catalog) => catalog.previewUpstream(asked),
  'a preview of an upstream with a list': (catalog) =>
    catalog.previewUpstream({ ...asked, models: [{ id: 'house-1' }, { id: 'house-2' }] }),
  'disabling an offer': (catalog) =>
    catalog.setDisabled({
      ...{ upstream: 'house', upstreamModel: 'house-3' },
      ...{ disabled: true, allowUnserved: true },
    }),
  'the offers of all upstreams': (catalog) => catalog.offersByUpstream(),
  'an offer that is refused': (catalog) =>
    catalog.offer({ model: 'other', upstream: 'house', definition: {} }),
  'the upstreams of a model, with an unknown one': (catalog) => catalog.nameUpstreams('house-1', ['absent']),
}

for (const [what, check] of Object.entries(checks)) {
  test(`${what} yields often`, async (context) => {
    let turns = 0
    const catalog = await prepare(context, () => {
      turns += 1
    })
    turns = 0
    await check(catalog)
    assert.ok(turns >= modelsTotal / unitsPerTurn, `${turns} turns`)
  })
}

test('a change of one model makes only this model again', async (context) => {
  const catalog = await prepare(context, () => undefined)
  const before = catalog.snapshot.models
  await catalog.price('house-7', { input: '3', output: '4' })
  const after = catalog.snapshot.models
  const made = [...after].filter(([name, model]) => model !== before.get(name)).map(([name]) => name)
  assert.deepEqual(made, ['house-7'])
})

const names = Array.from({ length: 8 }, (_, at) => `house-${at}`)
const hosts = ['second', 'third', 'own']

/** Any change of the catalog, by numbers from 0 to 1. */
function change(catalog: Catalog, deps: CatalogDeps, random: () => number): Promise<unknown> {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  const [model, host] = [pick(names), pick(hosts)]
  const amount = `${1 + Math.floor(random() * 9)}`
  const custom = {
    kind: 'custom',
    formats: ['openai-chat'],
    keyHeader: 'authorization',
    headers: {},
  } as const
  const put = () =>
    catalog.putUpstream({
      ...{ name: host, weight: 1 + Math.floor(random() * 3), disabled: random() < 0.2, credential: amount },
      ...(host === 'own'
        ? { provider: 'own', url: 'http://127.0.0.1:9', custom, models: [{ id: 'own/model' }] }
        : { provider: 'house', url: null, models: random() < 0.5 ? undefined : [{ id: model }] }),
    })
  const limits = { context: 100, maxOutput: 10 }
  return pick([
    put,
    put,
    () => catalog.price(model, { input: amount, output: '9' }),
    () => catalog.disable(model),
    () => catalog.enable(model),
    () => catalog.removeUpstream(host),
    () => catalog.setMarkup(random() < 0.5 ? null : `${amount}%`),
    () => catalog.nameUpstreams(model, random() < 0.5 ? null : ['house']),
    () => catalog.add({ id: `house-new-${amount}`, ...limits, prices: [{ input: amount, output: '1' }] }),
    () => catalog.add({ id: 'own/model', provider: 'own', ...limits, prices: [{ input: '1', output: '1' }] }),
    () => catalog.offer({ model: 'other', upstream: host, definition: { ...limits, prices: [] } }),
    () => catalog.setDisabled({ upstream: host, disabled: random() < 0.5, allowUnserved: true }),
    () => catalog.reload({ ...deps.sources, aliases: { [`alias-${amount}`]: model } }),
    () => catalog.reload({ ...deps.sources, upstreams: deps.sources.upstreams.toReversed() }),
    () => catalog.reload({ ...deps.sources, builtin: deps.sources.builtin.slice(Number(amount)) }),
  ])()
}

test('after any changes the snapshot is what a catalog has that is built of the same sources', async (context) => {
  const seed = Math.floor(systemRandom(1)[0]! * 256 + systemRandom(1)[0]!)
  context.diagnostic(`seed ${seed}`)
  const random = numbersOf(seed)
  const deps = await depsOf(context, () => undefined)
  const two = deps.sources.upstreams.flatMap((house) => [house, { ...house, name: 'last' }])
  const fewModels = deps.sources.builtin.slice(0, 20)
  const few = { ...deps, sources: { ...deps.sources, builtin: fewModels, upstreams: two } }
  const catalog = await openCatalog(few)
  let sources = few.sources
  const observed = new Proxy(catalog, {
    get(target, name) {
      if (name !== 'reload') return Reflect.get(target, name)
      return (given: typeof sources) => {
        sources = given
        return target.reload(given)
      }
    },
  })
  for (let step = 0; step < 150; step += 1) {
    await change(observed, few, random)
    clock.advance(1_000)
    const again = await openCatalog({ ...few, sources })
    assert.deepEqual(catalog.snapshot, again.snapshot, `step ${step}`)
    assert.deepEqual([...catalog.snapshot.models.keys()], [...again.snapshot.models.keys()])
  }
})

/** Numbers from 0 to 1, the same for a seed. */
function numbersOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

test('changes that race are all in the snapshot, with what is disabled in between', async (context) => {
  const catalog = await prepare(context, () => undefined)
  const place = { upstream: 'house', upstreamModel: 'house-3' }
  await Promise.all([
    catalog.price('house-1', { input: '3', output: '4' }),
    catalog.setDisabled({ ...place, disabled: true, allowUnserved: true }),
    catalog.price('house-2', { input: '5', output: '6' }),
    catalog.disable('house-4'),
  ])
  const { models } = catalog.snapshot
  const inputOf = (name: string) => {
    const model = models.get(name)
    return model === undefined ? undefined : priceAt(model, clock.wallMs()).rates.input
  }
  assert.deepEqual(['house-0', 'house-1', 'house-2', 'house-3', 'house-4'].map(inputOf), [
    1_000_000_000n,
    3_000_000_000n,
    5_000_000_000n,
    undefined,
    undefined,
  ])
})
