/** The list of migrations in their order. A migration that was released is never changed again. */
import type { Meter } from '../../../contract/meters.ts'
import { journalTable } from '../sqlite/journaled-tables.ts'
import { schema } from './0001-schema.ts'
import type { Migration } from './migration.ts'

/** Receipts may be removed by age, and only those before a mark that is stored first. */
export const retentionTable = `
CREATE TABLE receipt_retention (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  -- Receipts of requests with smaller IDs are removed, or will be; the first instant of a month.
  before_id INTEGER NOT NULL CHECK (before_id > 0)
) STRICT`

const receiptRetention: Migration = {
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

/**
 * Recent counts per offer, in slots of time: rows are only added to, so that several servers write the same ones. `offer_speed` is
 * unused.
 */
export const offerTables: readonly string[] = [
  `
CREATE TABLE offer_count (
  -- The length of the slot, and its number since the beginning of 1970.
  slot_ms INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  upstream TEXT NOT NULL,
  upstream_model TEXT NOT NULL,
  requests INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  -- Nano-USD.
  cost INTEGER NOT NULL,
  PRIMARY KEY (slot_ms, slot, upstream, upstream_model)
) STRICT, WITHOUT ROWID`,
  `
CREATE TABLE offer_first_byte (
  slot_ms INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  upstream TEXT NOT NULL,
  upstream_model TEXT NOT NULL,
  -- Of the histogram of times to first byte.
  bucket INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (slot_ms, slot, upstream, upstream_model, bucket)
) STRICT, WITHOUT ROWID`,
  `
CREATE TABLE offer_speed (
  upstream TEXT NOT NULL,
  upstream_model TEXT NOT NULL,
  -- Moving averages in thousandths: of a millisecond, and of a token per second.
  first_byte_ms INTEGER NOT NULL,
  tokens_per_second INTEGER,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (upstream, upstream_model)
) STRICT, WITHOUT ROWID`,
  'CREATE INDEX offer_speed_at ON offer_speed (at_ms)',
]

const offerStatistics: Migration = { number: 3, name: 'offer statistics', statements: offerTables }

/** Where commits of the embedded database append rows that their tables get later; see sqlite/row-journal.ts. */
const rowJournal: Migration = {
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

/**
 * The receipts of an account in a separate table, in place of an index on receipts: it may be filled later than they are stored, many
 * rows in one write.
 */
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

/** An account may turn the low-balance warning off: the check of `alert_days` allows no value for that. */
export const alertOffColumn =
  'ALTER TABLE billing_setting ADD COLUMN alert_off INTEGER NOT NULL DEFAULT 0 CHECK (alert_off IN (0, 1))'

const alertsOff: Migration = { number: 6, name: 'alerts off', statements: [alertOffColumn] }

/** An ID of a provider belongs to one account: the first that got it, whose row is the oldest where several have it. */
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

/** A receipt's upstream cost is computed by what its offer costs, which a price version does not know. */
export const offerCostColumn = 'ALTER TABLE receipt ADD COLUMN offer_cost TEXT'

export const offerCost: Migration = { number: 8, name: 'offer cost', statements: [offerCostColumn] }

/** A request's format was stored as its dialect; names of the API are those of the columns. */
const renamed = (table: string): string => `ALTER TABLE ${table} RENAME COLUMN dialect TO format`

export const renamedFormats = ['hold', 'receipt'].map(renamed)

export const format: Migration = { number: 9, name: 'format', statements: renamedFormats }

/** Rejected requests were stored as refused. */
export const rejections: Migration = {
  number: 10,
  name: 'rejections',
  statements: [
    'ALTER TABLE usage_hour RENAME COLUMN refused TO rejected',
    'ALTER TABLE refusal_hour RENAME TO rejection_hour',
    'ALTER TABLE refusal RENAME TO rejection',
    'DROP INDEX refusal_account',
    'CREATE INDEX rejection_account ON rejection (account, id)',
  ],
}

export type { Migration } from './migration.ts'

/** The migration that made the receipt's column for each class of tokens: a new class needs a migration. */
const meterColumns: Readonly<Record<Meter, Migration>> = {
  inputUncached: schema,
  cacheRead: schema,
  cacheWrite5m: schema,
  cacheWrite1h: schema,
  inputAudio: schema,
  output: schema,
  outputAudio: schema,
}

export const migrations: readonly Migration[] = [
  ...new Set([
    schema,
    receiptRetention,
    offerStatistics,
    rowJournal,
    receiptList,
    alertsOff,
    oneOwner,
    offerCost,
    format,
    rejections,
    ...Object.values(meterColumns),
  ]),
].sort((one, other) => one.number - other.number)
