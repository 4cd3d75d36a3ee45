/** The migrations of a PostgreSQL database in their order. A migration that was released is never changed again. */
import { sharedStatements } from '../../store/migrations/0001-schema.ts'
import {
  alertOffColumn,
  format,
  offerCost,
  offerCostColumn,
  offerTables,
  oneOwner,
  rejections,
  removeLaterOwners,
  renamedFormats,
  retentionTable,
} from '../../store/migrations/index.ts'
import type { Migration } from '../../store/migrations/migration.ts'
import { changeTriggers } from '../../store/postgres/change-triggers.ts'
import { toPostgres } from '../../store/postgres/schema-text.ts'
import { byEmail, byOwner, type TableName } from '../machine/rows.ts'
import { columnType, storedTables, tableNames } from './tables.ts'

/** Inserts the names of accounts that have no rows yet. */
export const addAccountNames = `INSERT INTO account_name (name, account)
  SELECT '${byEmail('')}' || email, id FROM account_profile WHERE email IS NOT NULL
  UNION ALL SELECT '${byOwner('')}' || owner, id FROM account_profile WHERE owner IS NOT NULL`

const accountNamesFollow: readonly string[] = [
  // By their keys: the table has no index by account.
  `CREATE FUNCTION rename_account() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN
      DELETE FROM account_name WHERE name IN ('${byEmail('')}' || OLD.email, '${byOwner('')}' || OLD.owner);
      INSERT INTO account_name (name, account)
        SELECT '${byEmail('')}' || NEW.email, NEW.id WHERE NEW.email IS NOT NULL
        UNION ALL SELECT '${byOwner('')}' || NEW.owner, NEW.id WHERE NEW.owner IS NOT NULL;
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER account_profile_renamed AFTER UPDATE OF email, owner ON account_profile
    FOR EACH ROW EXECUTE FUNCTION rename_account()`,
  'DELETE FROM account_name',
  addAccountNames,
]

/**
 * The ledger's tables are made from the columns that its statements use. The invariants of a row are constraints here, in
 * addition to the machine that maintains them. Every primary key of a hot table begins with the account.
 */
const nullable: ReadonlySet<string> = new Set(
  `email owner suspended_ms restricted_ms shared spent_max source reference request note checkpoint_cost checkpoint_draft
   upstream_request_id error_code first_byte_ms person implausible input_bound own_key_fee`.split(/\s+/),
)

/** Columns that a migration after the first adds. */
const addedLater: ReadonlySet<string> = new Set(['offer_cost'])
/** Names that columns had in the first migration. */
const firstNames: Readonly<Record<string, string>> = { format: 'dialect' }

/** Leaves space in each page, so that a changed row is rewritten there. */
const roomForUpdates = 'WITH (fillfactor = 50)'

const constraints: Partial<Readonly<Record<TableName, readonly string[]>>> = {
  account: [
    'CHECK (held >= 0 AND overdrawn >= 0 AND entries >= 0 AND written_off >= 0)',
    'CHECK (running BETWEEN 0 AND open_holds)',
    // More can never be reserved than there is.
    'CHECK (held <= posted + overdrawn)',
  ],
  accountProfile: ["CHECK (kind IN ('personal', 'organization'))"],
  keyUsage: [
    'CHECK (held >= 0 AND running BETWEEN 0 AND open_holds)',
    'CHECK (spent_before_day BETWEEN 0 AND spent)',
    'CHECK (spent_before_week BETWEEN 0 AND spent_before_day)',
    'CHECK (spent_before_month BETWEEN 0 AND spent_before_day)',
    'CHECK (spent_max IS NULL OR spent + held <= spent_max)',
  ],
  hold: [
    'CHECK (amount >= 0 AND tokens >= 0)',
    'CHECK ((checkpoint_cost IS NULL) = (checkpoint_draft IS NULL))',
  ],
  entry: [
    'UNIQUE (account, position)',
    'CHECK (position > 0 AND amount <> 0)',
    `CHECK (CASE kind
      WHEN 'usage' THEN counter = 'revenue' AND amount < 0 AND request = id AND source IS NULL
        AND (balance_after >= 0 OR reference IS NOT NULL)
      WHEN 'write_off' THEN counter = 'write_offs' AND amount > 0 AND request IS NOT NULL AND source IS NULL
      WHEN 'credit' THEN counter IN ('promo', 'clearing') AND amount > 0 AND source IS NOT NULL AND reference IS NOT NULL
      WHEN 'refund' THEN counter IN ('refunds', 'clearing') AND amount < 0 AND source IS NOT NULL AND reference IS NOT NULL
      ELSE FALSE END)`,
  ],
  creditReference: ['CHECK (amount > 0)'],
  receipt: ['CHECK (charged BETWEEN 0 AND hold AND written_off >= 0)'],
}

function createTable(name: TableName): string {
  const { table, columns, key, isChanged } = storedTables[name]
  const lines = [
    ...columns
      .filter((column) => !addedLater.has(column))
      .map(
        (column) =>
          `${firstNames[column] ?? column} ${columnType(column)}${nullable.has(column) ? '' : ' NOT NULL'}`,
      ),
    `PRIMARY KEY (${key.join(', ')})`,
    ...(constraints[name] ?? []),
  ]
  return `CREATE TABLE ${table} (${lines.join(', ')}) ${isChanged ? roomForUpdates : ''}`
}

const processes = [
  /** Processes that may own holds, by their slot of the ID space. A process that does not renew its lease in time is dead. */
  `CREATE TABLE process (
    id bigint PRIMARY KEY CHECK (id BETWEEN 0 AND 1023),
    started_ms bigint NOT NULL,
    lease_ends timestamptz NOT NULL
  )`,
  /** The slot that was taken last, so that a slot is used again as late as possible. */
  'CREATE TABLE last_process (id bigint PRIMARY KEY CHECK (id = 1), last bigint NOT NULL)',
  /** The last batch that each lane of a process has committed: by it a commit of unknown outcome is looked up. */
  `CREATE TABLE committed_batch (
    process bigint NOT NULL REFERENCES process (id) ON DELETE CASCADE,
    lane bigint NOT NULL,
    started_ms bigint NOT NULL,
    batch bigint NOT NULL,
    PRIMARY KEY (process, lane)
  ) ${roomForUpdates}`,
]

const indexes = [
  'CREATE INDEX hold_id ON hold (id)',
  'CREATE INDEX hold_process ON hold (process, id)',
  'CREATE INDEX key_usage_key ON key_usage (key)',
  'CREATE INDEX receipt_id ON receipt (id)',
  "CREATE INDEX entry_account_other ON entry (account, id) WHERE kind <> 'usage'",
  'CREATE UNIQUE INDEX account_profile_email ON account_profile (email)',
  'CREATE UNIQUE INDEX account_profile_owner ON account_profile (owner)',
]

const appendOnly = [
  `CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION '% rows are never changed or removed', TG_TABLE_NAME USING ERRCODE = '23000'; END $$`,
  ...['entry', 'receipt'].map(
    (table) =>
      `CREATE TRIGGER ${table}_no_change BEFORE UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_change()`,
  ),
]

/** In the order in which they are executed, as one transaction. */
export const schemaStatements: readonly string[] = [
  ...tableNames.map(createTable),
  ...processes,
  ...indexes,
  ...appendOnly,
]

const statements = [...schemaStatements, ...sharedStatements.map(toPostgres), ...changeTriggers]

const retention = [
  toPostgres(retentionTable),
  `CREATE FUNCTION refuse_removal() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN
      IF OLD.id < (SELECT coalesce(max(before_id), 0) FROM receipt_retention) THEN RETURN OLD; END IF;
      RAISE EXCEPTION 'receipt rows are removed by age only' USING ERRCODE = '23000';
    END $$`,
  'DROP TRIGGER receipt_no_change ON receipt',
  'CREATE TRIGGER receipt_no_change BEFORE UPDATE ON receipt FOR EACH ROW EXECUTE FUNCTION refuse_change()',
  'CREATE TRIGGER receipt_no_removal BEFORE DELETE ON receipt FOR EACH ROW EXECUTE FUNCTION refuse_removal()',
]

export const postgresMigrations: readonly Migration[] = [
  { number: 1, name: 'schema', statements },
  { number: 2, name: 'receipt retention', statements: retention },
  { number: 3, name: 'offer statistics', statements: offerTables.map(toPostgres) },
  { number: 4, name: 'account names', statements: accountNamesFollow },
  // The embedded database has a table here; this one needs only the name.
  {
    number: 5,
    name: 'receipts by account',
    statements: ['CREATE VIEW receipt_by_account AS SELECT * FROM receipt'],
  },
  { number: 6, name: 'alerts off', statements: [toPostgres(alertOffColumn)] },
  {
    number: oneOwner.number,
    name: oneOwner.name,
    statements: [
      removeLaterOwners,
      'ALTER TABLE provider_object DROP CONSTRAINT provider_object_account_id_key, ADD UNIQUE (id)',
    ],
  },
  {
    number: offerCost.number,
    name: offerCost.name,
    statements: [offerCostColumn, 'CREATE OR REPLACE VIEW receipt_by_account AS SELECT * FROM receipt'],
  },
  {
    ...format,
    statements: [...renamedFormats, 'ALTER VIEW receipt_by_account RENAME COLUMN dialect TO format'],
  },
  rejections,
]
