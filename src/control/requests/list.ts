/** `requests.list`: the receipts of an account's requests, the latest first. */
import { parseId } from '../../base/ids.ts'
import { accountVerb } from '../verb.ts'
import { receiptOutput } from './receipt-output.ts'

export const listRequests = accountVerb('requests.list', async (parts, { limit, before }, { account }) => {
  const beforeId = before === undefined ? null : (parseId('req', before) ?? null)
  const receipts = await parts.ledger.receipts(account.id, limit, beforeId)
  return receipts.map(receiptOutput)
})
