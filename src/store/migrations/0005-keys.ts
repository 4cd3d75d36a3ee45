/** Who made a key, what took its place, and keys of the control plane. */
import type { Migration } from './migration.ts'

const apiKey = [
  // A person's id of the identity database; null: the command line or a management key.
  'ALTER TABLE api_key ADD COLUMN created_by TEXT',
  // The key that takes its place after a rotation.
  'ALTER TABLE api_key ADD COLUMN replaced_by INTEGER',
]

// The key on whose meter it counts: a rotation gives no new budget. null: its own.
const keyMeter = 'ALTER TABLE key_meter ADD COLUMN shared INTEGER'

const managementKey = `
CREATE TABLE management_key (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES account (id),
  name TEXT NOT NULL,
  label TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  -- JSON: a list of names.
  scopes TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER,
  revoked_ms INTEGER,
  last_used_ms INTEGER
) STRICT`

export const keys: Migration = {
  number: 5,
  name: 'keys',
  sqlite: [
    ...apiKey,
    keyMeter,
    managementKey,
    'CREATE INDEX management_key_account ON management_key (account)',
  ],
}
