/**
 * The names by which accounts are found: rows of a table of their own, which the embedded database has as indexes. Where an account
 * gets another owner or email, statements of the control plane change its profile, and a trigger its names.
 */
import { byEmail, byOwner } from '../machine/rows.ts'

/** Inserts the names of accounts that have no rows yet. */
export const addAccountNames = `INSERT INTO account_name (name, account)
  SELECT '${byEmail('')}' || email, id FROM account_profile WHERE email IS NOT NULL
  UNION ALL SELECT '${byOwner('')}' || owner, id FROM account_profile WHERE owner IS NOT NULL`

export const accountNamesFollow: readonly string[] = [
  // By their keys: the table has no index by account.
  `CREATE FUNCTION rename_account() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN
      DELETE FROM account_name WHERE name IN ('${byEmail('')}' || OLD.email, '${byOwner('')}' || OLD.owner);
      INSERT INTO account_name (name, account)
        SELECT '${byEmail('')}' || NEW.email, NEW.id WHERE NEW.email IS NOT NULL
        UNION ALL SELECT '${byOwner('')}' || NEW.owner, NEW.id WHERE NEW.owner IS NOT NULL;
      RETURN NULL;
    END $$`,
  `CREATE TRIGGER account_profile_renamed AFTER UPDATE OF email, owner ON account_profile
    FOR EACH ROW EXECUTE FUNCTION rename_account()`,
  'DELETE FROM account_name',
  addAccountNames,
]
