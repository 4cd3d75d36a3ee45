/** A step of the schema: its number, name and statements. */
export interface Migration {
  /** Position in the list, from 1. */
  readonly number: number
  readonly name: string
  readonly statements: readonly string[]
}
