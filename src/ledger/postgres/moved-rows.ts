/**
 * Rows that a ledger copied from the embedded database needs in addition: the ones that find credits and names, which are columns and
 * indexes there, and the counter from which processes take slots. Runs in the caller's transaction.
 */
import type { PostgresConnection } from '../../store/postgres/connection.ts'
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import { addAccountNames } from './migrations.ts'

const lookups: readonly string[] = [
  addAccountNames,
  `INSERT INTO credit_reference (name, entry, account, amount)
    SELECT source || ' ' || reference, id, account, amount FROM entry WHERE kind = 'credit'`,
]

/** Tables that the copy fills, and that the embedded database does not have in the same form. */
export const derivedTables: readonly string[] = ['account_name', 'credit_reference', 'last_process']

/** Tables of processes that run, of which none runs on what was copied. */
export const processTables: readonly string[] = ['process', 'committed_batch']

export async function addDerivedRows(source: Database, target: PostgresConnection): Promise<void> {
  for (const text of lookups) await target.run({ name: '', text })
  // IDs of the next process begin elsewhere than those of the last one.
  const [lastSlot = 0n] = prepare(source, 'SELECT coalesce(max(id), 0) FROM process').row() ?? []
  await target.run({ name: '', text: 'INSERT INTO last_process (id, last) VALUES (1, $1::bigint)' }, [
    lastSlot,
  ])
}
