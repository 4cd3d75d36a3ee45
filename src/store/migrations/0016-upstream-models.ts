/** Which models an added upstream serves, and addresses with a path. */
import type { Migration } from './migration.ts'

export const upstreamModels: Migration = {
  number: 16,
  name: 'upstream-models',
  sqlite: [
    // Null: the provider's own address. Credentials stay sealed for the same text.
    'ALTER TABLE upstream RENAME COLUMN origin TO url',
    // JSON: "all", or a list of {id, upstreamId}. Null: all at the provider's own address, none elsewhere.
    'ALTER TABLE upstream ADD COLUMN models TEXT',
  ],
}
