/** One after the other: what is given to a turn begins when the one before it has ended, however that ended. */

export type Turns = <Result>(run: () => Promise<Result>) => Promise<Result>

/** As many may wait as requests are open; their number is bounded where they arrive. */
export function takingTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve()
  return (run) => {
    const own = last.then(run)
    last = own.catch(() => {})
    return own
  }
}
