/** A ledger on a new database of the process's PostgreSQL server, for tests that run over each engine. */
import type { Clock } from '../../src/base/clock.ts'
import { systemClock } from '../../src/base/clock.ts'
import { type Limits, limitDefaults } from '../../src/config/config.ts'
import { type OpenLedger, openLedger } from '../../src/ledger/ledger.ts'
import { postgresMigrations } from '../../src/ledger/postgres/migrations.ts'
import { openPostgresStore, type PostgresLimits, postgresLimits } from '../../src/ledger/postgres/store.ts'
import { migratePostgres } from '../../src/store/postgres/migrate.ts'
import { deriveSums } from '../../src/usage/postgres-sums.ts'
import { sharedPostgres } from './postgres-server.ts'

export interface PostgresLedger extends OpenLedger {
  readonly clock: Clock
  readonly url: string
}

interface PostgresLedgerOptions {
  readonly clock: Clock
  readonly limits?: Partial<Limits & PostgresLimits>
  /** Default: a new database. */
  readonly url?: string
  /** Default: an error of background work fails the test. */
  readonly onTrouble?: (error: unknown) => void
}

export async function openPostgresLedger(
  context: { after(run: () => Promise<void>): void },
  options: PostgresLedgerOptions,
): Promise<PostgresLedger> {
  const { clock, limits = {}, url } = options
  const troubles: unknown[] = []
  const onTrouble = options.onTrouble ?? ((error: unknown) => void troubles.push(error))
  const address = url ?? (await (await sharedPostgres()).createDatabase())
  await migratePostgres({
    url: address,
    table: 'migration',
    steps: postgresMigrations,
    nowMs: clock.wallMs(),
    connectMsMax: limitDefaults.databaseConnectMs,
  })
  const store = openPostgresStore(address, {
    derive: deriveSums,
    // Waiting between attempts takes real time.
    clock: { ...clock, after: systemClock.after, monoMs: systemClock.monoMs },
    limits: { ...postgresLimits(limitDefaults), ...limits },
    onTrouble,
  })
  const ledger = await openLedger(store, { clock, limits: { ...limitDefaults, ...limits }, onTrouble })
  context.after(async () => {
    await ledger.close()
    await store.close()
    if (troubles.length > 0) throw new AggregateError(troubles)
  })
  return { ...ledger, clock, url: address }
}
