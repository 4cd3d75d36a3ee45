/** `request.show`: the receipt of one request, with the rates that it was charged at. */
import type { OperationOutput } from '../../../contract/operations.ts'
import { formatUsd } from '../../../contract/usd.ts'
import { TollgateError } from '../../base/errors.ts'
import { parseId } from '../../base/ids.ts'
import type { ReceiptRow } from '../../ledger/types.ts'
import { usedRates } from '../../ledger/used-rates.ts'
import type { ControlDeps } from '../control-deps.ts'
import { accountOperationHandler } from '../handle-operation.ts'
import { receiptOutputs } from './receipt-output.ts'

export const showRequest = accountOperationHandler('request.show', async (deps, { request }, { actor }) => {
  const id = parseId('req', request)
  const receipt = id === undefined ? undefined : await deps.ledger.receipt(id)
  const [shown] = receipt === undefined ? [] : await receiptOutputs(deps, [receipt], actor)
  if (receipt !== undefined && shown !== undefined) return { ...shown, rates: await ratesOf(deps, receipt) }
  throw new TollgateError('generation_not_found', {
    message: `The request ${request} is still running. Its receipt is created when it ends.`,
    param: 'request',
  })
})

async function ratesOf(
  { catalog }: Pick<ControlDeps, 'catalog'>,
  receipt: ReceiptRow,
): Promise<OperationOutput<'request.show'>['rates']> {
  const price = (await catalog.prices(receipt.model)).find(({ id }) => id === receipt.priceVersion)
  if (price === undefined) return null
  const { tokens, fees } = usedRates(receipt, price, receipt.ownKey ? 'list' : 'rates')
  return { tokens: inUsd(tokens), fees: inUsd(fees) }
}

function inUsd(amounts: Readonly<Record<string, bigint>>): Record<string, string> {
  return Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, formatUsd(amount)]))
}
