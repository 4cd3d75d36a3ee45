/**
 * Long work in small steps: a generator that yields after each unit. It is run whole, or in pieces between which other work
 * of the process runs.
 */

/** Work that yields after each unit and returns its result. */
export type Steps<Result> = Generator<undefined, Result, undefined>

export interface Turns {
  /** Units of work in one piece. */
  readonly unitsPerTurn: number
  /** Resolves when other work has had its turn. */
  yieldTurn(): Promise<void>
}

/** Lets everything that waits run after this many units. */
export function eventLoopTurns(unitsPerTurn: number): Turns {
  return { unitsPerTurn, yieldTurn: () => new Promise((resolve) => setImmediate(resolve)) }
}

/** Runs all steps without a pause. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** Runs the steps in pieces. */
export async function runInTurns<Result>(steps: Steps<Result>, turns: Turns): Promise<Result> {
  for (let units = 1; ; units += 1) {
    const step = steps.next()
    if (step.done === true) return step.value
    if (units % turns.unitsPerTurn === 0) await turns.yieldTurn()
  }
}
