/** What a dialect of the sandbox provides: what it asks of headers, and how an answer and an error are written. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Act } from './act.ts'
import type { Stamp, Turn } from './answer.ts'
import type { Ask } from './ask.ts'
import type { Failure, Problem } from './problem.ts'

/** Where a stream stands that is to end with an error. */
export interface Moment {
  readonly ask: Ask
  readonly stamp: Stamp
  /** Events that went before. */
  readonly events: number
}

export type SandboxFormat = 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini'

export interface SandboxDialect {
  readonly name: SandboxFormat
  /** What is wrong with the credential or version headers, null when nothing is; `query` is '' or without its `?`. */
  checkHeaders(headers: IncomingHttpHeaders, query: string): Problem | null
  /** The headers of every answer, good or bad. */
  headers(requestId: string): Readonly<Record<string, string>>
  answer(turn: Turn): Iterable<Act>
  failure(problem: Problem, requestId: string): Failure
  /** The same problem as an event inside a stream that began well. */
  errorEvent(problem: Problem, moment: Moment): string
  /** An event that says nothing. */
  readonly ping: string
  /** An event whose data is cut JSON. */
  readonly garbage: string
  /** The mark that ends a stream; where a format has none of its own, an event that says that all is said. */
  readonly endMark: string
}
