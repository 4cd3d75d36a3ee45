/** What counts as near, and that the work stays bounded on long input. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearest } from './nearest.ts'

const names = [
  'TOLLGATE_PORT',
  'TOLLGATE_HOST',
  'TOLLGATE_PUBLIC_URL',
  'requestsPerMinute',
  'tokensPerMinute',
]

const cases: readonly [wanted: string, found: readonly string[]][] = [
  ['TOLLGATE_PROT', ['TOLLGATE_PORT', 'TOLLGATE_HOST']],
  ['TOLLGATE_PUBLIC', ['TOLLGATE_PUBLIC_URL']],
  ['requestPerMinute', ['requestsPerMinute']],
  ['REQUESTSPERMINUTE', ['requestsPerMinute']],
  ['entirely else', []],
  ['', []],
]

for (const [wanted, found] of cases) {
  test(`near ${JSON.stringify(wanted)}: ${found.join(', ') || 'nothing'}`, () => {
    assert.deepEqual(nearest(wanted, names, 3), found)
  })
}

test('a swap of neighbours is one edit, so it comes before two replacements', () => {
  assert.deepEqual(nearest('abdc', ['abxy', 'abcd'], 2), ['abcd'])
})

test('a name of a million characters costs no more than one of eighty', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => `name-${index}-${'x'.repeat(70)}`)
  const before = process.cpuUsage().user
  nearest('n'.repeat(1_000_000), many, 3)
  const long = process.cpuUsage().user - before
  const again = process.cpuUsage().user
  nearest('n'.repeat(80), many, 3)
  const short = process.cpuUsage().user - again
  assert.ok(long < 20 * Math.max(short, 20_000), `${long} µs against ${short} µs`)
})
