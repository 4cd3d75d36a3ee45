/**
 * Closes a hold, again and again until that is durable, and decides once for each finished answer whether it is
 * delivered and charged or withheld and written off. Decides no amount.
 *
 * An answer waits for its settlement until `dueMonoMs`. Until its settlement is sent to the writer it can be withheld;
 * from then on the outcome of that commit decides, so that what the client gets is what is committed.
 *
 * A commit that hangs therefore keeps its client waiting without limit. A bound would be a guess: while a commit is on its
 * way to the disk, neither "charged" nor "not charged" is known, and a 503 sent then may be followed by the charge. What
 * limits the wait is the client's own timeout; `/readyz` answers 503 after `commitMsMax`, and load is shed.
 */
import type { Background } from '../base/background.ts'
import type { Clock } from '../base/clock.ts'
import { asTollgateError } from '../base/errors.ts'
import type { Failpoints } from '../base/failpoint.ts'
import type { Log } from '../base/log.ts'
import type { Ledger, Settled as LedgerSettled, Settlement } from '../ledger/types.ts'
import type { Bill } from '../values.ts'

export interface Closing {
  readonly ledger: Pick<Ledger, 'settle' | 'release' | 'receipt'>
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

export interface DueSettlement {
  readonly settlement: Settlement
  readonly dueMonoMs: number
  /** What is settled instead where the answer is withheld; null: what the client gets does not wait for the settlement. */
  readonly withheld: (() => Promise<Settlement>) | null
  readonly onSettled: (settlement: Settlement, result: LedgerSettled) => void
}

/** Resolves when the settlement is durable, or as `late` when the answer is withheld or need not wait; never rejects. */
export function settleDurably(closing: Closing, due: DueSettlement): Promise<Bill> {
  const { clock } = closing
  return new Promise((resolve) => {
    const attempt = new Attempt(closing, due, () => resolve({ kind: 'late' }))
    const timer = clock.after(Math.max(0, due.dueMonoMs - clock.monoMs()), () => attempt.timeIsUp())
    untilDurable(closing, due.settlement.id, async () => {
      const bill = await attempt.run()
      timer.cancel()
      resolve(bill)
    })
  })
}

/** `sent`: the writer has it, and its outcome decides. */
type Verdict = 'open' | 'sent' | 'withheld'

class Attempt {
  readonly #closing: Closing
  readonly #due: DueSettlement
  readonly #letGo: () => void
  #isDue = false
  #verdict: Verdict = 'open'

  /** `letGo`: the client waits for the settlement no longer. */
  constructor(closing: Closing, due: DueSettlement, letGo: () => void) {
    this.#closing = closing
    this.#due = due
    this.#letGo = letGo
  }

  timeIsUp(): void {
    this.#isDue = true
    if (this.#due.withheld === null) this.#letGo()
    else if (this.#verdict === 'open') this.#withhold()
  }

  #withhold(): void {
    this.#verdict = 'withheld'
    this.#letGo()
  }

  /** Rejects when nothing is durable yet. */
  async run(): Promise<Bill> {
    const { ledger, failpoints } = this.#closing
    const { withheld, onSettled, settlement } = this.#due
    if (this.#verdict === 'withheld' && withheld !== null) {
      const instead = await withheld()
      const result = await ledger.settle(instead)
      if (result.kind === 'settled') onSettled(instead, result)
      return { kind: 'late' }
    }
    try {
      const result = await ledger.settle(() => this.#take())
      if (result.kind === 'withdrawn') return await this.run()
      failpoints.reach('after-settle')
      if (result.kind === 'settled') {
        onSettled(settlement, result)
        return { kind: 'settled', charged: result.charged }
      }
    } catch (error) {
      // What was sent may be committed although its reply is lost; a read works where writing does not.
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

  /** What an earlier attempt committed whose reply was lost. */
  async #committed(): Promise<Bill | undefined> {
    const receipt = await this.#closing.ledger.receipt(this.#due.settlement.id)
    return receipt === undefined ? undefined : { kind: 'settled', charged: receipt.charged }
  }
}

/** Gives a hold back whole, with no charge and no receipt; waits for it no longer than a client can be kept waiting. */
export function releaseDurably(closing: Closing, id: bigint): Promise<Bill> {
  return new Promise((resolve) => {
    const timer = closing.clock.after(closing.limits.settleWaitMs, () => resolve({ kind: 'late' }))
    untilDurable(closing, id, async () => {
      await closing.ledger.release(id)
      timer.cancel()
      resolve({ kind: 'settled', charged: 0n })
    })
  })
}

function untilDurable({ background, limits, log }: Closing, id: bigint, close: () => Promise<void>): void {
  const bounds = { everyMs: limits.settleRetryMs, timesMax: limits.settleRetriesMax }
  let isLogged = false
  background.retry(
    'settle',
    async () => {
      try {
        await close()
      } catch (error) {
        if (!isLogged)
          log.error({ err: asTollgateError(error), request: id.toString() }, 'a bill is not durable yet')
        isLogged = true
        throw error
      }
    },
    bounds,
  )
}
