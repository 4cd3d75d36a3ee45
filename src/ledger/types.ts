/**
 * The types of the ledger: inputs and results of its operations. Amounts are bigint nano-USD, IDs
 * bigint, times wall-clock milliseconds, token counts numbers. Values only; no statement is here.
 */

import type { BudgetWindow, KeyBudget, RateLimits, RateStates } from '../limits/types.ts'
import type { ResponseLedger } from './background-response-types.ts'
import type { PaymentLedger, ReturnSource } from './payment-types.ts'
import type { Checkpoint, ProviderObjectRow, ReceiptRow, RunningRow } from './receipt-types.ts'
import type { LazySettlement, Settlement, SettleResult } from './settlement-types.ts'
import type { StandingLedger } from './standing-types.ts'
import type { Checked, CheckInput } from './verify/check-step.ts'

export type {
  Attempt,
  AttemptEvidence,
  Checkpoint,
  EndReason,
  ProviderObjectRow,
  ReceiptDraft,
  ReceiptRow,
  RunningRow,
  UsageSource,
} from './receipt-types.ts'
export type {
  ExcessCause,
  LazySettlement,
  Settled,
  Settlement,
  SettleResult,
} from './settlement-types.ts'

/** A request for everything that a call may use, admitted in full or not at all. */
export interface AdmissionRequest {
  /** The request's id: the hold's, later the receipt's and the usage entry's. */
  readonly id: bigint
  readonly account: bigint
  readonly key: bigint
  readonly nowMs: number
  /** Cost of the input bound and fees: what must be available before any output is paid. */
  readonly inputAmount: bigint
  readonly inputTokens: number
  /** Cost of one token of output limit (all choices), nano-USD, rounded up. */
  readonly outputTokenAmount: bigint
  /** Tokens of output the caller wants at most (its own limit, or the model's maximum). */
  readonly outputWanted: number
  /** Below this the request is rejected and not lowered further. */
  readonly outputFloor: number
  /**
   * `lower`: cut the output limit to what the balance affords. `reject`: 402 unless all of it fits. `count`:
   * only while all of it needs no more than the shareable part; a closer look at the input is worth its price then.
   */
  readonly onShortBalance: 'lower' | 'reject' | 'count'
  /** `wait`: answer `wait` instead of lowering or rejecting while other requests of the account hold money. */
  readonly patience: 'wait' | 'none'
  /** Features that a restricted account loses. */
  readonly needsUnrestrictedAccount: boolean
  readonly accountLimits: RateLimits
  readonly keyLimits: RateLimits
  readonly keyBudget: KeyBudget | null
  readonly priceVersion: bigint
  /** For the receipt and for `status: running`. */
  readonly model: string
  readonly format: string
  readonly streamed: boolean
}

export interface Held {
  readonly kind: 'held'
  readonly id: bigint
  readonly amount: bigint
  /** The output limit that the hold pays for; equals `outputWanted` when nothing was lowered. */
  readonly outputLimit: number
  /** posted − held after this hold. */
  readonly available: bigint
  readonly rates: RateStates
  /** The account lost URL documents, server tools and cancel-on-abort until an operator looks. */
  readonly restricted: boolean
}

export type Rejection =
  | { readonly kind: 'suspended' }
  | { readonly kind: 'restricted' }
  | RateRejection
  | InsufficientFunds

export interface RateRejection {
  readonly kind: 'rate'
  readonly limitKind: 'requests' | 'tokens' | 'concurrent'
  readonly scope: 'account' | 'key'
  readonly limit: number
  readonly retryAfterMs: number
  readonly rates: RateStates
}

export interface InsufficientFunds {
  readonly kind: 'insufficient_funds'
  /** Which cap blocks: the account's balance or the key's budget. */
  readonly scope: 'account' | 'key'
  readonly required: bigint
  readonly available: bigint
  readonly held: bigint
  readonly openHolds: number
  /** The largest output limit that would pass now; 0 when none would. */
  readonly affordableOutput: number
}

/** Waiting may help: other requests of the account hold what is missing. Nothing was taken. */
export interface Wait {
  readonly kind: 'wait'
}

export type Admission = Held | Wait | Rejection

/** Payments, codes and returned refunds have separate operations, which check what they are based on. */
export type CreditSource = 'signup' | 'payment' | 'code' | 'manual' | ReturnSource

export interface CreditInput {
  readonly entryId: bigint
  readonly account: bigint
  readonly amount: bigint
  readonly source: CreditSource
  /** Idempotent by (source, reference). */
  readonly reference: string
  readonly nowMs: number
  readonly note: string | null
}

export type CreditResult =
  | {
      readonly kind: 'credited'
      readonly entryId: bigint
      readonly created: boolean
      readonly posted: bigint
      readonly held: bigint
    }
  | { readonly kind: 'no_account' }
  /** The same (source, reference) was used for another account or amount. */
  | { readonly kind: 'conflict' }

export interface NewAccount {
  readonly id: bigint
  readonly kind: 'personal' | 'organization'
  /** Folded to lower case; unique. */
  readonly email: string | null
  /** The account's owner: `person:<id>` or `organization:<id>`; null: only the command line so far. */
  readonly owner?: string | null
  readonly name: string
  readonly nowMs: number
  /** The account's starting credit, which may be zero: a later owner gets no other. Absent: not decided yet. */
  readonly startingCredit?: { readonly entryId: bigint; readonly amount: bigint }
}

/** A person who may have the starting credit. */
export interface SignupInput {
  readonly entryId: bigint
  readonly account: bigint
  readonly person: string
  /** A keyed hash of the folded address: one address, one credit. */
  readonly addressHash: Uint8Array
  readonly amount: bigint
  /** The maximum that the installation gives away per UTC day. */
  readonly perDayMax: bigint
  readonly nowMs: number
}

export type SignupResult =
  | { readonly kind: 'credited'; readonly posted: bigint }
  /** The address or the account had one before. */
  | { readonly kind: 'had_it' }
  | { readonly kind: 'day_is_full' }

export interface AccountAssignment {
  readonly owner: string | null
  readonly email: string | null
  readonly name: string
}

/** Assigns an owner to an account that has none. */
export interface TakeOverInput extends AccountAssignment {
  readonly account: bigint
  readonly owner: string
  /** The account that its new owner has so far and leaves behind, as long as nothing is on it; null: none. */
  readonly leaving: bigint | null
}

export interface AccountRow {
  readonly id: bigint
  readonly kind: 'personal' | 'organization'
  readonly email: string | null
  readonly name: string
  readonly createdMs: number
  readonly suspendedMs: number | null
  readonly restrictedMs: number | null
  readonly posted: bigint
  readonly held: bigint
  readonly openHolds: number
  /** Amount written off because of this account on the UTC day of its last such loss. */
  readonly writtenOffToday: bigint
  /** `person:<id>` or `organization:<id>`; null: only the command line. */
  readonly owner: string | null
}

export interface VerifyReport {
  readonly ok: boolean
  readonly accounts: number
  readonly entries: number
  readonly openHolds: number
  /** A line per contradiction found; empty when ok. */
  readonly drift: readonly string[]
  /** Receipts of earlier requests were removed by age, so less of those is compared (ISO 8601); null: none were. */
  readonly receiptsFrom: string | null
}

/** The only code that moves money. Every method is atomic. */
export interface Ledger extends PaymentLedger, ResponseLedger, StandingLedger {
  admit(input: AdmissionRequest): Promise<Admission>
  /** Another process has suspended or resumed the account; null: any account may be. */
  changedElsewhere(account: bigint | null): Promise<void>
  /** Releases a full hold, with no charge and no receipt, because nothing reached an upstream. */
  release(id: bigint): Promise<void>
  settle(settlement: Settlement | LazySettlement): Promise<SettleResult>
  checkpoint(checkpoint: Checkpoint): Promise<void>
  /** Frees the concurrency of a request whose client left and whose answer is only read for its usage; its hold stays. */
  releaseConcurrency(id: bigint): Promise<void>
  /** Whether the hold is in the database. Until then an admission can be lost, with the process or for a full disk. */
  confirm(id: bigint): Promise<boolean>
  /** Another model serves the request: its receipt names it and its price. The hold must cover its cost. False: it is not open. */
  setModel(id: bigint, served: { readonly model: string; readonly priceVersion: bigint }): Promise<boolean>
  /** Releases part of a hold early, e.g. when the upstream reported its input. */
  shrink(id: bigint, amount: bigint): Promise<void>
  credit(input: CreditInput): Promise<CreditResult>
  signupCredit(input: SignupInput): Promise<SignupResult>
  createAccount(account: NewAccount): Promise<{ kind: 'created' } | { kind: 'exists'; id: bigint }>
  suspend(account: bigint, atMs: number | null): Promise<void>
  /** Called as soon as this process has suspended an account; returns how to stop listening. */
  onSuspended(listener: (account: bigint) => void): () => void
  /** Changes who owns an account and what it is called; rejects a second account of one owner or address. */
  assign(account: bigint, to: AccountAssignment): Promise<'assigned' | 'taken' | 'no_account'>
  /** Changes nothing where the account has another owner by now, or what is left behind is in use. */
  takeOver(input: TakeOverInput): Promise<'taken_over' | 'not_free'>
  /** A key that was never used shares the usage row of another key from now on. */
  shareKeyUsage(key: bigint, withKey: bigint, account: bigint): Promise<void>
  /** Lifts the restriction after an operator looked. */
  unrestrict(account: bigint): Promise<void>
  /**
   * Resolves when one of the account's holds closed or credit arrived after the call began, or after `waitMs`.
   * Call it before the `admit` whose `wait` it answers, so that nothing is missed in between.
   */
  whenReleased(account: bigint, waitMs: number): Promise<void>

  account(id: bigint): Promise<AccountRow | undefined>
  accountByEmail(email: string): Promise<AccountRow | undefined>
  accountByOwner(owner: string): Promise<AccountRow | undefined>
  /** `search`: a part of the address, the name or the owner; null: all. */
  accounts(limit: number, afterId: bigint, search: string | null): Promise<readonly AccountRow[]>
  accountCount(): Promise<number>
  receipt(id: bigint): Promise<ReceiptRow | undefined>
  running(id: bigint): Promise<RunningRow | undefined>
  receipts(account: bigint, limit: number, beforeId: bigint | null): Promise<readonly ReceiptRow[]>
  /** Returns which of these ids are unexpired provider objects of this account. */
  providerObjects(
    account: bigint,
    ids: readonly string[],
    nowMs: number,
  ): Promise<readonly ProviderObjectRow[]>
  /** Spent and held by a key in its budget's present window. */
  keySpend(key: bigint, window: BudgetWindow, nowMs: number): Promise<{ spent: bigint; held: bigint }>
  /** Sums of the platform accounts, by name. */
  platformBalances(): Promise<Readonly<Record<string, bigint>>>
  /** Removes at most `limit` receipts of requests with smaller IDs permanently, by age; returns how many. */
  removeReceipts(before: bigint, limit: number): Promise<number>
  /** Runs a bounded step of the background check. */
  check(input: CheckInput): Promise<Checked>
  verify(): Promise<VerifyReport>
}

/** The part of it that only reads. */
export type LedgerReading = Pick<
  Ledger,
  | 'account'
  | 'accountByEmail'
  | 'accountByOwner'
  | 'accounts'
  | 'entries'
  | 'movements'
  | 'movedByDay'
  | 'accountCount'
  | 'everCredited'
  | 'receipt'
  | 'running'
  | 'receipts'
  | 'providerObjects'
  | 'openResponse'
  | 'openResponseById'
  | 'openResponses'
  | 'keySpend'
  | 'platformBalances'
  | 'check'
  | 'verify'
>
