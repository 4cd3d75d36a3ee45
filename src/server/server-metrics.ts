/** Metrics of the server as a whole, for alerts: its database, what waits, the ledger's own check and the last backup. */
import { stat } from 'node:fs/promises'
import { Gauge, type Registry } from 'prom-client'
import type { ServerStatus } from '../control/control-deps.ts'
import type { UpstreamCapacity } from '../gateway/attempts/upstream-capacity.ts'
import type { Store } from '../store/store.ts'
import { lastBackupPath } from './back-up.ts'

export interface ServerMetricSources {
  readonly store: Pick<Store, 'commitMs' | 'waiting'>
  readonly capacity: Pick<UpstreamCapacity, 'waiting'>
  readonly status: Pick<ServerStatus, 'startedMs' | 'ledgerReport'>
  /** The same result as `/readyz`. */
  readonly isReady: () => Promise<boolean>
  /** Null: PostgreSQL, whose backups are not made here. */
  readonly dataFolder: string | null
}

/** Registers gauges that are read when the metrics are. */
export function registerServerMetrics(registry: Registry, sources: ServerMetricSources): void {
  const { store, capacity, status, isReady, dataFolder } = sources
  const gauges: Readonly<Record<string, readonly [help: string, read: () => number | Promise<number>]>> = {
    tollgate_ready: ['1 while `/readyz` answers 200, otherwise 0.', async () => ((await isReady()) ? 1 : 0)],
    tollgate_database_commit_seconds: [
      'How long the commit that runs now has taken so far; 0 without one.',
      () => store.commitMs() / 1_000,
    ],
    tollgate_database_operations_waiting: [
      'Operations that wait for their turn to write to the database.',
      store.waiting,
    ],
    tollgate_requests_waiting: ['Requests that wait for the limit of an upstream.', () => capacity.waiting()],
    tollgate_ledger_contradictions: [
      'Contradictions that the continuous check of the ledger found.',
      () => status.ledgerReport().contradictions,
    ],
    tollgate_ledger_checked_timestamp_seconds: [
      'When that check last completed a round, or when the server started.',
      () => (status.ledgerReport().checkedMs ?? status.startedMs) / 1_000,
    ],
  }
  for (const [name, [help, read]] of Object.entries(gauges)) {
    new Gauge({
      ...{ name, help, registers: [registry] },
      async collect() {
        this.set(await read())
      },
    })
  }
  if (dataFolder === null) return
  new Gauge({
    name: 'tollgate_last_backup_timestamp_seconds',
    help: 'When `tollgate backup` last completed for this data folder; 0: never.',
    registers: [registry],
    async collect() {
      const found = await stat(lastBackupPath(dataFolder)).catch(() => null)
      this.set(found === null ? 0 : found.mtimeMs / 1_000)
    },
  })
}
