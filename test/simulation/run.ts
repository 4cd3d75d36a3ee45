/**
 * `npm run simulate`: the ledger's state machine under random requests and faults, one simulated installation for each
 * seed. Prints the first seed that contradicts the model, with its steps, and exits with 1.
 *
 * `--seeds N` (2,000), `--first N` (1): the seeds to run. `--seed N`: one seed. `--steps N` (80) for each.
 */
import { parseArgs } from 'node:util'
import { systemClock } from '../../src/base/clock.ts'
import { operations } from './operations.ts'
import { simulate } from './world.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '2000' },
    first: { type: 'string', default: '1' },
    seed: { type: 'string' },
    steps: { type: 'string', default: '80' },
  },
})
const steps = Number(values.steps)
const first = Number(values.seed ?? values.first)
const count = values.seed === undefined ? Number(values.seeds) : 1
const startedMs = systemClock.monoMs()
for (let seed = first; seed < first + count; seed += 1) simulate({ seed, steps, operations })
const seconds = ((systemClock.monoMs() - startedMs) / 1_000).toFixed(1)
process.stdout.write(`${count} seeds of ${steps} steps in ${seconds} s: no contradiction\n`)
