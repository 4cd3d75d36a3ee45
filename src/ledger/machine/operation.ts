/**
 * The form of the ledger's operations. An operation is a value: which rows it needs, and a synchronous function from these
 * rows and its input to an answer and changes. It reads no clock, performs no I/O and has no state, so that every engine
 * gets the same answer, and a simulation can replay it.
 */
import type { RowChange, RowId, Rows } from './rows.ts'

export type Deferral = 'later' | 'after'

export interface LedgerOperation<Input, Answer> {
  /** Whether its changes must be on disk before it is answered. */
  readonly durable: boolean
  /**
   * When an operation that is not durable is answered, on an engine whose rows stay in memory: before its changes are in the database
   * (`later`), or, for one that changes nothing, once everything before it is (`after`). Absent: after its own commit.
   */
  readonly deferral?: Deferral
  /**
   * The rows that it needs. An engine loads those that are not among `found` and calls it again, until all of them are: a
   * row may name another, as a hold its account. A row that does not exist counts as found.
   */
  readonly rows: (input: Input, found: Rows) => readonly RowId[]
  /** The request for which it writes a receipt: an engine may read early what depends on it. */
  readonly settles?: (input: Input) => bigint
  /** Throws where an invariant is broken; then nothing has changed. */
  readonly apply: (rows: Rows, input: Input) => Outcome<Answer>
}

export interface Outcome<Answer> {
  readonly answer: Answer
  /** In no particular order: each row at most once. */
  readonly changes: readonly RowChange[]
}

/** Runs operations one after another; each sees the changes of those before it. */
export interface Engine {
  run<Input, Answer>(operation: LedgerOperation<Input, Answer>, input: Input): Answer
}

/** An answer that changes nothing. */
export const unchanged = <Answer>(answer: Answer): Outcome<Answer> => ({ answer, changes: [] })
