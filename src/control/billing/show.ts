/** `billing.show`: how an account pays, and what it has. */
import { accountOperationHandler } from '../handle-operation.ts'
import { billingOutput } from './output.ts'

export const showBilling = accountOperationHandler('billing.show', (parts, _input, { account }) =>
  billingOutput(parts, account),
)
