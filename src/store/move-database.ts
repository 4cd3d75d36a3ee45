/**
 * The steps of a move from an embedded database to PostgreSQL other than copying: the settings by which each side recognizes the
 * move, and its transaction. Knows no other table.
 */
import type { PostgresConnection } from './postgres/connection.ts'
import { type Database, prepare } from './sqlite/connection.ts'

/** The value of a setting in an embedded database that this thread has opened. */
export function settingIn(database: Database, name: string): string | null {
  const [value] = prepare(database, 'SELECT value FROM setting WHERE name = ?').row(name) ?? []
  return typeof value === 'string' ? value : null
}

/** On disk when it returns. */
export function insertSettingIn(database: Database, name: string, value: string): void {
  prepare(database, 'INSERT INTO setting (name, value) VALUES (?, ?)').run(name, value)
}

export function removeSettingIn(database: Database, name: string): void {
  prepare(database, 'DELETE FROM setting WHERE name = ?').run(name)
}

/** Begins the transaction. A server that starts on the target waits for its end, and so does another move. */
export async function beginMove(target: PostgresConnection): Promise<void> {
  await run(target, 'BEGIN READ WRITE')
  for (const lock of ['control plane', 'process slots'])
    await run(target, `SELECT pg_advisory_xact_lock(hashtext('tollgate ${lock}'))`)
}

/** Updates the statistics, so that the next reads are planned for the copied rows. */
export const analyze = (target: PostgresConnection): Promise<void> => run(target, 'ANALYZE')

export const commitMove = (target: PostgresConnection): Promise<void> => run(target, 'COMMIT')

export async function settingOn(target: PostgresConnection, name: string): Promise<string | null> {
  const statement = { name: '', text: 'SELECT value FROM setting WHERE name = $1::text' }
  const value = (await target.run(statement, [name])).rows[0]?.[0]
  return typeof value === 'string' ? value : null
}

export async function insertSettingOn(
  target: PostgresConnection,
  name: string,
  value: string,
): Promise<void> {
  const statement = { name: '', text: 'INSERT INTO setting (name, value) VALUES ($1::text, $2::text)' }
  await target.run(statement, [name, value])
}

async function run(target: PostgresConnection, text: string): Promise<void> {
  await target.run({ name: '', text })
}
