/** Files that accounts keep at providers: who owns which, and where it is. */
import type { Migration } from './migration.ts'

export const providerFiles: Migration = {
  number: 19,
  name: 'provider-files',
  sqlite: [
    // A row is written before the upload is sent: it has no file_id until the provider has answered.
    `CREATE TABLE provider_file (
      id INTEGER PRIMARY KEY,
      account INTEGER NOT NULL,
      key INTEGER NOT NULL,
      provider TEXT NOT NULL,
      upstream TEXT NOT NULL,
      file_id TEXT,
      bytes INTEGER NOT NULL,
      purpose TEXT,
      object TEXT,
      created_ms INTEGER NOT NULL,
      expires_ms INTEGER
    ) STRICT`,
    'CREATE INDEX provider_file_account ON provider_file (account, provider, id)',
    'CREATE UNIQUE INDEX provider_file_at ON provider_file (upstream, file_id) WHERE file_id IS NOT NULL',
    'CREATE INDEX provider_file_unfinished ON provider_file (id) WHERE file_id IS NULL',
  ],
}
