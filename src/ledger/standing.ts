/** The ledger's state in memory: who can pay, holds not recorded yet, and requests that wait for funds. */
import type { Clock } from '../base/clock.ts'
import type { KeyBudget } from '../limits/types.ts'
import type { DeferralState } from '../store/channel.ts'
import type { BlockedReason, StandingInput } from './standing-types.ts'
import type { AccountRow, Admission, AdmissionRequest } from './types.ts'

/** Reads to confirm a rejection that the cached state suggests. */
export interface StandingReads {
  account(id: bigint): Promise<AccountRow | undefined>
  keySpend(
    key: bigint,
    window: KeyBudget['window'],
    nowMs: number,
  ): Promise<{ readonly spent: bigint; readonly held: bigint }>
}

/**
 * Whether accounts and keys can pay, by the ledger's latest results, for a check before a request's body is read. Caches
 * accounts that can pay and keys whose budget is used up; all others are read.
 */
export class AccountStatusCache {
  readonly #sizeMax: number
  /** Accounts that were not suspended and had money in the last result. */
  readonly #clear = new Set<bigint>()
  /** Keys whose budget is used up. */
  readonly #spent = new Set<bigint>()
  /** Accounts suspended while their requests ran: settling those requests does not clear the suspension. */
  readonly #suspended = new Set<bigint>()

  constructor(sizeMax: number) {
    this.#sizeMax = sizeMax
  }

  admitted({ account, key }: AdmissionRequest, admission: Admission): void {
    if (admission.kind === 'held') this.settled(account, admission.available)
    else if (admission.kind === 'suspended') this.invalidate(account)
    else if (admission.kind === 'insufficient_funds' && admission.scope === 'account')
      this.invalidate(account)
    else if (admission.kind === 'insufficient_funds' && admission.available <= 0n)
      this.#keep(this.#spent, key)
  }

  settled(account: bigint, available: bigint): void {
    if (available > 0n && !this.#suspended.has(account)) this.#keep(this.#clear, account)
    else this.invalidate(account)
  }

  suspended(account: bigint): void {
    this.invalidate(account)
    this.#keep(this.#suspended, account)
  }

  /** Makes the next request of every account read the ledger. */
  invalidateAll(): void {
    this.#clear.clear()
  }

  /** Makes the account's next request read the ledger. */
  invalidate(account: bigint): void {
    this.#clear.delete(account)
  }

  /** null synchronously, and for nearly all requests, where no reason to block is known. */
  blockedReason(input: StandingInput, reads: StandingReads): Promise<BlockedReason | null> | null {
    const isSpent = input.keyBudget !== null && this.#spent.has(input.key)
    if (this.#clear.has(input.account) && !isSpent) return null
    return this.#look(input, reads)
  }

  async #look(input: StandingInput, reads: StandingReads): Promise<BlockedReason | null> {
    const { account, key, keyBudget, nowMs } = input
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

/**
 * Holds that may not be in the database yet, because their admission was answered before its commit. Uses only the state in the
 * store's replies.
 */
export class UnrecordedHolds {
  readonly #deferral: DeferralState | null
  /** Holds admitted since everything was recorded. */
  readonly #ids = new Set<bigint>()
  #recordings = 0

  /** Null: no admission is answered before its commit. */
  constructor(deferral: DeferralState | null) {
    this.#deferral = deferral
  }

  /** To be called with the reply. */
  admitted(id: bigint): void {
    if (this.#deferral === null || this.#deferral.now !== 'waiting') return
    this.#forgetRecorded(this.#deferral)
    this.#ids.add(id)
  }

  /** False where it is not known. */
  isRecorded(id: bigint): boolean {
    if (this.#deferral === null) return true
    this.#forgetRecorded(this.#deferral)
    return this.#deferral.now !== 'lost' && !this.#ids.has(id)
  }

  #forgetRecorded({ recordings }: DeferralState): void {
    if (recordings === this.#recordings) return
    this.#recordings = recordings
    this.#ids.clear()
  }
}

interface Waiters {
  /**
   * Resolves at the account's next `wake`, or after `waitMs`. When too many wait already the one that
   * waited longest is woken for it: it is the likeliest to have been given up.
   */
  wait(account: bigint, waitMs: number): Promise<void>
  wake(account: bigint): void
}

/**
 * Requests that wait for funds of their own account: woken when a hold closed or credit arrived, or
 * at their deadline. Bounded per account. Decides nothing about money.
 */
export function openWaiters(clock: Clock, perAccountMax: number): Waiters {
  const waiting = new Map<bigint, Set<() => void>>()

  return {
    wait(account, waitMs) {
      const others = waiting.get(account) ?? new Set()
      if (others.size >= perAccountMax) others.values().next().value?.()
      waiting.set(account, others)
      return new Promise((resolve) => {
        const done = (): void => {
          timer.cancel()
          others.delete(done)
          if (others.size === 0 && waiting.get(account) === others) waiting.delete(account)
          resolve()
        }
        const timer = clock.after(waitMs, done)
        others.add(done)
      })
    },
    wake(account) {
      for (const done of [...(waiting.get(account) ?? [])]) done()
    },
  }
}
