/**
 * The reads of usage on the reader thread: each bounded, so that none delays the others. Sums are
 * read in slices; the caller continues where the last slice ended.
 */
import { idTimeMs } from '../base/ids.ts'
import {
  type Field,
  flag,
  integer,
  integerOrNull,
  number,
  numberOrNull,
  rowOf,
  text,
  textOrNull,
} from '../store/sqlite/columns.ts'
import type { Database } from '../store/sqlite/connection.ts'
import type { ReadTable } from '../store/sqlite/reader.ts'
import { prepareRows } from '../store/sqlite/row-statement.ts'
import { searchReceipts } from './receipt-search.ts'
import { offerReads } from './record-offers.ts'
import { firstHourOf, hourMs } from './steps.ts'
import { addStoredSums, type GrowingSums, noSums, storedSumsRow } from './sums.ts'
import type {
  KeyActivity,
  LoggedRejection,
  Loss,
  RejectionReport,
  RejectionSearch,
  RunningRequest,
  Sums,
  SumsInput,
} from './types.ts'

/** Where a slice ended: the last row that it read. */
export type SliceCursor = readonly [hour: bigint, key: bigint, model: string]

export interface SliceInput extends Omit<SumsInput, 'fromMs' | 'toMs'> {
  readonly after: SliceCursor
  /** Hours from here on are not read. */
  readonly toHour: number
  readonly rowsMax: number
}

export interface Slice {
  /** The first hour of a step, the group, and what the rows of this slice add to them. */
  readonly parts: readonly (readonly [hour: number, group: SliceGroup, sums: Sums])[]
  /** null: there are no more rows. */
  readonly next: SliceCursor | null
}

export type SliceGroup = string | bigint | null

export function usageReads(database: Database) {
  return {
    searchReceipts: { run: searchReceipts(database) },
    usageSlice: { run: readSlices(database) },
    charged: { run: readCharged(database) },
    keyActivity: { run: readKeyActivity(database) },
    balance: { run: readBalance(database) },
    losses: { run: readLosses(database) },
    rejections: { run: readRejections(database) },
    runningOf: { run: readRunning(database) },
    firstRequest: { run: readFirst(database) },
    ...offerReads(database),
  } as const satisfies ReadTable
}

export type UsageReads = ReturnType<typeof usageReads>

const sliceRow = rowOf({
  hour: integer('hour'),
  key: integer('key'),
  model: text('model'),
  sums: storedSumsRow,
})

function readSlices(database: Database) {
  const select = prepareRows(
    database,
    sliceRow,
    `SELECT ${sliceRow.names} FROM usage_hour
      WHERE account = ?1 AND (hour, key, model) > (?2, ?3, ?4) AND hour < ?5 ORDER BY hour, key, model LIMIT ?6`,
  )
  return (input: SliceInput): Slice => {
    const { account, after, toHour, rowsMax } = input
    const parts = new Map<string, [number, SliceGroup, GrowingSums]>()
    let read = 0
    let cursor: SliceCursor = after
    for (const { hour, key, model, sums } of select.all(account, ...after, BigInt(toHour), BigInt(rowsMax))) {
      read += 1
      cursor = [hour, key, model]
      if (input.key !== null && key !== input.key) continue
      if (input.model !== null && model !== input.model) continue
      const first = firstHourOf[input.step](Number(hour))
      const group = { none: null, key, model }[input.group]
      const name = `${first} ${group}`
      const part = parts.get(name) ?? [first, group, noSums()]
      parts.set(name, part)
      addStoredSums(part[2], sums)
    }
    return { parts: [...parts.values()], next: read < rowsMax ? null : cursor }
  }
}

/** Without the durations, which cost ten times as much to read. */
function readCharged(database: Database) {
  const row = rowOf({ charged: integer('coalesce(sum(charged), 0)') })
  const sum = prepareRows(
    database,
    row,
    `SELECT ${row.names} FROM usage_hour WHERE account = ? AND hour >= ? AND hour < ?`,
  )
  return (account: bigint, fromHour: number, toHour: number): bigint =>
    sum.one(account, BigInt(fromHour), BigInt(toHour))?.charged ?? 0n
}

const minuteMs = 60_000
const minutesPerHour = 60

const usageRow = rowOf({
  minute: number('k.minute'),
  spent: integer('k.spent'),
  isShared: flag('k.key <> ?1 OR EXISTS (SELECT 1 FROM key_usage WHERE shared = ?1)'),
})
const hoursRow = rowOf({
  hour: numberOrNull('max(CASE WHEN requests > 0 THEN hour END)'),
  charged: integerOrNull('sum(charged)'),
})
const neverUsed = { minute: 0, spent: 0n, isShared: false }

const rejectedRow = rowOf({ id: integerOrNull('max(id)') })

/**
 * A key with its own usage row has its last minute and its spend there. A key that replaced another one shares that
 * one's row; its own activity is in the hourly sums. Rejected requests are use too.
 */
function readKeyActivity(database: Database) {
  const usage = prepareRows(
    database,
    usageRow,
    `SELECT ${usageRow.names} FROM key_usage k WHERE k.key = coalesce((SELECT shared FROM key_usage WHERE key = ?1), ?1)`,
  )
  const hours = prepareRows(database, hoursRow, `SELECT ${hoursRow.names} FROM usage_hour WHERE key = ?`)
  const rejected = prepareRows(
    database,
    rejectedRow,
    `SELECT ${rejectedRow.names} FROM rejection WHERE key = ?`,
  )
  const served = (key: bigint): { readonly minute: number; readonly spent: bigint } => {
    const { minute, spent, isShared } = usage.one(key) ?? neverUsed
    if (!isShared) return { minute, spent }
    const { hour, charged } = hours.one(key) ?? { hour: null, charged: null }
    const isLatest = Math.floor(minute / minutesPerHour) === hour
    return { minute: isLatest ? minute : (hour ?? 0) * minutesPerHour, spent: charged ?? 0n }
  }
  return (keys: readonly bigint[]): readonly (readonly [key: bigint, use: KeyActivity])[] =>
    keys.map((key) => {
      const { minute, spent } = served(key)
      const rejectedId = rejected.one(key)?.id ?? null
      const rejectedMinute = rejectedId === null ? 0 : Math.floor(idTimeMs(rejectedId) / minuteMs)
      const last = Math.max(minute, rejectedMinute)
      return [key, { lastUsedMs: last === 0 ? null : last * minuteMs, spent }]
    })
}

/** An account's balance, and the hour of its first request since the given hour. */
function readBalance(database: Database) {
  const row = rowOf({
    posted: integer('posted'),
    firstHour: numberOrNull(
      `(SELECT hour FROM usage_hour WHERE account = ?1 AND hour >= ?2 AND requests > 0 ORDER BY hour LIMIT 1)`,
    ),
  })
  const select = prepareRows(database, row, `SELECT ${row.names} FROM account WHERE id = ?1`)
  return (account: bigint, fromHour: number): { posted: bigint; firstHour: number | null } =>
    select.one(account, BigInt(fromHour)) ?? { posted: 0n, firstHour: null }
}

const totalRow = rowOf({ writtenOff: integer('coalesce(sum(written_off), 0)') })
const lossRow = rowOf({
  account: integer('account'),
  writtenOff: integer('sum(written_off)'),
  requests: number('sum(write_offs)'),
})

function readLosses(database: Database) {
  const range = 'FROM usage_hour WHERE write_offs > 0 AND hour >= ? AND hour < ?'
  const total = prepareRows(database, totalRow, `SELECT ${totalRow.names} ${range}`)
  const select = prepareRows(
    database,
    lossRow,
    `SELECT ${lossRow.names} ${range} GROUP BY account ORDER BY sum(written_off) DESC, account LIMIT ?`,
  )
  return (fromHour: number, toHour: number, limit: number): { total: bigint; accounts: readonly Loss[] } => {
    const hours = [BigInt(fromHour), BigInt(toHour)] as const
    return {
      total: total.one(...hours)?.writtenOff ?? 0n,
      accounts: select.all(...hours, BigInt(limit)),
    }
  }
}

const countRow = rowOf({ code: text('code'), count: number('sum(count)') })
const rejectionRow = rowOf({
  id: integer('id'),
  account: integer('account'),
  key: integer('key'),
  code: text('code'),
  status: number('status'),
  model: textOrNull('model'),
  message: text('message'),
}) satisfies Field<LoggedRejection>

/** Rows of an account that are looked at for those of a model. */
const rejectionsScannedMax = 10_000n

function readRejections(database: Database) {
  const counts = prepareRows(
    database,
    countRow,
    `SELECT ${countRow.names} FROM rejection_hour
      WHERE account = ?1 AND hour >= ?2 AND hour < ?3 AND (CAST(?4 AS BIGINT) IS NULL OR key = ?4)
      GROUP BY code ORDER BY sum(count) DESC, code`,
  )
  const latest = prepareRows(
    database,
    rejectionRow,
    `SELECT ${rejectionRow.names} FROM
        (SELECT * FROM rejection WHERE account = ?1 AND id >= ?2 AND id < ?3 ORDER BY id DESC LIMIT ?4) AS recent
      WHERE CAST(?5 AS TEXT) IS NULL OR model = ?5 ORDER BY id DESC LIMIT ?6`,
  )
  const ofKey = prepareRows(
    database,
    rejectionRow,
    `SELECT ${rejectionRow.names} FROM rejection
      WHERE key = ?1 AND account = ?2 AND id >= ?3 AND id < ?4 AND (CAST(?5 AS TEXT) IS NULL OR model = ?5)
      ORDER BY id DESC LIMIT ?6`,
  )
  return (search: RejectionSearch): RejectionReport => {
    const { account, key, model, fromId, beforeId } = search
    const limit = BigInt(search.limit)
    return {
      counts: counts.all(account, BigInt(search.fromHour), BigInt(search.toHour), key),
      latest:
        key === null
          ? latest.all(account, fromId, beforeId, rejectionsScannedMax, model, limit)
          : ofKey.all(key, account, fromId, beforeId, model, limit),
    }
  }
}

const runningRow = rowOf({
  id: integer('id'),
  account: integer('account'),
  key: integer('key'),
  model: text('model'),
  format: text('format'),
  streamed: flag('streamed'),
  held: integer('amount'),
  startedMs: number('created_ms'),
}) satisfies Field<RunningRequest>

/** Holds are few: those of the requests that run now. */
function readRunning(database: Database) {
  const select = prepareRows(
    database,
    runningRow,
    `SELECT ${runningRow.names} FROM hold WHERE account = ? ORDER BY id DESC LIMIT ?`,
  )
  return (account: bigint, limit: number): readonly RunningRequest[] => select.all(account, BigInt(limit))
}

/** Where receipts were removed by age, by the hour. */
function readFirst(database: Database) {
  // The ID is read because the order of a view with two parts needs it.
  const row = rowOf({ id: integer('id'), startedMs: number('started_ms') })
  const select = prepareRows(
    database,
    row,
    `SELECT ${row.names} FROM receipt_by_account WHERE account = ? ORDER BY id LIMIT 1`,
  )
  const hourRow = rowOf({ hour: number('hour') })
  const first = prepareRows(
    database,
    hourRow,
    `SELECT ${hourRow.names} FROM usage_hour WHERE account = ? AND requests > 0 ORDER BY hour LIMIT 1`,
  )
  return (account: bigint): number | null => {
    const startedMs = select.one(account)?.startedMs ?? null
    const hour = first.one(account)?.hour ?? null
    if (hour === null || (startedMs !== null && startedMs < (hour + 1) * hourMs)) return startedMs
    return hour * hourMs
  }
}
