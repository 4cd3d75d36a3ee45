/** The list of migrations in their order. A migration that was released is never changed again. */
import { begin } from './0001-begin.ts'
import { keptAnswers } from './0002-kept.ts'
import type { Migration } from './migration.ts'

export type { Migration } from './migration.ts'

export const migrations: readonly Migration[] = [begin, keptAnswers]
