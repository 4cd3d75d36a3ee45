/**
 * Moves a data folder on which no server runs to an empty PostgreSQL database. One transaction copies everything and is committed only
 * after the copy was compared and its ledger verified, so an interrupted move leaves the database empty. The folder is marked just
 * before the commit, so that there is no moment at which both can serve.
 */
import { existsSync } from 'node:fs'
import { matchesDatabase, secretCheckSetting, secretPath } from '../access/secret.ts'
import type { Config } from '../config/config.ts'
import { databaseUrl as databaseUrlSchema } from '../config/schemas.ts'
import { identityPath } from '../identity/store/database.ts'
import { identityMigrations } from '../identity/store/migrations/index.ts'
import { migrate } from '../store/migrate.ts'
import { type Migration, migrations } from '../store/migrations/index.ts'
import { removeSettingIn, settingIn } from '../store/move-database.ts'
import { connect, type PostgresConnection } from '../store/postgres/connection.ts'
import { type Database, openForWriting } from '../store/sqlite/connection.ts'
import { takeFence } from '../store/sqlite/fence.ts'
import { recoverJournal } from '../store/sqlite/row-journal.ts'
import { claimDataFolder, databasePath } from '../store/store.ts'
import {
  beginOn,
  fillAndCommit,
  finished,
  type MovePlan,
  type MoveRejection,
  type MoveResult,
  markOf,
  rejected,
  type Sources,
  shownTarget,
} from './move-copy.ts'
import { movedSetting } from './moved.ts'
import { reasonOf } from './postgres-store.ts'

export type { Move, MoveResult } from './move-copy.ts'

export type MoveOptions = Omit<MovePlan, 'limits'>

type MoveConfig = Pick<Config, 'dataFolder' | 'databaseUrl' | 'secret' | 'limits'>

export async function move(config: MoveConfig, options: MoveOptions): Promise<MoveResult> {
  const { dataFolder, databaseUrl, limits } = config
  if (databaseUrl !== null) return rejected('This installation is on PostgreSQL already (DATABASE_URL).')
  const given = databaseUrlSchema.safeParse(options.to)
  if (!given.success) return rejected(`--to: ${given.error.issues[0]?.message}`)
  const plan = { ...options, limits }
  return onFolder(dataFolder, options.nowMs, async (sources) => {
    const mismatch = secretMismatch(config, sources.main)
    if (mismatch !== null) return rejected(mismatch)
    return onTarget(plan, async (target) => {
      const begun = await beginOn(target, sources.main, plan)
      if (begun.kind === 'rejected') return begun
      if (begun.kind === 'complete') return finished(target, plan, { rows: 0, wasComplete: true })
      return fillAndCommit(target, sources, plan)
    })
  })
}

async function onTarget(
  { to, limits }: MovePlan,
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
    return rejected(
      `${shownTarget(to)}: ${reasonOf(error)}. Run the command again: a copy that is complete is recognized.`,
    )
  }
}

/** Lets the folder be served again. The database that it was moved to stays as it is. */
export async function cancelMove(
  { dataFolder }: Pick<Config, 'dataFolder'>,
  nowMs: number,
): Promise<
  { readonly kind: 'done'; readonly to: string } | { readonly kind: 'rejected'; readonly message: string }
> {
  return onFolder(dataFolder, nowMs, async ({ main }) => {
    const moved = markOf(main)
    if (moved === null) return rejected(`${dataFolder} was not moved.`)
    removeSettingIn(main, movedSetting)
    return { kind: 'done', to: moved.to } as const
  })
}

/** With the folder for this process alone, and its databases at the newest schema. */
async function onFolder<Result>(
  dataFolder: string,
  nowMs: number,
  work: (sources: Sources) => Promise<Result | MoveRejection>,
): Promise<Result | MoveRejection> {
  if (!existsSync(databasePath(dataFolder))) return rejected(`No database found in ${dataFolder}.`)
  const claimed = claimDataFolder(dataFolder)
  if (claimed.kind === 'rejected')
    return rejected(claimed.reason === 'locked' ? stillServed(dataFolder) : claimed.message)
  const opened: Database[] = []
  const open = (path: string, steps: readonly Migration[]): Database | MoveRejection => {
    const database = openForWriting(path)
    opened.push(database)
    const outcome = migrate(database, nowMs, steps)
    if (outcome.kind === 'newer_schema') return rejected(outcome.message)
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

const stillServed = (dataFolder: string): string =>
  `A server or command is using ${dataFolder}. Stop it, and its supervisor, which would start it again; then run this command again.`

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
