/**
 * The one error that leaves the phases of a request. Expected outcomes inside a phase are return
 * values; throwing this responds to the caller with this row of the error table.
 */
import { type ErrorCode, errors } from '../../contract/errors.ts'

export { type ErrorCode, errors }

export interface ErrorDetails {
  /** May leave the process: one or two sentences for the caller. */
  readonly message: string
  /** The request field at fault, as the caller wrote it. */
  readonly param?: string
  /** Facts the caller may act on (amounts as decimal USD strings, names), added to the error body. */
  readonly facts?: Readonly<Record<string, string | number | boolean | readonly string[]>>
  /** How long the caller should wait before trying again. */
  readonly retryAfterMs?: number
  /** Overrides the row's status: an upstream's own 4xx that the caller caused. */
  readonly status?: number
  /** More headers for the answer, such as the state of a rate limit. */
  readonly headers?: Readonly<Record<string, string>>
  /** Where the error came from: this gateway, or the upstream. */
  readonly source?: 'gateway' | 'upstream'
  /** Never leaves the process: the owner of the rejected key, when the key is known. */
  readonly owner?: { readonly account: bigint; readonly key: bigint }
  /** Never leaves the process: for the operator's log. */
  readonly detail?: string
  readonly cause?: unknown
}

export class TollgateError extends Error {
  override readonly name = 'TollgateError'
  readonly code: ErrorCode
  readonly status: number
  readonly details: ErrorDetails

  constructor(code: ErrorCode, details: ErrorDetails) {
    super(details.message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.status = details.status ?? errors[code].status
    this.details = details
  }
}

/** Converts a thrown value to a row of the table; anything unknown is `internal`. */
export function asTollgateError(thrown: unknown): TollgateError {
  if (thrown instanceof TollgateError) return thrown
  return new TollgateError('internal', {
    message:
      'Internal error. It was logged under this request ID; report it to an administrator if it persists.',
    detail: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown),
    cause: thrown,
  })
}
