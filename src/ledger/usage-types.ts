/** The words of the ledger for what people look up of requests: refusals, and receipts by what they tell. Values only. */
import type { ReceiptRow } from './types.ts'

/** Requests that were refused alike within an hour. */
export interface RefusalCount {
  readonly account: bigint
  /** Since 1970. */
  readonly hour: number
  readonly key: bigint
  readonly code: string
  /** '' when it was not known to be a model. */
  readonly model: string
  readonly count: number
}

/** One refused request. */
export interface RefusalRow {
  /** The request's. */
  readonly id: bigint
  readonly account: bigint
  readonly key: bigint
  readonly code: string
  readonly status: number
  /** As the client wrote it. */
  readonly model: string | null
  /** As the client was told. */
  readonly message: string
}

export interface Refusals {
  readonly counts: readonly RefusalCount[]
  /** Each of them is among the counts; not all that were counted need be here. */
  readonly rows: readonly RefusalRow[]
}

/** Receipts of one account that began in a range of time, as their ids tell. */
export interface ReceiptSearch {
  readonly account: bigint
  readonly fromId: bigint
  /** Exclusive. */
  readonly beforeId: bigint
  readonly key: bigint | null
  readonly model: string | null
  readonly ended: 'well' | 'badly' | null
  readonly limit: number
  /** Rows that one call may look at. */
  readonly scannedMax: number
}

export interface ReceiptsFound {
  /** The latest first. */
  readonly receipts: readonly ReceiptRow[]
  /** How many rows were looked at. */
  readonly scanned: number
  /** Where to go on: `beforeId` of the next call; null: there are no more. */
  readonly next: bigint | null
}
