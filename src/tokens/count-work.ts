/**
 * Counting in a thread: o200k tokens of many texts, a slice of one text after another. Accounts take turns, and so do
 * the texts of one account, so that one account's long texts do not delay the others. Has only the limits it was
 * started with.
 */
import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'
import { FairQueue } from '../base/fair-queue.ts'
import type { CancellableHandlers, Cancellation } from '../threads/port.ts'
import { noteProgress } from './count-progress.ts'

interface CountJobInput {
  readonly text: string | Uint8Array
  readonly account: bigint
  readonly tokensMax: number
  readonly progress: Int32Array
}

export interface CountRequests {
  /** Tokens of the text, up to `tokensMax`. */
  count(input: CountJobInput): number
}

export interface CountSetup {
  readonly runBytesMax: number
}

/** Short enough that others wait a few milliseconds for it. */
const sliceCharacters = 16 * 1024
/** Pieces remembered; the library's own cap would be far more memory than it is worth. */
const cachedPiecesMax = 10_000
/** The most by which cutting inside a piece was found to lower a count (the test searches for more). */
const lostPerCutMax = 2

interface CountJob extends CountJobInput {
  readonly text: string
  readonly answer: (tokens: number) => void
  at: number
  tokens: number
  restBytes: number
}

const decoder = new TextDecoder('utf-8')
/** A text may hold the names of special tokens; they are text here. */
const plainText = { disallowedSpecial: new Set<string>() }

/** Creates the handlers of the counting thread; call once in that thread. */
export function countHandlers({ runBytesMax }: CountSetup): CancellableHandlers {
  setMergeCacheSize(cachedPiecesMax)
  const works = new FairQueue<CountJob>()
  let isRunning = false
  /** Counts one slice of the next text, then moves it to the end of the queue unless it is done. */
  function turn(): void {
    const work = works.take()
    if (work === undefined) {
      isRunning = false
      return
    }
    advance(work, runBytesMax)
    if (work.at < work.text.length && work.tokens < work.tokensMax) works.add(work.account, work)
    else work.answer(work.tokens)
    setImmediate(turn)
  }
  return {
    count: (cancellation: Cancellation, input: CountJobInput) =>
      new Promise<number>((answer) => {
        const text = typeof input.text === 'string' ? input.text : decoder.decode(input.text)
        const work = { ...input, text, answer, at: 0, tokens: 0, restBytes: Buffer.byteLength(text) }
        cancellation.onCancel(() => works.remove((one) => one === work))
        works.add(input.account, work)
        if (!isRunning) setImmediate(turn)
        isRunning = true
      }),
  }
}

function advance(work: CountJob, runBytesMax: number): void {
  const from = work.at
  const until = Math.min(work.text.length, from + sliceCharacters)
  while (work.at < until) {
    const run = runFrom(work.text, work.at, runBytesMax)
    work.tokens += countTokens(work.text.slice(run.start, run.end), plainText)
    if (run.cut === 'anywhere') work.tokens += lostPerCutMax
    work.at = run.end
  }
  work.restBytes -= Buffer.byteLength(work.text.slice(from, work.at))
  noteProgress(work.progress, work.tokens, work.restBytes)
}

export interface TextRun {
  readonly start: number
  readonly end: number
  /** `anywhere`: the cut at the end may have changed how the text falls into tokens. */
  readonly cut: 'between_pieces' | 'anywhere'
}

/**
 * Cuts a text into short runs, because counting tokens takes quadratic time in a run's length. Cuts where o200k itself always
 * begins a new piece, so that the count stays exact; only where a run has no such boundary it is cut anywhere, and the result
 * says so. Linear in the length of the text. The run that begins at `start`: at most `bytesMax` (at least 4) bytes of UTF-8, never an incomplete character.
 */
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

/** Kinds of characters after which a piece certainly begins, by the kind of its first character. */
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
