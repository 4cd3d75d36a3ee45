/**
 * The meaning of a database failure outside: a failure of the machine is `store_unavailable` (503),
 * a constraint that rejected a row is a StatementError, anything else is a programming error.
 */
import { BrokenInvariant } from '../base/assert.ts'
import { storeUnavailable } from '../base/store-wait.ts'
import { type Failure, toFailure } from './sqlite/messages.ts'

export { storeUnavailable }

/** The database rejected a row: a UNIQUE, CHECK, NOT NULL or FOREIGN KEY constraint, or a trigger. */
export class StatementError extends Error {
  override readonly name = 'StatementError'
  /** SQLite's extended result code, e.g. 2067 for UNIQUE. */
  readonly sqliteCode: number

  constructor(message: string, sqliteCode: number) {
    super(message)
    this.sqliteCode = sqliteCode
  }
}

const primaryCode = (extended: number): number => extended & 0xff
const sqliteConstraint = 19
const uniqueCodes: readonly number[] = [2067, 1555]
/** Error, mismatch, misuse, range: the statement is wrong, not the machine. */
const ourMistakes: readonly number[] = [1, 20, 21, 25]

/** Whether a row was rejected because one like it is already there. */
export function isUniqueViolation(error: unknown): boolean {
  return error instanceof StatementError && uniqueCodes.includes(error.sqliteCode)
}

export function failureToError(failure: Failure): Error {
  const { sqliteCode, message } = failure
  if (sqliteCode === null || ourMistakes.includes(primaryCode(sqliteCode))) return remoteError(failure)
  if (primaryCode(sqliteCode) === sqliteConstraint) return new StatementError(message, sqliteCode)
  return storeUnavailable(`the database failed with ${sqliteCode}: ${message}`)
}

/** How errors of the database cross between threads. */
export const databaseErrors = { toFailure, toError: failureToError }

function remoteError({ message, stack }: Failure): Error {
  const error = new BrokenInvariant(message)
  if (stack !== '') error.stack = stack
  return error
}
