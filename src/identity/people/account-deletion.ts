/** Exports and deletes everything that identity stores about a person. Must not know the ledger. */

import type { Queries } from '../../store/local-database.ts'
import { endPendingCredentials } from '../sign-in/pending-credentials.ts'
import type { IdentityDatabase, IdentityStore } from '../store/database.ts'
import type { Identity } from '../types.ts'

/** Everything stored about a person as JSON, without hashes and secrets; undefined when the person does not exist. */
export async function exportPerson(database: IdentityDatabase, id: string): Promise<unknown> {
  const user = await database.selectFrom('auth_user').selectAll().where('id', '=', id).executeTakeFirst()
  if (user === undefined) return undefined
  const sessions = await database
    .selectFrom('auth_session')
    .select(['createdAt', 'updatedAt', 'expiresAt', 'ipAddress', 'userAgent'])
    .where('userId', '=', id)
    .execute()
  const logins = await database
    .selectFrom('auth_account')
    .select(['providerId as provider', 'accountId as idThere', 'createdAt'])
    .where('userId', '=', id)
    .execute()
  const passkeys = await database
    .selectFrom('auth_passkey')
    .select(['name', 'deviceType', 'createdAt'])
    .where('userId', '=', id)
    .execute()
  const organizations = await database
    .selectFrom('auth_member')
    .innerJoin('auth_organization', 'auth_organization.id', 'auth_member.organizationId')
    .select(['auth_organization.id', 'auth_organization.name', 'auth_member.role', 'auth_member.createdAt'])
    .where('auth_member.userId', '=', id)
    .execute()
  const invitations = await database
    .selectFrom('auth_invitation')
    .innerJoin('auth_organization', 'auth_organization.id', 'auth_invitation.organizationId')
    .select(['auth_organization.name as organization', 'auth_invitation.role', 'auth_invitation.status'])
    .where('auth_invitation.email', '=', user.email)
    .execute()
  const { emailVerified, twoFactorEnabled, operator, confirmed, ...person } = user
  return {
    ...person,
    verified: emailVerified === 1,
    confirmed: confirmed === 1,
    operator: operator === 1,
    twoFactor: twoFactorEnabled === 1,
    sessions,
    logins,
    passkeys,
    organizations,
    invitations,
  }
}

type RemovalResult = Awaited<ReturnType<Identity['removePerson']>>

/** Also deletes their sessions, credentials and memberships, and organizations without other members. */
export function deletePerson({ database, transact }: IdentityStore, id: string): RemovalResult {
  return transact((queries): RemovalResult => {
    const scope = { database, queries, id }
    const user = queries.row(
      database.selectFrom('auth_user').select(['email', 'operator']).where('id', '=', id),
    )
    if (user === undefined) return 'removed'
    if (user.operator === 1 && !hasOtherOperator(scope)) return 'last_operator'
    const memberless: string[] = []
    for (const { organization, others, owners } of organizationsOwnedBy(scope)) {
      if (others === 0) memberless.push(organization)
      else if (owners === 0) return 'only_owner'
    }
    if (memberless.length > 0)
      queries.change(database.deleteFrom('auth_organization').where('id', 'in', memberless))
    queries.change(endPendingCredentials(database, id))
    queries.change(database.deleteFrom('auth_invitation').where('email', '=', user.email))
    queries.change(database.deleteFrom('invitation').where('email', '=', user.email))
    queries.change(database.deleteFrom('auth_user').where('id', '=', id))
    return 'removed'
  })
}

/** Inside a transaction. */
interface DeletionScope {
  readonly database: IdentityDatabase
  readonly queries: Queries
  readonly id: string
}

function hasOtherOperator({ database, queries, id }: DeletionScope): boolean {
  const other = database.selectFrom('auth_user').select('id').where('operator', '=', 1).where('id', '<>', id)
  return queries.row(other) !== undefined
}

interface OwnedOrganization {
  readonly organization: string
  /** Members other than this person, and the owners among them. */
  readonly others: number
  readonly owners: number
}

function organizationsOwnedBy({ database, queries, id }: DeletionScope): readonly OwnedOrganization[] {
  const isOwner = (role: string) => role.split(',').some((part) => part.trim() === 'owner')
  const own = queries.rows(
    database.selectFrom('auth_member').select(['organizationId', 'role']).where('userId', '=', id),
  )
  return own
    .filter(({ role }) => isOwner(role))
    .map(({ organizationId }) => {
      const others = queries.rows(
        database
          .selectFrom('auth_member')
          .select('role')
          .where('organizationId', '=', organizationId)
          .where('userId', '<>', id),
      )
      const owners = others.filter((other) => isOwner(other.role)).length
      return { organization: organizationId, others: others.length, owners }
    })
}
