/** The role of a member in the contract's terms. */
import { type Role, roles } from '../../../contract/operation.ts'

/** better-auth may store several comma-separated roles; the most powerful one counts. */
export function roleOf(stored: string): Role {
  const names = stored.split(',').map((part) => part.trim())
  return roles.find((role) => names.includes(role)) ?? 'billing'
}
