/**
 * Which database the gateways of tests use: the embedded one, or with `TEST_DATABASE=postgres` a new database of the process's
 * PostgreSQL server for each data folder, so that a gateway that starts again on a folder finds what it left. Reads and
 * changes what is stored in either.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '../../src/base/clock.ts'
import { limitDefaults } from '../../src/config/config.ts'
import { migrateServerPostgres } from '../../src/server/postgres-store.ts'
import { runSql, sharedPostgres } from './postgres-server.ts'

const urls = new Map<string, Promise<string>>()

export const isOnPostgres = process.env.TEST_DATABASE === 'postgres'

/** Why a test is skipped that is about the embedded database itself; false: it is not. */
export const embeddedOnly = (reason: string): string | false =>
  isOnPostgres ? `about the embedded database: ${reason}` : false

/** The variables that choose the database of a data folder. */
export async function databaseVariables(dataFolder: string): Promise<Readonly<Record<string, string>>> {
  return isOnPostgres ? { DATABASE_URL: await urlOf(dataFolder) } : {}
}

function urlOf(dataFolder: string): Promise<string> {
  const url = urls.get(dataFolder) ?? newDatabase()
  urls.set(dataFolder, url)
  return url
}

let migrated: Promise<string> | undefined

/** A copy of one that is migrated, which takes longer than most tests. */
async function newDatabase(): Promise<string> {
  const server = await sharedPostgres()
  migrated ??= server.createDatabase().then(async (url) => {
    const { databaseConnectMs: connectMsMax } = limitDefaults
    assert.equal(await migrateServerPostgres({ url, nowMs: systemClock.wallMs(), connectMsMax }), null)
    return url
  })
  return await server.createDatabase(await migrated)
}

/** Ends the leases of exited processes, as time would, so that others close their requests. */
export async function endLeases({ DATABASE_URL: url }: Readonly<Record<string, string>>): Promise<void> {
  if (url === undefined) return
  const end = "UPDATE process SET lease_ends = now() - interval '1 second'"
  await runSql(url, `DO $$ BEGIN IF to_regclass('process') IS NOT NULL THEN ${end}; END IF; END $$`)
}

/**
 * Runs a statement that both databases understand on what a data folder's gateway has stored.
 * @param file the one of the embedded database that has the table
 */
export async function runStored(
  dataFolder: string,
  file: 'tollgate.db' | 'identity.db',
  text: string,
): Promise<readonly Record<string, unknown>[]> {
  if (isOnPostgres) return await runSql(await urlOf(dataFolder), text)
  const database = new DatabaseSync(join(dataFolder, file), { timeout: 5_000 })
  try {
    return database.prepare(text).all()
  } finally {
    database.close()
  }
}

/** Everything that a data folder's gateway has stored, in files and in a database elsewhere, by its place. */
export async function storedIn(
  dataFolder: string,
): Promise<readonly (readonly [place: string, text: string])[]> {
  const files = readdirSync(dataFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path, readFileSync(path).toString('latin1')] as const)
  if (!isOnPostgres) return files
  const url = await urlOf(dataFolder)
  const tables = await runSql(url, "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'")
  const rows = tables.map(async ({ name }) => {
    const values = (await runSql(url, `SELECT * FROM "${String(name)}"`)).flatMap((row) => Object.values(row))
    return [String(name), values.map(textOf).join('\n')] as const
  })
  return [...files, ...(await Promise.all(rows))]
}

const textOf = (value: unknown): string =>
  value instanceof Buffer ? value.toString('latin1') : String(value)
