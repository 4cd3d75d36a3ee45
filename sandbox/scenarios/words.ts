/**
 * The words of the sandbox's responses. Each one, with its leading space, is exactly one token of
 * o200k and exactly one sandbox token, so that a count of words is a count of tokens.
 */

const words =
  'time people water world context place work part hand year light story point city night group number ' +
  'music paper river school family money morning garden window table summer winter letter market doctor ' +
  'street animal forest island ocean train bread green quiet early small large young clear simple strong ' +
  'warm bright'

export const sandboxWords: readonly string[] = words.split(' ').map((word) => ` ${word}`)

/** `count` words, the list over and over. */
export function wordsOf(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => sandboxWords[index % sandboxWords.length]!)
}
