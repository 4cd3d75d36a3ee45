/** `method.forget`: the saved method is forgotten here and at the provider; automatic top-ups end with it. */
import { accountOperationHandler } from '../handle-operation.ts'
import { billingOutput } from './output.ts'

export const forgetMethod = accountOperationHandler('method.forget', async (deps, _input, { account }) => {
  await deps.payments.forgetMethod(account.id)
  return billingOutput(deps, account)
})
