/**
 * Recent counts per offer, in slots of time: rows are only added to, so that several servers write the same ones. `offer_speed` is
 * unused.
 */
import type { Migration } from './migration.ts'

export const offerTables: readonly string[] = [
  `
CREATE TABLE offer_count (
  -- The length of the slot, and its number since the beginning of 1970.
  slot_ms INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  upstream TEXT NOT NULL,
  upstream_model TEXT NOT NULL,
  requests INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  -- Nano-USD.
  cost INTEGER NOT NULL,
  PRIMARY KEY (slot_ms, slot, upstream, upstream_model)
) STRICT, WITHOUT ROWID`,
  `
CREATE TABLE offer_first_byte (
  slot_ms INTEGER NOT NULL,
  slot INTEGER NOT NULL,
  upstream TEXT NOT NULL,
  upstream_model TEXT NOT NULL,
  -- Of the histogram of times to first byte.
  bucket INTEGER NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (slot_ms, slot, upstream, upstream_model, bucket)
) STRICT, WITHOUT ROWID`,
  `
CREATE TABLE offer_speed (
  upstream TEXT NOT NULL,
  upstream_model TEXT NOT NULL,
  -- Moving averages in thousandths: of a millisecond, and of a token per second.
  first_byte_ms INTEGER NOT NULL,
  tokens_per_second INTEGER,
  at_ms INTEGER NOT NULL,
  PRIMARY KEY (upstream, upstream_model)
) STRICT, WITHOUT ROWID`,
  'CREATE INDEX offer_speed_at ON offer_speed (at_ms)',
]

export const offerStatistics: Migration = { number: 3, name: 'offer statistics', statements: offerTables }
