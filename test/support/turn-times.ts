/** How long work in steps occupies the event loop between two turns. */
import type { Steps } from '../../src/base/steps.ts'

/** On a busy machine another program can have the processor in the same turn of several runs. */
const runsMax = 50

/**
 * Milliseconds of each turn: the shortest of several runs, which are the same work, because other programs share the machine
 * and the CPU time of a thread is counted in ticks longer than a turn. Runs are repeated until each turn was once shorter than
 * `limitMs`.
 */
export function turnTimes<Result>(
  makeSteps: () => Steps<Result>,
  { unitsPerTurn, limitMs }: { readonly unitsPerTurn: number; readonly limitMs: number },
): readonly number[] {
  const shortest: number[] = []
  for (let run = 0; run === 0 || (run < runsMax && Math.max(...shortest) >= limitMs); run += 1) {
    const steps = makeSteps()
    let isDone = false
    for (let turn = 0; !isDone; turn += 1) {
      const began = performance.now()
      for (let unit = 0; unit < unitsPerTurn && !isDone; unit += 1) isDone = steps.next().done === true
      shortest[turn] = Math.min(shortest[turn] ?? Number.POSITIVE_INFINITY, performance.now() - began)
    }
  }
  return shortest
}
