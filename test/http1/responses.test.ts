/** Our parser of upstream responses on random and damaged ones, compared with an HTTP library; `npm run fuzz` runs more. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { repeated } from '../support/sampled.ts'
import { compareParsers } from './compare.ts'

const seedsTotal = repeated(1_000, 3_000)

test('what the parser of responses accepts, an HTTP library understands alike', async (context) => {
  const first = process.pid * seedsTotal
  context.diagnostic(`seeds from ${first}`)
  const outcomes: Record<string, number> = {}
  for (let seed = first; seed < first + seedsTotal; seed += 1) {
    const outcome = await compareParsers(seed).catch((error: unknown) => {
      throw new Error(`seed ${seed}`, { cause: error })
    })
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
  }
  context.diagnostic(JSON.stringify(outcomes))
  assert.ok(outcomes['accepted']! > seedsTotal / 3 && outcomes['rejected by both']! > seedsTotal / 10)
})
