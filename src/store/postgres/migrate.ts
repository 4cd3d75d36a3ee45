/**
 * Migrates a PostgreSQL database to the newest schema: numbered steps, forwards only, all that are missing in one
 * transaction. One process at a time does; those that start with it wait and find it done.
 */
import { assert } from '../../base/assert.ts'
import { program } from '../../base/program.ts'
import { type MigrationOutcome, missingSteps, schemaObstacle, toRecorded } from '../migrate.ts'
import type { Migration } from '../migrations/migration.ts'
import { connect } from './connection.ts'

/** Part of the program that counts its steps apart, in a table of its own. */
export interface SchemaPart {
  readonly table: 'migration' | 'identity_migration'
  readonly steps: readonly Migration[]
}

export interface PostgresMigrationOptions extends SchemaPart {
  readonly url: string
  readonly nowMs: number
  readonly connectMsMax: number
}

/** A step may take long on a large table. */
const statementMsMax = 600_000

/** With the columns in the order of `toRecorded`. */
export const recordedSteps = (table: SchemaPart['table']): string => `SELECT * FROM ${table} ORDER BY number`

/** Rejects where the server cannot be reached. */
export async function migratePostgres(options: PostgresMigrationOptions): Promise<MigrationOutcome> {
  const { url, table, steps, nowMs, connectMsMax } = options
  const connection = await connect(url, { name: 'tollgate migrate', connectMsMax, statementMsMax })
  const run = (text: string, values: readonly (bigint | string)[] = []) =>
    connection.run({ name: '', text }, values)
  try {
    await run('BEGIN')
    await run(`SELECT pg_advisory_xact_lock(hashtext('tollgate ${table}'))`)
    await run(
      `CREATE TABLE IF NOT EXISTS ${table} (number bigint PRIMARY KEY, name text NOT NULL, applied_ms bigint NOT NULL, version text)`,
    )
    const recorded = (await run(recordedSteps(table))).rows.map(toRecorded)
    const message = schemaObstacle(recorded, steps)
    if (message !== null) {
      await run('ROLLBACK')
      return { kind: 'newer_schema', message }
    }
    const missing = missingSteps(recorded, steps)
    if (missing.length > 0) await run(`ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS version text`)
    for (const step of missing) {
      for (const statement of step.statements) await run(statement)
      await run(`INSERT INTO ${table} (number, name, applied_ms, version) VALUES ($1, $2, $3, $4)`, [
        BigInt(step.number),
        step.name,
        BigInt(nowMs),
        program.version,
      ])
    }
    const { command } = await run('COMMIT')
    assert(command === 'COMMIT', 'a migration without an error is committed')
    return { kind: 'migrated', applied: missing.map((step) => step.name) }
  } finally {
    await connection.close()
  }
}
