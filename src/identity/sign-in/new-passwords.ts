/**
 * Sets a new password by a reset link. One transaction consumes the link, stores the password and ends what the old
 * password opened, so that an earlier failure leaves the link valid.
 */
import type { Clock } from '../../base/clock.ts'
import type { Queries } from '../../store/local-database.ts'
import { hashToken } from '../sessions/session-token.ts'
import type { IdentityDatabase, IdentityStore } from '../store/database.ts'
import { endPendingCredentials } from './pending-credentials.ts'

export interface NewPasswords {
  /** The person a link belongs to; undefined when it is invalid, used or expired. */
  personOf(token: string): Promise<string | undefined>
  /** `hash`: of the new password. false: the link was used in the meantime, and nothing was changed. */
  set(token: string, hash: string): Promise<boolean>
}

export interface NewPasswordsDeps extends Pick<IdentityStore, 'database' | 'transact'> {
  readonly clock: Clock
  readonly nextId: () => string
  /** Whether links are sent by mail, which proves the address. */
  readonly hasMail: boolean
}

/** better-auth's identifier of a reset token. */
const identifierOf = (token: string) => hashToken(`reset-password:${token}`)

/** Reset links over the identity database. */
export function openNewPasswords(deps: NewPasswordsDeps): NewPasswords {
  const { database, transact, clock, nextId, hasMail } = deps
  return {
    async personOf(token) {
      const verification = await database
        .selectFrom('auth_verification')
        .select(['value', 'expiresAt'])
        .where('identifier', '=', identifierOf(token))
        .executeTakeFirst()
      return verification !== undefined && Date.parse(verification.expiresAt) > clock.wallMs()
        ? verification.value
        : undefined
    },
    async set(token, hash) {
      const now = new Date(clock.wallMs()).toISOString()
      return transact((queries) => {
        const verification = queries.row(
          database
            .deleteFrom('auth_verification')
            .where('identifier', '=', identifierOf(token))
            .returning('value'),
        )
        if (verification === undefined) return false
        const scope = { database, queries, person: verification.value }
        storePassword(scope, { id: nextId(), hash, now })
        if (hasMail) removeUnverifiedCredentials(scope)
        queries.change(database.deleteFrom('auth_session').where('userId', '=', verification.value))
        queries.change(endPendingCredentials(database, verification.value))
        return true
      })
    },
  }
}

/** Inside a transaction. */
interface PasswordScope {
  readonly database: IdentityDatabase
  readonly queries: Queries
  readonly person: string
}

/**
 * While the address is unverified, the account may have been created by a stranger through a provider that does not verify
 * addresses. Their credentials are removed when the owner of the address sets a password.
 */
function removeUnverifiedCredentials({ database, queries, person }: PasswordScope): void {
  const verified = queries.row(
    database.selectFrom('auth_user').select('id').where('id', '=', person).where('emailVerified', '=', 1),
  )
  if (verified !== undefined) return
  queries.change(
    database.deleteFrom('auth_account').where('userId', '=', person).where('providerId', '<>', 'credential'),
  )
  queries.change(database.deleteFrom('auth_passkey').where('userId', '=', person))
  queries.change(database.deleteFrom('auth_two_factor').where('userId', '=', person))
  queries.change(database.updateTable('auth_user').set({ twoFactorEnabled: 0 }).where('id', '=', person))
}

interface NewPasswordRow {
  /** ID of the new row, if the person has no password yet. */
  readonly id: string
  readonly hash: string
  readonly now: string
}

function storePassword(
  { database, queries, person }: PasswordScope,
  { id, hash, now }: NewPasswordRow,
): void {
  const updated = queries.change(
    database
      .updateTable('auth_account')
      .set({ password: hash, updatedAt: now })
      .where('userId', '=', person)
      .where('providerId', '=', 'credential'),
  )
  if (updated > 0) return
  const login = { accountId: person, providerId: 'credential', userId: person, password: hash }
  queries.change(database.insertInto('auth_account').values({ ...login, id, createdAt: now, updatedAt: now }))
}
