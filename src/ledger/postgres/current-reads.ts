/**
 * Reads of a replica that are refused where it lags: the leases of the servers are renewed every few seconds, so the latest of them
 * says up to when the replica has everything. Whatever the way in which it is replicated, and also where it was cut off.
 */
import { storeUnavailable } from '../../store/errors.ts'
import { numberOrNull, rowOf } from '../../store/sqlite/columns.ts'
import type { Database } from '../../store/sqlite/connection.ts'
import type { ReadTable } from '../../store/sqlite/reader.ts'
import { prepareRows } from '../../store/sqlite/row-statement.ts'

/** What each call begins with. */
export interface Currency {
  readonly leaseMs: number
  readonly lagMsMax: number
}

const row = rowOf({
  /** Negative while a lease runs; null: the replica knows no server. */
  endedMs: numberOrNull('CAST(floor(extract(epoch FROM now() - max(lease_ends)) * 1000) AS bigint)'),
})

/** The same reads on the state of the same transaction, after the check. */
export function whileCurrent(database: Database, reads: ReadTable): ReadTable {
  const latest = prepareRows(database, row, `SELECT ${row.names} FROM process`)
  const checked =
    (run: (...values: never[]) => unknown) =>
    ({ leaseMs, lagMsMax }: Currency, ...values: never[]): unknown => {
      const endedMs = latest.one()?.endedMs ?? null
      if (endedMs === null || endedMs + leaseMs > lagMsMax)
        throw storeUnavailable(
          `the replica is ${endedMs === null ? 'empty' : `${endedMs + leaseMs} ms behind`}`,
        )
      return run(...values)
    }
  return Object.fromEntries(Object.entries(reads).map(([name, { run }]) => [name, { run: checked(run) }]))
}
