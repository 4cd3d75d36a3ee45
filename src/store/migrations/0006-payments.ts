/** Top-ups, what was taken back of them, saved methods, codes and what accounts want of billing. */
import type { Migration } from './migration.ts'

/**
 * The same table with one row more allowed: usage of an account that a refund has taken below zero, when the house
 * bears all of it. Such an entry names the entry that covered it.
 */
const entry = `
CREATE TABLE entry (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES account (id),
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
  CHECK (CASE kind
    WHEN 'usage' THEN counter = 'revenue' AND amount < 0 AND request = id
      AND (balance_after >= 0 OR reference IS NOT NULL)
    WHEN 'absorbed' THEN counter = 'absorbed_loss' AND amount > 0 AND request IS NOT NULL
    WHEN 'credit' THEN (counter = 'promo' OR counter = 'clearing') AND amount > 0 AND source IS NOT NULL
    WHEN 'refund' THEN (counter = 'refunds' OR counter = 'clearing') AND amount < 0 AND source IS NOT NULL
    ELSE FALSE END),
  CHECK (CASE kind
    WHEN 'usage' THEN source IS NULL
    WHEN 'absorbed' THEN source IS NULL
    ELSE reference IS NOT NULL END)
) STRICT`

const entryAgain = [
  'ALTER TABLE entry RENAME TO entry_before',
  entry,
  `INSERT INTO entry (id, account, position, counter, kind, amount, balance_after, source, reference, request, note,
      created_ms)
    SELECT id, account, position, counter, kind, amount, balance_after, source, reference, request, note, created_ms
      FROM entry_before`,
  'DROP TABLE entry_before',
  'CREATE UNIQUE INDEX entry_source_reference ON entry (source, reference) WHERE source IS NOT NULL',
  // Usage is found through its receipt, so that a request's entry is written into no further index.
  "CREATE INDEX entry_account_other ON entry (account, id) WHERE kind <> 'usage'",
  ...['UPDATE', 'DELETE'].map(
    (verb) => `
CREATE TRIGGER entry_no_${verb.toLowerCase()} BEFORE ${verb} ON entry
BEGIN
  SELECT RAISE(ABORT, 'entry rows are never changed or removed');
END`,
  ),
]

/** Rows stay for good: they are what a payment is answered for. */
const topUp = `
CREATE TABLE top_up (
  id INTEGER PRIMARY KEY,
  account INTEGER NOT NULL REFERENCES account (id),
  amount INTEGER NOT NULL CHECK (amount > 0),
  currency TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('test', 'live')),
  provider TEXT NOT NULL,
  -- The provider's ids; null until it has told them.
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

/** One refund or dispute of a top-up: the entry that took the money, and the one that gave it back. */
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

/** Events of the provider that were carried out; kept for as long as it may repeat them. */
const webhookEvent = `
CREATE TABLE webhook_event (
  id TEXT PRIMARY KEY,
  type TEXT NOT NULL,
  at_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID`

export const payments: Migration = {
  number: 6,
  name: 'payments',
  sqlite: [
    ...entryAgain,
    topUp,
    'CREATE INDEX top_up_account ON top_up (account, id)',
    // Those that the provider may still say something new about.
    "CREATE INDEX top_up_unsettled ON top_up (checked_ms) WHERE state IN ('open', 'processing', 'action_required', 'disputed')",
    topUpReturn,
    'CREATE INDEX top_up_return_top_up ON top_up_return (top_up)',
    paymentMethod,
    billingSetting,
    redeemCode,
    codeUse,
    webhookEvent,
    'CREATE INDEX webhook_event_at ON webhook_event (at_ms)',
  ],
}
