/** Who owns an account, who got a starting credit, and who changed what. */
import type { Migration } from './migration.ts'

const owner = [
  // `person:<id>` or `organization:<id>` of the identity database; null: the command line's alone.
  'ALTER TABLE account ADD COLUMN owner TEXT',
  'CREATE UNIQUE INDEX account_owner ON account (owner) WHERE owner IS NOT NULL',
]

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

export const people: Migration = {
  number: 3,
  name: 'people',
  sqlite: [
    ...owner,
    signupCredit,
    'CREATE INDEX signup_credit_day ON signup_credit (day)',
    audit,
    'CREATE INDEX audit_account ON audit (account, id) WHERE account IS NOT NULL',
  ],
}
