/** The hold is the most that a request costs, and a key's budget the most that a key spends: as constraints. */
import type { Migration } from './migration.ts'

export const chargeLimits: Migration = {
  number: 17,
  name: 'charge-limits',
  sqlite: [
    // Which rule a charge follows. 0: written by earlier versions, which also charged the balance beside the hold.
    `ALTER TABLE receipt ADD COLUMN charge_rule INTEGER NOT NULL DEFAULT 0
      CHECK (charge_rule = 0 OR charge_rule = 1 AND charged <= hold)`,
    // JSON: counts that the upstream reported and that cannot be, as reported; null: none.
    'ALTER TABLE receipt ADD COLUMN implausible TEXT',
    // What the key's budget allowed spent and held to sum up to when a hold was last taken. Settling only moves
    // money from held to spent or gives it back, so the sum never grows in between.
    `ALTER TABLE key_meter ADD COLUMN spent_max INTEGER
      CHECK (spent_max IS NULL OR spent + held <= spent_max)`,
  ],
}
