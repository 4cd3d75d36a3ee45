/** A key that takes another one's place counts on its meter: what was spent stays spent, what is limited stays so. */
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import type { StateRows } from './state-rows.ts'

/** `key` was never used. */
export function shareMeterOperation(database: Database, rows: StateRows) {
  const insert = prepare(database, 'INSERT INTO key_meter (key, account, shared) VALUES (?, ?, ?)')
  return (key: bigint, withKey: bigint, account: bigint): void => {
    const { key: shared } = rows.meter(withKey, account)
    insert.run(key, account, shared)
  }
}
