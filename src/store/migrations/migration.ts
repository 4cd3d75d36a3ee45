/** What one migration is: a number, a name, and the statements for each database. */
import type { Database } from '../sqlite/connection.ts'

export interface Migration {
  /** Its place in the list, from 1. */
  readonly number: number
  readonly name: string
  readonly sqlite: readonly string[]
  /** Fills what is new from what was there, where statements alone cannot; in the same transaction, after them. */
  readonly fill?: (database: Database) => void
}
