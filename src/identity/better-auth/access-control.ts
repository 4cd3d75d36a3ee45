/** What the roles of an organization may do with its members, as better-auth's permissions. Account permissions are in the contract. */
import { createAccessControl } from 'better-auth/plugins/access'
import type { Role } from '../../../contract/operation.ts'

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
