/**
 * Migrates a database to the newest schema: numbered steps, forwards only, each in a
 * transaction with the row that records it. Rejects a database that a newer program has written.
 */
import { assert } from '../base/assert.ts'
import { type Migration, migrations } from './migrations/index.ts'
import { type Database, prepare } from './sqlite/connection.ts'

export type MigrationOutcome =
  | { readonly kind: 'migrated'; readonly applied: readonly string[] }
  | { readonly kind: 'newer_schema'; readonly message: string }

/**
 * Applies what is missing. The caller owns the data directory, so no other process migrates concurrently; when
 * the process dies in a step, that step has not happened.
 */
export function migrate(
  database: Database,
  nowMs: number,
  steps: readonly Migration[] = migrations,
): MigrationOutcome {
  database.exec(
    'CREATE TABLE IF NOT EXISTS migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_ms INTEGER NOT NULL) STRICT',
  )
  const [last] = prepare(database, 'SELECT coalesce(max(number), 0) FROM migration').row() ?? []
  const reached = Number(last)
  if (reached > steps.length) {
    return {
      kind: 'newer_schema',
      message: newerSchema(reached, steps.length),
    }
  }
  const missing = steps.slice(reached)
  for (const [index, step] of missing.entries()) {
    assert(step.number === reached + index + 1, `migration ${step.name} has its place's number`)
    apply(database, step, nowMs)
  }
  return { kind: 'migrated', applied: missing.map((step) => step.name) }
}

/** Why a reader of this program cannot read the database as it is; null: it can. Writes nothing. */
export function schemaMismatch(database: Database, steps: readonly Migration[] = migrations): string | null {
  const reached = schemaReached(database)
  if (reached > steps.length) return newerSchema(reached, steps.length)
  if (reached === steps.length) return null
  return `The database has schema ${reached}, but this program requires ${steps.length}. Run tollgate migrate to update it.`
}

/** The number of the last migration; 0: there was none. Writes nothing. */
export function schemaReached(database: Database): number {
  const isMigrated =
    prepare(database, "SELECT 1 FROM sqlite_schema WHERE name = 'migration'").row() !== undefined
  const [last] = isMigrated ? (prepare(database, 'SELECT max(number) FROM migration').row() ?? []) : []
  return Number(last ?? 0)
}

export function newerSchema(reached: number, known: number): string {
  return `The database has schema ${reached}, but this program supports only ${known}. If a newer version has migrated it, start that version, or restore a backup from before the upgrade. If it is from before schema 6 of version 0.1.0, which numbered schemas differently, it cannot be migrated: start with an empty data folder or database.`
}

function apply(database: Database, step: Migration, nowMs: number): void {
  database.exec('BEGIN IMMEDIATE')
  try {
    for (const statement of step.statements) database.exec(statement)
    prepare(database, 'INSERT INTO migration (number, name, applied_ms) VALUES (?, ?, ?)').run(
      BigInt(step.number),
      step.name,
      BigInt(nowMs),
    )
    database.exec('COMMIT')
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
