/** Lists of models are written once, and again when anything in them may differ. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseWindow } from './prices/price-schedule.ts'
import type { PriceVersion, Snapshot } from './types.ts'
import { WrittenLists } from './written-lists.ts'

const nowMs = Date.UTC(2026, 10, 23, 12, 0, 30)
const price = (more: Partial<PriceVersion> = {}) => ({ effectiveFromMs: 0, ...more }) as PriceVersion
const snapshotOf = (...prices: PriceVersion[]) =>
  ({ models: new Map([['m', { prices }]]) }) as unknown as Snapshot

/** Writes at each moment; answers how often the list was made. */
function timesMade(snapshots: (at: number) => Snapshot, moments: readonly number[], listsMax = 4): number {
  const lists = new WrittenLists({ writtenListsMax: listsMax })
  let made = 0
  for (const [at, moment] of moments.entries())
    lists.written(snapshots(at), 'list', moment, () => ({ made: ++made }))
  return made
}

test('one list serves as long as catalog and prices are the same', () => {
  const snapshot = snapshotOf(price())
  assert.equal(
    timesMade(() => snapshot, [nowMs, nowMs + 1, nowMs + 3_600_000]),
    1,
  )
  assert.equal(
    timesMade(() => snapshotOf(price()), [nowMs, nowMs]),
    2,
    'another catalog',
  )
})

test('it is written again from the moment at which a price changes, and if the clock is set back', () => {
  const coming = snapshotOf(price(), price({ effectiveFromMs: nowMs + 1_000 }))
  assert.equal(
    timesMade(() => coming, [nowMs, nowMs + 999]),
    1,
  )
  assert.equal(
    timesMade(() => coming, [nowMs, nowMs + 1_000, nowMs + 2_000]),
    2,
  )
  assert.equal(
    timesMade(() => coming, [nowMs, nowMs - 1]),
    2,
  )
})

test('with prices by the time of day it is written once a minute', () => {
  const byTime = snapshotOf(price(), price({ schedule: [parseWindow('12:01-13:00')!] }))
  assert.equal(
    timesMade(() => byTime, [nowMs, nowMs + 29_999, nowMs + 30_000, nowMs + 89_999]),
    2,
  )
})

test('the lists that were written last stay in memory', () => {
  const lists = new WrittenLists({ writtenListsMax: 2 })
  const snapshot = snapshotOf(price())
  for (const key of ['a', 'b', 'a', 'c']) lists.written(snapshot, key, nowMs, () => key)
  const kept = ['a', 'b', 'c'].filter((key) => lists.kept(snapshot, key, nowMs) !== undefined)
  assert.deepEqual(kept, ['b', 'c'])
})
