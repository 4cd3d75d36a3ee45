/**
 * The tables of the identity database as our queries see them: better-auth's and a few of our own. Integers are numbers,
 * dates ISO strings, booleans 0 or 1.
 */
import type { ColumnType } from 'kysely'

/** Stored as 0 or 1. */
type IntegerFlag = ColumnType<number, number, number>
type NullableIntegerFlag = ColumnType<number | null, number | null | undefined, number | null>

export interface UserTable {
  id: string
  name: string
  email: string
  emailVerified: IntegerFlag
  image: string | null
  createdAt: string
  updatedAt: string
  twoFactorEnabled: NullableIntegerFlag
  operator: NullableIntegerFlag
  confirmed: NullableIntegerFlag
  lastSeenAt: string | null
}

export interface SessionTable {
  id: string
  expiresAt: string
  /** A hash of the browser's token. */
  token: string
  createdAt: string
  updatedAt: string
  ipAddress: string | null
  userAgent: string | null
  userId: string
  activeOrganizationId: string | null
}

export interface LoginTable {
  id: string
  accountId: string
  providerId: string
  userId: string
  password: string | null
  createdAt: string
  updatedAt: string
}

export interface VerificationTable {
  id: string
  identifier: string
  value: string
  expiresAt: string
  createdAt: string
  updatedAt: string
}

export interface TwoFactorTable {
  id: string
  userId: string
}

export interface PasskeyTable {
  id: string
  name: string | null
  userId: string
  createdAt: string | null
  deviceType: string
}

export interface OrganizationTable {
  id: string
  name: string
  slug: string
  createdAt: string
}

export interface MemberTable {
  id: string
  organizationId: string
  userId: string
  role: string
  createdAt: string
}

export interface OrganizationInvitationTable {
  id: string
  organizationId: string
  email: string
  role: string | null
  status: string
  inviterId: string
}

/** Operators' invitations to sign up. */
export interface InvitationTable {
  /** A hash of the token in the link. */
  token_hash: string
  email: string
  created_ms: number
  expires_ms: number
}

/** Authenticator codes that have been used. */
export interface UsedCodeTable {
  code_hash: string
  until_ms: number
}

export interface IdentityTables {
  auth_user: UserTable
  auth_session: SessionTable
  auth_account: LoginTable
  auth_verification: VerificationTable
  auth_two_factor: TwoFactorTable
  auth_passkey: PasskeyTable
  auth_organization: OrganizationTable
  auth_member: MemberTable
  auth_invitation: OrganizationInvitationTable
  invitation: InvitationTable
  used_code: UsedCodeTable
}
