/** Converts rows of the people table into values. */
import type { Selectable } from 'kysely'
import type { Person } from '../types.ts'
import type { UserTable } from './tables.ts'

export type PersonRow = Selectable<UserTable>

export function personOf(row: PersonRow): Person {
  const verified = row.emailVerified === 1
  return {
    id: row.id,
    name: row.name,
    email: row.email,
    verified,
    confirmed: verified || row.confirmed === 1,
    operator: row.operator === 1,
    twoFactor: row.twoFactorEnabled === 1,
    createdMs: Date.parse(row.createdAt),
    lastSeenMs: row.lastSeenAt === null ? null : Date.parse(row.lastSeenAt),
  }
}
