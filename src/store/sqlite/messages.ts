/**
 * Messages from the main thread to the store's threads. Tuples, because cloning names costs more than the work they name.
 * Replies come in the order of the requests.
 */
import type { Output } from './connection.ts'

/** A call of an operation: its name, then its values. */
export type Call = readonly [operation: string, ...values: unknown[]]

/** The operation that commits a page and changes nothing; part of every writer's table. */
export const probeOperation = 'probe'

/** The operation that commits what was answered before its commit, and nothing else; part of every writer's table. */
export const recordOperation = 'record'

export interface WriterRequests {
  batch(calls: readonly Call[]): BatchReply
  begin(): void
  statement(sql: string, values: readonly unknown[]): StatementResult
  commit(): void
  rollback(): void
}

export interface ReaderRequests {
  read(call: Call): unknown
}

/** Why something failed, in a form that survives the way between threads. */
export interface Failure {
  /** SQLite's extended result code; null for an error of the program. */
  readonly sqliteCode: number | null
  readonly message: string
  readonly stack: string
}

/** `results[i]` belongs to call i; a call that failed has its place in `failures` instead. */
export type BatchReply = readonly [
  results: readonly unknown[],
  failures: readonly (readonly [number, Failure])[],
  deferral: DeferredAnswers,
]

/**
 * State of the answers given before their commit: `none` is waiting, some are `waiting`, or some were `lost` at some time, so that
 * nothing is certain about any of them.
 */
export type DeferredAnswers = 'none' | 'waiting' | 'lost'

/** The result of a control-plane statement. */
export interface StatementResult {
  readonly rows: readonly Record<string, Output>[]
  readonly changes: bigint
  readonly lastId: bigint
}

export function toFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return { sqliteCode: null, message: String(error), stack: '' }
  const { errcode } = error as Error & { errcode?: unknown }
  return {
    sqliteCode: typeof errcode === 'number' ? errcode : null,
    message: error.message,
    stack: error.stack ?? '',
  }
}
