/**
 * The types of usage for display: sums of receipts by time and group, rejections, running requests. Values only;
 * never consulted for balances. A request belongs to the hour in which it began, the hour of its ID.
 */
import type { ReceiptRow } from '../ledger/types.ts'
import type { Sums } from './sums.ts'

export type { Sums } from './sums.ts'

export type UsageStep = 'hour' | 'day' | 'month'
export type UsageGroup = 'none' | 'model' | 'key'

/** From `fromMs` to `toMs` (exclusive), widened to whole hours. */
export interface Range {
  readonly fromMs: number
  readonly toMs: number
}

export interface SumsInput extends Range {
  readonly account: bigint
  readonly step: UsageStep
  readonly group: UsageGroup
  readonly model: string | null
  readonly key: bigint | null
}

export interface SumsRow {
  /** Start of the hour, day or month in UTC. */
  readonly atMs: number
  /** A model name, a key, null when not split. */
  readonly group: string | bigint | null
  readonly sums: Sums
}

export interface LoggedRejection {
  /** The request's. */
  readonly id: bigint
  readonly account: bigint
  readonly key: bigint
  readonly code: string
  readonly status: number
  /** The model name that the client sent. */
  readonly model: string | null
  /** The message that the client received. */
  readonly message: string
}

/** Requests that were rejected alike within an hour. */
export interface RejectionCount {
  readonly account: bigint
  /** Since 1970. */
  readonly hour: number
  readonly key: bigint
  readonly code: string
  /** '' when it was not known to be a model. */
  readonly model: string
  readonly count: number
}

/** Rejections that are written in one transaction. */
export interface RejectionBatch {
  readonly counts: readonly RejectionCount[]
  /** Each of them is among the counts; not all that were counted need be here. */
  readonly rows: readonly LoggedRejection[]
}

/** Which rejected requests of an account are read. */
export interface RejectionSearch {
  readonly account: bigint
  readonly key: bigint | null
  readonly model: string | null
  readonly fromId: bigint
  /** Exclusive. */
  readonly beforeId: bigint
  readonly limit: number
  /** Hours whose counts are returned; `toHour` is exclusive. */
  readonly fromHour: number
  readonly toHour: number
}

export interface RejectionReport {
  /** By code, the commonest first. */
  readonly counts: readonly { readonly code: string; readonly count: number }[]
  /** The latest first. */
  readonly latest: readonly LoggedRejection[]
}

/** A request that has a hold and no receipt yet. */
export interface RunningRequest {
  readonly id: bigint
  readonly account: bigint
  readonly key: bigint
  readonly model: string
  readonly format: string
  readonly streamed: boolean
  readonly held: bigint
  readonly startedMs: number
}

/** Receipts of one account that began in a range of time, by their ids. */
export interface ReceiptSearch {
  readonly account: bigint
  readonly fromId: bigint
  /** Exclusive. */
  readonly beforeId: bigint
  readonly key: bigint | null
  readonly model: string | null
  readonly outcome: 'succeeded' | 'failed' | null
  readonly limit: number
  /** Rows that one call may look at. */
  readonly scannedMax: number
}

export interface ReceiptsFound {
  /** The latest first. */
  readonly receipts: readonly ReceiptRow[]
  /** How many rows were looked at. */
  readonly scanned: number
  /** Where to continue: `beforeId` of the next call; null: there are no more. */
  readonly next: bigint | null
}

export interface KeyActivity {
  /**
   * The minute in which its last request began, ended or was rejected, of one that took another key's place perhaps only
   * the hour; null: it was never used.
   */
  readonly lastUsedMs: number | null
  /** All that was ever charged to it. */
  readonly spent: bigint
}

export interface Loss {
  readonly account: bigint
  readonly writtenOff: bigint
  /** Requests that lost something. */
  readonly requests: number
}

export interface AccountLosses {
  readonly total: bigint
  /** The largest first. */
  readonly accounts: readonly Loss[]
}

export interface Runway {
  /** How many days the balance lasts. */
  readonly days: number
  /** On how many UTC days something was spent: a rate of fewer than `runwayDaysMin` is not shown. */
  readonly daysWithSpend: number
}

/** Minimum number of days with spend for a prediction. */
export const runwayDaysMin = 3

export interface UsageReport {
  /**
   * Returns a row for each step and group; steps without activity are included, groups without activity in the entire range are not.
   * Throws 400 for a range of too many steps or rows.
   */
  sums(input: SumsInput): Promise<readonly SumsRow[]>
  /** Amounts charged in each UTC month that the range touches, in order; reads one month at a time. */
  chargedByMonth(
    input: Range & Pick<SumsInput, 'account'>,
  ): Promise<readonly { readonly atMs: number; readonly charged: bigint }[]>
  /** When each key was last used, and its charges; the result has every requested key. */
  keyActivity(keys: readonly bigint[]): Promise<ReadonlyMap<bigint, KeyActivity>>
  /** How long the balance lasts at the rate of the last seven days; null: nothing was spent in them. */
  runway(account: bigint): Promise<Runway | null>
  /** Write-offs by account, in whole hours of the range; at most `limit` accounts, the total over all. */
  losses(input: Range & { readonly limit: number }): Promise<AccountLosses>
  /** Counts by whole hours, of all models, and single rejections, of which the latest of each key are stored. */
  rejections(search: RejectionSearch): Promise<RejectionReport>
  /** Writes down requests that were rejected; moves nothing. */
  recordRejections(batch: RejectionBatch): Promise<void>
  /** Runs a bounded step of a search, which continues where the last one ended. */
  searchReceipts(input: ReceiptSearch): Promise<ReceiptsFound>
  /** Requests that hold money, latest first. */
  running(account: bigint): Promise<readonly RunningRequest[]>
  /** Makes a large file for an account; throws 503 while too many are made. */
  makingFile<File>(account: bigint, make: () => Promise<File>): Promise<File>
  /** When the account's first request began; null: it never made one. */
  firstRequestMs(account: bigint): Promise<number | null>
}

/** Counts of an offer in a slot of time. */
export interface OfferCounts {
  readonly slotMs: number
  readonly slot: number
  readonly upstream: string
  readonly upstreamModel: string
  readonly requests: number
  readonly failures: number
  readonly cost: bigint
  readonly firstBytes: readonly number[]
}

/** Counts to add, and per slot length the oldest slot to keep. */
export interface OfferBatch {
  readonly counts: readonly OfferCounts[]
  readonly oldest: readonly { readonly slotMs: number; readonly slot: number }[]
}

/** Slots of one length, both ends included. */
export interface SlotRange {
  readonly slotMs: number
  readonly from: number
  readonly to: number
}

export interface OfferSlotRows {
  readonly counts: readonly Omit<OfferCounts, 'slotMs' | 'slot' | 'firstBytes'>[]
  readonly firstBytes: readonly {
    readonly upstream: string
    readonly upstreamModel: string
    readonly bucket: number
    readonly count: number
  }[]
}
