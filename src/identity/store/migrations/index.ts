/** The migrations of the identity database in their order. One that was released is never changed again. */
import type { Migration } from '../../../store/migrations/index.ts'
import { begin } from './0001-begin.ts'

export const identityMigrations: readonly Migration[] = [begin]
