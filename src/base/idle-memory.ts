/**
 * Gives memory back that the garbage collector keeps although nothing uses it. V8's young generation grows to tens of megabytes
 * while a program loads or is busy, and a quiet thread has no reason to collect, so without this it keeps them for its life.
 * Knows nothing of what was done.
 */
import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from './clock.ts'

const lookEveryMs = 2_000
const quietShareMax = 0.05
/** A collection stops the thread for tens of milliseconds, so it must be worth them. */
const grownBytesMin = 24 * 1024 * 1024
/** What a load needed is likely to be needed again in a short pause. */
const quietLooksMin = 5

/** What is read of a thread; replaced in tests. */
export interface ThreadReadings {
  /** The share of the time since the last reading in which the event loop had work. */
  loopShare(): number
  /** Memory of the heap, used or not. */
  heapBytes(): number
}

/**
 * Collects this thread's garbage as soon as its event loop was quiet between two looks, and again whenever its heap has grown
 * and it was quiet for ten seconds: nothing waits for the thread then. One that is never quiet needs what it has.
 */
export function releaseIdleMemory(clock: Clock, readings: ThreadReadings = threadReadings()): void {
  // The first time, what starting left is collected, however much it is.
  let collectAtBytes = 0
  let looksLeft = 1
  let looksNeeded = looksLeft
  readings.loopShare()
  const look = (): void => {
    looksLeft = readings.loopShare() <= quietShareMax ? looksLeft - 1 : looksNeeded
    if (looksLeft <= 0 && readings.heapBytes() >= collectAtBytes) {
      collectGarbage()
      collectAtBytes = readings.heapBytes() + grownBytesMin
      looksNeeded = quietLooksMin
      looksLeft = looksNeeded
    }
    clock.after(lookEveryMs, look)
  }
  clock.after(lookEveryMs, look)
}

function threadReadings(): ThreadReadings {
  let last = performance.eventLoopUtilization()
  return {
    loopShare() {
      const now = performance.eventLoopUtilization()
      const { utilization } = performance.eventLoopUtilization(now, last)
      last = now
      return utilization
    },
    heapBytes: () => getHeapStatistics().total_heap_size,
  }
}

/**
 * The only way to it from inside: V8 gives the function to contexts that are made while the flag is set. The flag belongs to
 * the whole process and stays set, because another thread may be between setting it and making its context.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext("typeof gc === 'function' ? gc : undefined")
  // Unlike the others, this kind gives the pages of the young generation back.
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
