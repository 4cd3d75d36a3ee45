/** `method.forget`: the saved method is forgotten here and at the provider; automatic top-ups end with it. */
import { accountVerb } from '../verb.ts'
import { billingOutput } from './output.ts'

export const forgetMethod = accountVerb('method.forget', async (parts, _input, { account }) => {
  await parts.payments.forgetMethod(account.id)
  return billingOutput(parts, account)
})
