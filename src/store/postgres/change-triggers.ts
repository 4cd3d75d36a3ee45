/** The triggers that notify all processes of the tables and rows that have changed. No statement runs here. */

/** Where notifications are sent: `<table> <sender>`, and the ID of the row where it matters. */
export const channel = 'tollgate'

/** The sender is the second word of the name of its connection. */
const payload = (id: string): string =>
  `TG_TABLE_NAME || ' ' || coalesce(nullif(split_part(current_setting('application_name'), ' ', 2), ''), '-')${id}`

const notify = (name: string, id: string): string =>
  `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN PERFORM pg_notify('${channel}', ${payload(id)}); RETURN NULL; END $$`

const trigger = (table: string, when: string): string => `CREATE TRIGGER ${table}_changed AFTER ${when}`

/** Tables that a process has fully in memory. */
const wholeTables = ['model_override', 'price_version', 'upstream', 'setting']

/** Triggers on tables of the control plane and the ledger. */
export const changeTriggers: readonly string[] = [
  notify('notify_table', ''),
  notify('notify_row', " || ' ' || coalesce(NEW.id, OLD.id)"),
  notify('notify_account', " || ' ' || coalesce(NEW.account, OLD.account)"),
  ...wholeTables.map((table) =>
    trigger(
      table,
      `INSERT OR UPDATE OR DELETE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION notify_table()`,
    ),
  ),
  trigger('api_key', 'UPDATE OR DELETE ON api_key FOR EACH ROW EXECUTE FUNCTION notify_row()'),
  trigger(
    'provider_key',
    'INSERT OR UPDATE OR DELETE ON provider_key FOR EACH ROW EXECUTE FUNCTION notify_account()',
  ),
  trigger(
    'account',
    `UPDATE ON account FOR EACH ROW WHEN (OLD.suspended_ms IS DISTINCT FROM NEW.suspended_ms)
      EXECUTE FUNCTION notify_row()`,
  ),
]

/** Triggers of the identity database: for sessions that end, and people that change. */
export const identityTriggers: readonly string[] = ['auth_session', 'auth_user', 'auth_member'].map((table) =>
  trigger(table, `UPDATE OR DELETE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION notify_table()`),
)
