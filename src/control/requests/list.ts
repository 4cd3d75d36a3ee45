/** `requests.list`: the receipts of an account's requests, the latest first. */
import { parseId } from '../../base/ids.ts'
import { findAccount } from '../find-account.ts'
import { verb } from '../verb.ts'
import { receiptOutput } from './receipt-output.ts'

export const listRequests = verb('requests.list', async (parts, { account, limit, before }) => {
  const row = await findAccount(parts, account)
  const beforeId = before === undefined ? null : (parseId('req', before) ?? null)
  const receipts = await parts.ledger.receipts(row.id, limit, beforeId)
  return receipts.map(receiptOutput)
})
