/** Budgets that many share: what one holder may have, what is left for others, and that every reservation is released. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryReservation, SharedBudget } from './shared-budget.ts'

const shares = { key: 0.5, account: 0.625, network: 0.875 }

/** Takes in steps until it is rejected: how much that was, and why. */
function fill(
  budget: SharedBudget<'key' | 'account' | 'network'>,
  names: Parameters<typeof budget.allowance>[0],
) {
  const allowance = budget.allowance(names)
  let used = 0
  for (;;) {
    const rejection = allowance.reserve(1)
    if (rejection !== undefined) return { used, scope: rejection.scope }
    used += 1
  }
}

test('each scope has its share, and a rejection names whose it is', () => {
  const budget = new SharedBudget(1_000, shares)
  const owner = { account: 'a', network: 'n' }
  assert.deepEqual(fill(budget, { ...owner, key: 1n }), { used: 500, scope: 'key' })
  assert.deepEqual(fill(budget, { ...owner, key: 2n }), { used: 125, scope: 'account' })
  assert.deepEqual(fill(budget, { account: 'b', network: 'n', key: 3n }), { used: 187, scope: null })
  assert.deepEqual(fill(budget, { account: 'c', network: 'n', key: 4n }), { used: 63, scope: 'network' })
  const other = fill(budget, { account: 'd', network: 'm', key: 5n })
  assert.deepEqual(other, { used: 62, scope: null })
})

test('however many take all that they get, something is left for the next one', () => {
  const budget = new SharedBudget(512 * 1024 * 1024, shares)
  for (let holder = 0; holder < 12; holder += 1) {
    const allowance = budget.allowance({ account: `a${holder}`, network: `n${holder}`, key: BigInt(holder) })
    for (let amount = 256 * 1024 * 1024; amount >= 1; amount /= 2) {
      while (allowance.reserve(amount) === undefined);
    }
  }
  const next = budget.allowance({ account: 'next', network: 'next', key: 99n })
  assert.equal(next.reserve(16 * 1024), undefined)
})

test('what is released is available again, and only active holders are tracked', () => {
  const budget = new SharedBudget(100, shares)
  const allowance = budget.allowance({ key: 1n, account: 'a' })
  assert.equal(allowance.reserve(50), undefined)
  assert.deepEqual(allowance.reserve(1), { scope: 'key' })
  assert.equal(budget.used, 50)
  assert.equal(budget.holders, 2)
  allowance.release(50)
  assert.deepEqual([budget.used, budget.holders], [0, 0])
  assert.equal(allowance.reserve(50), undefined)
})

test('a share of 1 is the whole budget, and beyond it the server is full', () => {
  const budget = new SharedBudget(100, { key: 1 })
  const allowance = budget.allowance({ key: 1n })
  assert.equal(allowance.reserve(100), undefined)
  assert.deepEqual(allowance.reserve(1), { scope: null })
})

test('a room grows and shrinks, and its first units are not metered', () => {
  const budget = new SharedBudget(100, { key: 0.5 })
  const room = new MemoryReservation(budget.allowance({ key: 1n }), 10)
  assert.equal(room.set(10), undefined)
  assert.equal(budget.used, 0)
  assert.equal(room.set(60), undefined)
  assert.deepEqual(room.set(61), { scope: 'key' })
  assert.equal(budget.used, 50)
  const second = room.sibling()
  assert.equal(second.set(10), undefined)
  assert.deepEqual(second.set(11), { scope: 'key' })
  room.set(5)
  assert.equal(budget.used, 0)
  assert.equal(second.set(11), undefined)
  second.set(0)
  assert.deepEqual([budget.used, budget.holders], [0, 0])
})
