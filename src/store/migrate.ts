/**
 * Migrates a database to the newest schema: numbered steps, forwards only, each in a transaction with the row that records it
 * and the program's version. Rejects a database that another program has written whose steps are not this one's.
 */
import { assert } from '../base/assert.ts'
import { program } from '../base/program.ts'
import { type Migration, migrations } from './migrations/index.ts'
import { type Database, type Output, prepare } from './sqlite/connection.ts'

export type MigrationOutcome =
  | { readonly kind: 'migrated'; readonly applied: readonly string[] }
  | SchemaRejection

/** The schema is a newer program's, or from before `firstSchema`. */
export interface SchemaRejection {
  readonly kind: 'newer_schema'
  readonly message: string
}

/** Schemas before it had other steps under the same numbers. */
export const firstSchema = 6

/**
 * Applies what is missing. The caller owns the data directory, so no other process migrates concurrently; when
 * the process dies in a step, that step has not happened.
 */
export function migrate(
  database: Database,
  nowMs: number,
  steps: readonly Migration[] = migrations,
): MigrationOutcome {
  const recorded = recordedIn(database)
  const message = schemaObstacle(recorded, steps)
  if (message !== null) return { kind: 'newer_schema', message }
  const missing = missingSteps(recorded, steps)
  if (missing.length > 0) prepareRecords(database)
  for (const step of missing) apply(database, step, nowMs)
  return { kind: 'migrated', applied: missing.map((step) => step.name) }
}

/** Why a reader of this program cannot read the database as it is; null: it can. Writes nothing. */
export function schemaMismatch(database: Database, steps: readonly Migration[] = migrations): string | null {
  const recorded = recordedIn(database)
  const reached = reachedBy(recorded)
  const obstacle = schemaObstacle(recorded, steps)
  if (obstacle !== null || reached === steps.length) return obstacle
  return `The database has schema ${reached}, but this program requires ${steps.length}. Run tollgate migrate to update it.`
}

/** The number of the last migration; 0: there was none. Writes nothing. */
export const schemaReached = (database: Database): number => reachedBy(recordedIn(database))

/** A row of the table of migrations; those of a program that recorded no version have none. */
interface Recorded {
  readonly number: number
  readonly name: string
  readonly version: string | null
}

/** From the columns `number`, `name`, `applied_ms` and, in newer tables, `version`. */
export const toRecorded = ([number, name, , version]: readonly Output[]): Recorded => ({
  number: Number(number),
  name: String(name),
  version: typeof version === 'string' ? version : null,
})

/** Rows are in the order of their numbers. */
const reachedBy = (recorded: readonly Recorded[]): number => recorded.at(-1)?.number ?? 0

export function missingSteps(
  recorded: readonly Recorded[],
  steps: readonly Migration[],
): readonly Migration[] {
  const reached = reachedBy(recorded)
  const missing = steps.slice(reached)
  for (const [index, { name, number }] of missing.entries())
    assert(number === reached + index + 1, `migration ${name} has its place's number`)
  return missing
}

/** Why this program must not touch a database with these migrations, in the order of their numbers; null: it may. */
export function schemaObstacle(recorded: readonly Recorded[], steps: readonly Migration[]): string | null {
  const isOlder = recorded.some(({ number, name }) => (steps[number - 1]?.name ?? name) !== name)
  const last = recorded.at(-1)
  if (last === undefined) return null
  const isBeforeFirst = last.version === null && last.number < Math.min(firstSchema, steps.length)
  if (isOlder || isBeforeFirst) return beforeFirst
  return last.number > steps.length ? newerSchema(last, steps.length) : null
}

const beforeFirst = `The database is from before schema ${firstSchema} of version 0.1.0, when migrations had other numbers, and cannot be migrated. Use it with the program that wrote it, or start with an empty data folder (TOLLGATE_DATA) or an empty PostgreSQL database (DATABASE_URL).`

function newerSchema({ number, version }: Recorded, known: number): string {
  const [by, start] =
    version === null
      ? ['a newer version', 'that version']
      : [`Tollgate ${version}`, `Tollgate ${version} or a newer one`]
  return `The database has schema ${number}, which ${by} has made; this is Tollgate ${program.version}, which supports schema ${known}. Start ${start}, or restore a backup from before the upgrade.`
}

function recordedIn(database: Database): readonly Recorded[] {
  const table = prepare(database, "SELECT 1 FROM sqlite_schema WHERE name = 'migration'").row()
  return table === undefined
    ? []
    : prepare(database, 'SELECT * FROM migration ORDER BY number').rows().map(toRecorded)
}

function prepareRecords(database: Database): void {
  database.exec(
    'CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_ms INTEGER NOT NULL, version TEXT) STRICT',
  )
  const column = "SELECT 1 FROM pragma_table_info('migration') WHERE name = 'version'"
  if (prepare(database, column).row() === undefined)
    database.exec('ALTER TABLE migration ADD COLUMN version TEXT')
}

function apply(database: Database, step: Migration, nowMs: number): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    for (const statement of step.statements) database.exec(statement)
    prepare(database, 'INSERT INTO migration (number, name, applied_ms, version) VALUES (?, ?, ?, ?)').run(
      BigInt(step.number),
      step.name,
      BigInt(nowMs),
      program.version,
    )
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
