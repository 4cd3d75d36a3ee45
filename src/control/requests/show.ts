/** `request.show`: the receipt of one request. */
import { TollgateError } from '../../base/errors.ts'
import { parseId } from '../../base/ids.ts'
import { accountOperationHandler } from '../handle-operation.ts'
import { receiptOutputs } from './receipt-output.ts'

export const showRequest = accountOperationHandler('request.show', async (deps, { request }, { actor }) => {
  const id = parseId('req', request)
  const receipt = id === undefined ? undefined : await deps.ledger.receipt(id)
  const [shown] = receipt === undefined ? [] : await receiptOutputs(deps, [receipt], actor)
  if (shown !== undefined) return shown
  throw new TollgateError('generation_not_found', {
    message: `The request ${request} is still running. Its receipt is created when it ends.`,
    param: 'request',
  })
})
