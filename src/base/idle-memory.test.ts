/** Young-generation memory left by startup is released once, when nothing waits for the thread. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getHeapSpaceStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { manualClock } from '../../test/support/manual-clock.ts'
import { collectAfterStart } from './idle-memory.ts'

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

test('the young generation shrinks once the loop is quiet after the start, and never after a load', () => {
  const clock = manualClock()
  let share = 1
  collectAfterStart(clock, () => share)
  const afterStart = grow()
  assert.ok(afterStart >= 32 * 2 ** 20, `${afterStart}`)
  clock.advance(4_000)
  assert.ok(youngBytes() >= afterStart, 'while the loop is busy')
  share = 0.01
  clock.advance(2_000)
  assert.ok(youngBytes() <= afterStart / 2, `${youngBytes()} of ${afterStart}`)

  const afterLoad = grow()
  clock.advance(3_600_000)
  assert.ok(youngBytes() >= afterLoad, 'the next burst needs what it has')
})

test('a thread that is busy from the start on keeps its compiled code in its first pause', () => {
  const clock = manualClock()
  let share = 1
  let reads = 0
  collectAfterStart(clock, () => {
    reads += 1
    return share
  })
  clock.advance(10_000)
  const grown = grow()
  share = 0
  clock.advance(3_600_000)
  assert.equal(reads, 6)
  assert.ok(youngBytes() >= grown)
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
