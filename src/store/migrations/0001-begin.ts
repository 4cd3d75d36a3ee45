/**
 * The first schema. Money is int64 nano-USD, ids are int64 in time order, times are milliseconds.
 * What the rows must obey stands here as CHECK, UNIQUE and triggers, beside the code that obeys it.
 */
import type { Migration } from './migration.ts'

/** Hot columns first: admission and settlement read and write them for every request. */
const account = `
CREATE TABLE account (
  id INTEGER PRIMARY KEY,
  -- The sum of the account's entries.
  posted INTEGER NOT NULL DEFAULT 0,
  -- The sum of its open holds.
  held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
  open_holds INTEGER NOT NULL DEFAULT 0 CHECK (open_holds >= 0),
  -- Open holds that count as concurrent requests: all but the detached ones.
  running INTEGER NOT NULL DEFAULT 0 CHECK (running BETWEEN 0 AND open_holds),
  -- How many entries it has; the position of the last one.
  entries INTEGER NOT NULL DEFAULT 0 CHECK (entries >= 0),
  -- The rate window: what was taken in this minute (since 1970) and in the one before.
  minute INTEGER NOT NULL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 0 CHECK (requests >= 0),
  requests_before INTEGER NOT NULL DEFAULT 0 CHECK (requests_before >= 0),
  tokens INTEGER NOT NULL DEFAULT 0 CHECK (tokens >= 0),
  tokens_before INTEGER NOT NULL DEFAULT 0 CHECK (tokens_before >= 0),
  -- What the house bore through this account's doing on its last such UTC day (since 1970).
  absorbed_day INTEGER NOT NULL DEFAULT 0,
  absorbed INTEGER NOT NULL DEFAULT 0 CHECK (absorbed >= 0),
  suspended_ms INTEGER,
  restricted_ms INTEGER,
  -- By how much a refund took posted below what was held at that time; nothing else may.
  overdrawn INTEGER NOT NULL DEFAULT 0 CHECK (overdrawn >= 0),
  kind TEXT NOT NULL CHECK (kind IN ('personal', 'organization')),
  email TEXT UNIQUE,
  name TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  -- More can never be reserved than there is.
  CHECK (held <= posted + overdrawn)
) STRICT`

const keyMeter = `
CREATE TABLE key_meter (
  key INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES account (id),
  held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
  open_holds INTEGER NOT NULL DEFAULT 0 CHECK (open_holds >= 0),
  running INTEGER NOT NULL DEFAULT 0 CHECK (running BETWEEN 0 AND open_holds),
  -- All that was ever charged to the key, and how much of it before the present UTC day, week and month.
  spent INTEGER NOT NULL DEFAULT 0,
  day INTEGER NOT NULL DEFAULT 0,
  spent_before_day INTEGER NOT NULL DEFAULT 0 CHECK (spent_before_day BETWEEN 0 AND spent),
  spent_before_week INTEGER NOT NULL DEFAULT 0 CHECK (spent_before_week BETWEEN 0 AND spent_before_day),
  spent_before_month INTEGER NOT NULL DEFAULT 0 CHECK (spent_before_month BETWEEN 0 AND spent_before_day),
  minute INTEGER NOT NULL DEFAULT 0,
  requests INTEGER NOT NULL DEFAULT 0 CHECK (requests >= 0),
  requests_before INTEGER NOT NULL DEFAULT 0 CHECK (requests_before >= 0),
  tokens INTEGER NOT NULL DEFAULT 0 CHECK (tokens >= 0),
  tokens_before INTEGER NOT NULL DEFAULT 0 CHECK (tokens_before >= 0)
) STRICT`

/** Exists while its request runs, and not longer. */
const hold = `
CREATE TABLE hold (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES account (id),
  key INTEGER NOT NULL,
  process INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount >= 0),
  -- What it took from the rate windows, and in which minute.
  tokens INTEGER NOT NULL CHECK (tokens >= 0),
  minute INTEGER NOT NULL,
  detached INTEGER NOT NULL DEFAULT 0 CHECK (detached IN (0, 1)),
  output_limit INTEGER NOT NULL CHECK (output_limit >= 0),
  output_lowered INTEGER NOT NULL CHECK (output_lowered IN (0, 1)),
  price_version INTEGER NOT NULL,
  model TEXT NOT NULL,
  dialect TEXT NOT NULL,
  streamed INTEGER NOT NULL CHECK (streamed IN (0, 1)),
  created_ms INTEGER NOT NULL,
  -- What it would be charged if the process died now, and the receipt it would leave (JSON).
  checkpoint_cost INTEGER CHECK (checkpoint_cost >= 0),
  checkpoint_draft TEXT,
  CHECK ((checkpoint_cost IS NULL) = (checkpoint_draft IS NULL))
) STRICT`

/** Each row moves an amount between a customer's account and a house account (counter), so each row balances. */
const entry = `
CREATE TABLE entry (
  -- The request's id for a usage entry, which makes a second one impossible.
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES account (id),
  -- Its place among the account's entries, from 1, without gaps.
  position INTEGER NOT NULL CHECK (position > 0),
  counter TEXT NOT NULL,
  kind TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount <> 0),
  balance_after INTEGER NOT NULL,
  source TEXT,
  reference TEXT,
  request INTEGER,
  note TEXT,
  created_ms INTEGER NOT NULL,
  -- One CASE with the commonest kind first: a list of texts (IN) would be built anew for every row.
  CHECK (CASE kind
    WHEN 'usage' THEN counter = 'revenue' AND amount < 0 AND balance_after >= 0 AND request = id
    WHEN 'absorbed' THEN counter = 'absorbed_loss' AND amount > 0 AND request IS NOT NULL
    WHEN 'credit' THEN (counter = 'promo' OR counter = 'clearing') AND amount > 0 AND source IS NOT NULL
    WHEN 'refund' THEN (counter = 'refunds' OR counter = 'clearing') AND amount < 0 AND source IS NOT NULL
    ELSE FALSE END),
  CHECK (CASE kind
    WHEN 'usage' THEN source IS NULL
    WHEN 'absorbed' THEN source IS NULL
    ELSE reference IS NOT NULL END)
) STRICT`

const entryReference = `
CREATE UNIQUE INDEX entry_source_reference ON entry (source, reference) WHERE source IS NOT NULL`

const receipt = `
CREATE TABLE receipt (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES account (id),
  key INTEGER NOT NULL,
  hold INTEGER NOT NULL CHECK (hold >= 0),
  charged INTEGER NOT NULL CHECK (charged >= 0),
  absorbed INTEGER NOT NULL CHECK (absorbed >= 0),
  price_version INTEGER NOT NULL,
  model TEXT NOT NULL,
  dialect TEXT NOT NULL,
  streamed INTEGER NOT NULL,
  ended_ms INTEGER NOT NULL,
  provider TEXT NOT NULL,
  upstream TEXT NOT NULL,
  upstream_model TEXT NOT NULL,
  upstream_request_id TEXT,
  status INTEGER NOT NULL,
  end_reason TEXT NOT NULL,
  usage_source TEXT NOT NULL,
  error_code TEXT,
  input_uncached INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write_5m INTEGER NOT NULL,
  cache_write_1h INTEGER NOT NULL,
  input_audio INTEGER NOT NULL,
  output INTEGER NOT NULL,
  output_audio INTEGER NOT NULL,
  reasoning INTEGER NOT NULL,
  -- JSON: uses of server tools by meter; names of options; tries at upstreams.
  fees TEXT NOT NULL,
  ran_at TEXT NOT NULL,
  unpriced_usage INTEGER NOT NULL,
  upstream_cost INTEGER NOT NULL,
  output_limit INTEGER NOT NULL,
  output_lowered INTEGER NOT NULL,
  settled_late INTEGER NOT NULL,
  started_ms INTEGER NOT NULL,
  first_byte_ms INTEGER,
  attempts TEXT NOT NULL
) STRICT`

/** The only secondary index on the hot path. */
const receiptIndex = 'CREATE INDEX receipt_account_id ON receipt (account, id)'

const appendOnly = ['entry', 'receipt'].flatMap((table) =>
  ['UPDATE', 'DELETE'].map(
    (verb) => `
CREATE TRIGGER ${table}_no_${verb.toLowerCase()} BEFORE ${verb} ON ${table}
BEGIN
  SELECT RAISE(ABORT, '${table} rows are never changed or removed');
END`,
  ),
)

/** Who may own holds: a slot of the id space, and until when it is known to live (null: while it holds the lock). */
const process = `
CREATE TABLE process (
  id INTEGER PRIMARY KEY CHECK (id BETWEEN 0 AND 1023),
  started_ms INTEGER NOT NULL,
  lease_until_ms INTEGER
) STRICT`

const apiKey = `
CREATE TABLE api_key (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES account (id),
  name TEXT NOT NULL,
  label TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  created_ms INTEGER NOT NULL,
  expires_ms INTEGER,
  revoked_ms INTEGER,
  disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
  policy TEXT NOT NULL
) STRICT`

const priceVersion = `
CREATE TABLE price_version (
  id INTEGER PRIMARY KEY,
  model TEXT NOT NULL,
  effective_from_ms INTEGER NOT NULL,
  body TEXT NOT NULL,
  source TEXT NOT NULL,
  UNIQUE (model, effective_from_ms, body)
) STRICT`

const modelOverride = `
CREATE TABLE model_override (
  name TEXT PRIMARY KEY,
  body TEXT,
  disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1))
) STRICT`

const setting = 'CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT'

export const begin: Migration = {
  number: 1,
  name: 'begin',
  sqlite: [
    account,
    keyMeter,
    hold,
    entry,
    entryReference,
    receipt,
    receiptIndex,
    ...appendOnly,
    process,
    apiKey,
    'CREATE INDEX api_key_account ON api_key (account)',
    priceVersion,
    modelOverride,
    setting,
  ],
}
