/** That somebody decided what an account starts with, also where that was nothing and left no entry. */
import type { Migration } from './migration.ts'

export const decidedCredit: Migration = {
  number: 9,
  name: 'decided-credit',
  sqlite: [
    'ALTER TABLE account ADD COLUMN credit_decided INTEGER NOT NULL DEFAULT 0 CHECK (credit_decided IN (0, 1))',
    // A credit by whoever made the account names the account, one for signing up the person.
    `UPDATE account SET credit_decided = 1
      WHERE id IN (SELECT account FROM entry WHERE source = 'signup' AND reference NOT LIKE 'person:%')`,
  ],
}
