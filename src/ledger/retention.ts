/**
 * Removes receipts that are older than a number of months, in small steps between which requests are served. Decides only
 * which ones.
 */
import type { Background } from '../base/background.ts'
import type { Clock, Timer } from '../base/clock.ts'
import { firstIdAt } from '../base/ids.ts'
import { dayMs, dayOf, firstDayOf, monthOf } from '../limits/calendar.ts'
import type { Ledger } from './types.ts'

export interface RetentionLimits {
  /** Receipts of one step. */
  readonly receiptsRemovedMax: number
  /** Between two steps. */
  readonly receiptRemovalMs: number
  /** Between the end of a round and the next one. */
  readonly receiptRemovalRoundMs: number
}

export interface RetentionOptions {
  readonly ledger: Pick<Ledger, 'removeReceipts'>
  readonly background: Pick<Background, 'run'>
  readonly clock: Clock
  /** Full months before the present one. */
  readonly months: number
  readonly limits: RetentionLimits
  /** Called when a round has ended that removed receipts. */
  readonly onRemoved: (removed: { readonly beforeMs: number; readonly receipts: number }) => Promise<void>
}

/** The first instant (UTC) of which receipts are stored. */
function keptFromMs(nowMs: number, months: number): number {
  return firstDayOf(monthOf(dayOf(nowMs)) - months) * dayMs
}

/** Returns a function that stops it. */
export function startRetention(options: RetentionOptions): () => void {
  const { ledger, background, clock, months, limits, onRemoved } = options
  let timer: Timer
  let isStopped = false
  let receipts = 0

  async function step(): Promise<void> {
    const beforeMs = keptFromMs(clock.wallMs(), months)
    const removed = await ledger.removeReceipts(firstIdAt(beforeMs), limits.receiptsRemovedMax)
    receipts += removed
    if (removed === limits.receiptsRemovedMax) return wait(limits.receiptRemovalMs)
    const ended = { beforeMs, receipts }
    receipts = 0
    if (ended.receipts > 0) await onRemoved(ended)
    wait(limits.receiptRemovalRoundMs)
  }

  function wait(ms: number): void {
    if (isStopped) return
    timer = clock.after(ms, () =>
      background.run('removal of old receipts', () =>
        step().catch((error: unknown) => {
          wait(limits.receiptRemovalRoundMs)
          throw error
        }),
      ),
    )
  }

  wait(limits.receiptRemovalMs)
  return () => {
    isStopped = true
    timer.cancel()
  }
}
