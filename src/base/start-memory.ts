/**
 * Releases the memory that only startup needed. Loading a program makes V8's young generation grow to tens of megabytes,
 * and a quiet server has no reason to collect, so without this it keeps them for its life. Knows nothing of what was started.
 */
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Clock } from './clock.ts'

const lookEveryMs = 2_000
const quietShareMax = 0.05

/**
 * Collects this thread's garbage once, as soon as its event loop was quiet between two looks: nothing waits for it then.
 * A thread that is never quiet needs what it has.
 * @param loopShare share of the time since the last look in which the event loop had work
 */
export function releaseStartMemory(clock: Clock, loopShare: () => number = readLoopShare()): void {
  loopShare()
  const look = (): void => {
    if (loopShare() > quietShareMax) clock.after(lookEveryMs, look)
    else collectGarbage()
  }
  clock.after(lookEveryMs, look)
}

function readLoopShare(): () => number {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
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
