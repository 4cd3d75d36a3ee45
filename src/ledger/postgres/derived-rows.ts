/** Rows that are derived from receipts and written in the transaction of their settlement, such as sums of usage. */
import type { Parameter, PostgresStatement } from '../../store/postgres/connection.ts'
import type { Output } from '../../store/sqlite/connection.ts'
import type { ReceiptState } from '../machine/rows.ts'

export interface BoundStatement {
  readonly statement: PostgresStatement
  readonly values: readonly Parameter[]
}

/** The columns that say which row a receipt changes; an open hold has them too. */
export type RequestPlace = Pick<ReceiptState, 'id' | 'account' | 'key' | 'model'>

/** Rows that receipts change. They are read after the accounts of these requests were locked, in the same transaction. */
export interface Derive {
  /** The name of the row that a request's receipt changes. */
  readonly nameOf: (request: RequestPlace) => string
  /** Reads the rows of these requests, each of which has a row of its own. */
  readonly find: (requests: readonly RequestPlace[]) => BoundStatement
  /** Writes the rows of these receipts, given those that were found, and perhaps others. */
  readonly write: (receipts: readonly ReceiptState[], found: readonly Output[][]) => readonly BoundStatement[]
}
