/** What people read follows docs/style.md, as far as a list of words can check it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { bannedIn } from './support/banned-words.ts'
import { grammarMistakesIn } from './support/grammar.ts'
import { proseBreaches } from './support/prose-words.ts'
import { readTree } from './support/source-tree.ts'
import { misspelledIn } from './support/spelling.ts'
import { pageTexts, sourceTexts, type VisibleText } from './support/visible-text.ts'

const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

/** docs/style.md quotes the words that it bans. */
const pageNames = /^(?:[A-Z]+|docs\/(?!style\.md$).*)\.md$/
const sourceNames = /^(?:src|contract|console\/src|console\/docs)\/(?!.*\.test\.ts).*\.tsx?$/
/** Data of others: names of models, passwords that many people use, programs to paste. */
const foreign = /builtin-|-models\.ts$|weak-passwords-table|recipes-table|snippets\.ts$|style-text/

const tree = readTree(root)
const pages = [...tree].filter(([path]) => pageNames.test(path))
const prose = pages.flatMap(([path, page]) => pageTexts(path, page))
const sources = sourceTexts(
  root,
  ['tsconfig.json', 'console/tsconfig.json'],
  (path) => sourceNames.test(path) && !foreign.test(path),
)

test('there is text to check', () => {
  assert.ok(sources.length > 2_000, `${sources.length} sentences in sources`)
  assert.ok(pages.length > 70, `${pages.length} pages`)
})

test('a banned word is found', () => {
  assert.equal(bannedIn('Whoever shall pay').length, 2)
  assert.deepEqual(bannedIn('We reserve the maximum cost up front.'), [])
})

test('pages contain no banned words', () => {
  assert.deepEqual(breachesIn(prose, bannedIn), [])
})

test('messages, labels and descriptions contain no banned words', () => {
  assert.deepEqual(breachesIn(sources, bannedIn), [])
})

const isSource = (path: string) => /\.(?:ts|tsx|js)$/.test(path)

test('a private idiom is found in a comment and in a title', () => {
  assert.equal(
    proseBreaches('a.ts', "/** Whoever asks. */\ntest('it goes on', () => {})\nconst anew = 1").length,
    2,
  )
})

test('comments and test titles are in plain words', () => {
  assert.deepEqual(
    [...tree].filter(([path]) => isSource(path)).flatMap(([path, source]) => proseBreaches(path, source)),
    [],
  )
})

test('a misspelled word is found', () => {
  assert.deepEqual(misspelledIn('The recieved colour of `teh` x-code https://exmaple.org'), [
    'recieved',
    'colour',
  ])
})

test('pages and messages are spelled right', () => {
  assert.deepEqual(breachesIn([...prose, ...sources], misspelledIn), [])
})

test('a grammar mistake is found', () => {
  assert.equal(
    grammarMistakesIn('The the key is a account. It dont work. Otherwise the key works.').length,
    4,
  )
  assert.deepEqual(
    grammarMistakesIn("An HTTPS URL isn't a URL of an upstream. Otherwise, nothing changes."),
    [],
  )
})

test('pages and messages have no repeated word, wrong article or wrong contraction', () => {
  assert.deepEqual(breachesIn([...prose, ...sources], grammarMistakesIn), [])
})

function breachesIn(texts: readonly VisibleText[], check: (text: string) => readonly string[]): string[] {
  return texts.flatMap(({ path, text }) => check(text).map((found) => `${path}: ${found}`))
}
