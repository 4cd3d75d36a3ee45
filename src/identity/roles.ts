/** What the roles of an organization may do with its members; what they may do with its account is the contract's. */
import { createAccessControl } from 'better-auth/plugins/access'
import { type Role, roles } from '../../contract/operation.ts'

const everything = {
  organization: ['update', 'delete'],
  member: ['create', 'update', 'delete'],
  invitation: ['create', 'cancel'],
} as const
const nothing = { organization: [], member: [], invitation: [] }

export const accessControl = createAccessControl(everything)

export const organizationRoles = {
  owner: accessControl.newRole({ ...everything }),
  admin: accessControl.newRole({ ...everything, organization: ['update'] }),
  developer: accessControl.newRole(nothing),
  billing: accessControl.newRole(nothing),
} satisfies Record<Role, unknown>

/** A member may be stored with several roles, separated by commas: the one that may most counts. */
export function roleOf(stored: string): Role {
  const held = stored.split(',').map((part) => part.trim())
  return roles.find((role) => held.includes(role)) ?? 'billing'
}
