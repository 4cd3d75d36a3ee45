/** Numbers of tokens as people write them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tokenCount } from './token-count.ts'

test('numbers of tokens are read as they are written', () => {
  const rows: readonly (readonly [string, number | undefined])[] = [
    ['128000', 128_000],
    ['128,000', 128_000],
    ['1,048,576', 1_048_576],
    ['128k', 128_000],
    [' 128 K ', 128_000],
    ['1M', 1_000_000],
    ['1.5m', 1_500_000],
    ['0.2k', 200],
    ['1.2345k', undefined],
    ['0', undefined],
    ['12,80', undefined],
    ['128kb', undefined],
    ['-1', undefined],
    ['1e6', undefined],
    ['1000M', undefined],
    ['', undefined],
  ]
  for (const [text, tokens] of rows) assert.equal(tokenCount(text), tokens, text)
})
