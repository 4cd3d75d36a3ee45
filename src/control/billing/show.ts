/** `billing.show`: how an account pays, and what it has. */
import { accountVerb } from '../verb.ts'
import { billingOutput } from './output.ts'

export const showBilling = accountVerb('billing.show', (parts, _input, { account }) =>
  billingOutput(parts, account),
)
