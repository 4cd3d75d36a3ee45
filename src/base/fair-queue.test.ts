/** Owners take turns, however much each of them adds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from './fair-queue.ts'

function turnsOf(...items: readonly (readonly [owner: bigint, item: string])[]): FairQueue<string> {
  const turns = new FairQueue<string>()
  for (const [owner, item] of items) turns.add(owner, item)
  return turns
}

test('each owner has a turn before anybody has a second one, and keeps its own order', () => {
  const turns = turnsOf([1n, 'a1'], [1n, 'a2'], [1n, 'a3'], [2n, 'b1'], [3n, 'c1'], [2n, 'b2'])
  const order = Array.from({ length: 7 }, () => turns.take())
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', undefined])
  assert.ok(turns.isEmpty)
})

test('an owner that may not have a turn loses none', () => {
  const turns = turnsOf([1n, 'a1'], [2n, 'b1'], [1n, 'a2'])
  assert.equal(
    turns.take((owner) => owner !== 1n),
    'b1',
  )
  assert.equal(
    turns.take((owner) => owner !== 1n),
    undefined,
  )
  assert.equal(turns.take(), 'a1')
  assert.equal(turns.take(), 'a2')
})

test('what is removed has no turn', () => {
  const turns = turnsOf([1n, 'a1'], [1n, 'a2'])
  assert.equal(
    turns.remove((item) => item === 'a1'),
    'a1',
  )
  assert.equal(
    turns.remove((item) => item === 'a1'),
    undefined,
  )
  assert.equal(turns.take(), 'a2')
  assert.ok(turns.isEmpty)
})
