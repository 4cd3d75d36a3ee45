/**
 * `npm run style`: words, spelling and grammar of what people read, by docs/style.md as far as lists can check it. Prints
 * a warning for each breach and never fails: a suggestion for an author, not a rule for the build.
 */
import { fileURLToPath } from 'node:url'
import { readTree } from '../support/source-tree.ts'
import { bannedIn } from './banned-words.ts'
import { grammarMistakesIn } from './grammar.ts'
import { proseBreaches } from './prose-words.ts'
import { misspelledIn } from './spelling.ts'
import { pageTexts, sourceTexts } from './visible-text.ts'

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')

/** docs/style.md quotes the words that it bans. */
const pageNames = /^(?:[A-Z]+|docs\/(?!style\.md$).*)\.md$/
const sourceNames = /^(?:src|contract|console\/src|console\/docs)\/(?!.*\.test\.ts).*\.tsx?$/
/** Data of others: names of models, passwords that many people use, programs to paste. */
const foreign =
  /builtin-|catalog\/.*-models-table|weak-passwords-table|recipes-table|snippets\.ts$|style-text/

const tree = readTree(root)
const texts = [
  ...[...tree].filter(([path]) => pageNames.test(path)).flatMap(([path, page]) => pageTexts(path, page)),
  ...sourceTexts(
    root,
    ['tsconfig.json', 'console/tsconfig.json'],
    (path) => sourceNames.test(path) && !foreign.test(path),
  ),
]
const spelled = texts.flatMap(({ path, text }) =>
  misspelledIn(text).map((word) => `${path}: spelling: ${word}`),
)
const worded = texts.flatMap(({ path, text }) =>
  [...bannedIn(text), ...grammarMistakesIn(text)].map((found) => `${path}: ${found}`),
)
const comments = [...tree]
  .filter(([path]) => /\.(?:ts|tsx|js)$/.test(path))
  .flatMap(([path, source]) => proseBreaches(path, source))
const warnings = [...new Set([...worded, ...spelled, ...comments])]
for (const warning of warnings) process.stdout.write(`warning: ${warning}\n`)
process.stdout.write(`style: ${warnings.length} warnings in ${texts.length} texts\n`)
