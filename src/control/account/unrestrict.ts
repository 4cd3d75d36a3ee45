/** `account.unrestrict`: an account gets back the features that cannot be bounded beforehand. */
import { findAccount } from '../find-account.ts'
import { verb } from '../verb.ts'
import { accountOutput } from './output.ts'

export const unrestrictAccount = verb('account.unrestrict', async (parts, { account }) => {
  const row = await findAccount(parts, account)
  await parts.ledger.unrestrict(row.id)
  return accountOutput(await findAccount(parts, account))
})
