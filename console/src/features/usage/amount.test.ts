/** Amounts on the axis of a chart. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { axisAmounts } from './amount.ts'

test('the ticks of an axis have one precision, also at tiny amounts; zero is $0.00', () => {
  assert.deepEqual(axisAmounts([0, 0.05, 0.1]), ['$0.00', '$0.05', '$0.10'])
  assert.deepEqual(axisAmounts([0, 0.00001, 0.00002]), ['$0.00', '$0.00001', '$0.00002'])
  assert.deepEqual(axisAmounts([0, 0.000005, 0.00001, 0.1 * 3e-4]), [
    '$0.00',
    '$0.000005',
    '$0.000010',
    '$0.000030',
  ])
})
