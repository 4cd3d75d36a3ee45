/** Rates as a log of the last minute: exact for small limits. A hold finds its place in it by when it was taken. */
import type { Migration } from './migration.ts'

const counters = ['requests', 'requests_before', 'tokens', 'tokens_before']
const drop = (table: string, columns: readonly string[]): string[] =>
  columns.map((column) => `ALTER TABLE ${table} DROP COLUMN ${column}`)

export const rateLogs: Migration = {
  number: 15,
  name: 'rate-logs',
  sqlite: [
    ...drop('account', ['minute', ...counters]),
    // What `src/limits/window.ts` makes of it; what was counted before is forgiven once.
    "ALTER TABLE account ADD COLUMN rates BLOB NOT NULL DEFAULT x''",
    // The minute stays: it says when a key was used last.
    ...drop('key_meter', counters),
    "ALTER TABLE key_meter ADD COLUMN rates BLOB NOT NULL DEFAULT x''",
    ...drop('hold', ['minute']),
  ],
}
