/** Until when automatic top-ups of an account wait, because it had as many within a day as may be. */
import type { Migration } from './migration.ts'

export const automaticWaits: Migration = {
  number: 10,
  name: 'automatic-waits',
  sqlite: ['ALTER TABLE billing_setting ADD COLUMN auto_waits_ms INTEGER'],
}
