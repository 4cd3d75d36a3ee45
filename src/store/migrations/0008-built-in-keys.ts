/** The keys under which the console itself makes requests: one for an account that ever did. */
import type { Migration } from './migration.ts'

const builtInKey = `
CREATE TABLE built_in_key (
  account INTEGER PRIMARY KEY,
  key INTEGER NOT NULL UNIQUE
) STRICT, WITHOUT ROWID`

export const builtInKeys: Migration = { number: 8, name: 'built-in-keys', sqlite: [builtInKey] }
