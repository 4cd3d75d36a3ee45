/**
 * Accounts and keys that cannot pay, as the ledger's latest results showed them: what a request needs to know
 * before its body is read. Caches only accounts and keys without an obstacle; all others are read.
 */
import type { KeyBudget } from '../limits/types.ts'
import type { Obstacle, StandingAsk } from './standing-types.ts'
import type { AccountRow, Admission, AdmissionAsk } from './types.ts'

/** What is read if the cached state would reject a request. */
export interface StandingReads {
  account(id: bigint): Promise<AccountRow | undefined>
  keySpend(
    key: bigint,
    window: KeyBudget['window'],
    nowMs: number,
  ): Promise<{ readonly spent: bigint; readonly held: bigint }>
}

export class Standings {
  readonly #sizeMax: number
  /** Accounts that were not suspended and had money when the ledger last spoke of them. */
  readonly #clear = new Set<bigint>()
  /** Keys that had nothing left of their budget. */
  readonly #spent = new Set<bigint>()
  /** Suspended while requests of theirs ran: what is settled afterwards says nothing of it. */
  readonly #suspended = new Set<bigint>()

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  admitted({ account, key }: AdmissionAsk, admission: Admission): void {
    if (admission.kind === 'held') this.settled(account, admission.available)
    else if (admission.kind === 'suspended') this.doubt(account)
    else if (admission.kind === 'insufficient_funds' && admission.scope === 'account') this.doubt(account)
    else if (admission.kind === 'insufficient_funds' && admission.available <= 0n)
      this.#keep(this.#spent, key)
  }

  settled(account: bigint, available: bigint): void {
    if (available > 0n && !this.#suspended.has(account)) this.#keep(this.#clear, account)
    else this.doubt(account)
  }

  suspended(account: bigint): void {
    this.doubt(account)
    this.#keep(this.#suspended, account)
  }

  /** The next request of each looks again. */
  doubtAll(): void {
    this.#clear.clear()
  }

  /** Its next request looks again. */
  doubt(account: bigint): void {
    this.#clear.delete(account)
  }

  /** null synchronously, and for nearly all requests, where no obstacle is known. */
  obstacle(ask: StandingAsk, reads: StandingReads): Promise<Obstacle | null> | null {
    const isSpent = ask.keyBudget !== null && this.#spent.has(ask.key)
    if (this.#clear.has(ask.account) && !isSpent) return null
    return this.#look(ask, reads)
  }

  async #look(ask: StandingAsk, reads: StandingReads): Promise<Obstacle | null> {
    const { account, key, keyBudget, nowMs } = ask
    const row = await reads.account(account)
    if (row === undefined) return null
    if (row.suspendedMs !== null) return { kind: 'suspended' }
    this.#suspended.delete(account)
    const { posted, held } = row
    if (posted <= 0n) return { kind: 'unfunded', scope: 'account', available: posted - held, held }
    this.settled(account, posted - held)
    if (keyBudget === null || !this.#spent.has(key)) return null
    const spend = await reads.keySpend(key, keyBudget.window, nowMs)
    if (spend.spent >= keyBudget.amount) {
      return { kind: 'unfunded', scope: 'key', available: 0n, held: spend.held }
    }
    this.#spent.delete(key)
    return null
  }

  #keep(set: Set<bigint>, id: bigint): void {
    if (set.has(id)) return
    set.add(id)
    if (set.size <= this.#sizeMax) return
    for (const oldest of set) {
      set.delete(oldest)
      return
    }
  }
}
