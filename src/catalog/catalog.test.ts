/** The catalog on a real store: versions are never lost or duplicated, commands are durable, changes are sequential. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { plainAsk } from '../../test/support/ledger-values.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { openTestLedger } from '../../test/support/open-ledger.ts'
import { createSealer } from '../access/sealing.ts'
import { idSource, systemRandom } from '../base/ids.ts'
import { settingsOf } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import { type Catalog, type GivenSources, openCatalog } from './catalog.ts'
import type { ModelDefinition } from './definition.ts'
import { priceAt } from './types.ts'
import type { CredentialSealer } from './upstreams/console-upstreams.ts'

const house: ModelDefinition = {
  id: 'house-1',
  provider: 'house',
  context: 1_000,
  maxOutput: 100,
  prices: [{ input: '1', output: '2', source: 'the table' }],
}

const given: GivenSources = {
  builtin: [house, { ...house, id: 'house-2' }, { ...house, id: 'house-other', provider: 'nobody' }],
  configured: [],
  aliases: { quick: 'house-1' },
  disabled: [],
  markup: null,
  upstreams: [{ name: 'house', provider: 'house', url: null, credential: 'none', weight: 1 }],
  providers: [
    {
      provider: 'house',
      displayName: 'House',
      families: ['house-'],
      defaultOrigin: 'http://127.0.0.1:1',
      formats: ['openai-chat'],
    },
  ],
}

async function prepare(context: TestContext) {
  const clock = manualClock()
  const { store } = await openTestLedger(context, { clock })
  const nextId = idSource(clock, 3)
  const ownSealer = createSealer(systemRandom(32), systemRandom)
  const open = (sources: GivenSources = given, sealer: CredentialSealer = ownSealer): Promise<Catalog> =>
    openCatalog({ store, clock, nextId, settings: settingsOf(store), sealer, sources })
  return { clock, store, open }
}

/** Without the price that test ledgers are opened with. */
async function versions(store: Store) {
  const all = store.database.selectFrom('price_version').selectAll().orderBy('id')
  return await all.where('model', '<>', plainAsk.model).execute()
}

const changed = { kind: 'changed' } as const

test('every price of what is sold has a row, and opening again makes no other', async (context) => {
  const { store, open } = await prepare(context)
  const first = (await open()).snapshot
  const rows = await versions(store)
  assert.deepEqual(
    rows.map(({ model, source }) => [model, source]),
    [
      ['house-1', 'the table'],
      ['house-2', 'the table'],
    ],
  )
  assert.equal(first.models.get('house-1')?.prices[0]?.id, rows[0]?.id)
  assert.equal(first.models.get('quick')?.prices[0]?.id, rows[0]?.id)
  assert.deepEqual((await open()).snapshot, first)
  assert.deepEqual(await versions(store), rows)
})

test('another price is another version; the former one keeps its row and its id', async (context) => {
  const { store, open } = await prepare(context)
  const before = (await open()).snapshot.models.get('house-1')!.prices[0]!
  const dearer = { ...given, markup: '10%' }
  const marked = (await open(dearer)).snapshot.models.get('house-1')!.prices[0]!
  assert.notEqual(marked.id, before.id)
  assert.equal((await versions(store)).length, 4)
  assert.equal((await open()).snapshot.models.get('house-1')!.prices[0]!.id, before.id)
  assert.equal((await versions(store)).length, 4)
})

test('a price by command is in force from now on, also after a restart, and the former ones stay', async (context) => {
  const { clock, store, open } = await prepare(context)
  const catalog = await open()
  clock.advance(5_000)
  const nowMs = clock.wallMs()
  assert.deepEqual(await catalog.price('house-1', { input: '5', output: '6' }), changed)
  const model = catalog.snapshot.models.get('house-1')!
  assert.equal(priceAt(model, nowMs - 1).rates.input, 1_000_000_000n)
  assert.equal(priceAt(model, nowMs).rates.input, 5_000_000_000n)
  assert.equal(catalog.snapshot.models.get('quick')?.prices.length, 2)
  assert.deepEqual((await open()).snapshot, catalog.snapshot)
  assert.equal((await versions(store)).length, 3)
})

test('formats that an earlier version stored for a model and its offers are kept', async (context) => {
  const { store, open } = await prepare(context)
  const dialects = ['openai-chat']
  const offers = [{ upstream: 'house', dialects }]
  for (const stored of [
    { ...house, id: 'offered', offers },
    { ...house, id: 'house-plain', dialects },
  ]) {
    const row = { name: stored.id, body: JSON.stringify(stored), disabled: 0 }
    await store.database.insertInto('model_override').values(row).execute()
  }
  const both = { ...given.providers[0]!, formats: ['anthropic', 'openai-chat'] } as const
  const { models } = (await open({ ...given, providers: [both] })).snapshot
  const formats = (name: string) => models.get(name)?.offers.map((offer) => offer.formats)
  assert.deepEqual([formats('offered'), formats('house-plain')], [[dialects], [dialects]])
  assert.deepEqual(formats('house-2'), [both.formats])
})

test('upstreams that an earlier version stored for a model are its offers', async (context) => {
  const { store, open } = await prepare(context)
  const body = JSON.stringify({ id: 'house-1', upstreams: ['absent'] })
  await store.database.insertInto('model_override').values({ name: 'house-1', body, disabled: 0 }).execute()
  const catalog = await open()
  assert.equal(catalog.snapshot.unsold.get('house-1'), 'none of its upstreams (absent) can serve it')
  assert.deepEqual(await catalog.offer({ model: 'house-1', upstream: 'house', definition: {} }), changed)
  const offers = catalog.snapshot.models.get('house-1')?.offers.map(({ upstream }) => upstream.name)
  assert.deepEqual(offers, ['house'])
})

test('a scheduled price is known immediately and in force at its time', async (context) => {
  const { clock, open } = await prepare(context)
  const catalog = await open()
  const later = new Date(clock.wallMs() + 60_000).toISOString()
  await catalog.price('house-1', { effectiveFrom: later, input: '5', output: '6' })
  const model = catalog.snapshot.models.get('house-1')!
  assert.equal(priceAt(model, clock.wallMs()).rates.input, 1_000_000_000n)
  assert.equal(priceAt(model, clock.wallMs() + 60_000).rates.input, 5_000_000_000n)
})

test('an added model is available immediately and after a restart; adding again replaces its facts, not its prices', async (context) => {
  const { open } = await prepare(context)
  const catalog = await open()
  const definition: ModelDefinition = { id: 'house-3', context: 9, maxOutput: 3 }
  assert.deepEqual(await catalog.add(definition), changed)
  assert.equal(catalog.snapshot.unsold.get('house-3'), 'no price is known')
  assert.deepEqual(await catalog.price('house-3', { input: '1', output: '1' }), changed)
  assert.equal(catalog.snapshot.models.get('house-3')?.provider, 'house')
  assert.deepEqual(
    await catalog.add({ ...definition, maxOutput: 4, upstreamId: 'x', offers: [{ upstream: 'house' }] }),
    changed,
  )
  const model = (await open()).snapshot.models.get('house-3')!
  assert.deepEqual([model.outputTokensMax, model.upstreamModel, model.prices.length], [4, 'x', 1])
})

test('a disabled model is not sold until it is enabled, over a restart too', async (context) => {
  const { open } = await prepare(context)
  const catalog = await open()
  assert.deepEqual(await catalog.disable('house-1'), changed)
  assert.match((await open()).snapshot.unsold.get('house-1') ?? '', /^disabled/)
  assert.match(catalog.snapshot.unsold.get('quick') ?? '', /which is not enabled: disabled/)
  assert.deepEqual(await catalog.enable('house-1'), changed)
  assert.ok(catalog.snapshot.models.has('quick'))
})

const put = { name: 'house', provider: 'house', url: null, weight: 1, disabled: false, credential: 'key' }

test('an upstream that leaves the configuration and is added in the console is not disabled', async (context) => {
  const { open } = await prepare(context)
  const catalog = await open()
  for (const upstreamModel of [undefined, 'house-2'])
    await catalog.setDisabled({ upstream: 'house', upstreamModel, disabled: true, allowUnserved: true })
  await catalog.reload({ ...given, upstreams: [] })
  assert.deepEqual(await catalog.putUpstream(put), { kind: 'written' })
  assert.deepEqual([...catalog.snapshot.models.keys()], ['house-1', 'house-2', 'quick'])
})

test('an upstream of the console that was disabled in the configuration can be enabled', async (context) => {
  const { open } = await prepare(context)
  const catalog = await open({ ...given, upstreams: [] })
  await catalog.putUpstream(put)
  await catalog.reload(given)
  const change = { upstream: 'house', disabled: true, allowUnserved: true }
  await catalog.setDisabled(change)
  await catalog.reload({ ...given, upstreams: [] })
  const shown = () => catalog.upstreams.map(({ disabled, serves }) => [disabled, serves.length])
  assert.deepEqual(shown(), [[true, 0]])
  await catalog.setDisabled({ ...change, disabled: false })
  assert.deepEqual(shown(), [[false, 3]])
})

test('a name that is not known is said to be none, with what may have been meant', async (context) => {
  const { open } = await prepare(context)
  const catalog = await open()
  const unknown = { kind: 'unknown_model', nearest: ['house-1', 'house-2'] }
  assert.deepEqual(await catalog.disable('house-l'), unknown)
  assert.deepEqual(await catalog.enable('house-l'), unknown)
  assert.deepEqual(await catalog.price('house-l', { input: '1', output: '1' }), unknown)
})

const mistakes: readonly [what: string, definition: ModelDefinition, message: string][] = [
  [
    'an amount',
    { ...house, prices: [{ input: '1', output: '-2' }] },
    '-2 is not an amount in USD such as 0.15',
  ],
  [
    'a tier',
    { ...house, prices: [{ input: '1', output: '2', tiers: [{ aboveInputTokens: 1, input: 'x' }] }] },
    'x is not an amount in USD such as 0.15',
  ],
  [
    'a fee',
    { ...house, prices: [{ input: '1', output: '2', fees: { web_search: '1e-2' } }] },
    '1e-2 is not an amount in USD such as 0.15',
  ],
  [
    'a factor',
    { ...house, prices: [{ input: '1', output: '2', options: { 'speed:fast': '0' } }] },
    '0 is not a factor above zero such as 0.5 or 5/3',
  ],
  [
    'a date',
    { ...house, prices: [{ effectiveFrom: 'soon', input: '1', output: '2' }] },
    'soon is not a date',
  ],
  ['a markup', { ...house, markup: '5' }, '5 is not a percentage such as 5%'],
  ['an alias', { ...house, id: 'quick' }, 'quick is an alias of house-1'],
]

test('mistakes are reported and change nothing', async (context) => {
  const { store, open } = await prepare(context)
  const catalog = await open()
  const before = catalog.snapshot
  for (const [what, definition, message] of mistakes) {
    assert.deepEqual(await catalog.add(definition), { kind: 'mistake', message }, what)
  }
  assert.equal(catalog.snapshot, before)
  assert.deepEqual(await store.database.selectFrom('model_override').selectAll().execute(), [])
})

test('concurrent changes all take effect, whatever order they end in', async (context) => {
  const { open } = await prepare(context)
  const catalog = await open()
  const names = Array.from({ length: 10 }, (_, index) => `house-new-${index}`)
  await Promise.all([
    ...names.map((id) => catalog.add({ ...house, id })),
    catalog.reload(),
    catalog.disable('house-2'),
  ])
  for (const name of names) assert.ok(catalog.snapshot.models.has(name), name)
  assert.ok(catalog.snapshot.unsold.has('house-2'))
})

test('a snapshot that a request has read stays as it is while the catalog changes', async (context) => {
  const { open } = await prepare(context)
  const catalog = await open()
  const read = catalog.snapshot
  await catalog.disable('house-1')
  await catalog.reload({ ...given, builtin: [] })
  assert.ok(read.models.has('house-1') && read.models.has('house-2'))
  assert.equal(catalog.snapshot.models.size, 0)
})

const added = {
  name: 'second',
  provider: 'house',
  url: 'https://second.example',
  weight: 3,
  disabled: false,
  models: 'all',
  credential: 'a credential of 28 characters',
} as const

/** The upstreams that may be asked for a model. */
function upstreamsOf({ snapshot }: Pick<Catalog, 'snapshot'>, model = 'house-1') {
  return snapshot.models.get(model)?.offers.map(({ upstream }) => upstream) ?? []
}

test('an upstream that was removed while the rest could not be read is gone after another try', async (context) => {
  const { open } = await prepare(context)
  const real = createSealer(systemRandom(32), systemRandom)
  let fails = false
  const catalog = await open(given, {
    seal: real.seal,
    open(sealed, boundTo) {
      if (fails) throw new Error('it cannot be read')
      return real.open(sealed, boundTo)
    },
  })
  await catalog.putUpstream(added)
  await catalog.putUpstream({ ...added, name: 'third' })
  fails = true
  await assert.rejects(catalog.removeUpstream('second'), /cannot be read/)
  fails = false
  assert.equal(await catalog.removeUpstream('second'), true)
  assert.deepEqual(
    upstreamsOf(catalog).map(({ name }) => name),
    ['house', 'third'],
  )
  assert.equal(await catalog.removeUpstream('second'), false)
})

test('names of the configuration stay its own, and a provider must be one that can be spoken to', async (context) => {
  const { open } = await prepare(context)
  const catalog = await open()
  assert.deepEqual(await catalog.putUpstream({ ...added, name: 'house' }), { kind: 'configured' })
  const unknown = await catalog.putUpstream({ ...added, provider: 'nobody' })
  assert.deepEqual(unknown, { kind: 'unknown_provider', providers: ['house'] })
  assert.equal(await catalog.removeUpstream('house'), false)
  await catalog.putUpstream(added)
  const taken = { name: 'second', provider: 'house', url: null, credential: 'from the file', weight: 1 }
  await catalog.reload({ ...given, upstreams: [...given.upstreams, taken] })
  assert.equal(upstreamsOf(catalog)[1]?.credential, 'from the file')
  assert.match(catalog.upstreams[2]?.problem ?? '', /same name/)
})

test('a disabled upstream sells nothing, and models without any other are not sold', async (context) => {
  const { open } = await prepare(context)
  const catalog = await open({ ...given, upstreams: [] })
  assert.equal(catalog.snapshot.models.size, 0)
  await catalog.putUpstream(added)
  assert.ok(catalog.snapshot.models.has('house-1'))
  await catalog.putUpstream({ ...added, disabled: true, credential: null })
  assert.equal(catalog.snapshot.models.size, 0)
  assert.equal(catalog.upstreams[0]?.disabled, true)
})

test('a markup makes another version from now on; what was and what is to come keep their dates', async (context) => {
  const { open, clock } = await prepare(context)
  const laterMs = clock.wallMs() + 86_400_000
  const later = { input: '4', output: '8', effectiveFrom: new Date(laterMs).toISOString() }
  const own: ModelDefinition = { ...house, id: 'house-own', markup: '50%' }
  const catalog = await open({
    ...given,
    markup: '10%',
    builtin: [{ ...house, prices: [...(house.prices ?? []), later] }, own],
  })
  assert.deepEqual(catalog.markup, { markup: '10%', from: 'configuration' })
  const before = catalog.snapshot.models.get('house-1')!
  const ownBefore = catalog.snapshot.models.get('house-own')
  const setMs = clock.wallMs()
  await catalog.setMarkup('20%')
  clock.advance(1_000)
  assert.deepEqual(catalog.markup, { markup: '20%', from: 'console' })
  const after = catalog.snapshot.models.get('house-1')!
  const rates = (prices: typeof after.prices) =>
    prices.map(({ effectiveFromMs, rates: { input } }) => [effectiveFromMs, input])
  assert.deepEqual(rates(before.prices), [
    [0, 1_100_000_000n],
    [laterMs, 4_400_000_000n],
  ])
  assert.deepEqual(rates(after.prices), [
    [setMs, 1_200_000_000n],
    [laterMs, 4_800_000_000n],
  ])
  assert.deepEqual(catalog.snapshot.models.get('house-own'), ownBefore)
  assert.deepEqual(
    (await catalog.prices('house-1')).map(({ effectiveFromMs, rates }) => [effectiveFromMs, rates.input]),
    [
      [0, 1_100_000_000n],
      [setMs, 1_200_000_000n],
      [laterMs, 4_800_000_000n],
    ],
  )
  assert.deepEqual(
    await catalog.prices('quick'),
    await catalog.prices('house-1'),
    'an alias costs what its model costs',
  )
  await catalog.setMarkup(null)
  assert.equal(priceAt(catalog.snapshot.models.get('house-1')!, clock.wallMs()).rates.input, 1_000_000_000n)
  assert.equal((await catalog.prices('house-1')).length, 4)
})

test('an alias has no offers of its own, and a disabled model can be prepared', async (context) => {
  const catalog = await (await prepare(context)).open()
  const offers = [{ upstream: 'house', priority: 1, weight: 4 }]
  for (const rejected of [
    await catalog.setOffers({ model: 'quick', offers, allowUnserved: false }),
    await catalog.previewOffers({ model: 'quick', offers }),
    catalog.offersOf('quick'),
  ]) {
    const message = 'quick is an alias of house-1, which has the offers'
    assert.deepEqual(rejected, { kind: 'mistake', message, param: 'model' })
  }
  await catalog.disable('house-1')
  const written = await catalog.setOffers({ model: 'house-1', offers, allowUnserved: false })
  assert.ok(!('kind' in written))
  assert.deepEqual([written.rows[0]?.weight, written.reason], [4, 'disabled by an administrator'])
  await catalog.enable('house-1')
  assert.equal(catalog.snapshot.models.get('house-1')?.offers[0]?.weight, 4)
})

test('a change of the stored row that this server has not read yet is a conflict', async (context) => {
  const { open } = await prepare(context)
  const [one, other] = [await open(), await open()]
  const offers = [{ upstream: 'house', priority: 1, weight: 4 }]
  const { revision } = one.offersOf('house-1') as { readonly revision: string }
  const first = await one.setOffers({ model: 'house-1', offers, revision, allowUnserved: false })
  assert.ok(!('kind' in first))
  const late = { model: 'house-1', offers: [{ ...offers[0]!, weight: 9 }], revision, allowUnserved: false }
  assert.deepEqual(await other.setOffers(late), { kind: 'changed_meanwhile' })
  assert.deepEqual(await other.offersOf('house-1'), first, 'and it is read then')
})
