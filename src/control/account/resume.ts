/** `account.resume`: a suspended account makes requests again. */
import { formatId } from '../../base/ids.ts'
import { findAccount } from '../find-account.ts'
import { operationHandler } from '../handle-operation.ts'
import { accountOutput } from './output.ts'

export const resumeAccount = operationHandler('account.resume', async (parts, { account }) => {
  const row = await findAccount(parts, account)
  await parts.ledger.suspend(row.id, null)
  parts.changes.publish(row.id, ['account', 'balance'])
  return accountOutput(await findAccount(parts, formatId('acct', row.id)))
})
