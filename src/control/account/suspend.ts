/** `account.suspend`: an account can send no more requests; its balance stays. */
import { formatId } from '../../base/ids.ts'
import { findAccount } from '../find-account.ts'
import { operationHandler } from '../handle-operation.ts'
import { accountOutput } from './output.ts'

export const suspendAccount = operationHandler('account.suspend', async (deps, { account }) => {
  const row = await findAccount(deps, account)
  await deps.ledger.suspend(row.id, deps.clock.wallMs())
  deps.changes.publish(row.id, ['account', 'balance'])
  return accountOutput(await findAccount(deps, formatId('acct', row.id)))
})
