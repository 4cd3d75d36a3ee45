/** Indexes for the filters that lists and background looks offer, so that none reads a table from end to end. */
import type { Migration } from './migration.ts'

export const lists: Migration = {
  number: 11,
  name: 'lists',
  sqlite: [
    'CREATE INDEX audit_actor ON audit (actor, id)',
    'CREATE INDEX audit_operation ON audit (operation, id)',
    'CREATE INDEX audit_account_actor ON audit (account, actor, id)',
    'CREATE INDEX audit_account_operation ON audit (account, operation, id)',
    'CREATE INDEX audit_actor_operation ON audit (actor, operation, id)',
    // A partial index serves no question whose state is a parameter.
    'DROP INDEX top_up_unsettled',
    'CREATE INDEX top_up_state ON top_up (state, checked_ms)',
    'CREATE INDEX top_up_page ON top_up (checked_ms) WHERE pay_url IS NOT NULL',
    'CREATE INDEX top_up_automatic ON top_up (automatic, state, created_ms)',
    'CREATE INDEX billing_setting_auto ON billing_setting (account) WHERE auto_below IS NOT NULL',
    'CREATE INDEX billing_setting_alert ON billing_setting (account) WHERE alert_days IS NOT NULL',
  ],
}
