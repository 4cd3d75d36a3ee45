/** An ID of a provider belongs to one account: the first that got it, for as long as it can be referred to. */
import type { Migration } from './migration.ts'

/** Where several accounts have the same object, the oldest row stays. */
export const removeLaterOwners = `DELETE FROM provider_object WHERE position NOT IN
  (SELECT min(position) FROM provider_object GROUP BY id)`

export const oneOwner: Migration = {
  number: 7,
  name: 'one owner of a provider object',
  statements: [
    removeLaterOwners,
    // In place of the index by account, which SQLite cannot drop: no receipt writes to a second one.
    `CREATE TABLE provider_object_of_one (
  position INTEGER PRIMARY KEY,
  account INTEGER NOT NULL,
  -- The provider's id of the answer or of an item in it.
  id TEXT NOT NULL UNIQUE,
  -- Where it was served and what it used.
  receipt INTEGER NOT NULL,
  referenced_scope TEXT NOT NULL
    CHECK (referenced_scope = 'output' OR referenced_scope = 'all' OR referenced_scope = 'window'),
  created_ms INTEGER NOT NULL
) STRICT`,
    'INSERT INTO provider_object_of_one SELECT * FROM provider_object ORDER BY position',
    'DROP TABLE provider_object',
    'ALTER TABLE provider_object_of_one RENAME TO provider_object',
  ],
}
