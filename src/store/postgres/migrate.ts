/**
 * Migrates a PostgreSQL database to the newest schema: numbered steps, forwards only, all that are missing in one
 * transaction. One process at a time does; those that start with it wait and find it done.
 */
import { assert } from '../../base/assert.ts'
import { type MigrationOutcome, newerSchema } from '../migrate.ts'
import type { Migration } from '../migrations/migration.ts'
import { connect } from './connection.ts'

export interface PostgresMigrationOptions {
  readonly url: string
  /** Where the steps are recorded: the parts of the program count theirs apart. */
  readonly table: 'migration' | 'identity_migration'
  readonly steps: readonly Migration[]
  readonly nowMs: number
  readonly connectMsMax: number
}

/** A step may take long on a large table. */
const statementMsMax = 600_000

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
      `CREATE TABLE IF NOT EXISTS ${table} (number bigint PRIMARY KEY, name text NOT NULL, applied_ms bigint NOT NULL)`,
    )
    const { rows } = await run(`SELECT coalesce(max(number), 0)::bigint FROM ${table}`)
    const reached = Number(rows[0]?.[0])
    if (reached > steps.length) {
      await run('ROLLBACK')
      return { kind: 'newer_schema', message: newerSchema(reached, steps.length) }
    }
    const missing = steps.slice(reached)
    for (const [index, step] of missing.entries()) {
      assert(step.number === reached + index + 1, `migration ${step.name} has its place's number`)
      for (const statement of step.statements) await run(statement)
      await run(`INSERT INTO ${table} (number, name, applied_ms) VALUES ($1, $2, $3)`, [
        BigInt(step.number),
        step.name,
        BigInt(nowMs),
      ])
    }
    const { command } = await run('COMMIT')
    assert(command === 'COMMIT', 'a migration without an error is committed')
    return { kind: 'migrated', applied: missing.map((step) => step.name) }
  } finally {
    await connection.close()
  }
}
