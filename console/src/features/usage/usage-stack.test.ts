/** Sums of usage are exact, steps without rows are included, small groups are merged. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { amountOf, nanoOf, permilleOf, typedAmount, typedPayment } from './amount.ts'
import { others, stackOf, type UsageRow } from './usage-stack.ts'

const day = (n: number) => `2026-11-0${n}T00:00:00.000Z`
const row = (at: string, group: string, charged: string): UsageRow => ({
  at,
  group,
  label: null,
  requests: 2,
  errors: 1,
  rejected: 3,
  tokens: { inputUncached: 10, cacheRead: 1, cacheWrite: 1, output: 5, reasoning: 2 },
  charged,
  ownKeyCost: '0.00',
  latencyMs: null,
  firstByteMs: null,
})
const at = [1, 2, 3].map((n) => Date.parse(day(n)))

test('groups are ordered by their cost, with every step', () => {
  const stack = stackOf([row(day(1), 'a', '0.10'), row(day(3), 'b', '0.20'), row(day(1), 'b', '0.01')], at, 5)
  assert.deepEqual(
    stack.groups.map((group) => [group.group, group.charged, group.chargedByStep]),
    [
      ['b', '0.21', ['0.01', '0.00', '0.20']],
      ['a', '0.10', ['0.10', '0.00', '0.00']],
    ],
  )
  assert.deepEqual(stack.totals, {
    requests: 6,
    errors: 3,
    rejected: 9,
    tokensIn: 36,
    tokensOut: 15,
    charged: '0.31',
    ownKeyCost: '0.00',
  })
})

test('the small groups are merged in the chart, and each is in the table', () => {
  const rows = ['a', 'b', 'c', 'd'].map((group, index) => row(day(1), group, `0.0${9 - index}`))
  const stack = stackOf(rows, at, 3)
  assert.deepEqual(
    stack.groups.map((group) => [group.group, group.label, group.charged]),
    [
      ['a', 'a', '0.09'],
      ['b', 'b', '0.08'],
      [others, '2 others', '0.13'],
    ],
  )
  assert.deepEqual(
    stack.all.map(({ group, charged }) => [group, charged]),
    [
      ['a', '0.09'],
      ['b', '0.08'],
      ['c', '0.07'],
      ['d', '0.06'],
    ],
  )
})

test('an amount is read and written without rounding', () => {
  assert.equal(amountOf(nanoOf('-5.00') + nanoOf('4.999999999')), '-0.000000001')
  assert.equal(amountOf(nanoOf('9007199254740993.000000001')), '9007199254740993.000000001')
})

for (const [part, whole, share] of [
  ['1.00', '4.00', 250],
  ['9.00', '4.00', 1_000],
  ['0.00', '0.00', 0],
  ['0.01', '0.00', 1_000],
  ['-1.00', '4.00', 0],
] as const) {
  test(`${part} is ${share} thousandths of ${whole}`, () => assert.equal(permilleOf(part, whole), share))
}

for (const [typed, amount] of [
  [' $ 5 ', '5'],
  ['12.50', '12.50'],
  ['', undefined],
  ['-1', undefined],
  ['1,000', undefined],
  ['1e3', undefined],
] as const) {
  test(`«${typed}» is ${amount ?? 'no amount'}`, () => assert.equal(typedAmount(typed), amount))
}

for (const [typed, amount] of [
  ['5', '5'],
  ['5.10', '5.10'],
  ['5.1000', '5.1000'],
  ['5.105', undefined],
  ['5.1001', undefined],
  ['five', undefined],
] as const) {
  test(`«${typed}» ${amount === undefined ? 'cannot be paid' : 'can be paid'}`, () =>
    assert.equal(typedPayment(typed), amount))
}
