/** Which meters an account has: what it was charged is found without reading its receipts. */
import type { Migration } from './migration.ts'

export const metersOfAccounts: Migration = {
  number: 12,
  name: 'meters-of-accounts',
  // An account's meters are few, and a meter's account never changes.
  sqlite: ['CREATE INDEX key_meter_account ON key_meter (account)'],
}
