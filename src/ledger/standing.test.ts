/** Waiting for funds: all waiters wake when funds are released, their number is bounded, and the longest wait is dropped first. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../test/support/manual-clock.ts'
import { openWaiters } from './standing.ts'

const perAccountMax = 3

function scene() {
  const clock = manualClock()
  const waiters = openWaiters(clock, perAccountMax)
  const woken: string[] = []
  const wait = (name: string, account: bigint, waitMs: number): Promise<void> =>
    waiters.wait(account, waitMs).then(() => {
      woken.push(name)
    })
  return { clock, waiters, woken, wait }
}

test('all requests that wait for an account are woken, no others, and no timer stays', async () => {
  const { clock, waiters, woken, wait } = scene()
  const first = [wait('a', 1n, 100), wait('b', 1n, 100)]
  const other = wait('c', 2n, 100)
  waiters.wake(1n)
  await Promise.all(first)
  assert.deepEqual(woken, ['a', 'b'])
  waiters.wake(1n)
  waiters.wake(3n)
  assert.equal(clock.pending(), 1)
  clock.advance(100)
  await other
  assert.deepEqual(woken, ['a', 'b', 'c'])
})

test('one too many wakes the one that has waited longest', async () => {
  const { clock, woken, wait } = scene()
  const names = ['a', 'b', 'c', 'd', 'e']
  const all = names.map((name) => wait(name, 1n, 100))
  await Promise.all(all.slice(0, 2))
  assert.deepEqual(woken, ['a', 'b'])
  assert.equal(clock.pending(), perAccountMax)
  clock.advance(100)
  await Promise.all(all)
  assert.deepEqual(woken, names)
})
