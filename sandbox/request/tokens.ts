/**
 * The sandbox's own tokenizer: cuts a text into pieces of about one o200k token each, by the classes
 * of its characters alone. Cheap, deterministic, linear, and never more pieces than UTF-8 bytes.
 */

type CharacterClass = 'lower' | 'upper' | 'digit' | 'space' | 'newline' | 'sign' | 'wide'

/** Longest run of each class that still is one piece, fitted to o200k on English prose and on code. */
const lettersMax = 9
const capitalsMax = 6
const digitsMax = 3
const signsMax = 2
const wideUnitsMax = 2

const classes: readonly CharacterClass[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/.test(character)) return 'lower'
  if (/[A-Z]/.test(character)) return 'upper'
  if (/[0-9]/.test(character)) return 'digit'
  if (/[\r\n]/.test(character)) return 'newline'
  return /[\s]/.test(character) ? 'space' : 'sign'
})

function classAt(text: string, index: number): CharacterClass | undefined {
  return index < text.length ? (classes[text.charCodeAt(index)] ?? 'wide') : undefined
}

/** The index after at most `countMax` characters of `wanted` from `start` on. */
function runEnd(text: string, start: number, wanted: CharacterClass, countMax: number): number {
  let end = start
  while (end - start < countMax && classAt(text, end) === wanted) end += 1
  return end
}

function lettersEnd(text: string, start: number): number {
  const capitals = runEnd(text, start, 'upper', capitalsMax)
  if (capitals - start > 1) return capitals
  return runEnd(text, capitals, 'lower', lettersMax)
}

/** A space or sign directly before letters belongs to them, as in o200k. */
function wordEnd(text: string, start: number): number {
  const next = classAt(text, start + 1)
  return next === 'lower' || next === 'upper' ? lettersEnd(text, start + 1) : start
}

function signsEnd(text: string, start: number): number {
  return runEnd(text, runEnd(text, start, 'sign', signsMax), 'newline', Infinity)
}

/** Whitespace: up to the last line end, else all but the one space that the next word takes along. */
function blankEnd(text: string, start: number): number {
  let end = start
  let afterNewline = start
  for (let kind = classAt(text, end); kind === 'space' || kind === 'newline'; kind = classAt(text, end)) {
    end += 1
    if (kind === 'newline') afterNewline = end
  }
  if (afterNewline > start) return afterNewline
  if (end === text.length) return end
  if (end - start > 1) return end - 1
  if (classAt(text, end) === 'sign') return signsEnd(text, end)
  return wordEnd(text, start) > start ? wordEnd(text, start) : end
}

function wideEnd(text: string, start: number): number {
  const end = runEnd(text, start, 'wide', wideUnitsMax)
  const last = text.charCodeAt(end - 1)
  // A surrogate pair stays whole, so that every piece has complete characters.
  return last >= 0xd800 && last < 0xdc00 && end < text.length ? end + 1 : end
}

const ends: Readonly<Record<CharacterClass, (text: string, start: number) => number>> = {
  lower: lettersEnd,
  upper: lettersEnd,
  digit: (text, start) => runEnd(text, start, 'digit', digitsMax),
  space: blankEnd,
  newline: blankEnd,
  sign: (text, start) => (wordEnd(text, start) > start ? wordEnd(text, start) : signsEnd(text, start)),
  wide: wideEnd,
}

function pieceEnd(text: string, start: number): number {
  const kind = classAt(text, start)
  return kind === undefined ? start : ends[kind](text, start)
}

/** The pieces of `text` in order; joined they are `text`. */
export function sandboxPieces(text: string): readonly string[] {
  const pieces: string[] = []
  for (let start = 0; start < text.length; ) {
    const end = pieceEnd(text, start)
    pieces.push(text.slice(start, end))
    start = end
  }
  return pieces
}

/** How many tokens the sandbox charges for `text`; never more than its bytes. */
export function sandboxTokens(text: string): number {
  let count = 0
  for (let start = 0; start < text.length; start = pieceEnd(text, start)) count += 1
  return count
}
