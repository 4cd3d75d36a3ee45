/** A format of the sandbox: its header checks, and how it writes responses and errors. */
import type { IncomingHttpHeaders } from 'node:http'
import type { ConversationFormat } from '../src/wire/format-names.ts'
import type { ErrorResponse, ProviderError } from './errors.ts'
import type { NormalizedRequest } from './request/normalized-request.ts'
import type { Stamp, WriterInput } from './script/answer.ts'
import type { ResponseScript } from './script/script.ts'

/** The position of a stream that ends with an error. */
export interface StreamPosition {
  readonly request: NormalizedRequest
  readonly stamp: Stamp
  /** Events that went before. */
  readonly events: number
}

export interface SandboxFormat {
  readonly name: ConversationFormat
  /** The error in the credential or version headers, or null; `query` is '' or without its `?`. */
  checkHeaders(headers: IncomingHttpHeaders, query: string): ProviderError | null
  /** The headers of every answer, good or bad. */
  headers(requestId: string): Readonly<Record<string, string>>
  answer(turn: WriterInput): ResponseScript
  errorResponse(error: ProviderError, requestId: string): ErrorResponse
  /** The same error as an event inside a stream that began well. */
  errorEvent(error: ProviderError, position: StreamPosition): string
  /** An event without content. */
  readonly ping: string
  /** An event whose data is cut JSON. */
  readonly garbage: string
  /** The end marker of a stream; in a format without one, an event that signals the end. */
  readonly endMark: string
}
