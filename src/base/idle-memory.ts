/**
 * Gives memory back that loading the program left: V8's young generation grew to tens of megabytes, and a quiet thread has no
 * reason to collect. Only once, after the start: a collection throws away compiled code, which the next burst of requests
 * would wait for.
 */
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from './clock.ts'

const lookEveryMs = 2_000
const quietShareMax = 0.05
/** A thread that has been busy this long since its start runs code that it should keep. */
const looksMax = 5

/**
 * Collects this thread's garbage as soon as its event loop was quiet between two looks; never for a thread that is busy from
 * the start on. `loopShare`: the share of the time since its last call in which the event loop had work; replaced in tests.
 */
export function collectAfterStart(clock: Clock, loopShare: () => number = shareOfLoop()): void {
  let looksLeft = looksMax
  loopShare()
  const look = (): void => {
    looksLeft -= 1
    if (loopShare() <= quietShareMax) collectGarbage('last-resort')
    else if (looksLeft > 0) clock.after(lookEveryMs, look)
  }
  clock.after(lookEveryMs, look)
}

function shareOfLoop(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}

/**
 * Collects all of this thread's garbage. Unlike `regular`, `last-resort` gives the pages of the young generation back, and throws
 * compiled code away. There is no other way to it from inside: V8 gives the function to contexts that are made while the flag is set. The flag belongs to
 * the whole process and stays set, because another thread may be between setting it and making its context.
 */
export function collectGarbage(flavor: 'regular' | 'last-resort'): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext("typeof gc === 'function' ? gc : undefined")
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor })
}
