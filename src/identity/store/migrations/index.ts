/** The migrations of the identity database, in order. A released migration must never change. */
import type { Migration } from '../../../store/migrations/index.ts'
import { identityTriggers } from '../../../store/postgres/change-triggers.ts'
import { toPostgres } from '../../../store/postgres/schema-text.ts'
import { begin } from './0001-begin.ts'

export const identityMigrations: readonly Migration[] = [begin]

/** The same tables next to those of the control plane. */
export const postgresIdentityMigrations: readonly Migration[] = identityMigrations.map((step) => ({
  ...step,
  statements: [...step.statements.map(toPostgres), ...(step === begin ? identityTriggers : [])],
}))
