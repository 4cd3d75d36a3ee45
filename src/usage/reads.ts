/**
 * The reads of usage on the thread that only reads: each bounded, so that none keeps the others waiting. Sums are
 * read in slices; whoever asks goes on where the last slice ended.
 */
import { type Database, type Output, prepare } from '../store/sqlite/connection.ts'
import type { ReadTable } from '../store/sqlite/reader.ts'
import { searchReceipts } from './receipt-search.ts'
import { firstHourOf } from './steps.ts'
import { addSums, type GrowingSums, noSums, sumsRow } from './sums.ts'
import type { KeyActivity, Loss, Refusal, RunningRequest, Sums, SumsAsk } from './types.ts'

/** Where a slice ended: the last row that it read. */
export type Place = readonly [hour: bigint, key: bigint, model: string]

export interface SliceAsk extends Omit<SumsAsk, 'fromMs' | 'toMs'> {
  readonly after: Place
  /** Hours from here on are not read. */
  readonly toHour: number
  readonly rowsMax: number
}

export interface Slice {
  /** The first hour of a step, the group, and what the rows of this slice add to them. */
  readonly parts: readonly (readonly [hour: number, group: SliceGroup, sums: Sums])[]
  /** null: there are no more rows. */
  readonly next: Place | null
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
    refusals: { run: readRefusals(database) },
    runningOf: { run: readRunning(database) },
    firstRequest: { run: readFirst(database) },
  } as const satisfies ReadTable
}

export type UsageReads = ReturnType<typeof usageReads>

/** Hour, key and model, before the sums. */
const keyColumns = 3

function readSlices(database: Database) {
  const select = prepare(
    database,
    `SELECT hour, key, model, ${sumsRow.names} FROM usage_hour
      WHERE account = ?1 AND (hour, key, model) > (?2, ?3, ?4) AND hour < ?5 ORDER BY hour, key, model LIMIT ?6`,
  )
  return (ask: SliceAsk): Slice => {
    const { account, after, toHour, rowsMax } = ask
    const parts = new Map<string, [number, SliceGroup, GrowingSums]>()
    let read = 0
    let place: Place = after
    for (const row of select.each(account, ...after, BigInt(toHour), BigInt(rowsMax))) {
      const [hour, key, model] = row as [bigint, bigint, string]
      read += 1
      place = [hour, key, model]
      if (ask.key !== null && key !== ask.key) continue
      if (ask.model !== null && model !== ask.model) continue
      const first = firstHourOf[ask.step](Number(hour))
      const group = { none: null, key, model }[ask.group]
      const name = `${first} ${group}`
      const part = parts.get(name) ?? [first, group, noSums()]
      parts.set(name, part)
      addSums(part[2], sumsRow.read(row, keyColumns))
    }
    return { parts: [...parts.values()], next: read < rowsMax ? null : place }
  }
}

/** Without the durations, which cost ten times as much to read. */
function readCharged(database: Database) {
  const sum = prepare(
    database,
    'SELECT coalesce(sum(charged), 0) FROM usage_hour WHERE account = ? AND hour >= ? AND hour < ?',
  )
  return (account: bigint, fromHour: number, toHour: number): bigint => {
    const [charged = 0n] = sum.row(account, BigInt(fromHour), BigInt(toHour)) ?? []
    return charged as bigint
  }
}

const minuteMs = 60_000
const minutesPerHour = 60

/**
 * A key with a usage row of its own has its last minute and all that it spent there. One that took another key's place
 * shares that one's row; what it did itself stands in the hours.
 */
function readKeyActivity(database: Database) {
  const usage = prepare(
    database,
    `SELECT k.minute, k.spent, k.key <> ?1 OR EXISTS (SELECT 1 FROM key_usage WHERE shared = ?1)
      FROM key_usage k WHERE k.key = coalesce((SELECT shared FROM key_usage WHERE key = ?1), ?1)`,
  )
  const hours = prepare(
    database,
    'SELECT max(CASE WHEN requests > 0 THEN hour END), sum(charged) FROM usage_hour WHERE key = ?',
  )
  return (keys: readonly bigint[]): readonly (readonly [key: bigint, use: KeyActivity])[] =>
    keys.map((key) => {
      const [minute, spent, isShared] = (usage.row(key) ?? [0n, 0n, 0n]) as [bigint, bigint, bigint]
      if (isShared === 0n)
        return [key, { lastUsedMs: minute === 0n ? null : Number(minute) * minuteMs, spent }]
      const [hour, charged] = (hours.row(key) ?? [null, null]) as [bigint | null, bigint | null]
      if (hour === null) return [key, { lastUsedMs: null, spent: charged ?? 0n }]
      const isLatest = minute / BigInt(minutesPerHour) === hour
      const lastMinute = isLatest ? Number(minute) : Number(hour) * minutesPerHour
      return [key, { lastUsedMs: lastMinute * minuteMs, spent: charged ?? 0n }]
    })
}

/** What an account has, and in which hour since the given one it made its first request. */
function readBalance(database: Database) {
  const posted = prepare(database, 'SELECT posted FROM account WHERE id = ?')
  const first = prepare(
    database,
    'SELECT hour FROM usage_hour WHERE account = ? AND hour >= ? AND requests > 0 ORDER BY hour LIMIT 1',
  )
  return (account: bigint, fromHour: number): { posted: bigint; firstHour: number | null } => {
    const [hour = null] = first.row(account, BigInt(fromHour)) ?? []
    const [amount = 0n] = posted.row(account) ?? []
    return { posted: amount as bigint, firstHour: hour === null ? null : Number(hour) }
  }
}

function readLosses(database: Database) {
  const total = prepare(
    database,
    'SELECT coalesce(sum(written_off), 0) FROM usage_hour WHERE write_offs > 0 AND hour >= ? AND hour < ?',
  )
  const select = prepare(
    database,
    `SELECT account, sum(written_off) AS written_off, sum(write_offs) FROM usage_hour WHERE write_offs > 0 AND hour >= ? AND hour < ?
      GROUP BY account ORDER BY written_off DESC, account LIMIT ?`,
  )
  return (fromHour: number, toHour: number, limit: number): { total: bigint; accounts: readonly Loss[] } => {
    const range = [BigInt(fromHour), BigInt(toHour)] as const
    const [sum = 0n] = total.row(...range) ?? []
    const accounts = select.rows(...range, BigInt(limit)).map((row) => ({
      account: row[0] as bigint,
      writtenOff: row[1] as bigint,
      requests: Number(row[2]),
    }))
    return { total: sum as bigint, accounts }
  }
}

function readRefusals(database: Database) {
  const counts = prepare(
    database,
    `SELECT code, sum(count) AS times FROM refusal_hour WHERE account = ?1 AND hour >= ?2 AND (?3 IS NULL OR key = ?3)
      GROUP BY code ORDER BY times DESC, code`,
  )
  const columns = 'id, account, key, code, status, model, message'
  const ofAccount = prepare(
    database,
    `SELECT ${columns} FROM refusal WHERE account = ? ORDER BY id DESC LIMIT ?`,
  )
  const ofKey = prepare(
    database,
    `SELECT ${columns} FROM refusal WHERE account = ? AND key = ? ORDER BY id DESC LIMIT ?`,
  )
  return (
    account: bigint,
    key: bigint | null,
    { fromHour, latestMax }: { readonly fromHour: number; readonly latestMax: number },
  ) => {
    const limit = BigInt(latestMax)
    const latest = key === null ? ofAccount.rows(account, limit) : ofKey.rows(account, key, limit)
    return {
      counts: counts
        .rows(account, BigInt(fromHour), key)
        .map(([code, times]) => ({ code: code as string, count: Number(times) })),
      latest: latest.map(toRefusal),
    }
  }
}

function toRefusal(row: readonly Output[]): Refusal {
  return {
    id: row[0] as bigint,
    account: row[1] as bigint,
    key: row[2] as bigint,
    code: row[3] as string,
    status: Number(row[4]),
    model: row[5] as string | null,
    message: row[6] as string,
  }
}

/** Holds are few: those of requests that run now. */
function readRunning(database: Database) {
  const select = prepare(
    database,
    `SELECT id, account, key, model, dialect, streamed, amount, created_ms FROM hold WHERE account = ?
      ORDER BY id DESC LIMIT ?`,
  )
  return (account: bigint, limit: number): readonly RunningRequest[] =>
    select.rows(account, BigInt(limit)).map((row) => ({
      id: row[0] as bigint,
      account: row[1] as bigint,
      key: row[2] as bigint,
      model: row[3] as string,
      dialect: row[4] as string,
      streamed: row[5] !== 0n,
      held: row[6] as bigint,
      startedMs: Number(row[7]),
    }))
}

function readFirst(database: Database) {
  const select = prepare(database, 'SELECT started_ms FROM receipt WHERE account = ? ORDER BY id LIMIT 1')
  return (account: bigint): number | null => {
    const [startedMs = null] = select.row(account) ?? []
    return startedMs === null ? null : Number(startedMs)
  }
}
