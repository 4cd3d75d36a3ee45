/** Which names are near, and that the work stays bounded on long input. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { costRatio } from '../../test/support/cost-ratio.ts'
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

test('a swap of adjacent letters is one edit, so it ranks before two replacements', () => {
  assert.deepEqual(nearest('abdc', ['abxy', 'abcd'], 2), ['abcd'])
})

test('a name of a million characters costs no more than one of eighty', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => `name-${index}-${'x'.repeat(70)}`)
  const ratio = costRatio(20, {
    small: () => nearest('n'.repeat(80), many, 3),
    large: () => nearest('n'.repeat(1_000_000), many, 3),
    floorUs: 20_000,
  })
  assert.ok(ratio < 20, `${ratio.toFixed(1)} times the work`)
})
