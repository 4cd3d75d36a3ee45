/** Which person asked, where that is known: a key stands for an account, and at the playground all its members share one. */
import type { Migration } from './migration.ts'

export const whoAsked: Migration = {
  number: 14,
  name: 'who-asked',
  // A person's id of the identity database; null: whoever has the key.
  sqlite: ['ALTER TABLE receipt ADD COLUMN person TEXT'],
}
