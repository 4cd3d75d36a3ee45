/** What is kept of a person, given to them whole, and how it goes when they go. Their ledger is not kept here. */
import type { IdentityDatabase } from './database.ts'
import { endProofs } from './proofs.ts'
import type { Identity } from './types.ts'

/** Everything of a person as JSON values, without hashes and secrets; undefined when there is no such person. */
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

type Removed = Awaited<ReturnType<Identity['remove']>>

/** With them go their sessions, ways in and memberships, and organizations in which nobody else is. */
export function removePerson(database: IdentityDatabase, id: string): Promise<Removed> {
  return database.transaction().execute(async (transaction): Promise<Removed> => {
    const user = await transaction
      .selectFrom('auth_user')
      .select(['email', 'operator'])
      .where('id', '=', id)
      .executeTakeFirst()
    if (user === undefined) return 'removed'
    if (user.operator === 1 && !(await hasOtherOperator(transaction, id))) return 'last_operator'
    const alone: string[] = []
    for (const { organization, others, owners } of await ownedBy(transaction, id)) {
      if (others === 0) alone.push(organization)
      else if (owners === 0) return 'only_owner'
    }
    if (alone.length > 0) await transaction.deleteFrom('auth_organization').where('id', 'in', alone).execute()
    await endProofs(transaction, id)
    await transaction.deleteFrom('auth_invitation').where('email', '=', user.email).execute()
    await transaction.deleteFrom('invitation').where('email', '=', user.email).execute()
    await transaction.deleteFrom('auth_user').where('id', '=', id).execute()
    return 'removed'
  })
}

async function hasOtherOperator(database: IdentityDatabase, id: string): Promise<boolean> {
  const other = await database
    .selectFrom('auth_user')
    .select('id')
    .where('operator', '=', 1)
    .where('id', '<>', id)
    .executeTakeFirst()
  return other !== undefined
}

interface Owned {
  readonly organization: string
  /** Members beside this person, and owners among them. */
  readonly others: number
  readonly owners: number
}

async function ownedBy(database: IdentityDatabase, id: string): Promise<readonly Owned[]> {
  const isOwner = (role: string) => role.split(',').some((part) => part.trim() === 'owner')
  const own = await database
    .selectFrom('auth_member')
    .select(['organizationId', 'role'])
    .where('userId', '=', id)
    .execute()
  const owned: Owned[] = []
  for (const { organizationId, role } of own) {
    if (!isOwner(role)) continue
    const others = await database
      .selectFrom('auth_member')
      .select('role')
      .where('organizationId', '=', organizationId)
      .where('userId', '<>', id)
      .execute()
    const owners = others.filter((other) => isOwner(other.role)).length
    owned.push({ organization: organizationId, others: others.length, owners })
  }
  return owned
}
