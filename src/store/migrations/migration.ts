/** What one migration is: a number, a name, and the statements for each database. Values only. */

export interface Migration {
  /** Its place in the list, from 1. */
  readonly number: number
  readonly name: string
  readonly sqlite: readonly string[]
}
