/** What startup leaves in the young generation is released once, when nothing waits for it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getHeapSpaceStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { manualClock } from '../../test/support/manual-clock.ts'
import { releaseStartMemory } from './start-memory.ts'

const youngBytes = () =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0

/** Survivors of several collections make the young generation grow. */
function grow(): number {
  let retained: object[] = []
  for (let round = 0; round < 200 && youngBytes() < 16 * 2 ** 20; round += 1) {
    retained = [
      ...retained.slice(-20_000),
      ...Array.from({ length: 20_000 }, (_, index) => ({ round, index })),
    ]
  }
  return youngBytes()
}

test('the young generation shrinks once the loop was quiet between two looks, and not before', () => {
  const clock = manualClock()
  const grown = grow()
  assert.ok(grown >= 8 * 2 ** 20, `${grown}`)
  let share = 1
  releaseStartMemory(clock, () => share)
  clock.advance(6_000)
  assert.ok(youngBytes() >= grown, 'while the loop is busy')
  share = 0.01
  clock.advance(2_000)
  assert.ok(youngBytes() <= grown / 2, `${youngBytes()} of ${grown}`)
  assert.equal(clock.pending(), 0)
})

test('threads that collect at the same time do not take the function from each other', async () => {
  const entry = new URL('../../test/support/start-memory-thread.ts', import.meta.url)
  const threads = Array.from({ length: 6 }, () => new Worker(entry))
  const ends = threads.map(
    (thread) =>
      new Promise<string>((resolve) => {
        thread.once('error', (error) => resolve(String(error)))
        thread.once('exit', (code) => resolve(`ended with ${code}`))
      }),
  )
  assert.deepEqual(
    await Promise.all(ends),
    threads.map(() => 'ended with 0'),
  )
})
