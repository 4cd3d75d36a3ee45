/** Types of a request's record: the draft that the gateway fills, and the rows that are read back. Values only. */
import type { CountedTokens } from '../../contract/meters.ts'
import type { ProviderObject } from '../wire/format.ts'
import type { InputBoundSource } from './rules/price.ts'

export type EndReason =
  | 'complete'
  | 'client_abort'
  | 'upstream_error'
  | 'upstream_truncated'
  | 'timeout'
  | 'interrupted'
export type UsageSource = 'reported' | 'counted' | 'estimated' | 'none'

export interface Attempt {
  readonly upstream: string
  readonly status: number | null
  /** A code of the error table, or null when it served. */
  readonly failure: string | null
  readonly startedMs: number
  readonly firstByteMs: number | null
  readonly endedMs: number
  /** Details for administrators on a failure that is not the caller's; absent: none. */
  readonly evidence?: AttemptEvidence
}

/** The request that was sent, and the provider's error message. */
export interface AttemptEvidence {
  /** Method and URL, without query: `POST https://api.example.com/v1/responses`. */
  readonly request: string
  /** The provider's words, without credentials and account IDs, at most 300 characters; null: none. */
  readonly message: string | null
}

/** A provider object as read back, with its receipt's columns. */
export interface ProviderObjectRow extends ProviderObject {
  readonly receipt: bigint
  readonly upstream: string
  readonly upstreamModel: string
  readonly usageSource: UsageSource
  /** All tokens of the answer's input, and of its output, of which `reasoning` are a part. */
  readonly input: number
  readonly output: number
  readonly reasoning: number
}

/** Facts about a request gathered while relaying it; the ledger adds account, key, amounts and time. */
export interface ReceiptDraft extends CountedTokens {
  readonly provider: string
  readonly upstream: string
  readonly upstreamModel: string
  readonly upstreamRequestId: string | null
  readonly status: number
  readonly endReason: EndReason
  readonly usageSource: UsageSource
  readonly errorCode: string | null
  readonly fees: Readonly<Record<string, number>>
  readonly ranAt: readonly string[]
  readonly unpricedUsage: boolean
  /** Counts that the upstream reported and that cannot be, as it reported them: not charged; null: none. */
  readonly implausible: Readonly<Record<string, number>> | null
  /** How the most that its input could be was found; null: nothing was recorded. */
  readonly inputBound: InputBoundSource | null
  /** Whether the client polled for the answer while it ran at the provider. */
  readonly background: boolean
  readonly upstreamCost: bigint
  readonly outputLimit: number
  readonly outputLowered: boolean
  readonly settledLate: boolean
  readonly startedMs: number
  readonly firstByteMs: number | null
  readonly attempts: readonly Attempt[]
  /** The person who made the request; null: the holder of the key. */
  readonly person: string | null
  /** Whether the account's own provider credential served the request. */
  readonly ownKey: boolean
  /** The share of the list price that is charged for that, as a fraction such as `1/20`; null: not on an own key. */
  readonly ownKeyFee: string | null
  /**
   * The offer's own cost, by which `upstreamCost` is computed: nano-USD per million tokens of input and of output, such as
   * `1000000/2000000`; null: the list price.
   */
  readonly offerCost: string | null
}

/** The durable mark of a running stream, so that a crash charges what was delivered and no more. */
export interface Checkpoint {
  readonly id: bigint
  readonly cost: bigint
  readonly draft: ReceiptDraft
}

export interface ReceiptRow extends ReceiptDraft {
  readonly id: bigint
  readonly account: bigint
  readonly key: bigint
  readonly model: string
  readonly format: string
  readonly streamed: boolean
  readonly priceVersion: bigint
  readonly hold: bigint
  readonly charged: bigint
  readonly writtenOff: bigint
  readonly endedMs: number
}

/** A request that has a hold and no receipt yet. */
export interface RunningRow {
  readonly id: bigint
  readonly account: bigint
  readonly key: bigint
  readonly model: string
  readonly format: string
  readonly streamed: boolean
  readonly hold: bigint
}
