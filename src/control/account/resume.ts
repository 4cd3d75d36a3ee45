/** `account.resume`: a suspended account makes requests again. */
import { findAccount } from '../find-account.ts'
import { verb } from '../verb.ts'
import { accountOutput } from './output.ts'

export const resumeAccount = verb('account.resume', async (parts, { account }) => {
  const row = await findAccount(parts, account)
  await parts.ledger.suspend(row.id, null)
  return accountOutput(await findAccount(parts, account))
})
