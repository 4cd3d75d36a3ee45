/**
 * The thread that counts: o200k tokens of many texts, a slice of one text after another. Accounts take turns, and so do
 * the texts of one account, so that nobody's long texts hold up the others. Holds no limit of its own but those it was
 * started with.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { countTokens, setMergeCacheSize } from 'gpt-tokenizer/encoding/o200k_base'
import { assert } from '../base/assert.ts'
import { FairTurns } from '../base/fair-turns.ts'
import { noteProgress } from './count-progress.ts'
import { runFrom } from './runs.ts'

interface Asked {
  readonly text: string | Uint8Array
  readonly account: bigint
  readonly tokensMax: number
  readonly progress: Int32Array
}

/** To the thread: a text to count, or the id of one that nobody waits for any more. */
export type CountMessage = readonly [id: number, asked: Asked] | readonly [id: number]
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

interface Work extends Asked {
  readonly id: number
  readonly text: string
  at: number
  tokens: number
  restBytes: number
}

const port = parentPort
assert(port !== null, 'the counter runs in a worker thread')
const { runBytesMax } = workerData as CountSetup
const decoder = new TextDecoder('utf-8')
/** A text may hold the names of special tokens; they are text here. */
const plainText = { disallowedSpecial: new Set<string>() }
const works = new FairTurns<Work>()
let isRunning = false

setMergeCacheSize(cachedPiecesMax)
port.on('message', ([id, asked]: CountMessage) => {
  if (asked === undefined) works.remove((work) => work.id === id)
  else works.add(asked.account, workOf(id, asked))
  if (!isRunning) setImmediate(turn)
  isRunning = true
})

function workOf(id: number, asked: Asked): Work {
  const text = typeof asked.text === 'string' ? asked.text : decoder.decode(asked.text)
  return { ...asked, id, text, at: 0, tokens: 0, restBytes: Buffer.byteLength(text) }
}

/** One slice of the text whose turn it is; it goes to the end of the line unless it is done. */
function turn(): void {
  const work = works.take()
  if (work === undefined) {
    isRunning = false
    return
  }
  advance(work)
  if (work.at < work.text.length && work.tokens < work.tokensMax) works.add(work.account, work)
  else port?.postMessage([work.id, work.tokens] satisfies CountReply)
  setImmediate(turn)
}

function advance(work: Work): void {
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
