/**
 * Closes a hold, retried until that is durable, and decides once for each complete response whether it is delivered and
 * charged, or withheld and written off except for what was already relayed. Computes no amount.
 *
 * A response waits for its settlement until `dueMonoMs`. It can be withheld until the settlement is sent to the writer;
 * from then on the result of that commit decides, so that what the client gets matches what is committed.
 *
 * A commit that hangs therefore blocks its client without limit: until it returns, the charge is neither certain nor
 * excluded, and a 503 could be followed by the charge. The client's own timeout limits the wait; `/readyz` answers 503
 * after `commitMsMax`, and load is shed.
 */
import type { Background } from '../../../base/background.ts'
import type { Clock } from '../../../base/clock.ts'
import { asTollgateError, TollgateError } from '../../../base/errors.ts'
import type { Failpoints } from '../../../base/failpoint.ts'
import { formatId } from '../../../base/ids.ts'
import type { Log } from '../../../base/log.ts'
import { formatUsd } from '../../../ledger/rules/money.ts'
import type { Ledger, Settled as LedgerSettled, Settlement } from '../../../ledger/types.ts'
import type { Hold, SettlementResult } from '../../request.ts'

export interface DurableSettleDeps {
  readonly ledger: Pick<Ledger, 'settle' | 'release' | 'receipt' | 'confirm'>
  readonly clock: Clock
  readonly background: Background
  readonly failpoints: Failpoints
  readonly log: Log
  readonly limits: {
    readonly settleWaitMs: number
    readonly settleRetryMs: number
    readonly settleRetriesMax: number
  }
}

export interface PendingSettlement {
  readonly settlement: Settlement
  readonly dueMonoMs: number
  /** The settlement of a withheld response; null: the response does not wait for its settlement. */
  readonly withheld: (() => Promise<Settlement>) | null
  readonly onSettled: (settlement: Settlement, result: LedgerSettled) => void
}

/** Resolves when the settlement is durable, or as `late` when the response is withheld or need not wait; never rejects. */
export function settleDurably(deps: DurableSettleDeps, due: PendingSettlement): Promise<SettlementResult> {
  const { clock } = deps
  return new Promise((resolve) => {
    const attempt = new SettlementAttempt(deps, due, () => resolve({ kind: 'late' }))
    const timer = clock.after(Math.max(0, due.dueMonoMs - clock.monoMs()), () => attempt.onDue())
    untilDurable(deps, due.settlement.id, () =>
      attempt.run().then((settlement) => {
        timer.cancel()
        resolve(settlement)
      }),
    )
  })
}

/**
 * Settles a background response, tried once: after `late` it may still be settled, which the next poll finds. Never
 * rejects.
 */
export async function settleResponse(
  deps: DurableSettleDeps,
  settlement: Settlement,
  onSettled: (result: LedgerSettled) => void,
): Promise<SettlementResult> {
  const { clock, limits, failpoints } = deps
  failpoints.reach('before-settle')
  return new Promise((resolve) => {
    const timer = clock.after(limits.settleWaitMs, () => resolve({ kind: 'late' }))
    deps.background.run('settle a background response', async () => {
      const charged = await chargedFor(deps, settlement, onSettled).finally(() => timer.cancel())
      resolve(charged === undefined ? { kind: 'late' } : { kind: 'settled', charged, available: null })
    })
  })
}

/** The charge; undefined: settling failed. */
async function chargedFor(
  { ledger, log, failpoints }: DurableSettleDeps,
  settlement: Settlement,
  onSettled: (result: LedgerSettled) => void,
): Promise<bigint | undefined> {
  const { id, writtenOff, receipt } = settlement
  const { upstream, implausible } = receipt
  const request = formatId('req', id)
  try {
    const result = await ledger.settle(settlement)
    failpoints.reach('after-settle')
    // A concurrent attempt has settled it.
    if (result.kind !== 'settled') return (await ledger.receipt(id))?.charged
    onSettled(result)
    const excess = result.writtenOff - writtenOff
    if (excess > 0n || implausible !== null) {
      log.warn(
        { request, upstream, implausible, writtenOffUsd: formatUsd(excess) },
        'upstream reported usage above the hold of a background response; the excess was not charged',
      )
    }
    return result.charged
  } catch (error) {
    log.error({ err: asTollgateError(error), request }, 'failed to settle a background response')
    return undefined
  }
}

/** `sent`: the settlement is at the writer, whose result decides. */
type Verdict = 'open' | 'sent' | 'withheld'

class SettlementAttempt {
  readonly #deps: DurableSettleDeps
  readonly #due: PendingSettlement
  readonly #stopWaiting: () => void
  #isDue = false
  #verdict: Verdict = 'open'

  /** `stopWaiting` is called when the client no longer waits for the settlement. */
  constructor(deps: DurableSettleDeps, due: PendingSettlement, stopWaiting: () => void) {
    this.#deps = deps
    this.#due = due
    this.#stopWaiting = stopWaiting
  }

  onDue(): void {
    this.#isDue = true
    if (this.#due.withheld === null) this.#stopWaiting()
    else if (this.#verdict === 'open') this.#withhold()
  }

  #withhold(): void {
    this.#verdict = 'withheld'
    this.#stopWaiting()
  }

  /** Rejects when nothing is durable yet. */
  async run(): Promise<SettlementResult> {
    const { ledger, failpoints } = this.#deps
    const { withheld, onSettled, settlement } = this.#due
    if (this.#verdict === 'withheld' && withheld !== null) {
      const instead = await withheld()
      const result = await ledger.settle(instead)
      if (result.kind === 'settled') onSettled(instead, result)
      return { kind: 'late' }
    }
    try {
      const result = await ledger.settle({ id: settlement.id, take: () => this.#take() })
      if (result.kind === 'withdrawn') return await this.run()
      failpoints.reach('after-settle')
      if (result.kind === 'settled') {
        onSettled(settlement, result)
        return { kind: 'settled', charged: result.charged, available: result.available }
      }
    } catch (error) {
      // The commit may have succeeded although its reply was lost; reads work when writes do not.
      const committed = this.#verdict === 'sent' ? await this.#committed().catch(() => undefined) : undefined
      if (committed !== undefined) return committed
      this.#verdict = 'open'
      if (this.#isDue && withheld !== null) this.#withhold()
      throw error
    }
    return (await this.#committed()) ?? { kind: 'late' }
  }

  /** Called when the batch leaves for the writer. */
  #take(): Settlement | null {
    const { settlement } = this.#due
    if (this.#verdict === 'withheld') return null
    this.#verdict = 'sent'
    if (!this.#isDue) return settlement
    return { ...settlement, receipt: { ...settlement.receipt, settledLate: true } }
  }

  /**
   * The result of an earlier attempt that committed but whose reply was lost. A receipt with another end reason comes from another
   * closing of the hold, from the last checkpoint, and does not charge for this response.
   */
  async #committed(): Promise<SettlementResult | undefined> {
    const { id, receipt } = this.#due.settlement
    const committed = await this.#deps.ledger.receipt(id)
    if (committed === undefined) return undefined
    const isOwn = committed.endReason === receipt.endReason
    return isOwn ? { kind: 'settled', charged: committed.charged, available: null } : { kind: 'late' }
  }
}

/** Why nothing of a response may be delivered before its settlement: its hold is not in the database. Null: it is. */
export async function lostHold(
  { ledger, log }: Pick<DurableSettleDeps, 'ledger' | 'log'>,
  { id }: Pick<Hold, 'id'>,
): Promise<TollgateError | null> {
  try {
    if (await ledger.confirm(id)) return null
  } catch (error) {
    const request = formatId('req', id)
    log.error({ err: asTollgateError(error), request }, 'failed to store a hold; its response is withheld')
  }
  return new TollgateError('store_unavailable', {
    message: 'The gateway could not record this request in its database, so its response was not delivered.',
    retryAfterMs: 1_000,
  })
}

/** Releases a hold without a charge or a receipt; resolves as `late` after `settleWaitMs`, and keeps retrying. */
export function releaseDurably(deps: DurableSettleDeps, id: bigint): Promise<SettlementResult> {
  return new Promise((resolve) => {
    const timer = deps.clock.after(deps.limits.settleWaitMs, () => resolve({ kind: 'late' }))
    untilDurable(deps, id, async () => {
      await deps.ledger.release(id)
      timer.cancel()
      resolve({ kind: 'settled', charged: 0n, available: null })
    })
  })
}

function untilDurable(
  { background, limits, log }: DurableSettleDeps,
  id: bigint,
  close: () => Promise<void>,
): void {
  const bounds = { everyMs: limits.settleRetryMs, timesMax: limits.settleRetriesMax }
  let isLogged = false
  background.retry(
    'settle',
    () =>
      close().catch((error: unknown) => {
        if (!isLogged)
          log.error(
            { err: asTollgateError(error), request: id.toString() },
            'failed to close a hold; retrying',
          )
        isLogged = true
        throw error
      }),
    bounds,
  )
}
