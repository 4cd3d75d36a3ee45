/**
 * The types of what fills an account and takes back from it: top-ups, refunds, disputes, codes, and
 * entries for display. Values only.
 */

/** A top-up that the provider reports as paid. */
export interface PayInput {
  readonly entryId: bigint
  readonly topUp: bigint
  /** The provider's id of the payment: the credit's reference. */
  readonly paymentIntent: string
  readonly nowMs: number
}

export type PayResult =
  | { readonly kind: 'paid'; readonly created: boolean; readonly account: bigint }
  | { readonly kind: 'no_top_up' }
  /** The top-up was paid by another payment; or the payment has paid for another top-up, or was credited by hand. */
  | { readonly kind: 'conflict' }

export type ReturnSource = 'refund' | 'dispute'

/** Money of a paid top-up that went back to the payer, whether it was spent or not. */
export interface ReturnInput {
  readonly entryId: bigint
  readonly topUp: bigint
  readonly source: ReturnSource
  /** The provider's id of the refund or dispute. */
  readonly reference: string
  readonly amount: bigint
  readonly nowMs: number
  readonly note: string | null
  /** Why the account makes no more requests from now on; null: it may. */
  readonly freeze: string | null
}

export type ReturnResult =
  | { readonly kind: 'returned'; readonly created: boolean; readonly account: bigint }
  | { readonly kind: 'not_paid' }
  /** The reference took another amount, or more is refunded than was paid. */
  | { readonly kind: 'conflict' }

/** A refund that failed or a dispute that was won: what was taken under the reference comes back. */
export interface RestoreInput {
  readonly entryId: bigint
  readonly source: ReturnSource
  readonly reference: string
  readonly nowMs: number
}

export type RestoreResult =
  | { readonly kind: 'restored'; readonly created: boolean; readonly account: bigint }
  /** Nothing was taken under this reference. */
  | { readonly kind: 'nothing' }

export interface CodeInput {
  readonly entryId: bigint
  readonly hash: Uint8Array
  readonly account: bigint
  readonly nowMs: number
}

export type CodeResult =
  | { readonly kind: 'credited'; readonly amount: bigint; readonly posted: bigint }
  | {
      readonly kind: 'rejected'
      readonly reason: 'unknown' | 'revoked' | 'expired' | 'used_before' | 'used_up'
    }

export type EntryKind = 'usage' | 'write_off' | 'credit' | 'refund'

export interface EntryFilter {
  readonly account: bigint
  readonly kind: EntryKind | null
  /** Matches when a request began or, for other entries, when they were created. */
  readonly fromMs: number | null
  /** Exclusive. */
  readonly toMs: number | null
  readonly limit: number
  /** Only entries with a smaller id. */
  readonly before: bigint | null
}

export interface EntryRow {
  readonly id: bigint
  readonly atMs: number
  readonly kind: EntryKind
  readonly amount: bigint
  readonly balanceAfter: bigint
  readonly source: string | null
  readonly reference: string | null
  readonly note: string | null
  readonly request: bigint | null
}

/** Credits or refunds of an account, summed by source. */
export interface Movement {
  readonly kind: 'credit' | 'refund'
  readonly source: string
  readonly count: number
  readonly amount: bigint
}

/** The same summed by UTC day since 1970. */
export interface DayMoved {
  readonly day: number
  readonly amount: bigint
}

/** The part of the ledger that payments and billing use. */
export interface PaymentLedger {
  payTopUp(input: PayInput): Promise<PayResult>
  returnTopUp(input: ReturnInput): Promise<ReturnResult>
  restoreTopUp(input: RestoreInput): Promise<RestoreResult>
  redeem(input: CodeInput): Promise<CodeResult>
  /** The latest first, by id. */
  entries(filter: EntryFilter): Promise<readonly EntryRow[]>
  /** Credits and refunds from `fromMs`, without `toMs`; use is not among them. */
  movements(account: bigint, fromMs: number, toMs: number): Promise<readonly Movement[]>
  movedByDay(account: bigint): Promise<readonly DayMoved[]>
}
