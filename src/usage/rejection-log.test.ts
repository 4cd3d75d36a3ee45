/** Rejections on their way to the database: grouped, written once, bounded, and no work if there are none. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../test/support/manual-clock.ts'
import { firstIdAt } from '../base/ids.ts'
import { RejectionLog } from './rejection-log.ts'
import type { LoggedRejection, RejectionBatch } from './types.ts'

const atMs = Date.UTC(2026, 0, 1, 12, 30)

function open(limits: { rejectionsKeptPerKey?: number; rejectionsQueuedMax?: number } = {}, fails = false) {
  const clock = manualClock(atMs)
  const batches: RejectionBatch[] = []
  const notified: bigint[][] = []
  const works: Promise<void>[] = []
  let dropped = 0
  const log = new RejectionLog({
    clock,
    limits: { rejectionsKeptPerKey: 3, rejectionsQueuedMax: 5, rejectionsFlushMs: 1_000, ...limits },
    begin: (work) => void works.push(work()),
    async write(batch) {
      if (fails) throw new Error('on purpose')
      batches.push(batch)
    },
    dropped(count) {
      dropped += count
    },
    written: (accounts) => void notified.push([...accounts]),
  })
  return { clock, log, batches, notified, works, dropped: () => dropped }
}

const rejection = (number: number, key = 7n): LoggedRejection => ({
  id: firstIdAt(atMs) + BigInt(number),
  account: 5n,
  key,
  code: 'rate_limited',
  status: 429,
  model: 'a-model',
  message: 'Not now.',
})
const hour = atMs / 3_600_000 - 0.5

test('alike rejections are one count; the latest of a key stay one by one', async () => {
  const { clock, log, batches, notified, works } = open()
  assert.equal(clock.pending(), 0)
  for (let number = 0; number < 10; number += 1) log.note(rejection(number), 'a-model')
  log.note({ ...rejection(10), model: 'x'.repeat(500), message: 'y'.repeat(5_000) }, null)
  assert.equal(clock.pending(), 1)
  clock.advance(999)
  assert.deepEqual(batches, [])
  clock.advance(1)
  await Promise.all(works)
  const same = { account: 5n, hour, key: 7n, code: 'rate_limited' }
  assert.deepEqual(batches, [
    {
      counts: [
        { ...same, model: 'a-model', count: 10 },
        { ...same, model: '', count: 1 },
      ],
      rows: [
        rejection(8),
        rejection(9),
        { ...rejection(10), model: 'x'.repeat(200), message: 'y'.repeat(1_000) },
      ],
    },
  ])
  assert.deepEqual(notified, [[5n]])
  clock.advance(10_000)
  assert.equal(batches.length, 1)
  assert.equal(clock.pending(), 0)
})

test('more kinds than the bound are forgotten and counted', async () => {
  const { clock, log, batches, works, dropped } = open()
  for (let number = 0; number < 20; number += 1) log.note(rejection(number, BigInt(number)), 'a-model')
  assert.equal(dropped(), 15)
  log.note(rejection(20, 0n), 'a-model')
  clock.advance(1_000)
  await Promise.all(works)
  assert.deepEqual(
    batches[0]?.counts.map(({ key, count }) => [key, count]),
    [
      [0n, 2],
      [1n, 1],
      [2n, 1],
      [3n, 1],
      [4n, 1],
    ],
  )
  assert.equal(batches[0]?.rows.length, 5)
})

test('what cannot be written is counted as forgotten', async () => {
  const { log, works, notified, dropped } = open({}, true)
  for (let number = 0; number < 4; number += 1) log.note(rejection(number), 'a-model')
  log.flush()
  await assert.rejects(Promise.all(works), /on purpose/)
  assert.equal(dropped(), 4)
  assert.deepEqual(notified, [])
})

test('the end of the process writes what is pending immediately, and nothing twice', async () => {
  const { clock, log, batches, works } = open()
  log.note(rejection(1), null)
  log.flush()
  log.flush()
  clock.advance(5_000)
  await Promise.all(works)
  assert.equal(batches.length, 1)
})
