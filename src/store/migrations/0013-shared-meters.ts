/** Which keys count on a key's meter: asked for each key of a list. */
import type { Migration } from './migration.ts'

export const sharedMeters: Migration = {
  number: 13,
  name: 'shared-meters',
  sqlite: ['CREATE INDEX key_meter_shared ON key_meter (shared) WHERE shared IS NOT NULL'],
}
