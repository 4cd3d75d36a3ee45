/**
 * Records every state of an account's row from inside the database: a trigger created by the test runs within each
 * statement that changes `posted` or `held`, so that no commit can be missed.
 */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export interface BalanceState {
  readonly posted: bigint
  readonly held: bigint
}

export interface BalanceWatch {
  /** Every state of the account since the watch started, in order. */
  states(account: bigint): readonly BalanceState[]
  close(): void
}

/** To be opened while no request runs. */
export function watchBalances(dataFolder: string): BalanceWatch {
  const database = new DatabaseSync(join(dataFolder, 'tollgate.db'), { timeout: 5_000 })
  database.exec(`
    CREATE TABLE watched (place INTEGER PRIMARY KEY, account INTEGER, posted INTEGER, held INTEGER) STRICT;
    CREATE TRIGGER watch_balance AFTER UPDATE OF posted, held ON account BEGIN
      INSERT INTO watched (account, posted, held) VALUES (NEW.id, NEW.posted, NEW.held);
    END;`)
  const select = database.prepare('SELECT posted, held FROM watched WHERE account = ? ORDER BY place')
  select.setReadBigInts(true)
  return {
    states: (account) =>
      select.all(account).map(({ posted, held }) => ({ posted: posted as bigint, held: held as bigint })),
    close: () => database.close(),
  }
}
