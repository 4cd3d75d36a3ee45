/** Work in steps: the same result whole and in pieces, and no piece longer than it may be. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runInTurns, runSteps, type Steps } from './steps.ts'

test('no more units run between two turns than allowed', async () => {
  let units = 0
  function* work(): Steps<string> {
    for (let unit = 0; unit < 95; unit += 1) {
      units += 1
      yield
    }
    return 'done'
  }
  const pieces: number[] = []
  const turns = {
    unitsPerTurn: 10,
    async yieldTurn() {
      pieces.push(units)
      units = 0
    },
  }
  assert.equal(await runInTurns(work(), turns), 'done')
  assert.deepEqual(pieces, Array(9).fill(10))
  assert.equal(units, 5)
  assert.equal(runSteps(work()), 'done')
})
