/** What the control plane over HTTP works with. Types only; the root of the program composes it. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { ControlParts } from '../control/parts.ts'
import type { EventStreams } from './event-streams.ts'

/** A request for identity, read whole. */
export interface AuthRequest {
  readonly method: string
  /** Below the server's root: `/api/auth/sign-in/email`. */
  readonly path: string
  /** After the `?`, as it came; empty without one. */
  readonly query: string
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
  readonly clientAddress: string
}

export interface AuthAnswer {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Uint8Array
}

export interface ApiParts {
  readonly control: ControlParts
  readonly answerAuth: (request: AuthRequest) => Promise<AuthAnswer>
  /** Who is at the other end, behind trusted proxies. */
  readonly clientAddress: (request: IncomingMessage) => string
  readonly streams: EventStreams
  /** Where the project's pages are, with a slash at the end. */
  readonly docsFolder: URL
}
