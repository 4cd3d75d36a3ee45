/**
 * Moves a data folder to an empty PostgreSQL database: what never changes while a server runs on it, the rest once that has stopped. One
 * transaction copies everything and is committed only after the copy was compared and its ledger verified, so an interrupted move
 * leaves the database empty. The folder is marked just before the commit, so that there is no moment at which both can serve.
 */
import { existsSync } from 'node:fs'
import { matchesDatabase, secretCheckSetting, secretPath } from '../access/secret.ts'
import { assert } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import type { Config } from '../config/config.ts'
import { databaseUrl as databaseUrlSchema } from '../config/schemas.ts'
import { identityPath } from '../identity/store/database.ts'
import { identityMigrations } from '../identity/store/migrations/index.ts'
import { databasePath } from '../store/database-path.ts'
import { migrate } from '../store/migrate.ts'
import { type Migration, migrations } from '../store/migrations/index.ts'
import { removeSettingIn, settingIn, testConnection } from '../store/move-database.ts'
import { connect, type PostgresConnection } from '../store/postgres/connection.ts'
import { type Database, openForReading, openForWriting } from '../store/sqlite/connection.ts'
import { takeFence } from '../store/sqlite/fence.ts'
import { recoverJournal } from '../store/sqlite/row-journal.ts'
import { claimDataFolder } from '../store/store.ts'
import {
  beginOn,
  fillAhead,
  fillAndCommit,
  finished,
  type MovePlan,
  type MoveRefusal,
  type MoveResult,
  markOf,
  refused,
  type Sources,
  shownTarget,
} from './move-copy.ts'
import { movedSetting } from './moved.ts'
import { reasonOf } from './postgres-store.ts'

export type { Move, MoveResult } from './move-copy.ts'

export interface MoveOptions extends Omit<MovePlan, 'limits'> {
  readonly clock: Clock
  /** Everything that does not change is copied: now the server has to be stopped. */
  readonly onWaiting: () => void
}

type MoveConfig = Pick<Config, 'dataFolder' | 'databaseUrl' | 'secret' | 'limits'>

export async function move(config: MoveConfig, options: MoveOptions): Promise<MoveResult> {
  const { dataFolder, databaseUrl, limits } = config
  if (databaseUrl !== null) return refused('This installation is on PostgreSQL already (DATABASE_URL).')
  const given = databaseUrlSchema.safeParse(options.to)
  if (!given.success) return refused(`--to: ${given.error.issues[0]?.message}`)
  const plan = { ...options, limits }
  if (isServed(dataFolder)) return moveServed(config, plan)
  return onFolder(dataFolder, options.nowMs, async (sources) => {
    const mismatch = secretMismatch(config, sources.main)
    if (mismatch !== null) return refused(mismatch)
    return onTarget(plan, async (target) => {
      const begun = await beginOn(target, sources.main, plan)
      if (begun.kind === 'refused') return begun
      if (begun.kind === 'complete') return finished(target, plan, { rows: 0, wasComplete: true })
      return fillAndCommit(target, sources, { ...plan, ahead: [] })
    })
  })
}

type ServedPlan = MoveOptions & MovePlan

/** Another process has the folder. */
function isServed(dataFolder: string): boolean {
  if (!existsSync(databasePath(dataFolder))) return false
  const claimed = claimDataFolder(dataFolder)
  if (claimed.kind === 'claimed') claimed.lock.release()
  return claimed.kind === 'refused' && claimed.reason === 'locked'
}

/** The same while a server runs: it has to be stopped for what changes, and to be compared. */
function moveServed(config: MoveConfig, plan: ServedPlan): Promise<MoveResult> {
  const { dataFolder } = config
  return onTarget(plan, async (target) => {
    const begun = await whileServed(dataFolder, async (main) => {
      const mismatch = secretMismatch(config, main)
      if (mismatch !== null) return refused(mismatch)
      const state = await beginOn(target, main, plan)
      if (state.kind === 'refused') return state
      assert(state.kind === 'empty', 'a folder that is served was not moved')
      return { kind: 'filled', ahead: await fillAhead(target, main, plan) } as const
    })
    if (begun.kind === 'refused') return begun
    plan.onWaiting()
    if (!(await untilStopped(dataFolder, target, plan))) return refused(stillServed)
    return onFolder(dataFolder, plan.nowMs, (sources) =>
      fillAndCommit(target, sources, { ...plan, ...begun }),
    )
  })
}

/** With the database open for reads while the server writes. */
async function whileServed<Result>(
  dataFolder: string,
  work: (main: Database) => Promise<Result>,
): Promise<Result> {
  const main = openForReading(databasePath(dataFolder))
  try {
    return await work(main)
  } finally {
    main.close()
  }
}

const stillServed =
  'A server still uses the data folder, so nothing was moved. Run the command again, and stop the server when it asks for that.'

/** False: the server was not stopped in time. Rejects where what was copied is lost: then there is no reason to stop it. */
async function untilStopped(
  dataFolder: string,
  target: PostgresConnection,
  { clock, limits }: Pick<ServedPlan, 'clock' | 'limits'>,
): Promise<boolean> {
  const startedMs = clock.monoMs()
  while (isServed(dataFolder)) {
    if (clock.monoMs() - startedMs >= limits.moveStopMs) return false
    await testConnection(target)
    await new Promise<void>((resolve) => void clock.after(lookEveryMs, resolve))
  }
  return true
}

const lookEveryMs = 250

async function onTarget(
  { to, limits }: Pick<ServedPlan, 'to' | 'limits'>,
  work: (target: PostgresConnection) => Promise<MoveResult>,
): Promise<MoveResult> {
  try {
    const target = await connect(to, {
      name: 'tollgate move',
      connectMsMax: limits.databaseConnectMs,
      statementMsMax: limits.databaseVerifyMs,
      isForTables: true,
    })
    return await work(target).finally(target.close)
  } catch (error) {
    return refused(
      `${shownTarget(to)}: ${reasonOf(error)}. Run the command again: a copy that is complete is recognized.`,
    )
  }
}

/** Lets the folder be served again. The database that it was moved to stays as it is. */
export async function cancelMove(
  { dataFolder }: Pick<Config, 'dataFolder'>,
  nowMs: number,
): Promise<
  { readonly kind: 'done'; readonly to: string } | { readonly kind: 'refused'; readonly message: string }
> {
  return onFolder(dataFolder, nowMs, async ({ main }) => {
    const moved = markOf(main)
    if (moved === null) return refused(`${dataFolder} was not moved.`)
    removeSettingIn(main, movedSetting)
    return { kind: 'done', to: moved.to } as const
  })
}

/** With the folder for this process alone, and its databases at the newest schema. */
async function onFolder<Result>(
  dataFolder: string,
  nowMs: number,
  work: (sources: Sources) => Promise<Result | MoveRefusal>,
): Promise<Result | MoveRefusal> {
  if (!existsSync(databasePath(dataFolder))) return refused(`No database found in ${dataFolder}.`)
  const claimed = claimDataFolder(dataFolder)
  if (claimed.kind === 'refused') return refused(claimed.message)
  const opened: Database[] = []
  const open = (path: string, steps: readonly Migration[]): Database | MoveRefusal => {
    const database = openForWriting(path)
    opened.push(database)
    const outcome = migrate(database, nowMs, steps)
    if (outcome.kind === 'newer_schema') return refused(outcome.message)
    takeFence(database)
    if (steps === migrations) recoverJournal(database)
    return database
  }
  try {
    const main = open(databasePath(dataFolder), migrations)
    if ('kind' in main) return main
    const path = identityPath(dataFolder)
    const identity = existsSync(path) ? open(path, identityMigrations) : null
    if (identity !== null && 'kind' in identity) return identity
    return await work({ main, identity })
  } finally {
    for (const database of opened) database.close()
    claimed.lock.release()
  }
}

/** Servers on PostgreSQL have no folder in common: each is given the secret. */
function secretMismatch({ dataFolder, secret }: MoveConfig, main: Database): string | null {
  if (secret === null) {
    const place = existsSync(secretPath(dataFolder)) ? `: it is in ${secretPath(dataFolder)}` : ''
    return `Set TOLLGATE_SECRET to the root secret of this installation, as every server on PostgreSQL needs it${place}.`
  }
  const stored = settingIn(main, secretCheckSetting)
  return stored !== null && matchesDatabase(secret, stored)
    ? null
    : 'TOLLGATE_SECRET is not the root secret of this installation. Every API key depends on it.'
}
