/**
 * Words that comments and test titles may not contain: private idioms with a standard term, and British spellings.
 * `npm run style` applies them to source files; users' texts have the longer list in banned-words.ts. Pure data.
 */

import { splitSource } from '../support/source-text.ts'
import type { BannedWord } from './banned-words.ts'

export const proseWords: readonly BannedWord[] = [
  { pattern: /\b(?:no|some|every)body\b/i, instead: 'name the actor, or no one, someone' },
  { pattern: /\bwho(?:so)?ever\b(?! (?:owns|reads|ended))/i, instead: 'a caller who, users who' },
  { pattern: /\banew\b/i, instead: 'again' },
  { pattern: /\bbeside\b/i, instead: 'next to, in addition to, during' },
  { pattern: /\b(?:is|are|was|were|be|been|and|as) told\b/i, instead: 'reported, shown, sent, notified' },
  { pattern: /\b(?:is|are|was|were|be|been) kept\b(?![ -]alive)/i, instead: 'stored, preserved, retained' },
  { pattern: /\b(?:stands?|stood)\b(?!-alone)/i, instead: 'is, means, replaces' },
  { pattern: /\bat once\b/i, instead: 'immediately, concurrently' },
  { pattern: /\b(?:goes|go|went|going) on\b/i, instead: 'continues' },
  { pattern: /\blast word\b/i, instead: 'terminal event' },
  { pattern: /\bsigns? of life\b/i, instead: 'keep-alives' },
  { pattern: /\bended (?:badly|well)\b/i, instead: 'failed, succeeded' },
  { pattern: /\bfor good\b/i, instead: 'permanently' },
  { pattern: /\bshall\b/i, instead: 'must, will' },
  { pattern: /\bdear(?:er|est)\b/i, instead: 'more expensive, most expensive' },
  { pattern: /\b(?:given|gives|gave|give) back\b/i, instead: 'released, returned' },
  { pattern: /\bnothing but\b/i, instead: 'only' },
  { pattern: /\ball the same\b/i, instead: 'anyway, nevertheless' },
  { pattern: /\bthe house\b/i, instead: 'the platform, the operator' },
  { pattern: /\blook-ups?\b/i, instead: 'lookup' },
  { pattern: /\b(?:that|what|which) (?:is|are) no(?:ne)?\b(?! longer)/i, instead: 'that is not a' },
  {
    pattern:
      /\b(?:colour|behaviour|favour|honour|neighbour|cancell(?:ed|ing)|labelled|modelled|judgement|grey|whilst|amongst|licence|recognis|normalis|serialis|summaris)/i,
    instead: 'American spelling',
  },
]

const title = /\b(?:test|suite|it|describe)(?:\.\w+)?\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*?)\1/g

/** The comments and test titles of a source file; expressions in titles are left out. */
export function proseOf(source: string): readonly string[] {
  const { code, comments } = splitSource(source)
  const titles = [...code.matchAll(title)].map(([, , text = '']) => text.replace(/\$\{[^}]*\}/g, '…'))
  return [...comments.filter((text) => !text.includes('@license')), ...titles]
}

/** One line for each private idiom in the comments and test titles of a source file. */
export function proseBreaches(path: string, source: string): readonly string[] {
  return proseOf(source).flatMap((text) =>
    proseWords.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(text)
      const context = text.slice(Math.max(0, (found?.index ?? 0) - 60), (found?.index ?? 0) + 60)
      return found === null ? [] : [`${path}: "${found[0]}" (instead: ${instead}) in: ${context}`]
    }),
  )
}
