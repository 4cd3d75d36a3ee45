/** Axes end at a labeled tick above the highest value. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ticksTo } from './ticks.ts'

const cases: readonly (readonly [high: number, whole: boolean, ticks: readonly number[]])[] = [
  [0, false, [0, 1]],
  [4.99, false, [0, 1, 2, 3, 4, 5]],
  [5, false, [0, 1, 2, 3, 4, 5]],
  [0.0000123, false, [0, 0.0000025, 0.000005, 0.0000075, 0.00001, 0.0000125]],
  [1, true, [0, 1]],
  [3, true, [0, 1, 2, 3]],
  [28, true, [0, 10, 20, 30]],
  [1_234, true, [0, 250, 500, 750, 1_000, 1_250]],
]

for (const [high, whole, ticks] of cases) {
  test(`the axis of ${high}${whole ? ' whole' : ''}`, () => assert.deepEqual(ticksTo(high, whole), ticks))
}
