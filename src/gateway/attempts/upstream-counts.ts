/**
 * Counts the running requests of each upstream, and the requests and tokens of the last minute, in memory that all threads of a
 * process share. Limits are checked elsewhere.
 */
import { createHash } from 'node:crypto'
import { type RateWindow, rollWindow, windowWordsMax } from '../../limits/window.ts'

export interface UpstreamCount {
  readonly running: number
  /** Rolled to now. */
  readonly window: RateWindow
}

export interface UpstreamCounts {
  at(name: string, nowMs: number): UpstreamCount
  /** Counts what `count` returns; no other thread reads or counts in between. */
  change(name: string, nowMs: number, count: (before: UpstreamCount) => UpstreamCount): void
  /** An upstream may have room: requests that wait are woken, in all threads. */
  announce(): void
  /** The next announcement wakes this thread. */
  awaitRoom(): void
}

/** Words of the memory before its upstreams. */
const lockAt = 0
const announcedAt = 1
const headWords = 2
/** Words of an upstream: two of its name's hash, its running requests, the length of its rate window, the window. */
const runningWord = 2
const lengthWord = 3
const windowWord = 4
const upstreamWords = windowWord + windowWordsMax

/** To be given to each thread. Zeros take no memory until they are written. */
export const countsMemory = (upstreamsMax: number): SharedArrayBuffer =>
  new SharedArrayBuffer((headWords + upstreamsMax * upstreamWords) * Uint32Array.BYTES_PER_ELEMENT)

/** A thread that ended while it had the lock has left it for others. Counting takes microseconds. */
const lockMsMax = 1_000

/** The same counts in every thread that has the memory. `onRoom`: an upstream may have room. */
export function openCounts(memory: SharedArrayBuffer, onRoom: () => void): UpstreamCounts {
  const signals = new Int32Array(memory)
  const words = new Uint32Array(memory)
  const find = upstreamPlaces(words)
  let isAwaiting = false

  function alone<Result>(work: () => Result): Result {
    while (Atomics.compareExchange(signals, lockAt, 0, 1) !== 0)
      if (Atomics.wait(signals, lockAt, 1, lockMsMax) === 'timed-out') break
    try {
      return work()
    } finally {
      Atomics.store(signals, lockAt, 0)
      Atomics.notify(signals, lockAt, 1)
    }
  }
  function read(place: number, nowMs: number): UpstreamCount {
    const from = place + windowWord
    const stored = words.slice(from, from + (words[place + lengthWord] ?? 0))
    const window = rollWindow(stored, nowMs)
    if (window !== stored) writeWindow(place, window)
    return { running: words[place + runningWord] ?? 0, window }
  }
  function writeWindow(place: number, window: RateWindow): void {
    words[place + lengthWord] = window.length
    words.set(window, place + windowWord)
  }
  return {
    at: (name, nowMs) => alone(() => read(find(name), nowMs)),
    change(name, nowMs, count) {
      alone(() => {
        const place = find(name)
        const { running, window } = count(read(place, nowMs))
        words[place + runningWord] = running
        writeWindow(place, window)
      })
    },
    announce() {
      Atomics.add(signals, announcedAt, 1)
      Atomics.notify(signals, announcedAt)
    },
    awaitRoom() {
      if (isAwaiting) return
      isAwaiting = true
      const woken = (): void => {
        isAwaiting = false
        onRoom()
      }
      const { value } = Atomics.waitAsync(signals, announcedAt, Atomics.load(signals, announcedAt))
      void Promise.resolve(value).then(woken)
    },
  }
}

/** Where an upstream's words begin. Of too many, the one with the fewest requests that run makes room. */
function upstreamPlaces(words: Uint32Array): (name: string) => number {
  const known = new Map<string, { readonly hash: readonly [number, number]; readonly place: number }>()
  const isAt = (place: number, [first, second]: readonly [number, number]): boolean =>
    words[place] === first && words[place + 1] === second
  function placeFor(hash: readonly [number, number]): number {
    let unused: number | undefined
    let least = headWords
    for (let place = headWords; place < words.length; place += upstreamWords) {
      if (isAt(place, hash)) return place
      if (isAt(place, unusedHash)) {
        unused = place
        break
      }
      if ((words[place + runningWord] ?? 0) < (words[least + runningWord] ?? 0)) least = place
    }
    const place = unused ?? least
    words.set([...hash, 0, 0], place)
    return place
  }
  return (name) => {
    const before = known.get(name)
    if (before !== undefined && isAt(before.place, before.hash)) return before.place
    const hash = before?.hash ?? hashOf(name)
    const place = placeFor(hash)
    known.set(name, { hash, place })
    return place
  }
}

/** Words that were never written. */
const unusedHash = [0, 0] as const

/** 64 bits that two of an installation's names do not share. */
function hashOf(name: string): readonly [number, number] {
  const digest = createHash('sha256').update(name).digest()
  return [digest.readUInt32LE(0) || 1, digest.readUInt32LE(4)]
}
