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
          formats: ['openai-chat'],
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

/** Operations that check the whole catalog before they change anything. */
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
