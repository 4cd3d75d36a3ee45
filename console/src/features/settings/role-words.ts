/** Permissions of each organization role. */
import type { Role } from '@/lib/account'

export const roleWords: readonly (readonly [role: Role, words: string])[] = [
  ['owner', 'Full access, including members, roles and deleting the organization.'],
  ['admin', 'Keys, usage, billing and members.'],
  ['developer', 'Creates and edits API keys, uses models, sees usage.'],
  ['billing', "Tops up, sees the ledger, usage and invoices. Can't create keys."],
]

/** `owner` → `Owner`. */
export const roleLabel = (role: string): string => role.charAt(0).toUpperCase() + role.slice(1)
