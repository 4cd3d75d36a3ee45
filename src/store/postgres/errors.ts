/** The meaning of a failure of PostgreSQL: what may be repeated, what is the machine's trouble, and what is a mistake of ours. */
import { BrokenInvariant } from '../../base/assert.ts'
import { TollgateError } from '../../base/errors.ts'
import { storeUnavailable } from '../errors.ts'

/**
 * Classes of SQLSTATE that reject a statement or its data, and would again: a feature that the server does not have, wrong
 * data, a broken constraint, a wrong statement, a limit of the program, an error of a trigger. Others are the server's trouble.
 */
const rejections = /^(?:0A|21|22|23|2B|2F|34|38|39|3F|42|44|54|P0)/

/** SQLite's codes for SQLSTATEs, by their beginning: callers check SQLite's codes. */
const sqliteCodes: readonly (readonly [start: string, code: number])[] = [
  ['23505', 2067],
  ['23503', 787],
  ['23502', 1299],
  ['23514', 275],
  ['23', 19],
]
/** A statement is wrong. */
const mistake = 1
/** Trouble of the machine. */
const inputOutput = 10
/** The connection was lost, or the server ends it: no statement is to blame, and one that commits may have. */
const endsConnection = /^(?:08|57P)/

/** A statement that failed on a connection that blocks; has the code that an error of the embedded database would have. */
export class PostgresFailure extends Error {
  override readonly name = 'PostgresFailure'
  readonly errcode: number
  /** Whether the entire transaction has failed, or its outcome is unknown: it must not be repeated piece by piece. */
  readonly concernsTransaction: boolean

  constructor({ state, message }: { readonly state: string | null; readonly message: string }) {
    super(state === null ? message : `${message} (${state})`)
    this.concernsTransaction = state === null || endsConnection.test(state)
    const fallback = state !== null && rejections.test(state) ? mistake : inputOutput
    this.errcode = sqliteCodes.find(([start]) => state?.startsWith(start))?.[1] ?? fallback
  }
}

/** The server's code of an error (SQLSTATE); undefined where it sent none, as for a connection that was lost. */
export function stateOf(error: unknown): string | undefined {
  // The system's own codes, such as EPIPE, are none.
  if (!(error instanceof Error) || 'syscall' in error) return undefined
  const { code } = error as Error & { code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/** The server itself has trouble that may pass: connections, resources, shutdown and start, a standby, another transaction. */
const passes = /^(?:08|25006|40|53|55|57|58)/
const systemCalls: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo', 'read', 'write'])

/** Whether the server may be reached, or may do it, later with the same settings. */
export function isAway(error: unknown): boolean {
  if (error instanceof TollgateError) return error.code === 'store_unavailable'
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.some(isAway)
  if (!(error instanceof Error)) return false
  const state = stateOf(error)
  if (state !== undefined) return passes.test(state)
  // The client has no codes for the end of a connection and for its own limits of time.
  return (
    ('syscall' in error && systemCalls.has(error.syscall)) ||
    /\b(?:terminated|timeout)\b/i.test(error.message)
  )
}

/** Serialization failure, deadlock, and a lock that took too long. */
const repeatable: ReadonlySet<string> = new Set(['40001', '40P01', '55P03'])

/** Whether the transaction was rolled back for a reason that may be gone when it is repeated. */
export function isRepeatable(error: unknown): boolean {
  const state = stateOf(error)
  return state !== undefined && repeatable.has(state)
}

/** A write was rejected because the server takes none: another one may be the primary now. */
export const isReadOnly = (error: unknown): boolean => stateOf(error) === '25006'

/** Whether a server accepts no more connections, in total or from this user or to this database. */
export const hasNoRoom = (error: unknown): boolean =>
  error instanceof AggregateError ? error.errors.some(hasNoRoom) : stateOf(error) === '53300'

/** Whether a row was rejected because its key exists: another process inserted it, or it is repeated. */
export const isDuplicate = (error: unknown): boolean => stateOf(error) === '23505'

/** Whether the same transaction would fail again in the same way. */
export function isMistake(error: unknown): boolean {
  const state = stateOf(error)
  return state === undefined ? error instanceof BrokenInvariant : rejections.test(state)
}

/** The error that a caller gets for it. */
export function toStoreError(error: unknown): Error {
  if (!isMistake(error)) return storeUnavailable(`PostgreSQL ${stateOf(error) ?? ''}: ${String(error)}`)
  if (error instanceof BrokenInvariant) return error
  return new BrokenInvariant(`PostgreSQL rejected a statement (${stateOf(error)}): ${String(error)}`, {
    cause: error,
  })
}
