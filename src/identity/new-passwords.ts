/**
 * A new password by a link: what the link proves is used up in the same moment in which the password is set and what the
 * old one opened is ended, so that whatever goes wrong before leaves the link as it was.
 */
import type { Clock } from '../base/clock.ts'
import type { IdentityDatabase } from './database.ts'
import { endProofs } from './proofs.ts'
import { hashToken } from './session-token.ts'

export interface NewPasswords {
  /** The person whom a link belongs to; undefined when it is none, used up or too old. Changes nothing. */
  personOf(token: string): Promise<string | undefined>
  /** False, and nothing done, when the link was used up meanwhile. `hash`: of the new password. */
  set(token: string, hash: string): Promise<boolean>
}

export interface NewPasswordsParts {
  readonly database: IdentityDatabase
  readonly clock: Clock
  readonly nextId: () => string
  /** Whether links reach people by mail, which proves their address. */
  readonly hasMail: boolean
}

/** How better-auth names and hashes what it puts into a letter. */
const identifierOf = (token: string) => hashToken(`reset-password:${token}`)

export function openNewPasswords(parts: NewPasswordsParts): NewPasswords {
  const { database, clock, nextId, hasMail } = parts
  return {
    async personOf(token) {
      const proof = await database
        .selectFrom('auth_verification')
        .select(['value', 'expiresAt'])
        .where('identifier', '=', identifierOf(token))
        .executeTakeFirst()
      return proof !== undefined && Date.parse(proof.expiresAt) > clock.wallMs() ? proof.value : undefined
    },
    set: (token, hash) =>
      database.transaction().execute(async (transaction) => {
        const proof = await transaction
          .deleteFrom('auth_verification')
          .where('identifier', '=', identifierOf(token))
          .returning('value')
          .executeTakeFirst()
        if (proof === undefined) return false
        const now = new Date(clock.wallMs()).toISOString()
        await putPassword(transaction, proof.value, { id: nextId(), hash, now })
        if (hasMail) await endUnproved(transaction, proof.value)
        await transaction.deleteFrom('auth_session').where('userId', '=', proof.value).execute()
        await endProofs(transaction, proof.value)
        return true
      }),
  }
}

/**
 * As long as nobody has proved the address, whoever came with it first may be somebody else: a provider repeated what
 * they said. What they left to come in by goes when the address's owner sets a password.
 */
async function endUnproved(database: IdentityDatabase, person: string): Promise<void> {
  const proved = await database
    .selectFrom('auth_user')
    .select('id')
    .where('id', '=', person)
    .where('emailVerified', '=', 1)
    .executeTakeFirst()
  if (proved !== undefined) return
  await database
    .deleteFrom('auth_account')
    .where('userId', '=', person)
    .where('providerId', '<>', 'credential')
    .execute()
  await database.deleteFrom('auth_passkey').where('userId', '=', person).execute()
  await database.deleteFrom('auth_two_factor').where('userId', '=', person).execute()
  await database.updateTable('auth_user').set({ twoFactorEnabled: 0 }).where('id', '=', person).execute()
}

interface Put {
  /** Where they had no password yet. */
  readonly id: string
  readonly hash: string
  readonly now: string
}

async function putPassword(
  database: IdentityDatabase,
  person: string,
  { id, hash, now }: Put,
): Promise<void> {
  const { numUpdatedRows } = await database
    .updateTable('auth_account')
    .set({ password: hash, updatedAt: now })
    .where('userId', '=', person)
    .where('providerId', '=', 'credential')
    .executeTakeFirst()
  if (numUpdatedRows > 0n) return
  const login = { accountId: person, providerId: 'credential', userId: person, password: hash }
  await database
    .insertInto('auth_account')
    .values({ ...login, id, createdAt: now, updatedAt: now })
    .execute()
}
