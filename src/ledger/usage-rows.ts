/**
 * The hourly sums that every settlement adds to: gathered in memory by a batch, each row written once before its
 * commit. What was read or written stays known from batch to batch, for nobody else writes these rows, and is
 * forgotten whenever a batch is rolled back. Sums for people; never a basis for moving money.
 */
import { addBytes, bucketOf, count, type Histogram, newScratch, toBytes } from '../base/histogram.ts'
import { hourOf } from '../base/ids.ts'
import type { BatchMemory } from '../store/sqlite/batch.ts'
import { type Database, type Output, prepare } from '../store/sqlite/connection.ts'
import { type HoldState, type PackedDraft, usageOfDraft } from './rows.ts'
import type { Split } from './settlement.ts'

export interface UsageRows extends BatchMemory {
  /** Adds a request that got its receipt. */
  settled(hold: HoldState, draft: PackedDraft, of: { readonly shares: Split; readonly nowMs: number }): void
  /** Adds requests that were refused. */
  refused(of: RowKey, times: number): void
}

export interface RowKey {
  readonly account: bigint
  readonly hour: number
  readonly key: bigint
  readonly model: string
}

interface UsageRow extends RowKey {
  isNew: boolean
  isChanged: boolean
  requests: number
  errors: number
  lossy: number
  refused: number
  inputUncached: number
  cacheRead: number
  cacheWrite: number
  output: number
  reasoning: number
  charged: bigint
  absorbed: bigint
  readonly latency: Histogram
  readonly firstByte: Histogram
}

/** Rows that stay known: those of the present hour, mostly. */
const knownMax = 10_000

export function usageRows(database: Database): UsageRows {
  const { read, write } = statements(database)
  /** By key: each has few models in an hour. */
  const known = new Map<bigint, UsageRow[]>()
  let knownCount = 0
  let changed: UsageRow[] = []

  function changing(of: RowKey): UsageRow {
    let rows = known.get(of.key)
    if (rows === undefined) {
      rows = []
      known.set(of.key, rows)
    }
    let row = rows.find(({ hour, model }) => hour === of.hour && model === of.model)
    if (row === undefined) {
      row = read(of)
      rows.push(row)
      knownCount += 1
    }
    if (!row.isChanged) {
      row.isChanged = true
      changed.push(row)
    }
    return row
  }

  function forget(): void {
    known.clear()
    knownCount = 0
    changed = []
  }

  return {
    settled({ id, account, key, model }, draft, { shares, nowMs }) {
      const row = changing({ account, hour: hourOf(id), key, model })
      addReceipt(row, draft, nowMs)
      row.charged += shares.charged
      row.absorbed += shares.absorbed
      if (shares.absorbed > 0n) row.lossy += 1
    },
    refused(of, times) {
      changing(of).refused += times
    },
    flush() {
      for (const row of changed) {
        write(row)
        row.isNew = false
        row.isChanged = false
      }
      changed = []
      if (knownCount > knownMax) forget()
    },
    forget,
  }
}

function statements(database: Database) {
  const select = prepare(
    database,
    `SELECT requests, errors, lossy, refused, input_uncached, cache_read, cache_write, output, reasoning, charged,
      absorbed, latency, first_byte FROM usage_hour WHERE account = ? AND hour = ? AND key = ? AND model = ?`,
  )
  const insert = prepare(
    database,
    `INSERT INTO usage_hour (requests, errors, lossy, refused, input_uncached, cache_read, cache_write, output, reasoning,
      charged, absorbed, latency, first_byte, account, hour, key, model)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const update = prepare(
    database,
    `UPDATE usage_hour SET requests = ?, errors = ?, lossy = ?, refused = ?, input_uncached = ?, cache_read = ?,
      cache_write = ?, output = ?, reasoning = ?, charged = ?, absorbed = ?, latency = ?, first_byte = ?
      WHERE account = ? AND hour = ? AND key = ? AND model = ?`,
  )
  const [latency, firstByte] = [newScratch(), newScratch()]
  return {
    read(of: RowKey): UsageRow {
      const row = select.row(of.account, BigInt(of.hour), of.key, of.model)
      return row === undefined ? newRow(of) : toRow(of, row)
    },
    write(row: UsageRow): void {
      const statement = row.isNew ? insert : update
      statement.run(
        row.requests,
        row.errors,
        row.lossy,
        row.refused,
        row.inputUncached,
        row.cacheRead,
        row.cacheWrite,
        row.output,
        row.reasoning,
        row.charged,
        row.absorbed,
        toBytes(row.latency, latency),
        toBytes(row.firstByte, firstByte),
        row.account,
        row.hour,
        row.key,
        row.model,
      )
    },
  }
}

function addReceipt(row: UsageRow, draft: PackedDraft, nowMs: number): void {
  const used = usageOfDraft(draft)
  row.requests += 1
  if (used.endReason !== 'complete') row.errors += 1
  row.inputUncached += used.inputUncached
  row.cacheRead += used.cacheRead
  row.cacheWrite += used.cacheWrite
  row.output += used.output
  row.reasoning += used.reasoning
  // One that was interrupted may have been found only when the next process began.
  if (used.endReason !== 'interrupted') count(row.latency, bucketOf(Math.max(0, nowMs - used.startedMs)))
  if (used.firstByteMs !== null)
    count(row.firstByte, bucketOf(Math.max(0, used.firstByteMs - used.startedMs)))
}

function newRow({ account, hour, key, model }: RowKey): UsageRow {
  return {
    account,
    hour,
    key,
    model,
    isNew: true,
    isChanged: false,
    requests: 0,
    errors: 0,
    lossy: 0,
    refused: 0,
    inputUncached: 0,
    cacheRead: 0,
    cacheWrite: 0,
    output: 0,
    reasoning: 0,
    charged: 0n,
    absorbed: 0n,
    latency: [],
    firstByte: [],
  }
}

function toRow(of: RowKey, row: readonly Output[]): UsageRow {
  const amount = (place: number): number => Number(row[place])
  const histogram = (place: number): Histogram => {
    const counts: Histogram = []
    addBytes(counts, row[place] as Uint8Array)
    return counts
  }
  return {
    ...newRow(of),
    isNew: false,
    requests: amount(0),
    errors: amount(1),
    lossy: amount(2),
    refused: amount(3),
    inputUncached: amount(4),
    cacheRead: amount(5),
    cacheWrite: amount(6),
    output: amount(7),
    reasoning: amount(8),
    charged: row[9] as bigint,
    absorbed: row[10] as bigint,
    latency: histogram(11),
    firstByte: histogram(12),
  }
}
