/** `billing.show`: how an account pays, and what it has. */
import { accountOperationHandler } from '../handle-operation.ts'
import { billingOutput } from './output.ts'

export const showBilling = accountOperationHandler('billing.show', (deps, _input, { account }) =>
  billingOutput(deps, account),
)
