/**
 * `npm run fuzz`: our parser of upstream responses on random and damaged ones, compared with an HTTP library. Prints the
 * first seed that they understand differently, and exits with 1.
 *
 * `--seeds N` (100,000), `--first N` (1): the seeds to run. `--seed N`: one seed, whose bytes are printed.
 */
import { parseArgs } from 'node:util'
import { compareParsers } from './compare.ts'
import { responseOf } from './responses.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100000' },
    first: { type: 'string', default: '1' },
    seed: { type: 'string' },
  },
})
const first = Number(values.seed ?? values.first)
const count = values.seed === undefined ? Number(values.seeds) : 1
if (values.seed !== undefined) process.stdout.write(`${JSON.stringify(responseOf(first))}\n`)
const outcomes = new Map<string, number>()
for (let seed = first; seed < first + count; seed += 1) {
  const outcome = await compareParsers(seed).catch((error: unknown) => {
    process.stdout.write(`seed ${seed}\n`)
    throw error
  })
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
}
for (const [outcome, times] of [...outcomes].sort(([, a], [, b]) => b - a))
  process.stdout.write(`${times} ${outcome}\n`)
