/** The processor time of another process, from the system's own accounting, in which other programs do not count. */
import { readdirSync, readFileSync } from 'node:fs'

const nanosecondsPerMs = 1e6

function threadMs(pid: number, thread: number | string): number {
  try {
    const [spent] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
    return Number(spent) / nanosecondsPerMs
  } catch {
    // A thread may end between the list and the look.
    return 0
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
  return threadMs(pid, pid)
}

/** Since the process began. Linux alone has it. */
export function processCost(pid: number): ProcessCost {
  const threads = readdirSync(`/proc/${pid}/task`)
  return {
    mainMs: mainThreadMs(pid),
    allMs: threads.reduce((sum, thread) => sum + threadMs(pid, thread), 0),
  }
}
