/** The migrations of a PostgreSQL database in their order. A migration that was released is never changed again. */
import { sharedStatements } from '../../store/migrations/0001-schema.ts'
import { retentionTable } from '../../store/migrations/0002-receipt-retention.ts'
import { offerTables } from '../../store/migrations/0003-offer-statistics.ts'
import { alertOffColumn } from '../../store/migrations/0006-alerts-off.ts'
import { oneOwner, removeLaterOwners } from '../../store/migrations/0007-one-owner.ts'
import { offerCost, offerCostColumn } from '../../store/migrations/0008-offer-cost.ts'
import { format, renamedFormats } from '../../store/migrations/0009-format.ts'
import type { Migration } from '../../store/migrations/migration.ts'
import { changeTriggers } from '../../store/postgres/change-triggers.ts'
import { toPostgres } from '../../store/postgres/schema-text.ts'
import { accountNamesFollow } from './account-names.ts'
import { schemaStatements } from './schema.ts'

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
]
