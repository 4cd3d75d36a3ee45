/** Rows that are derived from receipts and written in the transaction of their settlement, such as sums of usage. */
import type { Parameter, Statement } from '../../store/postgres/connection.ts'
import type { Output } from '../../store/sqlite/connection.ts'
import type { ReceiptState } from '../machine/rows.ts'

export interface BoundStatement {
  readonly statement: Statement
  readonly values: readonly Parameter[]
}

export interface Derivation {
  /** Reads the rows that are changed. */
  readonly find: BoundStatement
  /** Writes them, given those that were found. */
  readonly write: (found: readonly Output[][]) => readonly BoundStatement[]
}

/** What the receipts of a batch change. */
export type Derive = (receipts: readonly ReceiptState[]) => Derivation
