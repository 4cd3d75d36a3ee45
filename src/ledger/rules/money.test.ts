/** The ledger's arithmetic: division that rounds up, and the bounds of amounts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertAmount, divideUp, nanoMax } from './money.ts'

test('a quotient is rounded up by less than one', () => {
  fc.assert(
    fc.property(fc.bigInt(0n, nanoMax), fc.bigInt(1n, 10n ** 12n), (numerator, denominator) => {
      const quotient = divideUp(numerator, denominator)
      assert.ok(quotient * denominator >= numerator && (quotient - 1n) * denominator < numerator)
    }),
  )
})

test('nothing negative is divided, and nothing by nothing', () => {
  assert.throws(() => divideUp(-1n, 1n))
  assert.throws(() => divideUp(1n, 0n))
})

for (const amount of [-1n, nanoMax + 1n]) {
  test(`${amount} is not an amount`, () =>
    assert.throws(() => assertAmount(amount, 'a cost'), /a cost is an amount/))
}
