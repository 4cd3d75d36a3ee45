/** A key that replaces another one shares its usage row, so that its spend and its limits continue. */
import { type Database, prepare } from '../../store/sqlite/connection.ts'
import type { StateRows } from './state-rows.ts'

/** `key` was never used. */
export function shareKeyUsageOperation(database: Database, rows: StateRows) {
  const insert = prepare(database, 'INSERT INTO key_usage (key, account, shared) VALUES (?, ?, ?)')
  return (key: bigint, withKey: bigint, account: bigint): void => {
    const { key: shared } = rows.keyUsage(withKey, account)
    insert.run(key, account, shared)
  }
}
