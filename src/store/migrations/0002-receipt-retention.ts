/** Receipts may be removed by age, and only those before a mark that is stored first. */
import type { Migration } from './migration.ts'

export const retentionTable = `
CREATE TABLE receipt_retention (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  -- Receipts of requests with smaller IDs are removed, or will be; the first instant of a month.
  before_id INTEGER NOT NULL CHECK (before_id > 0)
) STRICT`

export const receiptRetention: Migration = {
  number: 2,
  name: 'receipt retention',
  statements: [
    retentionTable,
    'DROP TRIGGER receipt_no_delete',
    `CREATE TRIGGER receipt_no_delete BEFORE DELETE ON receipt
      WHEN OLD.id >= coalesce((SELECT before_id FROM receipt_retention), 0)
BEGIN
  SELECT RAISE(ABORT, 'receipt rows are removed by age only');
END`,
  ],
}
