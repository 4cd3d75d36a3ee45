/**
 * Which database a gateway of a test uses: the embedded one, or with `TEST_DATABASE=postgres` a new database of the process's
 * PostgreSQL server for each data folder, so that a gateway that starts again on a folder finds what it left.
 */
import { sharedPostgres } from './postgres-server.ts'

const urls = new Map<string, Promise<string>>()

export const isOnPostgres = process.env.TEST_DATABASE === 'postgres'

/** The variables that choose the database of a data folder. */
export async function databaseVariables(dataFolder: string): Promise<Readonly<Record<string, string>>> {
  if (!isOnPostgres) return {}
  const url = urls.get(dataFolder) ?? sharedPostgres().then((server) => server.createDatabase())
  urls.set(dataFolder, url)
  return { DATABASE_URL: await url }
}
