/** `account.list`: accounts in the order of creation, one page at a time. */
import { parseId } from '../../base/ids.ts'
import { operationHandler } from '../handle-operation.ts'
import { accountOutput } from './output.ts'

export const listAccounts = operationHandler('account.list', async (deps, { limit, after, search }) => {
  const afterId = after === undefined ? 0n : (parseId('acct', after) ?? 0n)
  const rows = await deps.ledger.accounts(limit, afterId, search ?? null)
  return rows.map(accountOutput)
})
