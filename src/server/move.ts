/**
 * Moves a data folder, on which no server runs, to an empty PostgreSQL database. One transaction copies everything and is
 * committed only after the copy was compared and its ledger verified, so an interrupted move leaves the database empty. The
 * folder is marked just before the commit, so that there is no moment at which both can serve.
 */
import { existsSync } from 'node:fs'
import { matchesDatabase, secretCheckSetting, secretPath } from '../access/secret.ts'
import type { RandomBytes } from '../base/ids.ts'
import type { Config } from '../config/config.ts'
import { databaseUrl as databaseUrlSchema } from '../config/schemas.ts'
import { identityPath } from '../identity/store/database.ts'
import { identityMigrations } from '../identity/store/migrations/index.ts'
import { addDerivedRows, derivedTables, processTables } from '../ledger/postgres/moved-rows.ts'
import { verifyRows } from '../ledger/postgres/verify.ts'
import type { VerifyReport } from '../ledger/types.ts'
import { verify } from '../ledger/verify/verify.ts'
import { copyTable, isEmptyTable, tablesOf, tablesOn } from '../store/copy-tables.ts'
import { databasePath } from '../store/database-path.ts'
import { migrate } from '../store/migrate.ts'
import { type Migration, migrations } from '../store/migrations/index.ts'
import {
  analyze,
  beginMove,
  commitMove,
  insertSettingIn,
  insertSettingOn,
  removeSettingIn,
  settingIn,
  settingOn,
} from '../store/move-database.ts'
import { type Connection, connect } from '../store/postgres/connection.ts'
import { type Database, openForWriting } from '../store/sqlite/connection.ts'
import { takeFence } from '../store/sqlite/fence.ts'
import { claimDataFolder } from '../store/store.ts'
import { type Moved, movedOf, movedSetting, movedText, refusalText } from './moved.ts'
import { migrateServerPostgres, reasonOf } from './postgres-store.ts'

export interface MoveOptions {
  /** The address of the PostgreSQL database. */
  readonly to: string
  readonly nowMs: number
  readonly random: RandomBytes
  /** Called after each table. */
  readonly onTable: (table: string, rows: number) => void
}

export interface Move {
  /** Host and database, without user and password. */
  readonly to: string
  /** True where an earlier call had copied everything and was interrupted after it. */
  readonly wasComplete: boolean
  readonly rows: number
  /** Of the copy. */
  readonly report: VerifyReport
}

export type MoveResult =
  | { readonly kind: 'done'; readonly move: Move }
  | { readonly kind: 'refused'; readonly message: string }

const refused = (message: string) => ({ kind: 'refused', message }) as const

type MoveConfig = Pick<Config, 'dataFolder' | 'databaseUrl' | 'secret' | 'limits'>

export async function move(config: MoveConfig, options: MoveOptions): Promise<MoveResult> {
  const { dataFolder, databaseUrl } = config
  if (databaseUrl !== null) return refused('This installation is on PostgreSQL already (DATABASE_URL).')
  const given = databaseUrlSchema.safeParse(options.to)
  if (!given.success) return refused(`--to: ${given.error.issues[0]?.message}`)
  return onFolder(dataFolder, options.nowMs, async (sources) => {
    const mismatch = secretMismatch(config, sources.main)
    if (mismatch !== null) return refused(mismatch)
    const { limits } = config
    try {
      return await onTarget(options.to, limits, (target) => moveTo(target, sources, { ...options, limits }))
    } catch (error) {
      return refused(
        `${shownTarget(options.to)}: ${reasonOf(error)}. Run the command again: a copy that is complete is recognized.`,
      )
    }
  })
}

async function onTarget(
  url: string,
  limits: Config['limits'],
  work: (target: Connection) => Promise<MoveResult>,
): Promise<MoveResult> {
  const target = await connect(url, {
    name: 'tollgate move',
    connectMsMax: limits.databaseConnectMs,
    statementMsMax: limits.databaseVerifyMs,
    isForTables: true,
  })
  return work(target).finally(target.close)
}

function shownTarget(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
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

interface Sources {
  readonly main: Database
  /** Null: no user has signed up yet. */
  readonly identity: Database | null
}

type Refusal = ReturnType<typeof refused>

/** With the folder for this process alone, and its databases at the newest schema. */
async function onFolder<Result>(
  dataFolder: string,
  nowMs: number,
  work: (sources: Sources) => Promise<Result | Refusal>,
): Promise<Result | Refusal> {
  if (!existsSync(databasePath(dataFolder))) return refused(`No database found in ${dataFolder}.`)
  const claimed = claimDataFolder(dataFolder)
  if (claimed.kind === 'refused') return refused(claimed.message)
  const opened: Database[] = []
  const open = (path: string, steps: readonly Migration[]): Database | Refusal => {
    const database = openForWriting(path)
    opened.push(database)
    const outcome = migrate(database, nowMs, steps)
    if (outcome.kind === 'newer_schema') return refused(outcome.message)
    takeFence(database)
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

interface MovePlan extends MoveOptions {
  readonly limits: Config['limits']
}

async function moveTo(target: Connection, { main, identity }: Sources, plan: MovePlan): Promise<MoveResult> {
  const { to, nowMs, random, limits } = plan
  const earlier = markOf(main)
  const shown = shownTarget(to)
  if (earlier !== null && earlier.to !== shown) return refused(refusalText(earlier))
  const report = verify(main, limits.driftLinesMax)
  if (!report.ok)
    return refused(`The ledger contradicts itself, so it is not moved: ${report.drift.join('; ')}`)
  const tables = await tablesOn(target)
  if (tables.length > 0 && !tables.includes('migration')) return refused(notEmpty(tables[0] ?? ''))
  const outdated = await migrateServerPostgres({ url: to, nowMs, connectMsMax: limits.databaseConnectMs })
  if (outdated !== null) return outdated
  await beginMove(target)
  const full = await firstFullTable(target)
  if (full !== null) {
    const isComplete = earlier !== null && (await markOn(target)) === earlier.id
    return isComplete
      ? finished(target, { to: shown, limits, rows: 0, wasComplete: true })
      : refused(notEmpty(full))
  }
  // Nothing of an earlier move was committed, and nothing of it can be any more.
  removeSettingIn(main, movedSetting)
  const moved: Moved = { id: Buffer.from(random(idBytes)).toString('hex'), to: shown, atMs: nowMs }
  const rows = await copyAll(target, identity === null ? [main] : [main, identity], plan)
  await addDerivedRows(main, target)
  await analyze(target)
  const result = await finished(target, { to: shown, limits, rows, wasComplete: false })
  if (result.kind === 'refused') return result
  await insertSettingOn(target, movedSetting, movedText(moved))
  insertSettingIn(main, movedSetting, movedText(moved))
  await commitMove(target)
  return result
}

const idBytes = 16

const notEmpty = (table: string): string =>
  `The PostgreSQL database is not empty: it has rows or a table ${table}. Move to a new database.`

/** Null: no table of the program has a row. */
async function firstFullTable(target: Connection): Promise<string | null> {
  for (const table of await tablesOn(target)) {
    const isOfSchema = table === 'migration' || table === 'identity_migration'
    if (!isOfSchema && !(await isEmptyTable(target, table))) return table
  }
  return null
}

/** Tables that are about the file itself, or that the target has in another form. */
const notCopied: ReadonlySet<string> = new Set(['migration', 'fence', ...derivedTables, ...processTables])

async function copyAll(
  target: Connection,
  sources: readonly Database[],
  { limits, onTable }: MovePlan,
): Promise<number> {
  const bounds = { rowsMax: limits.moveRowsMax, bytesMax: limits.moveBytesMax }
  let total = 0
  for (const source of sources) {
    for (const table of tablesOf(source).filter((name) => !notCopied.has(name))) {
      const rows = await copyTable({ source, target }, table, bounds)
      onTable(table, rows)
      total += rows
    }
  }
  return total
}

/** What is in the target, where its ledger is in order. */
async function finished(
  target: Connection,
  { limits, ...move }: Omit<Move, 'report'> & { readonly limits: Config['limits'] },
): Promise<MoveResult> {
  const query = async (_: string, text: string) => (await target.run({ name: '', text })).rows
  const report = await verifyRows(query, limits.driftLinesMax)
  return report.ok
    ? { kind: 'done', move: { ...move, report } }
    : refused(`The ledger contradicts itself after it was copied: ${report.drift.join('; ')}`)
}

function markOf(main: Database): Moved | null {
  const text = settingIn(main, movedSetting)
  return text === null ? null : movedOf(text)
}

async function markOn(target: Connection): Promise<string | null> {
  const text = await settingOn(target, movedSetting)
  return text === null ? null : movedOf(text).id
}
