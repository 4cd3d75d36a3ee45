/** Formatted amounts: cut in decimal, without floating-point numbers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatUsd } from '../../../contract/usd.ts'
import {
  alignedUsd,
  type ColumnKind,
  centsUsd,
  columnDecimals,
  compareUsd,
  exactUsd,
  fixedUsd,
  isNegative,
  isZero,
  sumUsd,
  usd,
  writtenDecimalsMax,
} from './usd.ts'

const cases: readonly (readonly [text: string, short: string, exact: string, cents: string])[] = [
  ['0.00', '$0.00', '$0.00', '$0.00'],
  ['30.27896', '$30.27896', '$30.27896', '$30.27'],
  ['0.105', '$0.105', '$0.105', '$0.10'],
  ['5.00', '$5.00', '$5.00', '$5.00'],
  ['4.999998', '$4.999998', '$4.999998', '$4.99'],
  ['4.99998965', '$4.999989', '$4.99998965', '$4.99'],
  ['0.054399', '$0.054399', '$0.054399', '$0.05'],
  ['0.000054399', '$0.000054', '$0.000054399', '$0.00'],
  ['0.000000001', '$0.000000001', '$0.000000001', '$0.00'],
  ['0.00996', '$0.00996', '$0.00996', '$0.00'],
  ['99.123456789', '$99.123456', '$99.123456789', '$99.12'],
  ['9999.123456789', '$9,999.12', '$9,999.123456789', '$9,999.12'],
  ['10000004.129456789', '$10,000,004.12', '$10,000,004.129456789', '$10,000,004.12'],
  ['-9223372036.854775807', '−$9,223,372,036.86', '−$9,223,372,036.854775807', '−$9,223,372,036.86'],
  ['1234567.5', '$1,234,567.50', '$1,234,567.50', '$1,234,567.50'],
  ['999.99996', '$999.99', '$999.99996', '$999.99'],
  ['-0.03001', '−$0.03001', '−$0.03001', '−$0.04'],
  ['-0.00', '$0.00', '$0.00', '$0.00'],
  ['about five', 'about five', 'about five', 'about five'],
]

for (const [text, short, exact, cents] of cases) {
  test(`${text} is shown as ${short}`, () => {
    assert.deepEqual([usd(text), exactUsd(text), centsUsd(text)], [short, exact, cents])
  })
}

test('the precision of a column depends on what it shows, and on no other row', () => {
  const column: Readonly<Record<ColumnKind, readonly string[]>> = {
    cents: ['$5.00', '$12.50', '<$0.01', '$0.00', '−$0.04', '$12,000.12', 'about five'],
    cost: ['$5.000000', '$12.500000', '$0.000243', '$0.000000', '−$0.030010', '$12,000.123000', 'about five'],
    exact: [
      '$5.000000000',
      '$12.500000000',
      '$0.000243900',
      '$0.000000000',
      '−$0.030010000',
      '$12,000.123000000',
      'about five',
    ],
  }
  const amounts = ['5.00', '12.5', '0.0002439', '0.00', '-0.03001', '12000.123', 'about five']
  for (const kind of ['cents', 'cost', 'exact'] as const) {
    assert.deepEqual(
      amounts.map((amount) => fixedUsd(amount, columnDecimals[kind])),
      column[kind],
    )
  }
  assert.equal(fixedUsd('0.0000009', columnDecimals.cost), '<$0.000001')
})

test('prices keep their digits and line up by spaces as wide as digits', () => {
  const prices = ['2.10', '0.07875', '']
  const decimals = writtenDecimalsMax(prices)
  assert.deepEqual(
    prices.map((price) => alignedUsd(price, decimals)),
    ['$2.10\u2007\u2007\u2007', '$0.07875', ''],
  )
})

test('no form shows more than the amount', () => {
  fc.assert(
    fc.property(fc.bigInt(-(10n ** 16n), 10n ** 16n), (nano) => {
      const text = formatUsd(nano)
      for (const shown of [usd(text), centsUsd(text), fixedUsd(text, 4)]) {
        if (shown.startsWith('<')) continue
        const read = shown.replace('−', '-').replace(/[$,]/g, '')
        assert.ok(compareUsd(read, text) <= 0, `${text} is shown as ${shown}`)
      }
    }),
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
