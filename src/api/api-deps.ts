/** Dependencies of the control plane over HTTP. Types only; the root of the program composes them. */
import type { IncomingMessage } from 'node:http'
import type { ControlDeps } from '../control/control-deps.ts'
import type { AuthRequest, AuthResponse } from '../identity/auth-messages.ts'
import type { EventStreams } from './event-streams.ts'

export interface ApiDeps {
  readonly control: ControlDeps
  readonly handleAuth: (request: AuthRequest) => Promise<AuthResponse>
  /** Who is at the other end, behind trusted proxies. */
  readonly clientAddress: (request: IncomingMessage) => string
  readonly streams: EventStreams
}
