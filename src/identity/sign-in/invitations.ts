/**
 * Operators' invitations to sign up: a link with a random token, bound to one address, good for some days, used up by
 * the sign-up. Keeps only a hash of the token.
 */
import type { Clock } from '../../base/clock.ts'
import type { RandomBytes } from '../../base/ids.ts'
import { hashToken } from '../sessions/session-token.ts'
import type { IdentityDatabase } from '../store/database.ts'

export interface Invitations {
  /** Another one for the same address takes the place of the earlier ones. */
  create(email: string): Promise<{ readonly token: string; readonly expiresMs: number }>
  /** Whether this token lets this address in. */
  isValid(token: string, email: string): Promise<boolean>
  /** Whether this address is invited, for somebody whose address a provider of sign-in vouches for. */
  isInvited(email: string): Promise<boolean>
  /** Whether it was invited; it is not any more. */
  consume(email: string): Promise<boolean>
}

const tokenBytes = 32
const dayMs = 24 * 3_600_000

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
  }
}
