/** The places in the life of a batch at which a test makes the program wait or fail; see base/failpoint.ts. */
import type { Clock } from '../../base/clock.ts'
import { delayOfEach, type Failpoints, reachEach } from '../../base/failpoint.ts'
import type { Step } from './batch.ts'

export interface CommitPoints {
  /** Called when the transaction is open and nothing is written. Rejects to roll the batch back. */
  before(steps: readonly Step[]): Promise<void>
  /** With what the batch fails although it is committed: its reply is lost. */
  after(steps: readonly Step[]): Error | undefined
}

/** Undefined: no test has set one. */
export function commitPoints(points: Failpoints, clock: Clock): CommitPoints | undefined {
  if (!points.active) return undefined
  return {
    async before(steps) {
      const names = namesOf(steps)
      const delayMs = delayOfEach(points, 'before-commit', names)
      if (delayMs > 0) await new Promise<void>((resolve) => clock.after(delayMs, resolve))
      reachEach(points, 'before-commit', names)
    },
    after(steps) {
      try {
        reachEach(points, 'after-commit', namesOf(steps))
        return undefined
      } catch (error) {
        return error as Error
      }
    },
  }
}

const namesOf = (steps: readonly Step[]): ReadonlySet<string> => new Set(steps.map(({ name }) => name))
