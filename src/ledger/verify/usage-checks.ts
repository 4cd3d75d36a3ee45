/**
 * Checks that receipts agree with the hourly sums that users see: each row of these queries is a contradiction; durations, which no
 * query can count, are compared in code. Only reads.
 */
import { meterNames, meters, tokenSums } from '../../../contract/meters.ts'
import { addBytes, type Histogram } from '../../base/histogram.ts'
import { idHourSql } from '../../base/ids.ts'
import { blob, flag, integer, numberOrNull, rowOf, text, type ValueOf } from '../../store/sqlite/columns.ts'
import type { Database } from '../../store/sqlite/connection.ts'
import { prepareRows } from '../../store/sqlite/row-statement.ts'
import { type Check, check } from './check.ts'
import { keptFrom, keptFromHour } from './kept-receipts.ts'

/** The columns of a receipt that count in each sum of tokens. */
const tokens = Object.fromEntries(
  Object.entries(tokenSums).map(([sum, { column }]) => {
    const counted = meterNames.filter((name) => meters[name].sum === sum)
    return [column, `sum(${counted.map((name) => meters[name].column).join(' + ')})`]
  }),
)

/** Column of usage_hour → what it must be of the receipts of its account, hour, key and model. */
const sums = {
  requests: 'count(*)',
  errors: "sum(end_reason <> 'complete')",
  write_offs: 'sum(written_off > 0)',
  ...tokens,
  reasoning: 'sum(reasoning)',
  charged: 'sum(charged)',
  written_off: 'sum(written_off)',
  own_key_cost: 'sum(own_key * upstream_cost)',
} as const

const names = Object.keys(sums)

/** By how much each sum of an hour differs from that of its receipts. */
const differences = Object.fromEntries(names.map((name) => [name, `sum(${name})`]))

export const usageChecks: readonly Check[] = [
  check(
    {
      account: 'account',
      hour: 'hour',
      key: 'key',
      model: 'model',
      ...differences,
    } as Readonly<Record<string, string>>,
    // Not as a full join, for which SQLite compares each hour with all others.
    `FROM (
        SELECT account, hour, key, model, ${names.join(', ')} FROM usage_hour WHERE hour >= ${keptFromHour}
        UNION ALL SELECT account, ${idHourSql('id')}, key, model, ${Object.values(sums)
          .map((sum) => `-${sum}`)
          .join(', ')}
        FROM receipt WHERE id >= ${keptFrom} GROUP BY 1, 2, 3, 4
      ) GROUP BY 1, 2, 3, 4 HAVING ${names.map((name) => `sum(${name}) <> 0`).join(' OR ')}`,
    (row) => {
      const wrong = names.filter((name) => row[name] !== 0n).map((name) => `${name} by ${row[name]}`)
      return `usage of account ${row.account}, hour ${row.hour}, key ${row.key}, model ${row.model}: differs from its receipts: ${wrong.join(', ')}`
    },
  ),
  check(
    {
      account: 'coalesce(u.account, r.account)',
      hour: 'coalesce(u.hour, r.hour)',
      key: 'coalesce(u.key, r.key)',
      summed: 'coalesce(u.rejected, 0)',
      counted: 'coalesce(r.rejected, 0)',
    },
    `FROM (SELECT account, hour, key, sum(rejected) AS rejected FROM usage_hour GROUP BY 1, 2, 3 HAVING sum(rejected) > 0) u
      FULL JOIN (SELECT account, hour, key, sum(count) AS rejected FROM rejection_hour GROUP BY 1, 2, 3) r
        ON r.account = u.account AND r.hour = u.hour AND r.key = u.key
      WHERE coalesce(u.rejected, 0) <> coalesce(r.rejected, 0)`,
    ({ account, hour, key, summed, counted }) =>
      `usage of account ${account}, hour ${hour}, key ${key}: has ${summed} rejections, by code they are ${counted}`,
  ),
]

const hourKey = {
  account: integer('account'),
  hour: integer(idHourSql('id')),
  key: integer('key'),
  model: text('model'),
}
const durationRow = rowOf({
  ...hourKey,
  latencyMs: numberOrNull(
    "CASE WHEN end_reason = 'interrupted' THEN NULL ELSE max(0, ended_ms - started_ms) END",
  ),
  firstByteMs: numberOrNull('max(0, first_byte_ms - started_ms)'),
  isComplete: flag("end_reason = 'complete'"),
})
const histogram = blob<Histogram>(
  (bytes) => {
    const counts: Histogram = []
    addBytes(counts, bytes)
    return counts
  },
  () => {
    throw new Error('a verification only reads')
  },
)
const storedRow = rowOf({ latency: histogram('latency'), firstByte: histogram('first_byte') })

type HourKey = Pick<ValueOf<typeof durationRow>, keyof typeof hourKey>

/** The histograms that an hour may have. */
interface Counted {
  /** Counts of successful requests. */
  readonly least: Durations
  /** Counts that include the other requests, which were counted before November 2026. */
  readonly most: Durations
}

type Durations = ValueOf<typeof storedRow>

const noDurations = (): Durations => ({ latency: [], firstByte: [] })
const nothingCounted = (): Counted => ({ least: noDurations(), most: noDurations() })

/** The stored histograms are those of the receipts; both come in the order of the hourly rows. */
export function checkDurations(database: Database, report: (line: string) => void): void {
  const receipts = prepareRows(
    database,
    durationRow,
    `SELECT ${durationRow.names} FROM receipt WHERE id >= ${keptFrom} ORDER BY 1, 2, 3, 4`,
  )
  const stored = prepareRows(
    database,
    storedRow,
    `SELECT ${storedRow.names} FROM usage_hour WHERE account = ? AND hour = ? AND key = ? AND model = ?`,
  )
  const compare = ({ account, hour, key, model }: HourKey, { least, most }: Counted): void => {
    const row = stored.one(account, hour, key, model)
    // The sums report a row that is missing.
    if (row === undefined) return
    for (const [field, name] of histogramNames) {
      if (isBetween(row[field], least[field], most[field])) continue
      report(`usage of account ${account}, hour ${hour}, key ${key}, model ${model}: ${name} differ`)
    }
  }
  let present: HourKey | null = null
  let counted = nothingCounted()
  for (const receipt of receipts.each()) {
    if (present === null || !isSameHour(present, receipt)) {
      if (present !== null) compare(present, counted)
      present = receipt
      counted = nothingCounted()
    }
    countIn(counted.most, receipt)
    if (receipt.isComplete) countIn(counted.least, receipt)
  }
  if (present !== null) compare(present, counted)
}

const histogramNames = [
  ['latency', 'durations'],
  ['firstByte', 'times to the first byte'],
] as const

const isSameHour = (a: HourKey, b: HourKey): boolean =>
  a.account === b.account && a.hour === b.hour && a.key === b.key && a.model === b.model

function isBetween(stored: Histogram, least: Histogram, most: Histogram): boolean {
  const buckets = Math.max(stored.length, least.length)
  return Array.from({ length: buckets }, (_, bucket) => stored[bucket] ?? 0).every(
    (count, bucket) => count >= (least[bucket] ?? 0) && count <= (most[bucket] ?? 0),
  )
}

function countIn(
  { latency, firstByte }: Durations,
  { latencyMs, firstByteMs }: ValueOf<typeof durationRow>,
): void {
  if (latencyMs !== null) addDuration(latency, latencyMs)
  if (firstByteMs !== null) addDuration(firstByte, firstByteMs)
}

/** By its definition, step for step: a bucket ends at a power of the fourth root of two. */
function addDuration(histogram: Histogram, ms: number): void {
  let bucket = 0
  while (bucket < bucketLast && Math.floor(2 ** (bucket / 4)) < ms) bucket += 1
  while (histogram.length <= bucket) histogram.push(0)
  histogram[bucket] = (histogram[bucket] ?? 0) + 1
}

const bucketLast = 95
