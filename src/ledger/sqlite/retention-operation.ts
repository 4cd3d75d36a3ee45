/**
 * Removes receipts by age, a few at a time. What they charged stays in the entries and in the hourly sums. Runs on both
 * databases.
 */
import { type Database, prepare } from '../../store/sqlite/connection.ts'

/** Removes at most `limit` receipts of requests with smaller IDs than `before`; returns how many. The mark never goes back. */
export function removeReceiptsOperation(database: Database) {
  const mark = prepare(
    database,
    `INSERT INTO receipt_retention (one, before_id) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET before_id = excluded.before_id
      WHERE receipt_retention.before_id < excluded.before_id`,
  )
  const remove = prepare(
    database,
    'DELETE FROM receipt WHERE id IN (SELECT id FROM receipt WHERE id < ? ORDER BY id LIMIT ?)',
  )
  return (before: bigint, limit: number): number => {
    mark.run(before)
    return remove.run(before, BigInt(limit))
  }
}
