/**
 * Checks the ledger continuously in small background steps, and remembers what was found: drift is known without a
 * verification. Changes nothing.
 */
import type { Background } from '../../base/background.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Ledger } from '../types.ts'

export interface WatchLimits {
  /** Between two steps. */
  readonly ledgerCheckMs: number
  /** Between the end of a round and the next one. */
  readonly ledgerCheckRoundMs: number
  readonly ledgerCheckAccountsMax: number
  readonly ledgerCheckReceiptsMax: number
  readonly driftLinesMax: number
}

export interface WatchOptions {
  readonly ledger: Pick<Ledger, 'check'>
  readonly background: Pick<Background, 'run'>
  readonly clock: Clock
  readonly log: Log
  readonly limits: WatchLimits
}

export interface WatchReport {
  /** When the last full round ended; null: none has yet. */
  readonly checkedMs: number | null
  /** Contradictions of the last full round, or of the current one if it has more. */
  readonly contradictions: number
}

export interface LedgerWatch {
  report(): WatchReport
  stop(): void
}

const start = { afterAccount: 0n as bigint | null, beforeReceipt: ((1n << 63n) - 1n) as bigint | null }

export function watchLedger({ ledger, background, clock, log, limits }: WatchOptions): LedgerWatch {
  const { ledgerCheckAccountsMax: accountsMax, ledgerCheckReceiptsMax: receiptsMax, driftLinesMax } = limits
  const state = { place: start, found: 0, last: 0, checkedMs: null as number | null, isStopped: false }
  let timer: Timer

  async function step(): Promise<void> {
    const { drift, ...place } = await ledger.check({ ...state.place, accountsMax, receiptsMax })
    for (const line of drift) {
      state.found += 1
      if (state.found <= driftLinesMax) log.error({ drift: line }, 'the ledger contradicts itself')
    }
    state.place = place
    if (place.afterAccount !== null || place.beforeReceipt !== null) return wait(limits.ledgerCheckMs)
    state.checkedMs = clock.wallMs()
    state.last = state.found
    state.found = 0
    state.place = start
    wait(limits.ledgerCheckRoundMs)
  }

  function wait(ms: number): void {
    if (state.isStopped) return
    timer = clock.after(ms, () =>
      background.run('check of the ledger', () =>
        step().catch((error: unknown) => {
          wait(limits.ledgerCheckRoundMs)
          throw error
        }),
      ),
    )
  }

  wait(limits.ledgerCheckMs)
  return {
    report: () => ({ checkedMs: state.checkedMs, contradictions: Math.max(state.last, state.found) }),
    stop() {
      state.isStopped = true
      timer.cancel()
    },
  }
}
