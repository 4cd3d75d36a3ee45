/** A receipt says how the most that its request's input could be was found. */
import type { Migration } from './migration.ts'

export const inputBounds: Migration = {
  number: 18,
  name: 'input-bounds',
  sqlite: [
    // NULL: written by an earlier version, or closed after a crash without a checkpoint.
    'ALTER TABLE receipt ADD COLUMN input_bound TEXT',
  ],
}
