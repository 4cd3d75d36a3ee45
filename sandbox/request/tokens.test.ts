/** The sandbox's token count compared with o200k, and its invariants for any text. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { sandboxWords, wordsOf } from '../scenarios/words.ts'
import { sandboxPieces, sandboxTokens } from './tokens.ts'

/** How far from o200k the count may be on ordinary text. */
const shareOff = 0.15

const prose = `The harbour was quiet when the first boats came back. A thin rain had fallen through the night,
and the stones of the quay still shone under the lamps. Nobody spoke; the men carried their baskets up the
steps, counted them twice, and went home to sleep. By eight o'clock the market had opened, the bakers had
swept their doors, and children who should have been at school were leaning over the railing to watch the
gulls. "It will be a good year," said the old woman who sold flowers, although she said so every year, and
most of the time she was wrong. In 1998 the bridge had been closed for seven months; since then people had
learned to be patient. They didn't hurry, they didn't complain, and they paid what was asked.`

const here = import.meta.dirname
const code = readdirSync(here)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(here, name), 'utf8'))
  .join('\n')
const json = JSON.stringify(
  Array.from({ length: 40 }, (_, id) => ({
    id,
    name: `customer ${id}`,
    active: id % 2 === 0,
    balance: id * 1.25,
  })),
  null,
  2,
)

const ordinary = [
  { name: 'prose', text: prose },
  { name: 'json', text: json },
  { name: 'code', text: code },
]

for (const { name, text } of ordinary) {
  test(`${name} counts within ${shareOff * 100} % of o200k`, () => {
    const [counted, exact] = [sandboxTokens(text), encode(text).length]
    const off = Math.abs(counted / exact - 1)
    assert.ok(off <= shareOff, `${counted} against ${exact}`)
  })
}

test('each word is one token of o200k and one of ours, alone and in a row', () => {
  assert.equal(new Set(sandboxWords).size, 50)
  for (const word of sandboxWords) assert.equal(encode(word).length, 1, word)
  for (const count of [0, 1, 50, 1_234]) {
    const text = wordsOf(count).join('')
    assert.equal(encode(text).length, count)
    assert.deepEqual(sandboxPieces(text), wordsOf(count))
  }
})

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.lorem(),
  fc.json(),
)

test('pieces are the text, never more than its bytes, and never an incomplete character', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const pieces = sandboxPieces(text)
      assert.equal(pieces.join(''), text)
      assert.equal(pieces.length, sandboxTokens(text))
      assert.ok(pieces.length <= Buffer.byteLength(text))
      assert.equal(
        Buffer.concat(pieces.map((piece) => Buffer.from(piece))).toString(),
        Buffer.from(text).toString(),
      )
    }),
    { numRuns: 2_000 },
  )
})
