/** The migrations of a PostgreSQL database in their order. A migration that was released is never changed again. */
import { sharedStatements } from '../../store/migrations/0001-schema.ts'
import type { Migration } from '../../store/migrations/migration.ts'
import { toPostgres } from '../../store/postgres/schema-text.ts'
import { schemaStatements } from './schema.ts'

export const postgresMigrations: readonly Migration[] = [
  { number: 1, name: 'schema', statements: [...schemaStatements, ...sharedStatements.map(toPostgres)] },
]
