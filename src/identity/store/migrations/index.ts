/** The migrations of the identity database, in order. A released migration must never change. */
import type { Migration } from '../../../store/migrations/index.ts'
import { begin } from './0001-begin.ts'

export const identityMigrations: readonly Migration[] = [begin]
