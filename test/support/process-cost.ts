/** The CPU time of another process, from the operating system's accounting, which excludes other programs. */
import { readdirSync, readFileSync } from 'node:fs'

const nanosecondsPerMs = 1e6

interface ThreadTimes {
  /** On a CPU. */
  readonly ranMs: number
  /** Runnable, but without a CPU. */
  readonly waitedMs: number
}

function threadTimes(pid: number, thread: number | string): ThreadTimes {
  try {
    const [ran, waited] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    return { ranMs: Number(ran) / nanosecondsPerMs, waitedMs: Number(waited) / nanosecondsPerMs }
  } catch {
    // A thread may end between listing and reading it.
    return { ranMs: 0, waitedMs: 0 }
  }
}

export interface ProcessCost {
  /** CPU time of the event-loop thread. */
  readonly mainMs: number
  /** CPU time of all current threads. */
  readonly allMs: number
}

/** CPU time of the event-loop thread since its start; 0 on systems other than Linux. */
export function mainThreadMs(pid: number): number {
  return threadTimes(pid, pid).ranMs
}

/** How long that thread waited for a CPU, since its start: the delay caused by other programs; 0 on systems other than Linux. */
export function mainThreadWaitMs(pid: number): number {
  return threadTimes(pid, pid).waitedMs
}

/** Since the start of the process. Linux only. */
export function processCost(pid: number): ProcessCost {
  const threads = readdirSync(`/proc/${pid}/task`)
  return {
    mainMs: mainThreadMs(pid),
    allMs: threads.reduce((sum, thread) => sum + threadTimes(pid, thread).ranMs, 0),
  }
}
