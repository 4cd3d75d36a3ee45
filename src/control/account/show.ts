/** `account.show`: an account and its balance. */
import { accountOperationHandler } from '../handle-operation.ts'
import { accountOutput } from './output.ts'

export const showAccount = accountOperationHandler('account.show', async (_deps, _input, { account }) =>
  accountOutput(account),
)
