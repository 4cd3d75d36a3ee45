/**
 * What must be true between receipts and the hourly sums that people are shown: a table of queries whose every row
 * is a contradiction, and the durations, which no query can count. Only reads.
 */
import { meterNames, meters, tokenSums } from '../../../contract/meters.ts'
import { addBytes, type Histogram } from '../../base/histogram.ts'
import { idHourSql } from '../../base/ids.ts'
import { type Database, type Output, prepare } from '../../store/sqlite/connection.ts'
import type { Check } from './verify.ts'

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
} as const

const names = Object.keys(sums)

export const usageChecks: readonly Check[] = [
  {
    sql: `WITH told AS (SELECT account, ${idHourSql('id')} AS hour, key, model,
        ${Object.entries(sums)
          .map(([name, sum]) => `${sum} AS ${name}`)
          .join(', ')}
        FROM receipt GROUP BY 1, 2, 3, 4)
      SELECT coalesce(u.account, r.account), coalesce(u.hour, r.hour), coalesce(u.key, r.key), coalesce(u.model, r.model),
        ${names.map((name) => `coalesce(u.${name}, 0) - coalesce(r.${name}, 0)`).join(', ')}
      FROM usage_hour u FULL JOIN told r ON r.account = u.account AND r.hour = u.hour AND r.key = u.key AND r.model = u.model
      WHERE ${names.map((name) => `coalesce(u.${name}, 0) <> coalesce(r.${name}, 0)`).join(' OR ')}`,
    tell: ([account, hour, key, model, ...differences]) => {
      const wrong = names.flatMap((name, place) =>
        differences[place] === 0n ? [] : [`${name} by ${differences[place]}`],
      )
      return `usage of account ${account}, hour ${hour}, key ${key}, model ${model}: differs from its receipts: ${wrong.join(', ')}`
    },
  },
  {
    sql: `SELECT coalesce(u.account, r.account), coalesce(u.hour, r.hour), coalesce(u.key, r.key), coalesce(u.refused, 0),
        coalesce(r.refused, 0)
      FROM (SELECT account, hour, key, sum(refused) AS refused FROM usage_hour GROUP BY 1, 2, 3 HAVING sum(refused) > 0) u
      FULL JOIN (SELECT account, hour, key, sum(count) AS refused FROM refusal_hour GROUP BY 1, 2, 3) r
        ON r.account = u.account AND r.hour = u.hour AND r.key = u.key
      WHERE coalesce(u.refused, 0) <> coalesce(r.refused, 0)`,
    tell: ([account, hour, key, told, counted]) =>
      `usage of account ${account}, hour ${hour}, key ${key}: tells of ${told} refusals, by code they are ${counted}`,
  },
]

/** The stored durations are those of the receipts; both come in the order of the hourly rows. */
export function checkDurations(database: Database, tell: (line: string) => void): void {
  const receipts = prepare(
    database,
    `SELECT account, ${idHourSql('id')} AS hour, key, model,
      CASE WHEN end_reason = 'interrupted' THEN NULL ELSE max(0, ended_ms - started_ms) END,
      max(0, first_byte_ms - started_ms) FROM receipt ORDER BY 1, 2, 3, 4`,
  )
  const stored = prepare(
    database,
    'SELECT latency, first_byte FROM usage_hour WHERE account = ? AND hour = ? AND key = ? AND model = ?',
  )
  let place: Output[] = []
  let counted: [latency: Histogram, firstByte: Histogram] = [[], []]
  const compare = (): void => {
    const row = stored.row(...place)
    // A row that is missing is told by the sums.
    if (row === undefined) return
    for (const [which, name] of ['durations', 'times to the first byte'].entries()) {
      const told: Histogram = []
      addBytes(told, row[which] as Uint8Array)
      if (JSON.stringify(told) !== JSON.stringify(counted[which]))
        tell(
          `usage of account ${place[0]}, hour ${place[1]}, key ${place[2]}, model ${place[3]}: ${name} differ`,
        )
    }
  }
  for (const row of receipts.each()) {
    const here = row.slice(0, 4)
    if (here.some((value, column) => value !== place[column])) {
      if (place.length > 0) compare()
      place = here
      counted = [[], []]
    }
    for (const which of [0, 1] as const) {
      const ms = row[4 + which]
      if (typeof ms === 'bigint') countIn(counted[which], Number(ms))
    }
  }
  if (place.length > 0) compare()
}

/** By its definition, step for step: a bucket ends at a power of the fourth root of two. */
function countIn(histogram: Histogram, ms: number): void {
  let bucket = 0
  while (bucket < bucketLast && Math.floor(2 ** (bucket / 4)) < ms) bucket += 1
  while (histogram.length <= bucket) histogram.push(0)
  histogram[bucket] = (histogram[bucket] ?? 0) + 1
}

const bucketLast = 95
