/** `account.show`: an account and its balance. */
import { findAccount } from '../find-account.ts'
import { verb } from '../verb.ts'
import { accountOutput } from './output.ts'

export const showAccount = verb('account.show', async (parts, { account }) =>
  accountOutput(await findAccount(parts, account)),
)
