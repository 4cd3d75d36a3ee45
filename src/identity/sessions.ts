/**
 * Judges the session cookie: our signature first, without any I/O, then the session and its person, remembered for a
 * few seconds. Whatever changes a session in this process makes it forget all of them.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { IdentityDatabase } from './database.ts'
import { personOf } from './person-row.ts'
import { cookiesOf, hashToken, tokenOf } from './session-token.ts'
import { sessionCookie } from './site.ts'
import type { SignedIn } from './types.ts'

export interface SessionLimits {
  readonly sessionCachedMs: number
  readonly sessionsCachedMax: number
  readonly lastSeenStepMs: number
}

export interface SessionParts {
  readonly database: IdentityDatabase
  readonly clock: Clock
  readonly log: Log
  readonly limits: SessionLimits
  readonly secret: string
  /** Where people reach the server. */
  readonly address: () => string
}

export interface Sessions {
  /** The token of a cookie that we signed. */
  tokenOf(headers: Pick<IncomingHttpHeaders, 'cookie'>): string | undefined
  signedIn(headers: Pick<IncomingHttpHeaders, 'cookie'>): Promise<SignedIn | null>
  /** They proved again who they are. */
  renew(session: string): Promise<void>
  /** Ends the session of a token, when there is one. */
  end(token: string): Promise<void>
  forget(): void
}

interface Kept {
  readonly untilMs: number
  readonly signedIn: SignedIn | null
}

export function openSessions(parts: SessionParts): Sessions {
  const { database, clock, limits, secret, address } = parts
  const kept = new Map<string, Kept>()
  // What was read before something changed must not be kept after it.
  let generation = 0
  const token = ({ cookie }: Pick<IncomingHttpHeaders, 'cookie'>): string | undefined =>
    tokenOf(cookiesOf(cookie).get(sessionCookie(address())), secret)
  const forget = (): void => {
    generation += 1
    kept.clear()
  }
  return {
    tokenOf: token,
    forget,
    async signedIn(headers) {
      const presented = token(headers)
      if (presented === undefined) return null
      const hash = hashToken(presented)
      const known = kept.get(hash)
      if (known !== undefined && clock.monoMs() < known.untilMs) return known.signedIn
      kept.delete(hash)
      const begun = generation
      const signedIn = await read(parts, hash)
      if (begun === generation) {
        kept.set(hash, { untilMs: clock.monoMs() + limits.sessionCachedMs, signedIn })
        for (const oldest of kept.keys()) {
          if (kept.size <= limits.sessionsCachedMax) break
          kept.delete(oldest)
        }
      }
      return signedIn
    },
    async renew(session) {
      const now = new Date(clock.wallMs()).toISOString()
      await database.updateTable('auth_session').set({ createdAt: now }).where('id', '=', session).execute()
      forget()
    },
    async end(ended) {
      await database.deleteFrom('auth_session').where('token', '=', hashToken(ended)).execute()
      forget()
    },
  }
}

async function read(parts: SessionParts, hash: string): Promise<SignedIn | null> {
  const { database, clock } = parts
  const nowMs = clock.wallMs()
  const row = await database
    .selectFrom('auth_session')
    .innerJoin('auth_user', 'auth_user.id', 'auth_session.userId')
    .selectAll('auth_user')
    .select([
      'auth_session.id as session',
      'auth_session.createdAt as provedAt',
      'auth_session.expiresAt as expiresAt',
    ])
    .where('auth_session.token', '=', hash)
    .executeTakeFirst()
  if (row === undefined || Date.parse(row.expiresAt) <= nowMs) return null
  const person = personOf(row)
  if (nowMs - (person.lastSeenMs ?? 0) > parts.limits.lastSeenStepMs) await seen(parts, person.id, nowMs)
  return { person, session: row.session, loginMs: Date.parse(row.provedAt) }
}

/** Only a fact for people: that it could not be written keeps nobody out. */
async function seen({ database, log }: SessionParts, person: string, nowMs: number): Promise<void> {
  try {
    const lastSeenAt = new Date(nowMs).toISOString()
    await database.updateTable('auth_user').set({ lastSeenAt }).where('id', '=', person).execute()
  } catch (error) {
    log.warn({ err: error }, 'when a person was last here was not kept')
  }
}
