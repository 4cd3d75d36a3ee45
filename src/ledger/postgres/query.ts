/** A statement that reads on whatever connection there is. */
import type { Parameter, PostgresConnection } from '../../store/postgres/connection.ts'
import type { Output } from '../../store/sqlite/connection.ts'

/** Runs one statement: by its name, which is its text's alone. */
export type Query = (name: string, text: string, values?: readonly Parameter[]) => Promise<Output[][]>

export function queryOn(connection: () => Promise<PostgresConnection>): Query {
  return async (name, text, values = []) => {
    const { rows } = await (await connection()).run({ name, text }, values)
    return rows
  }
}
