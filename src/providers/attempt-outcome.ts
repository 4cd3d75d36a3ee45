/** The outcome of an attempt at an upstream: a stream, a full response, or a failure. */
import type { Interruption } from '../base/interruption.ts'
import type { ExtractedResponse, UsageTap } from '../wire/format.ts'
import type { RawUsage } from '../wire/usage.ts'
import type { UpstreamFailure } from './connector.ts'
import type { Exchange } from './send-types.ts'

export interface AttemptResponse {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly firstByteMs: number
  /** Nothing reads the memory of the request's body any more. */
  readonly requestWritten: boolean
}

export interface StreamResponse extends AttemptResponse {
  readonly kind: 'stream'
  readonly exchange: Exchange
  readonly usageTap: UsageTap
  readonly seen: readonly Uint8Array[]
  /** The client disconnected and the stream is read to the end for its usage. */
  readonly readsAfterDisconnect: boolean
}

export interface WholeResponse extends AttemptResponse {
  readonly kind: 'answer'
  readonly bytes: Uint8Array
  readonly answer: ExtractedResponse
}

export interface Failed {
  readonly kind: 'failed'
  readonly status: number | null
  readonly headers: ReadonlyMap<string, string>
  readonly firstByteMs: number | null
  readonly failure: UpstreamFailure
  /** The upstream's error body where it concerns the caller's request. */
  readonly rejection: { readonly status: number; readonly bytes: Uint8Array } | null
  readonly rawUsage: RawUsage | null
  /** The upstream may have processed the request: a retry could be billed twice. */
  readonly uncertain: boolean
  /** A keep-alive connection was already closed: the request was not read and may be retried at the same upstream. */
  readonly stale: boolean
  readonly timedOut: boolean
  /** Whether no content came in time, so that another offer is tried, although this one may bill for the request. */
  readonly abandoned: boolean
}

export interface Interrupted {
  readonly kind: 'interrupted'
  readonly by: Interruption
  /** Whether any byte of the request may have reached the upstream. */
  readonly requestSent: boolean
  readonly rawUsage: RawUsage | null
}

export type AttemptOutcome = StreamResponse | WholeResponse | Failed | Interrupted
