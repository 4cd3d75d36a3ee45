/** Spending windows: each restarts at its UTC boundary and never because a clock stepped. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { rollSpend, type SpendTotals, spentIn, unspent, windowBounds } from './budget.ts'
import { dayMs, dayOf } from './calendar.ts'
import type { BudgetWindow } from './types.ts'

const windows: readonly BudgetWindow[] = ['day', 'week', 'month', 'total']
const at = (text: string): number => Date.parse(`${text}Z`)

function spend(before: SpendTotals, amount: bigint, nowMs: number): SpendTotals {
  const rolled = rollSpend(before, nowMs)
  return { ...rolled, spent: rolled.spent + amount }
}

/** A time, the spend at it, and the totals of each window right after it: day, week, month, total. */
const story: readonly [when: string, amount: bigint, ...after: readonly bigint[]][] = [
  ['2026-01-30T10:00:00', 5n, 5n, 5n, 5n, 5n],
  ['2026-01-30T23:59:59.999', 2n, 7n, 7n, 7n, 7n],
  ['2026-01-31T00:00:00', 1n, 1n, 8n, 8n, 8n],
  ['2026-02-01T00:00:00', 3n, 3n, 11n, 3n, 11n],
  ['2026-02-02T00:00:00', 4n, 4n, 4n, 7n, 15n],
  ['2026-02-28T12:00:00', 1n, 1n, 1n, 8n, 16n],
  ['2026-03-01T00:00:00', 1n, 1n, 2n, 1n, 17n],
  ['2027-03-01T00:00:00', 1n, 1n, 1n, 1n, 18n],
]

test('every window begins at its boundary', () => {
  let totals = unspent
  for (const [when, amount, ...after] of story) {
    totals = spend(totals, amount, at(when))
    assert.deepEqual(
      windows.map((window) => spentIn(totals, window)),
      after,
      when,
    )
  }
})

test('a clock that steps back over midnight and forth again forgives nothing and doubles nothing', () => {
  let totals = spend(unspent, 5n, at('2026-01-30T23:59:00'))
  totals = spend(totals, 2n, at('2026-01-31T00:00:01'))
  totals = spend(totals, 1n, at('2026-01-30T23:59:59'))
  assert.equal(spentIn(totals, 'day'), 3n)
  totals = spend(totals, 1n, at('2026-01-31T00:00:02'))
  assert.equal(spentIn(totals, 'day'), 4n)
  assert.equal(spentIn(totals, 'month'), 9n)
})

test('a clock that was far ahead takes its window back with it and is not stuck there', () => {
  let totals = spend(unspent, 5n, at('2030-06-15T12:00:00'))
  totals = spend(totals, 1n, at('2026-01-10T12:00:00'))
  assert.equal(spentIn(totals, 'day'), 6n)
  totals = spend(totals, 1n, at('2026-01-11T12:00:00'))
  assert.equal(spentIn(totals, 'day'), 1n)
  assert.equal(spentIn(totals, 'total'), 7n)
})

test('the totals agree with a list of what was spent, as long as time goes forwards', () => {
  const steps = fc.array(
    fc.record({ afterMs: fc.integer({ min: 0, max: 40 * dayMs }), amount: fc.bigInt(0n, 1_000n) }),
    { maxLength: 30 },
  )
  fc.assert(
    fc.property(steps, (list) => {
      let nowMs = at('2026-01-01T00:00:00')
      let totals = unspent
      const spent: { readonly atMs: number; readonly amount: bigint }[] = []
      for (const { afterMs, amount } of list) {
        nowMs += afterMs
        totals = spend(totals, amount, nowMs)
        spent.push({ atMs: nowMs, amount })
        for (const window of windows) {
          const startMs = windowBounds(window, nowMs)?.startMs ?? 0
          const due = spent.filter(({ atMs }) => atMs >= startMs).reduce((sum, one) => sum + one.amount, 0n)
          assert.equal(spentIn(totals, window), due, `${window} at ${new Date(nowMs).toISOString()}`)
        }
      }
    }),
  )
})

test('a window contains its moment and is followed by the next one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: at('2100-01-01T00:00:00') }), (ms) => {
      for (const window of windows) {
        const bounds = windowBounds(window, ms)
        if (bounds === null) continue
        assert.ok(bounds.startMs <= ms && ms < bounds.endMs)
        assert.equal(windowBounds(window, bounds.endMs)?.startMs, bounds.endMs)
        assert.equal(dayOf(bounds.startMs) * dayMs, bounds.startMs)
      }
    }),
  )
})
