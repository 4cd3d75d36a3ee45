/**
 * What the main thread and the store's threads say to each other. Tuples, because cloning names costs
 * more than the work they name. One message is answered by one message, in order.
 */
import type { Output } from './connection.ts'

/** One call of one operation: its name, then what it takes. */
export type Call = readonly [operation: string, ...values: unknown[]]

/** The operation that commits a page and changes nothing; part of every writer's table. */
export const probeOperation = 'probe'

export type WriterMessage =
  | readonly ['batch', readonly Call[]]
  | readonly ['begin']
  | readonly ['statement', sql: string, values: readonly unknown[]]
  | readonly ['commit']
  | readonly ['rollback']
  | readonly ['close']

export type ReaderMessage = readonly ['call', Call] | readonly ['close']

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
]

export type Reply = readonly ['ok', unknown] | readonly ['failed', Failure]

/** The first word of a thread: it can work, or it will not and says why. */
export type Greeting =
  | { readonly kind: 'ready' }
  | { readonly kind: 'refused'; readonly reason: 'newer_schema' | 'failed'; readonly message: string }

/** What a statement of the control plane gives back. */
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
