/**
 * Counting in a thread: o200k tokens of many texts, a slice of one text after another. Accounts take turns, and so do
 * the texts of one account, so that one account's long texts do not delay the others. Has only the limits it was
 * started with.
 */
import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'
import { FairQueue } from '../base/fair-queue.ts'
import type { CancellableHandlers, Cancellation } from '../threads/port.ts'
import { noteProgress } from './count-progress.ts'
import { runFrom } from './runs.ts'

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

/** What the counting thread answers; to be called once in it. */
export function countHandlers({ runBytesMax }: CountSetup): CancellableHandlers {
  setMergeCacheSize(cachedPiecesMax)
  const works = new FairQueue<CountJob>()
  let isRunning = false
  /** One slice of the text whose turn it is; it goes to the end of the line unless it is done. */
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
