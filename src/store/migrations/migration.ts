/** What one migration is: a number, a name and its statements. */
export interface Migration {
  /** Its place in the list, from 1. */
  readonly number: number
  readonly name: string
  readonly statements: readonly string[]
}
