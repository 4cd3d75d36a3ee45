/** The migrations of a PostgreSQL database in their order. A migration that was released is never changed again. */
import { sharedStatements } from '../../store/migrations/0001-schema.ts'
import type { Migration } from '../../store/migrations/migration.ts'
import { changeTriggers } from '../../store/postgres/change-triggers.ts'
import { toPostgres } from '../../store/postgres/schema-text.ts'
import { schemaStatements } from './schema.ts'

const statements = [...schemaStatements, ...sharedStatements.map(toPostgres), ...changeTriggers]

export const postgresMigrations: readonly Migration[] = [{ number: 1, name: 'schema', statements }]
