/**
 * Sessions: verifies the session cookie (its signature first, without any I/O), then reads the session and its person.
 * Must not know how a person signed in. Every change of a session is reported through `changed`.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { IdentityDatabase } from '../store/database.ts'
import { personOf } from '../store/person-row.ts'
import type { SignedIn } from '../types.ts'
import { hashToken, sessionTokenOf } from './session-token.ts'

export interface SessionsDeps {
  readonly database: IdentityDatabase
  readonly clock: Clock
  readonly log: Log
  readonly limits: { readonly lastSeenStepMs: number }
  readonly secret: string
  /** Where people reach the server. */
  readonly address: () => string
  /** What was known of sessions and people may be wrong from now on. */
  readonly changed: () => void
}

export interface Sessions {
  /** The token of a cookie that we signed. */
  tokenOf(headers: Pick<IncomingHttpHeaders, 'cookie'>): string | undefined
  signedIn(headers: Pick<IncomingHttpHeaders, 'cookie'>): Promise<SignedIn | null>
  /** The session whose token has this hash; null: there is none, or it is over. */
  byHash(hash: string): Promise<SignedIn | null>
  /** They proved again who they are. */
  renew(session: string): Promise<void>
  /** Ends the session of a token, when there is one. */
  end(token: string): Promise<void>
  changed(): void
}

export function openSessions(parts: SessionsDeps): Sessions {
  const { database, clock, secret, address, changed } = parts
  const tokenOf: Sessions['tokenOf'] = (headers) => sessionTokenOf(headers, { address: address(), secret })
  return {
    tokenOf,
    changed,
    byHash: (hash) => read(parts, hash),
    async signedIn(headers) {
      const presented = tokenOf(headers)
      return presented === undefined ? null : read(parts, hashToken(presented))
    },
    async renew(session) {
      const now = new Date(clock.wallMs()).toISOString()
      await database.updateTable('auth_session').set({ createdAt: now }).where('id', '=', session).execute()
      changed()
    },
    async end(ended) {
      await database.deleteFrom('auth_session').where('token', '=', hashToken(ended)).execute()
      changed()
    },
  }
}

async function read(parts: SessionsDeps, hash: string): Promise<SignedIn | null> {
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
async function seen({ database, log }: SessionsDeps, person: string, nowMs: number): Promise<void> {
  try {
    const lastSeenAt = new Date(nowMs).toISOString()
    await database.updateTable('auth_user').set({ lastSeenAt }).where('id', '=', person).execute()
  } catch (error) {
    log.warn({ err: error }, 'when a person was last here was not kept')
  }
}
