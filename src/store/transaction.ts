/**
 * A transaction of the control plane: all of its statements or none. Only database calls belong inside;
 * the ledger waits in the meantime, and after the store's deadline it is rolled back.
 */
import type { Transaction as KyselyTransaction } from 'kysely'
import type { Store } from './store.ts'
import type { Tables } from './tables.ts'

export type Transaction = KyselyTransaction<Tables>

/** Runs `work` in one transaction on the writer; commits when it resolves, rolls back when it rejects. */
export function inTransaction<Result>(
  store: Pick<Store, 'database'>,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return store.database.transaction().execute(work)
}
