/**
 * The values that travel through one request, each made by one phase and read by the next:
 * Line → Caller → Call → Plan → Hold → Reply → Ending → Receipt. Types only.
 */
import type { IncomingMessage } from 'node:http'
import type { Caller } from './access/types.ts'
import type { Model, PriceVersion, Upstream } from './catalog/types.ts'
import type { Downstream } from './http/downstream.ts'
import type { Attempt, EndReason, Held, UsageSource } from './ledger/types.ts'
import type { Connector } from './providers/connector.ts'
import type { Exchange } from './providers/send.ts'
import type { Answer, Dialect, DialectName, RequestFacts, StreamWatch, Usage } from './wire/codec.ts'

/** What an address asks for. */
export type Operation =
  | 'generate'
  | 'list_models'
  | 'show_model'
  | 'show_credits'
  | 'show_key'
  | 'show_generation'
  | 'probe'

/** accept: what can be known from the request line and the headers alone. */
export interface Line {
  readonly id: bigint
  /** The id as every answer tells it. */
  readonly requestId: string
  readonly dialect: Dialect
  readonly operation: Operation
  /** The part of the path that names one thing (`/models/{subject}`), '' otherwise. */
  readonly subject: string
  /** The query as the caller wrote it, without `key`. */
  readonly query: string
  readonly request: IncomingMessage
  readonly client: Downstream
  readonly startedMs: number
  readonly startedMonoMs: number
}

/** decode: the body and the few facts in it. */
export interface Call {
  readonly body: Uint8Array
  readonly facts: RequestFacts
}

/** One place that can serve the request. */
export interface Candidate {
  readonly upstream: Upstream
  readonly connector: Connector
}

/** find: where, in which order, at what price, within which bounds. */
export interface Plan {
  readonly model: Model
  readonly price: PriceVersion
  /** The format that is spoken upstream. */
  readonly dialect: DialectName
  readonly candidates: readonly Candidate[]
  /** The output limit the caller wants in tokens, or the model's maximum. */
  readonly outputWanted: number
  /** What must go upstream at least, so that an answer can come of it. */
  readonly outputFloor: number
  /** Uses of server tools that the request may make, by meter. */
  readonly serverToolUses: Readonly<Record<string, number>>
}

/** hold: what was taken, and what that allows. */
export interface Hold extends Held {
  /** Tokens of input as bounded when the hold was taken. */
  readonly inputBound: number
  readonly lowered: boolean
}

/** invoke: an upstream that has begun to answer. */
export interface Reply {
  readonly candidate: Candidate
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly attempts: readonly Attempt[]
  readonly firstByteMs: number
  readonly body: StreamedBody | JsonBody
}

export interface StreamedBody {
  readonly kind: 'stream'
  readonly exchange: Exchange
  readonly watch: StreamWatch
  /** What came while peeking, not yet sent. */
  readonly seen: readonly Uint8Array[]
}

export interface JsonBody {
  readonly kind: 'json'
  readonly bytes: Uint8Array
  readonly answer: Answer
}

/** relay: how the request ended and what it used. */
export interface Ending {
  readonly reason: EndReason
  readonly usage: Usage
  readonly usageSource: UsageSource
  readonly errorCode: string | null
  readonly status: number
  /** Part of the usage that is the house's to bear. */
  readonly absorb: 'none' | 'all'
}

export type { Caller }
