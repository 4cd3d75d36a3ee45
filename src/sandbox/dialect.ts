/** What a dialect of the sandbox provides: how a request is read and how an answer and an error are written. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Act } from './act.ts'
import type { Turn } from './answer.ts'
import type { JsonObject, Reading } from './ask.ts'
import type { Failure, Problem } from './problem.ts'

export interface SandboxDialect {
  readonly name: 'openai-chat' | 'anthropic'
  /** What is wrong with the credential or version headers, null when nothing is. */
  checkHeaders(headers: IncomingHttpHeaders): Problem | null
  read(body: JsonObject): Reading
  /** The headers of every answer, good or bad. */
  headers(requestId: string): Readonly<Record<string, string>>
  answer(turn: Turn): Iterable<Act>
  failure(problem: Problem, requestId: string): Failure
  /** The same problem as an event inside a stream that began well. */
  errorEvent(problem: Problem, requestId: string): string
  /** An event that says nothing. */
  readonly ping: string
  /** An event whose data is cut JSON. */
  readonly garbage: string
  /** The mark that ends a stream. */
  readonly endMark: string
}
