/** Upstreams that were added in the console, with sealed credentials. */
import type { Migration } from './migration.ts'

const upstream = `
CREATE TABLE upstream (
  name TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  -- Scheme, host and port; null: the provider's own address.
  origin TEXT,
  weight INTEGER NOT NULL CHECK (weight BETWEEN 1 AND 1000),
  disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
  -- Sealed; bound to name, provider and origin.
  credential BLOB NOT NULL,
  -- Its last characters, to recognise it.
  credential_end TEXT NOT NULL,
  updated_ms INTEGER NOT NULL
) STRICT`

export const upstreams: Migration = { number: 7, name: 'upstreams', sqlite: [upstream] }
