/** Scheduled prices as the command line reads them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSchedule } from './price-schedule.ts'

test('times are separated by commas, and rates are named like the other options', () => {
  assert.deepEqual(
    readSchedule('Mon-Fri 01:00-04:00, 22:00-02:00 input=0.30 output=1.20 cache-read=0.006 cache-write-5m=1'),
    {
      times: ['Mon-Fri 01:00-04:00', '22:00-02:00'],
      ...{ input: '0.30', output: '1.20', cacheRead: '0.006', cacheWrite5m: '1' },
    },
  )
})

for (const text of ['01:00-04:00', 'input=1 output=2', '01:00-04:00 inptu=1', '01:00-04:00 input=1=2', '']) {
  test(`${JSON.stringify(text)} cannot be read`, () => assert.equal(readSchedule(text), undefined))
}
