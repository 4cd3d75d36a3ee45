/**
 * The value of `x-should-retry`, which the providers' libraries obey: whether the same
 * request can succeed later. Clients that only look at the status do not read it.
 */
import { type ErrorCode, errors } from './errors.ts'

/** Statuses that some clients retry although the same request gets the same answer. */
const finalStatuses: ReadonlySet<number> = new Set([401, 402, 403, 404])

/** Whether the formats' libraries retry an answer with this status unless `x-should-retry` says otherwise. */
export function isRetriedByLibraries(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500
}

/** Whether a final answer with this status needs the header. */
export function needsRetryAdvice(status: number): boolean {
  return finalStatuses.has(status) || isRetriedByLibraries(status)
}

/** The header for an error that is sent with this status; none where the status already says it. */
export function retryAdviceHeaders(error: {
  readonly code: ErrorCode
  readonly status: number
}): Readonly<Record<string, string>> {
  const { category, retry } = errors[error.code]
  if (retry === 'never') return needsRetryAdvice(error.status) ? { 'x-should-retry': 'false' } : {}
  return category === 'billing' ? { 'x-should-retry': 'true' } : {}
}
