/** `method.forget`: the saved method is forgotten here and at the provider; automatic top-ups end with it. */
import { accountOperationHandler } from '../handle-operation.ts'
import { billingOutput } from './output.ts'

export const forgetMethod = accountOperationHandler('method.forget', async (parts, _input, { account }) => {
  await parts.payments.forgetMethod(account.id)
  return billingOutput(parts, account)
})
