/** Formatted amounts: cut in decimal, without floating-point numbers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatUsd } from '../../../contract/usd.ts'
import {
  alignedUsd,
  centsUsd,
  columnDecimals,
  compareUsd,
  exactUsd,
  fixedUsd,
  isNegative,
  isZero,
  sumUsd,
  usd,
} from './usd.ts'

const cases: readonly (readonly [text: string, short: string, exact: string, cents: string])[] = [
  ['0.00', '$0.00', '$0.00', '$0.00'],
  ['30.27896', '$30.2789', '$30.27896', '$30.27'],
  ['0.105', '$0.1050', '$0.105', '$0.10'],
  ['5.00', '$5.00', '$5.00', '$5.00'],
  ['4.999998', '$4.9999', '$4.999998', '$4.99'],
  ['0.054399', '$0.0543', '$0.054399', '$0.05'],
  ['0.000054399', '$0.00005439', '$0.000054399', '$0.00'],
  ['0.000000001', '$0.000000001', '$0.000000001', '$0.00'],
  ['0.00996', '$0.00996', '$0.00996', '$0.00'],
  ['9999.123456789', '$9,999.1234', '$9,999.123456789', '$9,999.12'],
  ['10000004.129456789', '$10,000,004.12', '$10,000,004.129456789', '$10,000,004.12'],
  ['-9223372036.854775807', '−$9,223,372,036.86', '−$9,223,372,036.854775807', '−$9,223,372,036.86'],
  ['1234567.5', '$1,234,567.50', '$1,234,567.50', '$1,234,567.50'],
  ['999.99996', '$999.9999', '$999.99996', '$999.99'],
  ['-0.03001', '−$0.0301', '−$0.03001', '−$0.04'],
  ['-0.00', '$0.00', '$0.00', '$0.00'],
  ['about five', 'about five', 'about five', 'about five'],
]

for (const [text, short, exact, cents] of cases) {
  test(`${text} is shown as ${short}`, () => {
    assert.deepEqual([usd(text), exactUsd(text), centsUsd(text)], [short, exact, cents])
  })
}

test('a column has one precision, by its largest amount', () => {
  const column = (amounts: readonly string[], exact = false): readonly string[] => {
    const decimals = columnDecimals(amounts, exact)
    return amounts.map((amount) => fixedUsd(amount, decimals))
  }
  assert.deepEqual(column(['5.00', '0.00', '12.5']), ['$5.00', '$0.00', '$12.50'])
  assert.deepEqual(column(['5.00', '0.105']), ['$5.0000', '$0.1050'])
  assert.deepEqual(column(['0.025106', '0.009780', '0.110830']), ['$0.0251', '$0.0097', '$0.1108'])
  assert.deepEqual(column(['5.00', '0.000054399']), ['$5.0000', '<$0.0001'])
  assert.deepEqual(column(['0.000054399', '0.00012']), ['$0.000054', '$0.000120'])
  assert.deepEqual(column(['0.000042', '0.00']), ['$0.000042', '$0.000000'])
  assert.deepEqual(column(['0.000000009', '0.00']), ['$0.000000009', '$0.000000000'])
  assert.deepEqual(column(['12000.123', '0.03']), ['$12,000.12', '$0.03'])
  assert.deepEqual(column(['5.00', '-0.000054399', 'about five'], true), [
    '$5.000000000',
    '−$0.000054399',
    'about five',
  ])
})

test('prices keep their digits and line up by spaces as wide as digits', () => {
  const prices = ['2.10', '0.07875', '']
  const decimals = columnDecimals(prices, true)
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
