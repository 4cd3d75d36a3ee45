/** Cutting a text into runs: nothing lost, nothing longer than allowed, exact where the cut is marked as exact. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'
import { runFrom, type TextRun } from './count-work.ts'

setMergeCacheSize(0)
const tokens = (text: string) => countTokens(text, { disallowedSpecial: new Set() })

function runsOf(text: string, bytesMax: number): readonly TextRun[] {
  const runs: TextRun[] = []
  for (let at = 0; at < text.length; at = runs.at(-1)!.end) runs.push(runFrom(text, at, bytesMax))
  return runs
}

/** Text of words, numbers, signs and other scripts, and text of one kind of character alone. */
const kinds = [
  'abcdefghijklmnopqrstuvwxyz',
  'ab',
  'ABCDEFGHIJKLM',
  '0123456789',
  '!@#$%^&*()-_=+[]{};:,.<>/?|~`"\'',
  ' \n\t\r',
  ' ',
  '的一是不了人我在有他这为之',
  '😀🤣👩‍👧é̀ß',
  "abc ABC 012 .,'\n的😀 don't it's 12.5",
]
const texts = fc
  .array(
    fc
      .constantFrom(...kinds)
      .chain((kind) =>
        fc.array(fc.constantFrom(...kind), { maxLength: 60 }).map((characters) => characters.join('')),
      ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''))
const sizes = fc.integer({ min: 4, max: 64 })

test('the runs together are the text, each within its bytes, and no character is torn', () => {
  fc.assert(
    fc.property(texts, sizes, (text, bytesMax) => {
      const runs = runsOf(text, bytesMax)
      assert.equal(runs.map(({ start, end }) => text.slice(start, end)).join(''), text)
      for (const { start, end } of runs) {
        assert.ok(end > start && Buffer.byteLength(text.slice(start, end)) <= bytesMax)
        assert.ok(text.slice(start, end).isWellFormed())
      }
    }),
  )
})

test('halves of pairs on their own are cut as well, and the cutting ends', () => {
  const text = '\ud83d'.repeat(50) + '\ude00'.repeat(50)
  assert.equal(
    runsOf(text, 4)
      .map(({ start, end }) => text.slice(start, end))
      .join(''),
    text,
  )
})

test('a cut between pieces changes no count', () => {
  fc.assert(
    fc.property(texts, sizes, (text, bytesMax) => {
      for (const { end, cut } of runsOf(text, bytesMax)) {
        if (cut === 'anywhere') continue
        assert.equal(tokens(text.slice(0, end)) + tokens(text.slice(end)), tokens(text))
      }
    }),
    { numRuns: 400 },
  )
})

test('a cut anywhere lowers a count by two at most, and two for each cut make up for it', () => {
  fc.assert(
    fc.property(texts, sizes, (text, bytesMax) => {
      const runs = runsOf(text, bytesMax)
      const counted = runs.reduce((sum, { start, end }) => sum + tokens(text.slice(start, end)), 0)
      const cuts = runs.filter(({ cut }) => cut === 'anywhere').length
      assert.ok(counted + 2 * cuts >= tokens(text), `${counted} + 2 × ${cuts} < ${tokens(text)}`)
    }),
    { numRuns: 2_000 },
  )
})
