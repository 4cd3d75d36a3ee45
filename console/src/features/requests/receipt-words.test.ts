/** Receipt labels of tokens and tools. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsText, type Receipt, tokenLines } from './receipt-words.ts'

const usage = {
  ...{ inputUncached: 0, cacheRead: 1_200, cacheWrite5m: 0, cacheWrite1h: 0, inputAudio: 0 },
  ...{ output: 3_000, outputAudio: 0, reasoning: 2_000 },
}

test('each used class has a line; input and output always have one', () => {
  assert.deepEqual(tokenLines({ usage } as Receipt), [
    { label: 'Input', tokens: 0, hint: undefined },
    { label: 'Read from cache', tokens: 1_200, hint: undefined },
    { label: 'Output', tokens: 3_000, hint: 'including 2,000 reasoning' },
  ])
})

test('implausible counts have the labels of a receipt', () => {
  const counts = { output: 1_000_000_000, web_search: 1_000, constructor: 7 }
  assert.equal(countsText(counts), 'Output 1,000,000,000, Web search 1,000, Constructor 7')
})
