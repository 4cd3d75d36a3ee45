/**
 * Cuts a text into short runs, because counting tokens takes quadratic time in a run's length. Cuts
 * where o200k itself always begins a new piece, so that the count stays exact; only where a run has no such
 * boundary it is cut anywhere, and the result says so. Pure and linear in the length of the text.
 */

export interface TextRun {
  readonly start: number
  readonly end: number
  /** `anywhere`: the cut at the end may have changed how the text falls into tokens. */
  readonly cut: 'between_pieces' | 'anywhere'
}

/** The run that begins at `start`: at most `bytesMax` (at least 4) bytes of UTF-8, never an incomplete character. */
export function runFrom(text: string, start: number, bytesMax: number): TextRun {
  const end = farthestEnd(text, start, bytesMax)
  if (end === text.length) return { start, end, cut: 'between_pieces' }
  for (let at = end; at > start; at -= 1) {
    if (isPieceStart(text, at)) return { start, end: at, cut: 'between_pieces' }
  }
  return { start, end, cut: 'anywhere' }
}

function farthestEnd(text: string, start: number, bytesMax: number): number {
  let bytes = 0
  for (let at = start; at < text.length; at += 1) {
    bytes += utf8Bytes(text.charCodeAt(at))
    if (bytes > bytesMax) return isLowSurrogate(text.charCodeAt(at)) ? at - 1 : at
  }
  return text.length
}

/** Half of a pair counts as two; a half on its own is encoded as three, which a run may exceed its bound by. */
function utf8Bytes(code: number): number {
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  return code >= 0xd800 && code < 0xe000 ? 2 : 3
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000
}

type CharacterKind = 'letter' | 'digit' | 'sign' | 'space' | 'other'

const kinds: readonly CharacterKind[] = Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[A-Za-z]/.test(character)) return 'letter'
  if (/[0-9]/.test(character)) return 'digit'
  if (character === ' ') return 'space'
  // An apostrophe may belong to the word before it.
  return code > 0x20 && code < 0x7f && character !== "'" ? 'sign' : 'other'
})

/** What may precede a certain beginning of a piece, by what follows it. */
const startsAfter: Readonly<Record<CharacterKind, readonly CharacterKind[]>> = {
  letter: ['digit'],
  digit: ['letter'],
  sign: ['letter', 'digit'],
  space: ['letter', 'digit', 'sign'],
  other: [],
}

function isPieceStart(text: string, at: number): boolean {
  const after = kinds[text.charCodeAt(at)]
  const before = kinds[text.charCodeAt(at - 1)]
  return after !== undefined && before !== undefined && startsAfter[after].includes(before)
}
