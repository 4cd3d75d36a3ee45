/** What answers left at their providers, so that later requests can refer to it. */
import type { Migration } from './migration.ts'

/** Rows stand in the order of settlement, so that the oldest are found without an index of their own. */
const kept = `
CREATE TABLE kept (
  position INTEGER PRIMARY KEY,
  account INTEGER NOT NULL,
  -- The provider's id of the answer or of an item in it.
  id TEXT NOT NULL,
  -- Where it was served and what it used.
  receipt INTEGER NOT NULL,
  stands_for TEXT NOT NULL CHECK (stands_for = 'output' OR stands_for = 'all' OR stands_for = 'window'),
  created_ms INTEGER NOT NULL,
  UNIQUE (account, id)
) STRICT`

export const keptAnswers: Migration = { number: 2, name: 'kept', sqlite: [kept] }
