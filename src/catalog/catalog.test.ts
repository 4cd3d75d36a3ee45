/** The catalog on a real store: versions that are never lost or made twice, commands that last, changes one after another. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { manualClock } from '../../test/support/manual-clock.ts'
import { openTestLedger } from '../../test/support/open-ledger.ts'
import { openSealing } from '../access/sealing.ts'
import { idSource, systemRandom } from '../base/ids.ts'
import { settingsOf } from '../store/settings.ts'
import type { Store } from '../store/store.ts'
import { type Catalog, type GivenSources, openCatalog } from './catalog.ts'
import type { ModelDefinition } from './definition.ts'
import { priceAt } from './types.ts'

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
  upstreams: [{ name: 'house', provider: 'house', origin: null, credential: 'none', weight: 1 }],
  providers: [
    {
      provider: 'house',
      displayName: 'House',
      families: ['house-'],
      defaultOrigin: 'http://127.0.0.1:1',
      dialects: ['openai-chat'],
    },
  ],
}

async function prepare(context: TestContext) {
  const clock = manualClock()
  const { store } = await openTestLedger(context, { clock })
  const nextId = idSource(clock, 3)
  const sealing = openSealing(systemRandom(32), systemRandom)
  const open = (sources: GivenSources = given): Promise<Catalog> =>
    openCatalog({ store, clock, nextId, settings: settingsOf(store), sealing, sources })
  return { clock, store, open }
}

async function versions(store: Store) {
  return await store.database.selectFrom('price_version').selectAll().orderBy('id').execute()
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

test('a price for later is known at once and in force at its time', async (context) => {
  const { clock, open } = await prepare(context)
  const catalog = await open()
  const later = new Date(clock.wallMs() + 60_000).toISOString()
  await catalog.price('house-1', { effectiveFrom: later, input: '5', output: '6' })
  const model = catalog.snapshot.models.get('house-1')!
  assert.equal(priceAt(model, clock.wallMs()).rates.input, 1_000_000_000n)
  assert.equal(priceAt(model, clock.wallMs() + 60_000).rates.input, 5_000_000_000n)
})

test('a model that is added is sold at once and after a restart; adding again replaces its facts, not its prices', async (context) => {
  const { open } = await prepare(context)
  const catalog = await open()
  const definition: ModelDefinition = { id: 'house-3', context: 9, maxOutput: 3 }
  assert.deepEqual(await catalog.add(definition), changed)
  assert.equal(catalog.snapshot.unsold.get('house-3'), 'no price is known')
  assert.deepEqual(await catalog.price('house-3', { input: '1', output: '1' }), changed)
  assert.equal(catalog.snapshot.models.get('house-3')?.provider, 'house')
  assert.deepEqual(await catalog.add({ ...definition, maxOutput: 4, upstreamId: 'x' }), changed)
  const model = (await open()).snapshot.models.get('house-3')!
  assert.deepEqual([model.outputTokensMax, model.upstreamModel, model.prices.length], [4, 'x', 1])
})

test('a disabled model is not sold until it is enabled, over a restart too', async (context) => {
  const { open } = await prepare(context)
  const catalog = await open()
  assert.deepEqual(await catalog.disable('house-1'), changed)
  assert.match((await open()).snapshot.unsold.get('house-1') ?? '', /^disabled/)
  assert.match(catalog.snapshot.unsold.get('quick') ?? '', /which is not sold: disabled/)
  assert.deepEqual(await catalog.enable('house-1'), changed)
  assert.ok(catalog.snapshot.models.has('quick'))
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
  ['an amount', { ...house, prices: [{ input: '1', output: '-2' }] }, '-2 is no amount in USD such as 0.15'],
  [
    'a tier',
    { ...house, prices: [{ input: '1', output: '2', tiers: [{ aboveInputTokens: 1, input: 'x' }] }] },
    'x is no amount in USD such as 0.15',
  ],
  [
    'a fee',
    { ...house, prices: [{ input: '1', output: '2', fees: { web_search: '1e-2' } }] },
    '1e-2 is no amount in USD such as 0.15',
  ],
  [
    'a factor',
    { ...house, prices: [{ input: '1', output: '2', options: { 'speed:fast': '0' } }] },
    '0 is no factor above zero such as 0.5 or 5/3',
  ],
  ['a date', { ...house, prices: [{ effectiveFrom: 'soon', input: '1', output: '2' }] }, 'soon is no date'],
  ['a markup', { ...house, markup: '5' }, '5 is no percentage such as 5%'],
  ['an alias', { ...house, id: 'quick' }, 'quick is an alias of house-1'],
]

test('mistakes are told and change nothing', async (context) => {
  const { store, open } = await prepare(context)
  const catalog = await open()
  const before = catalog.snapshot
  for (const [what, definition, message] of mistakes) {
    assert.deepEqual(await catalog.add(definition), { kind: 'mistake', message }, what)
  }
  assert.equal(catalog.snapshot, before)
  assert.deepEqual(await store.database.selectFrom('model_override').selectAll().execute(), [])
})

test('changes at once all take effect, whatever order they end in', async (context) => {
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
