/** Amounts as people read them: rounded in decimal, never by way of a floating number. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatUsd } from '../../../contract/usd.ts'
import {
  balanceUsd,
  columnUsd,
  compareUsd,
  exactUsd,
  isNegative,
  isZero,
  roundUsd,
  sumUsd,
  usd,
} from './usd.ts'

const cases: readonly (readonly [text: string, short: string, exact: string, round: string])[] = [
  ['0.00', '$0.00', '$0.00', '$0.00'],
  ['30.27896', '$30.2790', '$30.27896', '$30.28'],
  ['0.105', '$0.1050', '$0.105', '$0.11'],
  ['5.00', '$5.00', '$5.00', '$5.00'],
  ['4.998123456', '$4.9981', '$4.998123456', '$5.00'],
  ['0.054399', '$0.0544', '$0.054399', '$0.05'],
  ['0.000054399', '$0.000054', '$0.000054399', '$0.00'],
  ['0.000000001', '$0.000000001', '$0.000000001', '$0.00'],
  ['0.00996', '$0.01', '$0.00996', '$0.01'],
  ['9999.123456789', '$9,999.1235', '$9,999.123456789', '$9,999.12'],
  ['10000004.123456789', '$10,000,004.12', '$10,000,004.123456789', '$10,000,004.12'],
  ['-9223372036.854775807', '−$9,223,372,036.85', '−$9,223,372,036.854775807', '−$9,223,372,036.85'],
  ['1234567.5', '$1,234,567.50', '$1,234,567.50', '$1,234,567.50'],
  ['999.99996', '$1,000.00', '$999.99996', '$1,000.00'],
  ['-0.03', '−$0.03', '−$0.03', '−$0.03'],
  ['-0.00', '$0.00', '$0.00', '$0.00'],
  ['about five', 'about five', 'about five', 'about five'],
]

for (const [text, short, exact, round] of cases) {
  test(`${text} is read as ${short}`, () => {
    assert.deepEqual([usd(text), exactUsd(text), roundUsd(text)], [short, exact, round])
  })
}

test('in a column amounts have four decimals at least, and nothing has none', () => {
  assert.deepEqual(
    ['5.00', '0.1234567', '-0.00', '0.000054399', '10000.12345', 'about five'].map(columnUsd),
    ['$5.0000', '$0.1235', '$0', '$0.000054', '$10,000.1235', 'about five'],
  )
})

test('a balance is never shown as more than it is', () => {
  assert.deepEqual(
    ['5.00', '4.999998', '0.000054399', '10000.129', '-0.03001', '-10000.121', '0.00', 'about five'].map(
      balanceUsd,
    ),
    ['$5.00', '$4.9999', '$0.000054', '$10,000.12', '−$0.0301', '−$10,000.13', '$0.00', 'about five'],
  )
})

test('the exact form loses no digit', () => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 18n), 10n ** 18n), (nano) => {
      const text = formatUsd(nano)
      const read = exactUsd(text).replace('−', '-').replace(/[$,]/g, '')
      assert.equal(read, text)
    }),
  )
})

test('sums and comparisons are those of the amounts', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt(-(10n ** 16n), 10n ** 16n), { maxLength: 20 }), (amounts) => {
      const total = amounts.reduce((sum, amount) => sum + amount, 0n)
      const texts = amounts.map(formatUsd)
      assert.equal(exactUsd(sumUsd(texts)), exactUsd(formatUsd(total)))
      const [a = 0n, b = 0n] = amounts
      assert.equal(compareUsd(formatUsd(a), formatUsd(b)), a < b ? -1 : a > b ? 1 : 0)
    }),
  )
})

test('nothing is neither negative nor something', () => {
  assert.deepEqual(
    ['0.00', '-0.00', '-0.01', '0.000000001'].map((text) => [isNegative(text), isZero(text)]),
    [
      [false, true],
      [false, true],
      [true, false],
      [false, false],
    ],
  )
})
