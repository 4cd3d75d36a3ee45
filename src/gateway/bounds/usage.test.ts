/** Output that no upstream reported: counted and extrapolated, or estimated low if there is no count. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countedOutput } from './usage.ts'

const tokensMax = 1_000
const busy = { count: async () => undefined }
const words = (count: number, word: string) => {
  const text = word.repeat(count)
  return { text, characters: text.length, events: count }
}

test('output is counted, and extrapolated to what was not retained', async () => {
  const counter = { count: async () => 30 }
  const sample = { ...words(40, ' window'), characters: 560 }
  assert.deepEqual(await countedOutput(counter, sample, tokensMax), { tokens: 60, isEstimated: false })
})

for (const [what, sample, tokens] of [
  ['words, one an event', words(76, ' garden'), 76],
  ['everything in one event', { ...words(80, ' tool'), events: 1 }, 50],
  ['more than the limit', words(5_000, ' tool'), 1_000],
] as const) {
  test(`without a count output is estimated low: ${what}`, async () => {
    assert.deepEqual(await countedOutput(busy, sample, tokensMax), { tokens, isEstimated: true })
  })
}
