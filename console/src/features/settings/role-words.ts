/** What each role of an organization may do, in words. */
import type { Role } from '@/lib/account'

export const roleWords: readonly (readonly [role: Role, words: string])[] = [
  ['owner', 'Everything, with members, roles and the end of the organization.'],
  ['admin', 'Keys, usage, billing and members.'],
  ['developer', 'Makes and changes API keys, uses models, sees usage.'],
  ['billing', 'Tops up, sees the ledger, usage and invoices; makes no keys.'],
]
