/**
 * Sessions: verifies the session cookie (its signature first, without any I/O), then reads the session and its person.
 * Must not know how a person signed in. Reports every change through `onChanged`.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { IdentityDatabase } from '../store/database.ts'
import { personOf } from '../store/person-row.ts'
import type { AuthenticatedSession } from '../types.ts'
import { hashToken, sessionTokenOf } from './session-token.ts'

/** Precision of the time a user was last seen. */
const lastSeenStepMs = 600_000

export interface SessionsDeps {
  readonly database: IdentityDatabase
  readonly clock: Clock
  readonly log: Log
  readonly secret: string
  /** The public URL. */
  readonly address: () => string
  /** Sessions or people have changed: caches must be dropped. */
  readonly onChanged: () => void
}

export interface Sessions {
  /** The token of a session cookie with a valid signature. */
  tokenOf(headers: Pick<IncomingHttpHeaders, 'cookie'>): string | undefined
  authenticate(headers: Pick<IncomingHttpHeaders, 'cookie'>): Promise<AuthenticatedSession | null>
  /** The session whose token has this hash; null: none, or expired. */
  byHash(hash: string): Promise<AuthenticatedSession | null>
  /** Resets the login time after the person confirmed their identity. */
  renew(session: string): Promise<void>
  /** Ends the session of a token, if it exists. */
  end(token: string): Promise<void>
  notifyChanged(): void
}

/** Sessions over the identity database. */
export function openSessions(deps: SessionsDeps): Sessions {
  const { database, clock, secret, address, onChanged: changed } = deps
  const tokenOf: Sessions['tokenOf'] = (headers) => sessionTokenOf(headers, { address: address(), secret })
  return {
    tokenOf,
    notifyChanged: changed,
    byHash: (hash) => readSession(deps, hash),
    async authenticate(headers) {
      const presented = tokenOf(headers)
      return presented === undefined ? null : readSession(deps, hashToken(presented))
    },
    async renew(session) {
      const now = new Date(clock.wallMs()).toISOString()
      await database.updateTable('auth_session').set({ createdAt: now }).where('id', '=', session).execute()
      changed()
    },
    async end(token) {
      await database.deleteFrom('auth_session').where('token', '=', hashToken(token)).execute()
      changed()
    },
  }
}

async function readSession(deps: SessionsDeps, hash: string): Promise<AuthenticatedSession | null> {
  const { database, clock } = deps
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
  if (nowMs - (person.lastSeenMs ?? 0) > lastSeenStepMs) await recordLastSeen(deps, person.id, nowMs)
  return { person, sessionId: row.session, loginMs: Date.parse(row.provedAt) }
}

/** Informational only: a failed write must not block a sign-in. */
async function recordLastSeen({ database, log }: SessionsDeps, person: string, nowMs: number): Promise<void> {
  try {
    const lastSeenAt = new Date(nowMs).toISOString()
    await database.updateTable('auth_user').set({ lastSeenAt }).where('id', '=', person).execute()
  } catch (error) {
    log.warn({ err: error }, 'failed to record when a user was last seen')
  }
}
