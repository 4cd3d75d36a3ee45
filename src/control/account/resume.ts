/** `account.resume`: a suspended account can send requests again. */
import { formatId } from '../../base/ids.ts'
import { findAccount } from '../find-account.ts'
import { operationHandler } from '../handle-operation.ts'
import { accountOutput } from './output.ts'

export const resumeAccount = operationHandler('account.resume', async (deps, { account }) => {
  const row = await findAccount(deps, account)
  await deps.ledger.suspend(row.id, null)
  deps.changes.publish(row.id, ['account', 'balance'])
  return accountOutput(await findAccount(deps, formatId('acct', row.id)))
})
