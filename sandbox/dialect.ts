/** What a dialect of the sandbox provides: what it asks of headers, and how an answer and an error are written. */
import type { IncomingHttpHeaders } from 'node:http'
import type { ConversationFormat } from '../src/wire/dialect.ts'
import type { ErrorResponse, ProviderError } from './errors.ts'
import type { NormalizedRequest } from './request/normalized-request.ts'
import type { Stamp, WriterInput } from './script/answer.ts'
import type { ResponseScript } from './script/script.ts'

/** Where a stream stands that is to end with an error. */
export interface StreamPosition {
  readonly request: NormalizedRequest
  readonly stamp: Stamp
  /** Events that went before. */
  readonly events: number
}

export interface SandboxDialect {
  readonly name: ConversationFormat
  /** What is wrong with the credential or version headers, null when nothing is; `query` is '' or without its `?`. */
  checkHeaders(headers: IncomingHttpHeaders, query: string): ProviderError | null
  /** The headers of every answer, good or bad. */
  headers(requestId: string): Readonly<Record<string, string>>
  answer(turn: WriterInput): ResponseScript
  errorResponse(error: ProviderError, requestId: string): ErrorResponse
  /** The same error as an event inside a stream that began well. */
  errorEvent(error: ProviderError, position: StreamPosition): string
  /** An event that says nothing. */
  readonly ping: string
  /** An event whose data is cut JSON. */
  readonly garbage: string
  /** The mark that ends a stream; where a format has none of its own, an event that says that all is said. */
  readonly endMark: string
}
