/**
 * Identity as the rest of the program sees it: people, sessions and organizations. The core does the work in its own
 * thread, so that a sign-in never delays a request. Must not know money, ledger accounts or keys.
 */

import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../config/config.ts'
import type { Mail } from '../mail/mail.ts'
import type { AuthRequest, AuthResponse } from './auth-messages.ts'
import type { CoreDeps, CoreResult } from './core.ts'
import { passkeysUnavailableReason } from './public-address.ts'
import { hashToken, sessionTokenOf } from './sessions/session-token.ts'
import type { AuthenticatedSession, Identity, IdentitySummary, Person } from './types.ts'

export type { AuthRequest, AuthResponse as AuthAnswer } from './auth-messages.ts'

export interface IdentityOptions {
  readonly config: CoreDeps['config']
  /** null: mail is not configured. */
  readonly mail: Mail | null
  readonly clock: Clock
  readonly log: Log
  /** Derived for identity only: signs cookies and encrypts secrets. */
  readonly key: Uint8Array
  /** The public URL; read on first use and constant from then on. */
  readonly address: () => string
  /** The identity database is lost and the process should exit. */
  readonly onLost: (error: Error) => void
  /** Opens the core in a worker or in the calling thread. */
  readonly openCore: (needs: CoreDeps) => Promise<CoreResult>
}

/** Runs after a change of a person. Must be idempotent. */
export type PersonListener = (person: Person) => Promise<void>

export interface OpenIdentity {
  readonly identity: Identity
  /** Handles a request below `/api/auth`. */
  handle(request: AuthRequest): Promise<AuthResponse>
  /** Called after a sign-up; the response waits for the listener. */
  onSignUp(listener: PersonListener): void
  /** Called after a person verified their email address; the response waits for the listener. */
  onVerified(listener: PersonListener): void
  close(): Promise<void>
}

export type IdentityResult =
  | { readonly kind: 'open'; readonly opened: OpenIdentity }
  /** `message` is for the operator. */
  | { readonly kind: 'rejected'; readonly message: string }

/** Opens identity. The caller must own the data folder. */
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
  if (result.kind === 'rejected') return result
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
        forgetSessions: cache.clear,
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

const sessionsCachedMax = 10_000

/**
 * Authenticated sessions are cached for a few seconds, so that a page with many requests reads its session once. Any change
 * clears the cache.
 */
interface SessionCacheLimits {
  readonly sessionCachedMs: number
}

interface SessionCacheDeps {
  readonly clock: Clock
  readonly limits: SessionCacheLimits
  /** Signs cookies. */
  readonly secret: string
  /** The public URL. */
  readonly address: () => string
  /** Reads the session whose token has this hash. */
  readonly read: (hash: string) => Promise<AuthenticatedSession | null>
}

interface SessionCache {
  /** null: not signed in. */
  authenticate(headers: Pick<IncomingHttpHeaders, 'cookie'>): Promise<AuthenticatedSession | null>
  clear(): void
}

interface CachedSession {
  readonly untilMs: number
  readonly session: AuthenticatedSession | null
}

/** A bounded cache; the oldest entry is evicted first. */
function openSessionCache(deps: SessionCacheDeps): SessionCache {
  const { clock, limits, secret, address, read } = deps
  const cached = new Map<string, CachedSession>()
  // A session that was read before a change must not be cached after it.
  let generation = 0
  return {
    async authenticate(headers) {
      const presented = sessionTokenOf(headers, { address: address(), secret })
      if (presented === undefined) return null
      const hash = hashToken(presented)
      const known = cached.get(hash)
      if (known !== undefined && clock.monoMs() < known.untilMs) return known.session
      cached.delete(hash)
      const startGeneration = generation
      const session = await read(hash)
      if (startGeneration === generation) {
        cached.set(hash, { untilMs: clock.monoMs() + limits.sessionCachedMs, session })
        for (const oldest of cached.keys()) {
          if (cached.size <= sessionsCachedMax) break
          cached.delete(oldest)
        }
      }
      return session
    },
    clear() {
      generation += 1
      cached.clear()
    },
  }
}
