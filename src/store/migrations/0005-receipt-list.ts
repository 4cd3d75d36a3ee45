/**
 * The receipts of an account in a separate table, in place of an index on receipts: it may be filled later than they are stored, many
 * rows in one write.
 */
import type { Migration } from './migration.ts'

export const receiptList: Migration = {
  number: 5,
  name: 'receipt list',
  statements: [
    `CREATE TABLE receipt_list (
  account INTEGER NOT NULL,
  id INTEGER NOT NULL,
  PRIMARY KEY (account, id)
) STRICT, WITHOUT ROWID`,
    'INSERT INTO receipt_list SELECT account, id FROM receipt ORDER BY account, id',
    'DROP INDEX receipt_account_id',
    // Account and ID are those of the list, by which receipts are found and in whose order they are.
    `CREATE VIEW receipt_by_account AS
  SELECT l.account, l.id, r.* FROM receipt_list l CROSS JOIN receipt r ON r.id = l.id`,
    `CREATE TRIGGER receipt_unlisted AFTER DELETE ON receipt
BEGIN
  DELETE FROM receipt_list WHERE account = OLD.account AND id = OLD.id;
END`,
  ],
}
