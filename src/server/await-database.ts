/** A start that waits for a database which is away, as long as that takes, until the process is asked to stop. */
import type { Clock } from '../base/clock.ts'
import { asTollgateError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { ServicesResult } from './services.ts'

export interface AwaitDatabaseOptions {
  readonly clock: Clock
  readonly log: Log
  readonly retryMs: number
  /** Ends the wait. */
  readonly stop: AbortSignal
  /** Called before the first wait. */
  readonly onAway: () => Promise<void>
}

/** `stopped`: startup was canceled, and nothing is open. */
export async function openWhenReachable(
  open: () => Promise<ServicesResult>,
  { clock, log, retryMs, stop, onAway }: AwaitDatabaseOptions,
): Promise<Exclude<ServicesResult, { kind: 'away' }> | { readonly kind: 'stopped' }> {
  let shown: string | undefined
  for (;;) {
    const result = await open()
    if (result.kind !== 'away') return result
    const reason = result.messages.join(' ')
    if (shown === undefined) await onAway()
    // Once for each reason: an outage may take long.
    if (reason !== shown) log.warn({ reason }, 'the database is not available; waiting for it')
    shown = reason
    if (await isStoppedAfter(clock, retryMs, stop)) return { kind: 'stopped' }
  }
}

/** Repeats a step of a start that failed for lack of the database. */
export async function untilStored<Result>(
  step: () => Promise<Result>,
  { clock, retryMs, stop }: Pick<AwaitDatabaseOptions, 'clock' | 'retryMs' | 'stop'>,
): Promise<Result> {
  for (;;) {
    try {
      return await step()
    } catch (error) {
      if (asTollgateError(error).code !== 'store_unavailable') throw error
      if (await isStoppedAfter(clock, retryMs, stop)) throw error
    }
  }
}

function isStoppedAfter(clock: Clock, ms: number, stop: AbortSignal): Promise<boolean> {
  if (stop.aborted) return Promise.resolve(true)
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel()
      stop.removeEventListener('abort', end)
      resolve(stop.aborted)
    }
    const timer = clock.after(ms, end)
    stop.addEventListener('abort', end)
  })
}
