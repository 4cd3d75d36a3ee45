/**
 * Which receipts a verification can expect: those that were not removed by age. Hours before them are compared with the
 * entries instead. Texts for both databases; no statement runs here.
 */
import { hourOf, idHourSql, idTimeMs } from '../../base/ids.ts'

/** The ID before which receipts were removed; 0: none were. */
export const keptFrom = '(SELECT coalesce(max(before_id), 0) FROM receipt_retention)'

/** Its hour, which is the first of a month. */
export const keptFromHour = `(SELECT coalesce(max(${idHourSql('before_id')}), ${hourOf(0n)}) FROM receipt_retention)`

/** What an hour of an account charged and wrote off, and what its usage entries moved, where they differ. */
export const removedHours = `FROM (
    SELECT account, hour, sum(stated) AS stated, sum(moved) AS moved FROM (
      SELECT account, hour, charged + written_off AS stated, 0 AS moved FROM usage_hour WHERE hour < ${keptFromHour}
      UNION ALL SELECT account, ${idHourSql('request')}, 0, -amount FROM entry WHERE kind = 'usage' AND request < ${keptFrom}
    ) x GROUP BY account, hour) y WHERE stated <> moved`

/** As a report states it. */
export function receiptsFrom(before: unknown): string | null {
  const id = BigInt((before ?? 0n) as bigint)
  return id === 0n ? null : new Date(idTimeMs(id)).toISOString()
}
