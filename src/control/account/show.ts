/** `account.show`: an account and its balance. */
import { accountVerb } from '../verb.ts'
import { accountOutput } from './output.ts'

export const showAccount = accountVerb('account.show', async (_parts, _input, { account }) =>
  accountOutput(account),
)
