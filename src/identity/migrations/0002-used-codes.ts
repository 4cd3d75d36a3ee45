/** Codes of second factors that opened something, for as long as they would be right. */
import type { Migration } from '../../store/migrations/index.ts'

export const usedCodes: Migration = {
  number: 2,
  name: 'used-codes',
  sqlite: [
    `CREATE TABLE used_code (
  -- A hash of the person and the code.
  code_hash TEXT PRIMARY KEY,
  until_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID`,
  ],
}
