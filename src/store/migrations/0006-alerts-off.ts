/** An account may turn the low-balance warning off: the check of `alert_days` allows no value for that. */
import type { Migration } from './migration.ts'

export const alertOffColumn =
  'ALTER TABLE billing_setting ADD COLUMN alert_off INTEGER NOT NULL DEFAULT 0 CHECK (alert_off IN (0, 1))'

export const alertsOff: Migration = { number: 6, name: 'alerts off', statements: [alertOffColumn] }
