/**
 * The transaction on PostgreSQL that a data folder is moved in: begun on a target that is empty, filled, compared, verified, and
 * committed once the folder is marked.
 */
import type { RandomBytes } from '../base/ids.ts'
import type { Config } from '../config/config.ts'
import { addDerivedRows, derivedTables, processTables } from '../ledger/postgres/moved-rows.ts'
import { verifyRows } from '../ledger/postgres/verify.ts'
import type { VerifyReport } from '../ledger/types.ts'
import { verify } from '../ledger/verify/verify.ts'
import { copyTable, isEmptyTable, tablesOf, tablesOn } from '../store/copy-tables.ts'
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
import type { PostgresConnection } from '../store/postgres/connection.ts'
import type { Database } from '../store/sqlite/connection.ts'
import { journalTable } from '../store/sqlite/journaled-tables.ts'
import { type Moved, movedOf, movedSetting, movedText, rejectionText } from './moved.ts'
import { migrateServerPostgres } from './postgres-store.ts'

/** Bytes that are sent to PostgreSQL together. */
const moveBytesMax = 1_048_576

export interface MovePlan {
  /** The address of the PostgreSQL database. */
  readonly to: string
  readonly nowMs: number
  readonly random: RandomBytes
  readonly limits: Config['limits']
  /** Called after each table. */
  readonly onTable: (table: string, rows: number) => void
}

export interface Move {
  /** Host and database, without user and password. */
  readonly to: string
  /** True where an earlier call had copied everything and was interrupted after it. */
  readonly wasComplete: boolean
  readonly rows: number
  /** Verification of the copy. */
  readonly report: VerifyReport
}

export type MoveResult =
  | { readonly kind: 'done'; readonly move: Move }
  | { readonly kind: 'rejected'; readonly message: string }

export const rejected = (message: string) => ({ kind: 'rejected', message }) as const

export type MoveRejection = ReturnType<typeof rejected>

export interface Sources {
  readonly main: Database
  /** Null: no user has signed up yet. */
  readonly identity: Database | null
}

export function shownTarget(url: string): string {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/** Verifies the source and begins the transaction; `complete`: an earlier move has filled the target. */
export async function beginOn(
  target: PostgresConnection,
  main: Database,
  { to, nowMs, limits }: MovePlan,
): Promise<MoveRejection | { readonly kind: 'empty' | 'complete' }> {
  const earlier = markOf(main)
  if (earlier !== null && earlier.to !== shownTarget(to)) return rejected(rejectionText(earlier))
  const report = verify(main, limits.driftLinesMax)
  if (!report.ok)
    return rejected(`The ledger contradicts itself, so it is not moved: ${report.drift.join('; ')}`)
  const tables = await tablesOn(target)
  if (tables.length > 0 && !tables.includes('migration')) return rejected(notEmpty(tables[0] ?? ''))
  const outdated = await migrateServerPostgres({ url: to, nowMs, connectMsMax: limits.databaseConnectMs })
  if (outdated !== null) return rejected(outdated.message)
  await beginMove(target)
  const full = await firstFullTable(target)
  if (full === null) return { kind: 'empty' }
  const isComplete = earlier !== null && (await markOn(target)) === earlier.id
  return isComplete ? { kind: 'complete' } : rejected(notEmpty(full))
}

/** Fills the target and commits. No other process writes to the sources. */
export async function fillAndCommit(
  target: PostgresConnection,
  { main, identity }: Sources,
  plan: MovePlan,
): Promise<MoveResult> {
  const { to, nowMs, random } = plan
  // Nothing of an earlier move was committed, and nothing of it can be any more.
  removeSettingIn(main, movedSetting)
  const moved: Moved = { id: Buffer.from(random(idBytes)).toString('hex'), to: shownTarget(to), atMs: nowMs }
  let rows = 0
  for (const source of identity === null ? [main] : [main, identity])
    rows += await copyTables(
      { source, target },
      plan,
      tablesOf(source).filter((name) => !notCopied.has(name)),
    )
  await addDerivedRows(main, target)
  await analyze(target)
  const result = await finished(target, plan, { rows, wasComplete: false })
  if (result.kind === 'rejected') return result
  await insertSettingOn(target, movedSetting, movedText(moved))
  insertSettingIn(main, movedSetting, movedText(moved))
  await commitMove(target)
  return result
}

/** Verifies the copied ledger and reports the move. */
export async function finished(
  target: PostgresConnection,
  { to, limits }: MovePlan,
  move: Pick<Move, 'rows' | 'wasComplete'>,
): Promise<MoveResult> {
  const query = async (_: string, text: string) => (await target.run({ name: '', text })).rows
  const report = await verifyRows(query, limits.driftLinesMax)
  return report.ok
    ? { kind: 'done', move: { to: shownTarget(to), ...move, report } }
    : rejected(`The ledger contradicts itself after it was copied: ${report.drift.join('; ')}`)
}

export function markOf(main: Database): Moved | null {
  const text = settingIn(main, movedSetting)
  return text === null ? null : movedOf(text)
}

async function markOn(target: PostgresConnection): Promise<string | null> {
  const text = await settingOn(target, movedSetting)
  return text === null ? null : movedOf(text).id
}

const idBytes = 16

const notEmpty = (table: string): string =>
  `The PostgreSQL database is not empty: it has rows or a table ${table}. Move to a new database.`

/** Null: no table of the program has a row. */
async function firstFullTable(target: PostgresConnection): Promise<string | null> {
  for (const table of await tablesOn(target)) {
    const isOfSchema = table === 'migration' || table === 'identity_migration'
    if (!isOfSchema && !(await isEmptyTable(target, table))) return table
  }
  return null
}

/** Tables that are about the file itself, or that the target has in another form. */
const notCopied: ReadonlySet<string> = new Set([
  'migration',
  'fence',
  journalTable,
  'receipt_list',
  ...derivedTables,
  ...processTables,
])

async function copyTables(
  sides: { readonly source: Database; readonly target: PostgresConnection },
  { limits, onTable }: MovePlan,
  tables: readonly string[],
): Promise<number> {
  const bounds = { rowsMax: limits.moveRowsMax, bytesMax: moveBytesMax }
  let total = 0
  for (const table of tables) {
    const rows = await copyTable(sides, table, bounds)
    onTable(table, rows)
    total += rows
  }
  return total
}
