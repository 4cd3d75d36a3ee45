/** The input and output of settling a request. Values only. */
import type { ProviderObject } from '../wire/format.ts'
import type { ReceiptDraft } from './receipt-types.ts'

/**
 * Whose doing it is when a request costs more than its hold: the account's where the request used something that cannot
 * be bounded beforehand (files that are neither text nor images, tools at the provider), else the upstream's.
 */
export type ExcessCause = 'account' | 'upstream'

/** The closed request: what it used, what it costs, how it ended. */
export interface Settlement {
  readonly id: bigint
  readonly nowMs: number
  /** Cost of the usage at the customer's price; the excess over the hold is written off. */
  readonly cost: bigint
  /** Absent: the upstream. */
  readonly excessCausedBy?: ExcessCause
  /** Amount written off in addition to `cost`: usage the customer does not pay for (an error before content, hidden reasoning). */
  readonly writtenOff: bigint
  /** The part of `writtenOff` that counts toward the losses that the account caused; absent: none. */
  readonly causedWriteOff?: bigint
  readonly receipt: ReceiptDraft
  /** A fresh id for the entry of the write-off. */
  readonly writeOffEntryId: bigint
  /** Objects that the provider stored for the answer; absent: none. */
  readonly providerObjects?: readonly ProviderObject[]
}

/** A settlement that is decided on when its batch leaves for the database. */
export interface LazySettlement {
  /** The hold's id. */
  readonly id: bigint
  /** Called once, when it leaves; null takes it back. */
  readonly take: () => Settlement | null
}

export interface Settled {
  readonly kind: 'settled'
  /** Amount the customer paid. */
  readonly charged: bigint
  /** Amount written off: the excess over the hold, and usage that the customer does not pay for. */
  readonly writtenOff: bigint
  /** posted − held after it. */
  readonly available: bigint
}

/** Settling the same request again changes nothing and returns `already_settled`. */
export type SettleResult =
  | Settled
  | { readonly kind: 'already_settled' }
  | { readonly kind: 'unknown_hold' }
  /** The settlement was taken back before it reached the writer; nothing was done. */
  | { readonly kind: 'withdrawn' }
