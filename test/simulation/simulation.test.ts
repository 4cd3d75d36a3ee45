/** The ledger's state machine under simulated faults: no seed contradicts the model, and planted bugs do not survive it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeated } from '../support/sampled.ts'
import { operations } from './operations.ts'
import { plantedBugs } from './planted-bugs.ts'
import { simulate } from './world.ts'

const seeds = repeated(500, 2_000)
const steps = 80
/** How many seeds a planted bug may survive. */
const survivedMax = 400

test(`${seeds} simulated installations agree with the model after every step`, () => {
  for (let seed = 1; seed <= seeds; seed += 1) simulate({ seed, steps, operations })
})

for (const [bug, differing] of Object.entries(plantedBugs)) {
  test(`it is found that ${bug}`, () => {
    let seed = 1
    const run = () => {
      for (; seed <= survivedMax; seed += 1)
        simulate({ seed, steps, operations: { ...operations, ...differing } })
    }
    assert.throws(run, /^Error: seed \d+, after \d+ steps/)
    const failed = seed
    assert.throws(
      () => simulate({ seed: failed, steps, operations: { ...operations, ...differing } }),
      /^Error: seed \d+, after \d+ steps/,
      'the seed replays',
    )
  })
}
