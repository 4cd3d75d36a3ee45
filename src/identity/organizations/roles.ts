/** The role of a member, as the contract calls it. */
import { type Role, roles } from '../../../contract/operation.ts'

/** A member may be stored with several roles, separated by commas: the one that may most counts. */
export function roleOf(stored: string): Role {
  const held = stored.split(',').map((part) => part.trim())
  return roles.find((role) => held.includes(role)) ?? 'billing'
}
