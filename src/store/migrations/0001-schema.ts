/**
 * The schema. Money is int64 nano-USD, ids are int64 in time order, times are milliseconds.
 * The invariants of the rows are CHECK, UNIQUE and triggers here, in addition to the code that maintains them.
 */
import type { Migration } from './migration.ts'

/** Balances that admission and settlement read and write for every request. */
const account = `
CREATE TABLE account (
  id INTEGER PRIMARY KEY,
  -- The sum of the account's entries.
  posted INTEGER NOT NULL DEFAULT 0,
  -- The sum of its open holds.
  held INTEGER NOT NULL DEFAULT 0 CHECK (held >= 0),
  open_holds INTEGER NOT NULL DEFAULT 0 CHECK (open_holds >= 0),
  -- Open holds that count as concurrent requests: all but those whose concurrency is released.
  running INTEGER NOT NULL DEFAULT 0 CHECK (running BETWEEN 0 AND open_holds),
  -- How many entries it has; the position of the last one.
  entries INTEGER NOT NULL DEFAULT 0 CHECK (entries >= 0),
  -- What was written off because of this account on its last such UTC day (since 1970).
  write_off_day INTEGER NOT NULL DEFAULT 0,
  written_off INTEGER NOT NULL DEFAULT 0 CHECK (written_off >= 0),
  suspended_ms INTEGER,
  restricted_ms INTEGER,
  -- By how much a refund took posted below what was held at that time; nothing else may.
  overdrawn INTEGER NOT NULL DEFAULT 0 CHECK (overdrawn >= 0),
  -- The log of the last minute that src/limits/window.ts makes.
  rates BLOB NOT NULL DEFAULT x'',
  -- More can never be reserved than there is.
  CHECK (held <= posted + overdrawn)
) STRICT`

/** Whose an account is and what it is called: what no request reads. Has the account's id. */
const accountProfile = `
CREATE TABLE account_profile (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('personal', 'organization')),
  email TEXT UNIQUE,
  name TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  -- person:<id> or organization:<id> of the identity database; null: the command line's alone.
  owner TEXT,
  -- Whether it was decided what the account starts with, also where that was nothing and left no entry.
  credit_decided INTEGER NOT NULL DEFAULT 0 CHECK (credit_decided IN (0, 1))
) STRICT`

const keyUsage = `
CREATE TABLE key_usage (
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
  -- In which minute since 1970 its last request began or ended.
  minute INTEGER NOT NULL DEFAULT 0,
  -- The log of the last minute that src/limits/window.ts makes.
  rates BLOB NOT NULL DEFAULT x'',
  -- The key whose row it shares: a rotation gives no new budget. null: its own.
  shared INTEGER,
  -- What the key's budget allowed spent and held to sum up to when a hold was last taken. Settling only moves
  -- money from held to spent or gives it back, so the sum never grows in between.
  spent_max INTEGER,
  CHECK (spent_max IS NULL OR spent + held <= spent_max)
) STRICT`

/** Exists while its request runs, and not longer. */
const hold = `
CREATE TABLE hold (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES account (id),
  key INTEGER NOT NULL,
  process INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount >= 0),
  -- What it took from the rate windows.
  tokens INTEGER NOT NULL CHECK (tokens >= 0),
   concurrency_released INTEGER NOT NULL DEFAULT 0 CHECK (concurrency_released IN (0, 1)),
  output_limit INTEGER NOT NULL CHECK (output_limit >= 0),
  output_lowered INTEGER NOT NULL CHECK (output_lowered IN (0, 1)),
  price_version INTEGER NOT NULL,
  model TEXT NOT NULL,
  dialect TEXT NOT NULL,
  streamed INTEGER NOT NULL CHECK (streamed IN (0, 1)),
  created_ms INTEGER NOT NULL,
  -- What it would be charged if the process died now, and the receipt it would leave (JSON, by column).
  checkpoint_cost INTEGER CHECK (checkpoint_cost >= 0),
  checkpoint_draft TEXT,
  CHECK ((checkpoint_cost IS NULL) = (checkpoint_draft IS NULL))
) STRICT`

/** Each row moves an amount between a customer's account and a platform account (counter), so each row balances. */
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
  -- One CASE with the commonest kind first: a list of texts (IN) would be built again for every row. Usage of an account
  -- that a refund has taken below zero names the entry that covered it whole.
  CHECK (CASE kind
    WHEN 'usage' THEN counter = 'revenue' AND amount < 0 AND request = id
      AND (balance_after >= 0 OR reference IS NOT NULL)
    WHEN 'write_off' THEN counter = 'write_offs' AND amount > 0 AND request IS NOT NULL
    WHEN 'credit' THEN (counter = 'promo' OR counter = 'clearing') AND amount > 0 AND source IS NOT NULL
    WHEN 'refund' THEN (counter = 'refunds' OR counter = 'clearing') AND amount < 0 AND source IS NOT NULL
    ELSE FALSE END),
  CHECK (CASE kind
    WHEN 'usage' THEN source IS NULL
    WHEN 'write_off' THEN source IS NULL
    ELSE reference IS NOT NULL END)
) STRICT`

const receipt = `
CREATE TABLE receipt (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES account (id),
  key INTEGER NOT NULL,
  hold INTEGER NOT NULL CHECK (hold >= 0),
  charged INTEGER NOT NULL CHECK (charged BETWEEN 0 AND hold),
  written_off INTEGER NOT NULL CHECK (written_off >= 0),
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
  -- JSON: uses of server tools by billing unit; names of options; tries at upstreams.
  fees TEXT NOT NULL,
  ran_at TEXT NOT NULL,
  unpriced_usage INTEGER NOT NULL,
  upstream_cost INTEGER NOT NULL,
  output_limit INTEGER NOT NULL,
  output_lowered INTEGER NOT NULL,
  settled_late INTEGER NOT NULL,
  started_ms INTEGER NOT NULL,
  first_byte_ms INTEGER,
  attempts TEXT NOT NULL,
  -- A person's id of the identity database; null: the holder of the key.
  person TEXT,
  -- JSON: counts that the upstream reported and that cannot be, as reported; null: none.
  implausible TEXT,
  -- How the most that its input could be was found; null: closed after a crash without a checkpoint.
  input_bound TEXT,
  background INTEGER NOT NULL CHECK (background IN (0, 1)),
  -- Served with the account's own credential for the provider: upstream_cost is what its host charges the account.
  own_key INTEGER NOT NULL DEFAULT 0 CHECK (own_key IN (0, 1)),
  -- The share of its list price that was charged then, as a fraction such as 1/20; null: not on an own key.
  own_key_fee TEXT
) STRICT`

/** Who may own holds: a slot of the id space. */
const process = `
CREATE TABLE process (
  id INTEGER PRIMARY KEY CHECK (id BETWEEN 0 AND 1023),
  started_ms INTEGER NOT NULL
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
  -- JSON.
  policy TEXT NOT NULL,
  -- A person's id of the identity database; null: the command line or a management key.
  created_by TEXT,
  -- The key that takes its place after a rotation.
  replaced_by INTEGER
) STRICT`

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

/** The keys under which the console itself makes requests: one for an account that ever did. */
const builtInKey = `
CREATE TABLE built_in_key (
  account INTEGER PRIMARY KEY,
  key INTEGER NOT NULL UNIQUE
) STRICT, WITHOUT ROWID`

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

/** Upstreams that were added in the console, with sealed credentials. */
const upstream = `
CREATE TABLE upstream (
  name TEXT PRIMARY KEY,
  provider TEXT NOT NULL,
  -- With its path; null: the provider's own address.
  url TEXT,
  weight INTEGER NOT NULL CHECK (weight BETWEEN 1 AND 1000),
  disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1)),
  -- Sealed; bound to name, provider and url.
  credential BLOB NOT NULL,
  -- Its last characters, to recognise it.
  credential_end TEXT NOT NULL,
  updated_ms INTEGER NOT NULL,
  -- JSON: "all", or a list of {id, upstreamId}. Null: all at the provider's own address, none elsewhere.
  models TEXT,
  -- JSON of a custom host: {kind, formats, keyHeader}. Null: its provider is one of the list.
  custom TEXT,
  -- Its headers as JSON; sealed as the credential is.
  headers BLOB,
  -- JSON: tags, and limits of requests. Null: neither.
  routing TEXT
) STRICT`

/** Credentials of accounts for providers, sealed. */
const providerKey = `
CREATE TABLE provider_key (
  account INTEGER NOT NULL REFERENCES account (id),
  provider TEXT NOT NULL,
  use TEXT NOT NULL CHECK (use IN ('first', 'only')),
  -- Sealed; bound to account, provider and the address that it is sent to.
  credential BLOB NOT NULL,
  credential_end TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  updated_ms INTEGER NOT NULL,
  PRIMARY KEY (account, provider)
) STRICT, WITHOUT ROWID`

/** Rows are in the order of settlement, so that the oldest are found without an index. */
const providerObject = `
CREATE TABLE provider_object (
  position INTEGER PRIMARY KEY,
  account INTEGER NOT NULL,
  -- The provider's id of the answer or of an item in it.
  id TEXT NOT NULL,
  -- Where it was served and what it used.
  receipt INTEGER NOT NULL,
  referenced_scope TEXT NOT NULL
    CHECK (referenced_scope = 'output' OR referenced_scope = 'all' OR referenced_scope = 'window'),
  created_ms INTEGER NOT NULL,
  UNIQUE (account, id)
) STRICT`

/** Outlives the person, so that one address gets one starting credit. */
const signupCredit = `
CREATE TABLE signup_credit (
  -- A keyed hash of the folded address.
  address BLOB PRIMARY KEY,
  account INTEGER NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  -- The UTC day since 1970 on which it was given.
  day INTEGER NOT NULL
) STRICT, WITHOUT ROWID`

const audit = `
CREATE TABLE audit (
  id INTEGER PRIMARY KEY,
  at_ms INTEGER NOT NULL,
  actor TEXT NOT NULL,
  operation TEXT NOT NULL,
  account INTEGER,
  -- JSON without secrets.
  input TEXT NOT NULL,
  -- 'started' until it ends; then 'done' or a code of the error table.
  outcome TEXT NOT NULL,
  address TEXT
) STRICT`

const usageHour = `
CREATE TABLE usage_hour (
  account INTEGER NOT NULL,
  -- Hours since 1970.
  hour INTEGER NOT NULL,
  key INTEGER NOT NULL,
  -- '' for what was refused before its model was known to be one.
  model TEXT NOT NULL,
  requests INTEGER NOT NULL CHECK (requests >= 0),
  -- Of these, those that did not end complete, and those with a write-off.
  errors INTEGER NOT NULL CHECK (errors BETWEEN 0 AND requests),
  write_offs INTEGER NOT NULL CHECK (write_offs BETWEEN 0 AND requests),
  refused INTEGER NOT NULL CHECK (refused >= 0),
  -- Audio counts with the tokens of its direction.
  input_uncached INTEGER NOT NULL,
  cache_read INTEGER NOT NULL,
  cache_write INTEGER NOT NULL,
  output INTEGER NOT NULL,
  reasoning INTEGER NOT NULL,
  charged INTEGER NOT NULL CHECK (charged >= 0),
  written_off INTEGER NOT NULL CHECK (written_off >= 0),
  -- At list price what ran on the account's own provider keys.
  own_key_cost INTEGER NOT NULL DEFAULT 0 CHECK (own_key_cost >= 0),
  -- How many requests took how long, as base/histogram.ts writes it; interrupted ones are left out of the first.
  latency BLOB NOT NULL,
  first_byte BLOB NOT NULL,
  PRIMARY KEY (account, hour, key, model)
) STRICT, WITHOUT ROWID`

const refusalHour = `
CREATE TABLE refusal_hour (
  account INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  key INTEGER NOT NULL,
  -- Of the error table.
  code TEXT NOT NULL,
  count INTEGER NOT NULL CHECK (count > 0),
  PRIMARY KEY (account, hour, key, code)
) STRICT, WITHOUT ROWID`

/** The latest of each key; older ones are removed. */
const refusal = `
CREATE TABLE refusal (
  key INTEGER NOT NULL,
  -- The request's.
  id INTEGER NOT NULL,
  account INTEGER NOT NULL,
  code TEXT NOT NULL,
  status INTEGER NOT NULL,
  model TEXT,
  message TEXT NOT NULL,
  PRIMARY KEY (key, id)
) STRICT, WITHOUT ROWID`

/** Rows are permanent: they prove what was credited. */
const topUp = `
CREATE TABLE top_up (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES account (id),
  amount INTEGER NOT NULL CHECK (amount > 0),
  currency TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('test', 'live')),
  provider TEXT NOT NULL,
  -- The provider's ids; null until they are known.
  session TEXT UNIQUE,
  payment_intent TEXT UNIQUE,
  state TEXT NOT NULL CHECK (state IN
    ('open', 'processing', 'action_required', 'paid', 'failed', 'expired', 'refunded', 'partly_refunded', 'disputed')),
  automatic INTEGER NOT NULL CHECK (automatic IN (0, 1)),
  save_method INTEGER NOT NULL CHECK (save_method IN (0, 1)),
  problem TEXT,
  pay_url TEXT,
  -- What was taken back of it, and what of that stays taken.
  refunded INTEGER NOT NULL DEFAULT 0 CHECK (refunded BETWEEN 0 AND amount),
  disputed INTEGER NOT NULL DEFAULT 0 CHECK (disputed BETWEEN 0 AND amount),
  created_ms INTEGER NOT NULL,
  paid_ms INTEGER,
  -- When the provider was asked last where it is.
  checked_ms INTEGER NOT NULL,
  CHECK ((state IN ('paid', 'refunded', 'partly_refunded', 'disputed')) = (paid_ms IS NOT NULL)),
  CHECK (paid_ms IS NULL OR payment_intent IS NOT NULL)
) STRICT`

/** A refund or dispute of a top-up: the entry that took the money, and the one that returned it. */
const topUpReturn = `
CREATE TABLE top_up_return (
  entry INTEGER PRIMARY KEY,
  top_up INTEGER NOT NULL REFERENCES top_up (id),
  source TEXT NOT NULL CHECK (source IN ('refund', 'dispute')),
  reference TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  restored_entry INTEGER UNIQUE,
  UNIQUE (source, reference)
) STRICT`

const paymentMethod = `
CREATE TABLE payment_method (
  account INTEGER PRIMARY KEY REFERENCES account (id),
  mode TEXT NOT NULL CHECK (mode IN ('test', 'live')),
  customer TEXT NOT NULL,
  -- null: none is saved.
  method TEXT,
  -- Such as "Visa ending in 4242".
  words TEXT,
  CHECK ((method IS NULL) = (words IS NULL))
) STRICT`

const billingSetting = `
CREATE TABLE billing_setting (
  account INTEGER PRIMARY KEY REFERENCES account (id),
  auto_below INTEGER CHECK (auto_below > 0),
  auto_amount INTEGER CHECK (auto_amount > 0),
  -- Why automatic top-ups rest.
  auto_problem TEXT,
  -- Until when they wait, because the account had as many within a day as may be.
  auto_waits_ms INTEGER,
  alert_days INTEGER CHECK (alert_days > 0),
  -- When the warning was sent; null: armed.
  alert_sent_ms INTEGER,
  invoice_to TEXT NOT NULL DEFAULT '',
  -- Why a dispute freezes the account, and the account's suspended_ms by which; null where an operator suspended it.
  frozen TEXT,
  frozen_ms INTEGER,
  CHECK ((auto_below IS NULL) = (auto_amount IS NULL)),
  CHECK (frozen IS NOT NULL OR frozen_ms IS NULL)
) STRICT`

const redeemCode = `
CREATE TABLE redeem_code (
  id INTEGER PRIMARY KEY,
  -- A keyed hash of the code.
  hash BLOB NOT NULL UNIQUE,
  label TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount > 0),
  uses_max INTEGER NOT NULL CHECK (uses_max > 0),
  uses INTEGER NOT NULL DEFAULT 0 CHECK (uses BETWEEN 0 AND uses_max),
  expires_ms INTEGER,
  revoked_ms INTEGER,
  note TEXT,
  created_ms INTEGER NOT NULL
) STRICT`

const codeUse = `
CREATE TABLE code_use (
  code INTEGER NOT NULL REFERENCES redeem_code (id),
  account INTEGER NOT NULL REFERENCES account (id),
  entry INTEGER NOT NULL UNIQUE,
  PRIMARY KEY (code, account)
) STRICT, WITHOUT ROWID`

/** Events of the provider that were carried out; stored for as long as it may repeat them. */
const webhookEvent = `
CREATE TABLE webhook_event (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID`

/**
 * Files that accounts keep at providers. A row is written before the upload is sent: it has no file_id until the provider
 * has answered, and it stays until the provider confirms a deletion.
 */
const providerFile = `
CREATE TABLE provider_file (
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
  expires_ms INTEGER,
  -- When the deletion was requested; NULL: no deletion was requested.
  deletion_ms INTEGER
) STRICT`

/**
 * Responses that run in the background at their providers. Has the id of its hold, and counts as open as long as that is
 * open. A row is written before the request is sent: it has no response_id until the provider has answered.
 */
const backgroundResponse = `
CREATE TABLE background_response (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL,
  upstream TEXT,
  response_id TEXT,
  -- Prices, bounds and dates of the request as JSON; nothing that was asked or answered.
  facts TEXT,
  CHECK ((response_id IS NULL) = (facts IS NULL)),
  CHECK ((response_id IS NULL) = (upstream IS NULL))
) STRICT`

const appendOnly = ['entry', 'receipt'].flatMap((table) =>
  ['UPDATE', 'DELETE'].map(
    (verb) => `
CREATE TRIGGER ${table}_no_${verb.toLowerCase()} BEFORE ${verb} ON ${table}
BEGIN
  SELECT RAISE(ABORT, '${table} rows are never changed or removed');
END`,
  ),
)

/** Tables of the ledger's machine: each of its engines stores them differently. */
const machineTables = [account, accountProfile, keyUsage, hold, entry, receipt, process]

/** Alike in both databases. */
const otherTables = [
  apiKey,
  managementKey,
  builtInKey,
  priceVersion,
  modelOverride,
  upstream,
  providerObject,
  signupCredit,
  audit,
  usageHour,
  refusalHour,
  refusal,
  topUp,
  topUpReturn,
  paymentMethod,
  billingSetting,
  redeemCode,
  codeUse,
  webhookEvent,
  providerFile,
  providerKey,
  backgroundResponse,
  'CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT',
]

const machineIndexes = [
  'CREATE UNIQUE INDEX account_profile_owner ON account_profile (owner) WHERE owner IS NOT NULL',
  // Usage is found through its receipt, so that a request's entry is written into no further index.
  "CREATE INDEX entry_account_other ON entry (account, id) WHERE kind <> 'usage'",
  'CREATE UNIQUE INDEX entry_source_reference ON entry (source, reference) WHERE source IS NOT NULL',
  // An account's keys are few, and a key's account never changes.
  'CREATE INDEX key_usage_account ON key_usage (account)',
  'CREATE INDEX key_usage_shared ON key_usage (shared) WHERE shared IS NOT NULL',
  // The only secondary index that every request writes.
  'CREATE INDEX receipt_account_id ON receipt (account, id)',
]

const otherIndexes = [
  'CREATE INDEX api_key_account ON api_key (account)',
  'CREATE INDEX audit_account ON audit (account, id) WHERE account IS NOT NULL',
  'CREATE INDEX audit_account_actor ON audit (account, actor, id)',
  'CREATE INDEX audit_account_operation ON audit (account, operation, id)',
  'CREATE INDEX audit_actor ON audit (actor, id)',
  'CREATE INDEX audit_actor_operation ON audit (actor, operation, id)',
  'CREATE INDEX audit_operation ON audit (operation, id)',
  'CREATE INDEX background_response_of ON background_response (account, response_id)',
  'CREATE INDEX billing_setting_alert ON billing_setting (account) WHERE alert_days IS NOT NULL',
  'CREATE INDEX billing_setting_auto ON billing_setting (account) WHERE auto_below IS NOT NULL',
  'CREATE INDEX management_key_account ON management_key (account)',
  'CREATE INDEX provider_file_account ON provider_file (account, provider, id)',
  'CREATE UNIQUE INDEX provider_file_at ON provider_file (upstream, file_id) WHERE file_id IS NOT NULL',
  'CREATE INDEX provider_file_deletion ON provider_file (provider, upstream, id) WHERE deletion_ms IS NOT NULL',
  'CREATE INDEX provider_file_unfinished ON provider_file (id) WHERE file_id IS NULL',
  'CREATE INDEX refusal_account ON refusal (account, id)',
  'CREATE INDEX signup_credit_day ON signup_credit (day)',
  'CREATE INDEX top_up_account ON top_up (account, id)',
  'CREATE INDEX top_up_automatic ON top_up (automatic, state, created_ms)',
  'CREATE INDEX top_up_page ON top_up (checked_ms) WHERE pay_url IS NOT NULL',
  'CREATE INDEX top_up_return_top_up ON top_up_return (top_up)',
  // A partial index serves no question whose state is a parameter.
  'CREATE INDEX top_up_state ON top_up (state, checked_ms)',
  // For what one key did, whatever account pays for it; a row's place in it never changes.
  'CREATE INDEX usage_hour_key ON usage_hour (key, hour)',
  // For losses over all accounts.
  'CREATE INDEX usage_hour_write_offs ON usage_hour (hour, account) WHERE write_offs > 0',
  'CREATE INDEX webhook_event_at ON webhook_event (at_ms)',
]

/** Statements for both databases: the control plane's tables, in the SQL of the embedded database. */
export const sharedStatements: readonly string[] = [...otherTables, ...otherIndexes]

export const schema: Migration = {
  number: 1,
  name: 'schema',
  statements: [...machineTables, ...machineIndexes, ...sharedStatements, ...appendOnly],
}
