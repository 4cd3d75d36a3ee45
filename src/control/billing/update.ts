/** `billing.update`: an account's settings for automatic top-ups, alerts and invoices. */
import { nanoOf } from '../amount.ts'
import { accountOperationHandler } from '../handle-operation.ts'
import { billingOutput } from './output.ts'

export const updateBilling = accountOperationHandler('billing.update', async (deps, input, { account }) => {
  const { autoTopUp, alertDays, invoiceTo } = input
  await deps.payments.change(account.id, {
    ...(autoTopUp === undefined
      ? {}
      : {
          autoTopUp:
            autoTopUp === null ? null : { below: nanoOf(autoTopUp.below), amount: nanoOf(autoTopUp.amount) },
        }),
    ...(alertDays === undefined ? {} : { alertDays }),
    ...(invoiceTo === undefined ? {} : { invoiceTo }),
  })
  deps.changes.publish(account.id, ['billing'])
  return billingOutput(deps, account)
})
