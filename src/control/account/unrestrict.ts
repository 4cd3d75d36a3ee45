/** `account.unrestrict`: an account regains the features that cannot be bounded in advance. */
import { findAccount } from '../find-account.ts'
import { operationHandler } from '../handle-operation.ts'
import { accountOutput } from './output.ts'

export const unrestrictAccount = operationHandler('account.unrestrict', async (deps, { account }) => {
  const row = await findAccount(deps, account)
  await deps.ledger.unrestrict(row.id)
  return accountOutput(await findAccount(deps, account))
})
