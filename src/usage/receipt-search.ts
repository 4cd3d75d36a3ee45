/**
 * Receipts by their fields, the latest first, without an index for each filter: the hourly sums show which
 * hours have matching requests, and only those hours are scanned. One call scans a bounded number of
 * rows and returns where to continue.
 */
import { firstIdAt, hourOf } from '../base/ids.ts'
import { receiptRow } from '../ledger/sqlite/rows.ts'
import type { ReceiptRow } from '../ledger/types.ts'
import { type Database, type Output, prepare } from '../store/sqlite/connection.ts'
import type { ReceiptSearch, ReceiptsFound } from './types.ts'

const hourMs = 3_600_000

export function searchReceipts(database: Database): (input: ReceiptSearch) => ReceiptsFound {
  const list = prepare(
    database,
    `SELECT ${receiptRow.names} FROM receipt_by_account WHERE account = ? AND id >= ? AND id < ? ORDER BY id DESC LIMIT ?`,
  )
  const hours = prepare(
    database,
    `SELECT hour, key, model, requests, errors FROM usage_hour
      WHERE account = ? AND hour BETWEEN ? AND ? ORDER BY hour DESC, key DESC, model DESC`,
  )
  const scan = prepare(
    database,
    `SELECT id, key, model, end_reason = 'complete' FROM receipt_by_account WHERE account = ? AND id >= ? AND id < ?
      ORDER BY id DESC`,
  )
  const receipt = prepare(database, `SELECT ${receiptRow.names} FROM receipt WHERE id = ?`)

  function all({ account, fromId, beforeId, limit, scannedMax }: ReceiptSearch): ReceiptsFound {
    const most = Math.min(limit, scannedMax)
    const receipts = list.rows(account, fromId, beforeId, BigInt(most)).map(receiptRow.toRow)
    const last = receipts.at(-1)
    return {
      receipts,
      scanned: receipts.length,
      next: last === undefined || receipts.length < most ? null : last.id,
    }
  }

  function some(input: ReceiptSearch): ReceiptsFound {
    const found = new Found(input)
    const [first, last] = [hourOf(input.fromId), hourOf(input.beforeId - 1n)]
    let [present, looked]: (bigint | undefined)[] = []
    for (const row of hours.each(input.account, BigInt(first), BigInt(last))) {
      const hour = row[0] as bigint
      const { fromId, beforeId } = within(input, Number(hour))
      if (hour !== present && found.endsBefore(beforeId)) break
      present = hour
      found.hourRows += 1
      // The rows of an hour are adjacent, and one possible match is enough to scan it.
      if (hour === looked || !mayHold(input, row)) continue
      looked = hour
      for (const [id, key, model, hasSucceeded] of scan.each(input.account, fromId, beforeId)) {
        if (found.endsAt(id as bigint)) return found.result
        found.receiptsSeen += 1
        if (!isMeant(input, { key, model, hasSucceeded })) continue
        const whole = receipt.row(id as bigint)
        if (whole !== undefined) found.receipts.push(receiptRow.toRow(whole))
      }
    }
    return found.result
  }

  return (input) =>
    input.key === null && input.model === null && input.outcome === null ? all(input) : some(input)
}

/**
 * The receipts found so far, and whether the search may stop. Hours are skipped or searched; a partly searched hour gets the same
 * number of receipts per call, so that each call continues further.
 */
class Found {
  readonly receipts: ReceiptRow[] = []
  hourRows = 0
  receiptsSeen = 0
  readonly #input: ReceiptSearch
  #next: bigint | null = null

  constructor(input: ReceiptSearch) {
    this.#input = input
  }

  /** Whether it ends before the hour whose ids are smaller than `before`. */
  endsBefore(before: bigint): boolean {
    return this.#ends(this.hourRows + this.receiptsSeen, before)
  }

  /** Whether it ends before this receipt was looked at. */
  endsAt(id: bigint): boolean {
    return this.#ends(this.receiptsSeen, id + 1n)
  }

  #ends(seen: number, next: bigint): boolean {
    const { limit, scannedMax } = this.#input
    const isEnough = this.receipts.length >= limit || seen >= scannedMax
    if (isEnough) this.#next = next
    return isEnough
  }

  get result(): ReceiptsFound {
    return {
      receipts: this.receipts,
      scanned: this.hourRows + this.receiptsSeen,
      next: this.#next,
    }
  }
}

/** The requested ids within an hour. */
function within(
  { fromId, beforeId }: ReceiptSearch,
  hour: number,
): Pick<ReceiptSearch, 'fromId' | 'beforeId'> {
  const [start, end] = [firstIdAt(hour * hourMs), firstIdAt((hour + 1) * hourMs)]
  return { fromId: start > fromId ? start : fromId, beforeId: end < beforeId ? end : beforeId }
}

function mayHold({ key, model, outcome }: ReceiptSearch, row: readonly Output[]): boolean {
  const [, rowKey, rowModel, requests, errors] = row as [bigint, bigint, string, bigint, bigint]
  if (key !== null && rowKey !== key) return false
  if (model !== null && rowModel !== model) return false
  if (outcome === 'failed') return errors > 0n
  return outcome === 'succeeded' ? requests > errors : requests > 0n
}

function isMeant(
  { key, model, outcome }: ReceiptSearch,
  row: {
    readonly key: Output | undefined
    readonly model: Output | undefined
    readonly hasSucceeded: Output | undefined
  },
): boolean {
  if (key !== null && row.key !== key) return false
  if (model !== null && row.model !== model) return false
  return outcome === null || (row.hasSucceeded === 1n) === (outcome === 'succeeded')
}
