/** `requests.list`: the receipts of an account's requests, the latest first. */
import { accountOperationHandler } from '../handle-operation.ts'
import { receiptOutputs } from './receipt-output.ts'
import { rangeTooWide, receiptBatches, searchOf } from './search.ts'

/** What was found within the bound is returned; nothing at all would say that there is no more. */
export const listRequests = accountOperationHandler(
  'requests.list',
  async (deps, input, { account, actor }) => {
    const search = searchOf(account.id, input, input.before ?? null)
    const { receiptsScannedMax } = deps.limits
    const outputs: Awaited<ReturnType<typeof receiptOutputs>> = []
    let looked = 0
    for await (const { receipts, scanned } of receiptBatches(deps, search, input.limit)) {
      outputs.push(...(await receiptOutputs(deps, receipts, actor)))
      looked += scanned
      if (looked < receiptsScannedMax) continue
      if (outputs.length === 0) throw rangeTooWide(receiptsScannedMax)
      break
    }
    return outputs
  },
)
