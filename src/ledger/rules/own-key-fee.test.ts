/** The fee on own provider keys: exact, rounded up, and never above what its bound reserved. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { chargedAmounts, chargeOf } from './own-key-fee.ts'

test('a share is rounded up to a whole nano-USD, and no share is nothing', () => {
  const tenth = { numerator: 1n, denominator: 40n }
  assert.deepEqual(
    [0n, 1n, 39n, 40n, 41n, 1_000n].map((cost) => chargeOf(cost, tenth)),
    [0n, 1n, 1n, 1n, 2n, 25n],
  )
  assert.equal(chargeOf(123_456_789n, { numerator: 0n, denominator: 100n }), 0n)
  assert.equal(chargeOf(123_456_789n, null), 123_456_789n)
})

test('the charge for a cost within a bound is within the charged bound', () => {
  const amount = fc.bigInt(0n, 10n ** 12n)
  const fee = fc.record({ numerator: fc.bigInt(0n, 10n ** 8n), denominator: fc.bigInt(1n, 10n ** 8n) })
  const tokens = fc.bigInt(0n, 100_000n)
  fc.assert(
    fc.property(amount, amount, tokens, fee, (input, perOutputToken, output, share) => {
      const bound = chargedAmounts({ input, perOutputToken }, share)
      const held = bound.input + output * bound.perOutputToken
      assert.ok(chargeOf(input + output * perOutputToken, share) <= held)
    }),
  )
})
