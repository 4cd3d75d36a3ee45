/** What a result of the search shows as found. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { excerptOf, markedParts } from './client/marked-parts.ts'

const shown = (text: string, ...words: readonly string[]): string =>
  markedParts(text, new Set(words))
    .map(({ part, isMatch }) => (isMatch ? `[${part}]` : part))
    .join('')

test('words that match are marked, whatever their case, and nothing else', () => {
  assert.equal(
    shown('The port of TOLLGATE_PORT, and ports.', 'port'),
    'The [port] of TOLLGATE_[PORT], and ports.',
  )
  assert.equal(shown('Straße › 〈b〉 <b>', 'straße', 'b'), '[Straße] › 〈[b]〉 <b>')
  assert.equal(shown('Nothing.'), 'Nothing.')
  assert.equal(shown('', 'a'), '')
})

test('an excerpt has the first word that matches, and is the beginning where there is none', () => {
  const long = `${'Some words. '.repeat(30)}Then the budget ends. ${'More words. '.repeat(30)}`
  assert.match(excerptOf(long, new Set(['budget'])), /^… .{20,40}the budget ends\. More/)
  assert.equal(excerptOf(long, new Set(['none'])), long.slice(0, 160))
  assert.equal(excerptOf(long, new Set(['some'])), long.slice(0, 160))
  assert.equal(excerptOf('Short.', new Set(['short'])), 'Short.')
})
