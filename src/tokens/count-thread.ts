/**
 * The thread that counts: o200k tokens of one text after another, a slice of each in turn so that a long
 * text does not hold up short ones. Holds no limit of its own but those it was started with.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'
import { assert } from '../base/assert.ts'
import { runFrom } from './runs.ts'

/** To the thread: a text to count, or the id of one that nobody waits for any more. */
export type CountMessage = readonly [id: number, text: string] | readonly [id: number]
/** From the thread. */
export type CountReply = readonly [id: number, tokens: number]

export interface CountSetup {
  readonly runBytesMax: number
}

/** Short enough that others wait a few milliseconds for it. */
const sliceCharacters = 16 * 1024
/** Pieces remembered; the library's own cap would be far more memory than it is worth. */
const cachedPiecesMax = 10_000
/** The most by which cutting inside a piece was found to lower a count (the test searches for more). */
const lostPerCutMax = 2

interface Work {
  readonly id: number
  readonly text: string
  at: number
  tokens: number
}

const port = parentPort
assert(port !== null, 'the counter runs in a worker thread')
const { runBytesMax } = workerData as CountSetup
/** A text may hold the names of special tokens; they are text here. */
const plainText = { disallowedSpecial: new Set<string>() }
const works = new Map<number, Work>()
let isRunning = false

setMergeCacheSize(cachedPiecesMax)
port.on('message', ([id, text]: CountMessage) => {
  if (text === undefined) works.delete(id)
  else works.set(id, { id, text, at: 0, tokens: 0 })
  if (!isRunning) setImmediate(turn)
  isRunning = true
})

/** One slice of the text that waits longest; it goes to the end of the line unless it is done. */
function turn(): void {
  const work = works.values().next().value
  if (work === undefined) {
    isRunning = false
    return
  }
  works.delete(work.id)
  advance(work)
  if (work.at < work.text.length) works.set(work.id, work)
  else port?.postMessage([work.id, work.tokens] satisfies CountReply)
  setImmediate(turn)
}

function advance(work: Work): void {
  const until = Math.min(work.text.length, work.at + sliceCharacters)
  while (work.at < until) {
    const run = runFrom(work.text, work.at, runBytesMax)
    work.tokens += countTokens(work.text.slice(run.start, run.end), plainText)
    if (run.cut === 'anywhere') work.tokens += lostPerCutMax
    work.at = run.end
  }
}
