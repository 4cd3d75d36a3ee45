/**
 * The machine's clock, which a test can move ahead: timers run by themselves, and immediately where the test has what it
 * waited for. So a limit can be long enough for any machine, and its test short.
 */
import { type Clock, systemClock, type Timer } from '../../src/base/clock.ts'

export interface MovableClock extends Clock {
  /** Moves both clocks ahead by `ms` and runs the timers that fall due, in the order of their time. */
  advance(ms: number): void
}

/** Shorter than any limit that a test waits for, so that what came before the silence is read first. */
const stepMs = 20_000

/** Advances `time` while `isSilent`, until `work` is done. */
export async function passTime<Value>(
  time: MovableClock,
  work: Promise<Value>,
  isSilent: () => boolean,
): Promise<Value> {
  let isOver = false
  const watched = work.finally(() => {
    isOver = true
  })
  watched.catch(() => {})
  while (!isOver) {
    if (isSilent()) time.advance(stepMs)
    await new Promise<void>((resolve) => systemClock.after(pollMs, resolve))
  }
  return await watched
}

const pollMs = 2

interface Waiting {
  readonly dueMs: number
  readonly run: () => void
}

/** Starts with the machine's time. */
export function movableClock(): MovableClock {
  let aheadMs = 0
  const waiting = new Set<Waiting>()
  const monoMs = (): number => systemClock.monoMs() + aheadMs

  function firstDue(untilMs: number): Waiting | undefined {
    const due = [...waiting].filter(({ dueMs }) => dueMs <= untilMs)
    return due.sort((a, b) => a.dueMs - b.dueMs)[0]
  }

  return {
    wallMs: () => systemClock.wallMs() + aheadMs,
    monoMs,
    after(delayMs, run): Timer {
      const timer: Waiting = {
        dueMs: monoMs() + Math.max(0, delayMs),
        run() {
          waiting.delete(timer)
          machine.cancel()
          run()
        },
      }
      const machine = systemClock.after(delayMs, timer.run)
      waiting.add(timer)
      return {
        cancel() {
          waiting.delete(timer)
          machine.cancel()
        },
      }
    },
    advance(ms) {
      const wantedMs = aheadMs + ms
      const untilMs = monoMs() + ms
      for (let timer = firstDue(untilMs); timer !== undefined; timer = firstDue(untilMs)) {
        aheadMs = Math.min(wantedMs, Math.max(aheadMs, Math.ceil(timer.dueMs - systemClock.monoMs())))
        timer.run()
      }
      aheadMs = wantedMs
    },
  }
}
