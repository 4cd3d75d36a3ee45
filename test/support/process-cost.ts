/** The processor time of another process, from the system's own accounting, in which other programs do not count. */
import { readdirSync, readFileSync } from 'node:fs'

const nanosecondsPerMs = 1e6

interface ThreadTimes {
  /** On a processor. */
  readonly ranMs: number
  /** Ready to run, and without a processor. */
  readonly waitedMs: number
}

function threadTimes(pid: number, thread: number | string): ThreadTimes {
  try {
    const [ran, waited] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    return { ranMs: Number(ran) / nanosecondsPerMs, waitedMs: Number(waited) / nanosecondsPerMs }
  } catch {
    // A thread may end between the list and the look.
    return { ranMs: 0, waitedMs: 0 }
  }
}

export interface ProcessCost {
  /** Of the thread that runs the event loop. */
  readonly mainMs: number
  /** Of all threads that are there now. */
  readonly allMs: number
}

/** Of the thread that runs the event loop, since it began; 0 where the system does not say, as only Linux does. */
export function mainThreadMs(pid: number): number {
  return threadTimes(pid, pid).ranMs
}

/** How long that thread waited for a processor, since it began: what other programs delayed it; 0 where only Linux says it. */
export function mainThreadWaitMs(pid: number): number {
  return threadTimes(pid, pid).waitedMs
}

/** Since the process began. Linux alone has it. */
export function processCost(pid: number): ProcessCost {
  const threads = readdirSync(`/proc/${pid}/task`)
  return {
    mainMs: mainThreadMs(pid),
    allMs: threads.reduce((sum, thread) => sum + threadTimes(pid, thread).ranMs, 0),
  }
}
