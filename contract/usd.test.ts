/** Amounts: parsing and formatting are exact, and nothing else is accepted as an amount. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatUsd, parseUsd } from './usd.ts'

for (const [nano, text] of [
  [0n, '0.00'],
  [1n, '0.000000001'],
  [54_399_000n, '0.054399'],
  [500_000_000n, '0.50'],
  [5_000_000_000n, '5.00'],
  [5_100_000_000n, '5.10'],
  [-30_000_000n, '-0.03'],
  [9_999_999_999_999_999n, '9999999.999999999'],
] as const) {
  test(`${nano} nano-USD is ${text}`, () => assert.equal(formatUsd(nano), text))
}

for (const [text, nano] of [
  ['0', 0n],
  ['5', 5_000_000_000n],
  ['1.5', 1_500_000_000n],
  ['007.250', 7_250_000_000n],
  ['0.000000001', 1n],
] as const) {
  test(`${text} USD is ${nano}`, () => assert.equal(parseUsd(text), nano))
}

const rejected = [
  '',
  '-1',
  '+1',
  '.5',
  '5.',
  '1e3',
  '1,000',
  '$5',
  ' 5',
  '5 ',
  '٥',
  '0x10',
  '0.0000000001',
  '12345678',
]
for (const text of rejected) {
  test(`${text} is not an amount`, () => assert.equal(parseUsd(text), undefined))
}

test('what is written reads back as the same amount', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, 10n ** 16n - 1n), (nano) => assert.equal(parseUsd(formatUsd(nano)), nano)),
  )
})
