/**
 * Identity as the rest of the program sees it: people, sessions and organizations. The work is done by the core, in a
 * thread of its own, so that a sign-in never delays a request. Must not know money, accounts of the ledger or keys.
 */
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/config.ts'
import type { Mail } from '../mail/mail.ts'
import type { AuthRequest, AuthResponse } from './auth-messages.ts'
import type { CoreDeps, CoreResult } from './core.ts'
import { passkeysUnavailableReason } from './public-address.ts'
import { openSessionCache } from './sessions/session-cache.ts'
import type { Identity, IdentitySummary, Person } from './types.ts'

export type { AuthRequest, AuthResponse as AuthAnswer } from './auth-messages.ts'

export interface IdentityOptions {
  readonly config: CoreDeps['config']
  /** null: no mail can be sent. */
  readonly mail: Mail | null
  readonly clock: Clock
  readonly log: Log
  /** For signing and sealing; of this purpose alone. */
  readonly key: Uint8Array
  /** Where people reach the server; asked when it is first needed, and the same from then on. */
  readonly address: () => string
  /** Nobody can sign in any more: the process should end. */
  readonly onLost: (error: Error) => void
  /** Opens the core: apart, or in the caller's own thread. */
  readonly openCore: (needs: CoreDeps) => Promise<CoreResult>
}

export type PersonListener = (person: Person) => Promise<void>

export interface OpenIdentity {
  readonly identity: Identity
  /** What is below `/api/auth`. */
  handle(request: AuthRequest): Promise<AuthResponse>
  /** Somebody came. Awaited before they are answered; what a listener does can be repeated. */
  onSignUp(listener: PersonListener): void
  /** Somebody proved by mail that an address is theirs. Awaited in the same way. */
  onVerified(listener: PersonListener): void
  close(): Promise<void>
}

export type IdentityResult =
  | { readonly kind: 'open'; readonly opened: OpenIdentity }
  /** A sentence for the operator. */
  | { readonly kind: 'refused'; readonly message: string }

/** The caller owns the data folder. */
export async function openIdentity(options: IdentityOptions): Promise<IdentityResult> {
  const { config, mail, clock, log, address, onLost, openCore } = options
  const secret = Buffer.from(options.key).toString('hex')
  const listeners = { joined: [] as PersonListener[], verified: [] as PersonListener[] }
  const notifyAll = (all: readonly PersonListener[]) => async (person: Person) => {
    for (const listener of all) await listener(person)
  }
  const cacheRef = { forget: () => {} }
  const result = await openCore({
    ...{ config, log, secret, address, onLost },
    sendEmail: mail === null ? null : async (email) => mail.send(email),
    listeners: { onSignUp: notifyAll(listeners.joined), onVerified: notifyAll(listeners.verified) },
    onChanged: () => cacheRef.forget(),
  })
  if (result.kind === 'refused') return result
  const { core } = result
  const cache = openSessionCache({ clock, limits: config.limits, secret, address, read: core.readSession })
  cacheRef.forget = cache.clear
  return {
    kind: 'open',
    opened: {
      identity: {
        get summary() {
          return summaryOf(config, { mail, address: address() })
        },
        ...core.operations,
        authenticate: cache.authenticate,
      },
      handle: core.handle,
      onSignUp: (listener) => listeners.joined.push(listener),
      onVerified: (listener) => listeners.verified.push(listener),
      close: core.close,
    },
  }
}

function summaryOf(
  { signup, signIn }: Pick<Config, 'signup' | 'signIn'>,
  { mail, address }: { readonly mail: Mail | null; readonly address: string },
): IdentitySummary {
  return {
    signup,
    mail: mail !== null,
    signInWith: signIn.map(({ id, name }) => ({ id, name })),
    passkeysUnavailable: passkeysUnavailableReason(address),
  }
}
