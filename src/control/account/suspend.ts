/** `account.suspend`: an account makes no more requests; its balance stays. */
import { formatId } from '../../base/ids.ts'
import { findAccount } from '../find-account.ts'
import { operationHandler } from '../handle-operation.ts'
import { accountOutput } from './output.ts'

export const suspendAccount = operationHandler('account.suspend', async (parts, { account }) => {
  const row = await findAccount(parts, account)
  await parts.ledger.suspend(row.id, parts.clock.wallMs())
  parts.changes.publish(row.id, ['account', 'balance'])
  return accountOutput(await findAccount(parts, formatId('acct', row.id)))
})
