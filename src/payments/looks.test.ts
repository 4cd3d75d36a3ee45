/** The background polling of payments scans no table from end to end, however many top-ups exist. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestLedger } from '../../test/support/open-ledger.ts'
import { watchQueries } from '../../test/support/query-plans.ts'
import { billingRows } from './settings.ts'
import { type TopUpDraft, topUpRows } from './top-up-rows.ts'

test('each look finds its rows by an index', async (context) => {
  const on = await openTestLedger(context)
  const watched = watchQueries(on)
  const topUps = topUpRows(watched.store)
  const billing = billingRows(watched.store)
  const draft = {
    ...{ id: 1n, account: 1n, amount: 1n, mode: 'test' as const, provider: 'stripe', nowMs: 5 },
    ...{ automatic: false, saveMethod: false },
  } satisfies TopUpDraft
  const looks: readonly (readonly [name: string, index: RegExp, look: () => Promise<unknown>])[] = [
    [
      'unsettled',
      /INDEX top_up_state .*INDEX top_up_page .*INDEX top_up_state /,
      () => topUps.unsettled({ openMs: 5, disputedMs: 5 }, 10),
    ],
    ['unsent', /INDEX top_up_(automatic|state) /, () => topUps.unsent(10)],
    [
      'pageless',
      /INDEX top_up_automatic /,
      () => topUps.pageless({ mode: 'test', nowMs: 5, triedMs: 5 }, 10),
    ],
    ['short', /INDEX billing_setting_auto/, () => billing.short({ mode: 'test', nowMs: 5 }, 10)],
    ['alerts', /INDEX billing_setting_alert/, () => billing.alerts(5n, 10)],
    [
      'list of an account',
      /INDEX top_up_account/,
      () => topUps.list({ account: 1n, limit: 5, before: null }),
    ],
    ['open ones of an account', /INDEX top_up_(account|state)/, () => topUps.insertOpen(draft, 0)],
    ['of a payment', /SEARCH top_up USING INDEX/, () => topUps.findByPayment('pi_1')],
  ]
  for (const [name, index, look] of looks) {
    await look()
    const plan = watched.plans().join('; ')
    assert.match(plan, index, name)
    assert.doesNotMatch(plan, /SCAN (top_up|billing_setting|setting|account|payer)(;|$)/, name)
  }
})
