/**
 * A new password by a link: what the link proves is used up in the same moment in which the password is set and what the
 * old one opened is ended, so that whatever goes wrong before leaves the link as it was.
 */
import type { Clock } from '../../base/clock.ts'
import type { Queries } from '../../store/local-database.ts'
import { hashToken } from '../sessions/session-token.ts'
import type { IdentityDatabase, IdentityStore } from '../store/database.ts'
import { endPendingCredentials } from './pending-credentials.ts'

export interface NewPasswords {
  /** The person whom a link belongs to; undefined when it is none, used up or too old. Changes nothing. */
  personOf(token: string): Promise<string | undefined>
  /** False, and nothing done, when the link was used up meanwhile. `hash`: of the new password. */
  set(token: string, hash: string): Promise<boolean>
}

export interface NewPasswordsDeps extends Pick<IdentityStore, 'database' | 'transact'> {
  readonly clock: Clock
  readonly nextId: () => string
  /** Whether links reach people by mail, which proves their address. */
  readonly hasMail: boolean
}

/** How better-auth names and hashes what it puts into an e-mail. */
const identifierOf = (token: string) => hashToken(`reset-password:${token}`)

export function openNewPasswords(deps: NewPasswordsDeps): NewPasswords {
  const { database, transact, clock, nextId, hasMail } = deps
  return {
    async personOf(token) {
      const proof = await database
        .selectFrom('auth_verification')
        .select(['value', 'expiresAt'])
        .where('identifier', '=', identifierOf(token))
        .executeTakeFirst()
      return proof !== undefined && Date.parse(proof.expiresAt) > clock.wallMs() ? proof.value : undefined
    },
    async set(token, hash) {
      const now = new Date(clock.wallMs()).toISOString()
      return transact((queries) => {
        const proof = queries.row(
          database
            .deleteFrom('auth_verification')
            .where('identifier', '=', identifierOf(token))
            .returning('value'),
        )
        if (proof === undefined) return false
        const scope = { database, queries, person: proof.value }
        storePassword(scope, { id: nextId(), hash, now })
        if (hasMail) removeUnverifiedCredentials(scope)
        queries.change(database.deleteFrom('auth_session').where('userId', '=', proof.value))
        queries.change(endPendingCredentials(database, proof.value))
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
 * As long as the address is not proved, the first who signed up with it may be another person: a provider repeated what
 * they said. Their credentials go when the owner of the address sets a password.
 */
function removeUnverifiedCredentials({ database, queries, person }: PasswordScope): void {
  const proved = queries.row(
    database.selectFrom('auth_user').select('id').where('id', '=', person).where('emailVerified', '=', 1),
  )
  if (proved !== undefined) return
  queries.change(
    database.deleteFrom('auth_account').where('userId', '=', person).where('providerId', '<>', 'credential'),
  )
  queries.change(database.deleteFrom('auth_passkey').where('userId', '=', person))
  queries.change(database.deleteFrom('auth_two_factor').where('userId', '=', person))
  queries.change(database.updateTable('auth_user').set({ twoFactorEnabled: 0 }).where('id', '=', person))
}

interface NewPasswordRow {
  /** Where they had no password yet. */
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
