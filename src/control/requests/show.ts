/** `request.show`: the receipt of one request. */
import { TollgateError } from '../../base/errors.ts'
import { parseId } from '../../base/ids.ts'
import { accountVerb } from '../verb.ts'
import { receiptOutput } from './receipt-output.ts'

export const showRequest = accountVerb('request.show', async ({ ledger }, { request }) => {
  const id = parseId('req', request)
  const receipt = id === undefined ? undefined : await ledger.receipt(id)
  if (receipt !== undefined) return receiptOutput(receipt)
  throw new TollgateError('generation_not_found', {
    message: `The request ${request} still runs; it gets its receipt when it ends.`,
    param: 'request',
  })
})
