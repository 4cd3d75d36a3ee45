/**
 * Operators' invitations to sign up: a link with a random token for one email address, valid for some days and for one
 * sign-up. Only the token's hash is stored.
 */
import type { Clock } from '../../base/clock.ts'
import type { RandomBytes } from '../../base/ids.ts'
import { hashToken } from '../sessions/session-token.ts'
import type { IdentityDatabase } from '../store/database.ts'

export interface Invitations {
  /** Replaces earlier invitations of the same address. */
  create(email: string): Promise<{ readonly token: string; readonly expiresMs: number }>
  /** Whether this token admits this address. */
  isValid(token: string, email: string): Promise<boolean>
  /** Whether this address is invited; for addresses that a sign-in provider has verified. */
  isInvited(email: string): Promise<boolean>
  /** Deletes the invitation; true when there was a valid one. */
  consume(email: string): Promise<boolean>
  /** Valid invitations, newest first. */
  list(limit: number): Promise<readonly OpenInvitation[]>
}

export interface OpenInvitation {
  readonly email: string
  readonly createdMs: number
  readonly expiresMs: number
}

const tokenBytes = 32
const dayMs = 24 * 3_600_000

/** Invitations in the identity database. */
export function openInvitations(
  database: IdentityDatabase,
  options: { readonly clock: Clock; readonly random: RandomBytes; readonly daysMax: number },
): Invitations {
  const open = (email: string) =>
    database
      .selectFrom('invitation')
      .select('token_hash')
      .where('email', '=', email)
      .where('expires_ms', '>', options.clock.wallMs())
  return {
    async create(email) {
      const token = Buffer.from(options.random(tokenBytes)).toString('base64url')
      const nowMs = options.clock.wallMs()
      const expiresMs = nowMs + options.daysMax * dayMs
      await database
        .deleteFrom('invitation')
        .where((row) => row.or([row('email', '=', email), row('expires_ms', '<=', nowMs)]))
        .execute()
      const row = { token_hash: hashToken(token), email, created_ms: nowMs, expires_ms: expiresMs }
      await database.insertInto('invitation').values(row).execute()
      return { token, expiresMs }
    },
    async isValid(token, email) {
      const found = await open(email).where('token_hash', '=', hashToken(token)).executeTakeFirst()
      return found !== undefined
    },
    isInvited: async (email) => (await open(email).executeTakeFirst()) !== undefined,
    async consume(email) {
      const isOpen = (await open(email).executeTakeFirst()) !== undefined
      if (isOpen) await database.deleteFrom('invitation').where('email', '=', email).execute()
      return isOpen
    },
    async list(limit) {
      const rows = await database
        .selectFrom('invitation')
        .select(['email', 'created_ms', 'expires_ms'])
        .where('expires_ms', '>', options.clock.wallMs())
        .orderBy('created_ms', 'desc')
        .orderBy('email')
        .limit(limit)
        .execute()
      return rows.map((row) => ({
        email: row.email,
        createdMs: row.created_ms,
        expiresMs: row.expires_ms,
      }))
    },
  }
}
