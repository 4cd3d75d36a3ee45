/** Where commits of the embedded database append rows that their tables get later; see sqlite/row-journal.ts. */
import { journalTable } from '../sqlite/journaled-tables.ts'
import type { Migration } from './migration.ts'

export const rowJournal: Migration = {
  number: 4,
  name: 'row journal',
  statements: [
    `CREATE TABLE ${journalTable} (
  seq INTEGER PRIMARY KEY,
  -- Rows of several tables, as sqlite/journal-codec.ts writes them.
  rows BLOB NOT NULL
) STRICT`,
  ],
}
