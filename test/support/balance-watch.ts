/**
 * Records every state of an account's row from inside the database: triggers created by the test run within each
 * statement that changes `posted` or `held`, or that writes to the journal, so that no commit can be missed.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readRecord } from '../../src/store/sqlite/journal-codec.ts'
import { runSql } from './postgres-server.ts'
import { databaseVariables } from './test-database.ts'

export interface BalanceState {
  readonly posted: bigint
  readonly held: bigint
}

interface BalanceWatch {
  /** Every state of the account since the watch started. */
  states(account: bigint): Promise<readonly BalanceState[]>
  close(): void
}

const statesOf = (account: bigint): string =>
  `SELECT posted, held FROM watched WHERE account = ${account} ORDER BY place`

/** To be opened while no request runs. */
export async function watchBalances(dataFolder: string): Promise<BalanceWatch> {
  const { DATABASE_URL: url } = await databaseVariables(dataFolder)
  return url === undefined ? watchEmbedded(join(dataFolder, 'tollgate.db')) : watchPostgres(url)
}

function watchEmbedded(path: string): BalanceWatch {
  const database = new DatabaseSync(path, { timeout: 5_000 })
  database.exec(`
    CREATE TABLE watched (place INTEGER PRIMARY KEY, account INTEGER, posted INTEGER, held INTEGER) STRICT;
    CREATE TRIGGER watch_balance AFTER UPDATE OF posted, held ON account BEGIN
      INSERT INTO watched (account, posted, held) VALUES (NEW.id, NEW.posted, NEW.held);
    END;
    CREATE TABLE watched_record (place INTEGER PRIMARY KEY, rows BLOB) STRICT;
    CREATE TRIGGER watch_journal AFTER INSERT ON row_journal BEGIN
      INSERT INTO watched_record (rows) VALUES (NEW.rows);
    END;`)
  return {
    async states(account) {
      const select = database.prepare(statesOf(account))
      select.setReadBigInts(true)
      const written = select
        .all()
        .map(({ posted, held }) => ({ posted: posted as bigint, held: held as bigint }))
      const records = database.prepare('SELECT rows FROM watched_record ORDER BY place').all()
      return [...written, ...records.flatMap(({ rows }) => journaledStates(rows as Uint8Array, account))]
    },
    close: () => database.close(),
  }
}

function journaledStates(record: Uint8Array, account: bigint): readonly BalanceState[] {
  return readRecord(record)
    .filter(({ table }) => table === 'account')
    .flatMap(({ columns, rows }) => {
      const [id, posted, held] = ['id', 'posted', 'held'].map((name) => columns.indexOf(name))
      return rows
        .filter((row) => row[id!] === account)
        .map((row) => ({ posted: row[posted!] as bigint, held: row[held!] as bigint }))
    })
}

async function watchPostgres(url: string): Promise<BalanceWatch> {
  await runSql(
    url,
    `CREATE TABLE watched (place bigint GENERATED ALWAYS AS IDENTITY, account bigint, posted bigint, held bigint);
    CREATE FUNCTION watch_balance() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO watched (account, posted, held) VALUES (NEW.id, NEW.posted, NEW.held); RETURN NULL;
    END $$;
    CREATE TRIGGER watch_balance AFTER UPDATE ON account FOR EACH ROW EXECUTE FUNCTION watch_balance()`,
  )
  return {
    async states(account) {
      const rows = await runSql(url, statesOf(account))
      return rows.map(({ posted, held }) => ({ posted: BigInt(String(posted)), held: BigInt(String(held)) }))
    },
    close() {},
  }
}
