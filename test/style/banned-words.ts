/**
 * Words and patterns that no text for people may contain, each with what to write instead. `npm run style` applies
 * them to what users see; docs/style.md explains them. Pure data.
 */

export interface BannedWord {
  readonly pattern: RegExp
  readonly instead: string
}

export const bannedWords: readonly BannedWord[] = [
  // Archaic or translated English.
  { pattern: /\bwho(?:so)?ever\b/i, instead: 'anyone who, users who' },
  { pattern: /\banew\b/i, instead: 'again' },
  { pattern: /\b(?:nobody|somebody)\b/i, instead: 'name the actor: users, callers, administrators' },
  { pattern: /\beverybody\b/i, instead: 'everyone, all users' },
  { pattern: /\bbeside\b/i, instead: 'next to, in addition to' },
  { pattern: /\b(?:is|are|was|were|be|been) told\b/i, instead: 'shown, sent, reported, notified' },
  { pattern: /\btells (?:how|that|the|what|when|which|why)\b/i, instead: 'shows, reports, contains' },
  { pattern: /\bstands? (?:in|for|there|beside|alone)\b/i, instead: 'is in, means, replaces' },
  { pattern: /\bstood\b/i, instead: 'was' },
  { pattern: /\bshall\b/i, instead: 'must, will' },
  { pattern: /\bdearest\b/i, instead: 'most expensive' },
  { pattern: /\bended (?:badly|well)\b/i, instead: 'failed, succeeded' },
  { pattern: /\bat present\b/i, instead: 'now, currently' },
  { pattern: /\bfor good\b/i, instead: 'permanently' },
  { pattern: /\bsigns? of life\b/i, instead: 'keep-alive events' },
  { pattern: /\bthe house\b/i, instead: 'the operator, the platform' },
  { pattern: /\bborne (?:by|for)\b/i, instead: 'covered by, written off' },
  { pattern: /\blast word\b/i, instead: 'terminal event' },
  { pattern: /\ball its life\b/i, instead: 'total, never resets' },
  { pattern: /\b(?:goes|go|went|going) on\b/i, instead: 'continues' },
  { pattern: /\bat once\b/i, instead: 'concurrently, immediately' },
  {
    pattern:
      /\b(?:is|are|was) no (?!longer|more|other|such|one|[a-z]+ to|different)(?<!there (?:is|are|was) no )[a-z]/i,
    instead: 'is not a',
  },
  { pattern: /\btakes? no\b/i, instead: 'does not support, does not accept' },
  { pattern: /\bmade up\b/i, instead: 'invented, test data' },
  { pattern: /\b(?:is|are|was) not taken\b/i, instead: 'is rejected' },

  // One spelling and one word for each thing.
  { pattern: /\be-mails?\b/i, instead: 'email' },
  { pattern: /(?<![/.-])\blogins?\b(?![.-])/i, instead: 'sign-in' },
  { pattern: /\b(?:cancelled|cancelling)\b/i, instead: 'canceled, canceling' },
  {
    pattern: /\b(?:colour|behaviour|favourite|licence|organisation|authoris|recognis|normalis|serialis)/i,
    instead: 'American spelling',
  },
  { pattern: /\bpictures?\b/i, instead: 'image' },
  { pattern: /\bcontrol plane API\b/i, instead: 'Management API' },

  // Grammar.
  { pattern: /(?<![\w-])(?!(?:had|that|refund)\b)([a-z]{2,}) \1(?![\w-])/, instead: 'the word once' },
  { pattern: /(?<![\w'.-])a (?=[aeio][a-z])(?!one|once|eur|ewe)/i, instead: '"an" before a vowel' },
  { pattern: /(?<![\w'-])an (?=[bcdfgjklpqtvwyz][a-z])/i, instead: '"a" before a consonant' },

  // Typography.
  { pattern: /[«»]/, instead: 'straight or curly double quotes' },
  { pattern: /!!|\?\?\?|\bplease\b/i, instead: 'a plain sentence: no exclamation, no "please"' },
]

/** One line for each banned word in a text. */
export function bannedIn(text: string): string[] {
  return bannedWords.flatMap(({ pattern, instead }) => {
    const found = pattern.exec(text)?.[0]
    return found === undefined ? [] : [`"${found}" (instead: ${instead}) in: ${text.trim().slice(0, 160)}`]
  })
}
