/**
 * Which receipts a verification can expect: those that were not removed by age. Hours before them are compared with the
 * entries instead. Texts for both databases; no statement runs here.
 */
import { hourOf, idHourSql, idTimeMs } from '../../base/ids.ts'

/** The ID before which receipts were removed; 0: none were. */
export const keptFrom = '(SELECT coalesce(max(before_id), 0) FROM receipt_retention)'

/** The hour of `keptFrom`, always the first of a month. */
export const keptFromHour = `(SELECT coalesce(max(${idHourSql('before_id')}), ${hourOf(0n)}) FROM receipt_retention)`

/** Hours of an account in which charges plus write-offs differ from the usage entries. */
export const removedHours = `FROM (
    SELECT account, hour, sum(stated) AS stated, sum(moved) AS moved FROM (
      SELECT account, hour, charged + written_off AS stated, 0 AS moved FROM usage_hour WHERE hour < ${keptFromHour}
      UNION ALL SELECT account, ${idHourSql('request')}, 0, -amount FROM entry WHERE kind = 'usage' AND request < ${keptFrom}
    ) x GROUP BY account, hour) y WHERE stated <> moved`

/** The retention limit in a report: the time of the first receipt that remains; null: none were removed. */
export function receiptsFrom(before: unknown): string | null {
  const id = BigInt((before ?? 0n) as bigint)
  return id === 0n ? null : new Date(idTimeMs(id)).toISOString()
}
