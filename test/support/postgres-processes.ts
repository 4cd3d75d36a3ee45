/**
 * Processes on one PostgreSQL database, each a ledger with a clock of its own, and what tests of their faults do with them.
 */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import pg from 'pg'
import { TollgateError } from '../../src/base/errors.ts'
import type { PostgresLimits } from '../../src/ledger/postgres/store.ts'
import type { Settlement } from '../../src/ledger/types.ts'
import { plainAsk, plainDraft } from './ledger-values.ts'
import { type ManualClock, manualClock } from './manual-clock.ts'
import { openPostgresLedger, type PostgresLedger } from './postgres-ledger.ts'
import { runSql } from './postgres-server.ts'

const patient = { outageMsMax: 30_000 }

export interface Process extends PostgresLedger {
  readonly clock: ManualClock
}

/** A ledger of one process; `url`: on the database of another one. */
export async function openProcess(
  context: TestContext,
  url?: string,
  limits: Partial<PostgresLimits> = {},
  onTrouble?: (error: unknown) => void,
): Promise<Process> {
  const clock = manualClock()
  const opened = await openPostgresLedger(context, {
    clock,
    limits: { ...patient, ...limits },
    ...(url === undefined ? {} : { url }),
    ...(onTrouble === undefined ? {} : { onTrouble }),
  })
  return { ...opened, clock }
}

interface Lock {
  release(): Promise<void>
}

/** Holds what a statement locks until it is released. */
async function lockBy(url: string, statement: string): Promise<Lock> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`BEGIN; ${statement}`)
  return { release: () => client.end() }
}

/** Against all others. */
export const lockTable = (url: string, table: string): Promise<Lock> =>
  lockBy(url, `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`)

export const lockAccount = (url: string, account: bigint): Promise<Lock> =>
  lockBy(url, `SELECT id FROM account WHERE id = ${account} FOR UPDATE`)

/** A statement on this database waits for a lock. */
export async function whenWaiting(url: string): Promise<void> {
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
  await until(async () => (await runSql(url, waiting)).length > 0)
}

export async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let attempt = 1; !(await isSo()); attempt += 1) assert.ok(attempt < 5_000, 'it happens')
}

export async function newAccount({ ledger, nextId }: PostgresLedger, amount: bigint): Promise<bigint> {
  const id = nextId()
  await ledger.createAccount({ id, kind: 'personal', email: null, name: 'n', nowMs: 1 })
  await ledger.credit({ ...creditOf(nextId(), id), amount })
  return id
}

export const creditOf = (entryId: bigint, account: bigint) => ({
  entryId,
  account,
  amount: 1n,
  source: 'manual' as const,
  reference: `reference ${entryId}`,
  nowMs: 1,
  note: null,
})

export const admit = (
  { ledger, nextId, clock }: PostgresLedger,
  account: bigint,
  inputAmount: bigint,
  id = nextId(),
) => ledger.admit({ ...plainAsk, id, account, key: account + 1n, inputAmount, nowMs: clock.wallMs() })

export const settlementOf = ({ nextId, clock }: PostgresLedger, id: bigint, cost: bigint): Settlement => ({
  id,
  nowMs: clock.wallMs(),
  cost,
  writtenOff: 0n,
  writeOffEntryId: nextId(),
  receipt: plainDraft,
})

export const settle = (on: PostgresLedger, id: bigint, cost: bigint) =>
  on.ledger.settle(settlementOf(on, id, cost))

export async function assertBalanced({ ledger }: PostgresLedger): Promise<void> {
  assert.deepEqual((await ledger.verify()).drift, [])
}

export const isUnavailable = (error: unknown): boolean =>
  error instanceof TollgateError && error.code === 'store_unavailable'
