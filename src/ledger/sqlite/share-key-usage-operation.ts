/** A key that replaces another one shares its usage row, so that its spend and its limits continue. */
import { unused } from '../machine/key-usage.ts'
import { insert } from '../machine/rows.ts'
import type { SqliteEngine } from './engine.ts'
import type { StateRows } from './state-rows.ts'

/** `key` was never used. */
export function shareKeyUsageOperation(engine: SqliteEngine, rows: StateRows) {
  return (key: bigint, withKey: bigint, account: bigint): void => {
    const usage = rows.keyUsage(withKey, account)
    // The shared row exists from now on, also where the key was not used yet.
    rows.saveKeyUsage(usage)
    engine.change([insert('keyUsage', key, { ...unused(key, account), shared: usage.key })])
  }
}
