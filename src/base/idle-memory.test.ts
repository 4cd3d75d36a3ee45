/** What startup and load leave in the young generation is released when nothing waits for the thread. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { manualClock } from '../../test/support/manual-clock.ts'
import { releaseIdleMemory } from './idle-memory.ts'

const youngBytes = () =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0

/** Survivors of several collections make the young generation grow. */
function grow(): number {
  let retained: object[] = []
  for (let round = 0; round < 200 && youngBytes() < 32 * 2 ** 20; round += 1) {
    retained = [
      ...retained.slice(-20_000),
      ...Array.from({ length: 20_000 }, (_, index) => ({ round, index })),
    ]
  }
  return youngBytes()
}

test('the young generation shrinks whenever the loop became quiet, and not before', () => {
  const clock = manualClock()
  let share = 1
  releaseIdleMemory(clock, {
    loopShare: () => share,
    heapBytes: () => getHeapStatistics().total_heap_size,
  })
  for (let time = 0; time < 2; time += 1) {
    const grown = grow()
    assert.ok(grown >= 32 * 2 ** 20, `${grown}`)
    share = 1
    clock.advance(6_000)
    assert.ok(youngBytes() >= grown, 'while the loop is busy')
    share = 0.01
    clock.advance(time === 0 ? 2_000 : 10_000)
    assert.ok(youngBytes() <= grown / 2, `${youngBytes()} of ${grown}`)
  }
})

test('a quiet thread whose heap has hardly grown is not stopped again', () => {
  const clock = manualClock()
  let heapBytes = 100
  let reads = 0
  releaseIdleMemory(clock, {
    loopShare: () => 0,
    heapBytes() {
      reads += 1
      return heapBytes
    },
  })
  const readsOf = (bytes: number) => {
    heapBytes = bytes
    reads = 0
    clock.advance(2_000)
    return reads
  }
  const grown = 100 + 24 * 2 ** 20
  // After a collection the heap is read once more, to tell what it grew by.
  assert.equal(readsOf(100), 2)
  for (let look = 1; look < 5; look += 1) assert.equal(readsOf(grown), 0)
  assert.equal(readsOf(grown - 1), 1)
  assert.equal(readsOf(grown), 2)
})

test('threads that collect at the same time do not take the function from each other', async () => {
  const entry = new URL('../../test/support/idle-memory-thread.ts', import.meta.url)
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
