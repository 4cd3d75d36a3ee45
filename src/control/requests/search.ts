/** Searches receipts by their fields, in bounded steps that each occupy the reading thread briefly. The latest first. */
import type { OperationInput } from '../../../contract/operations.ts'
import { assert } from '../../base/assert.ts'
import { TollgateError } from '../../base/errors.ts'
import { firstIdAt, parseId } from '../../base/ids.ts'
import type { ReceiptSearch, ReceiptsFound } from '../../usage/types.ts'
import type { ControlDeps } from '../control-deps.ts'

type RequestFilter = OperationInput<'requests.csv'>
type Search = Omit<ReceiptSearch, 'limit' | 'scannedMax'>

const stepRows = 500
const afterAll = (1n << 63n) - 1n

/** `before`: an id that the receipts are older than; null: none. A `from` that is left out has no bound. */
export function searchOf(
  account: bigint,
  { from, to, model, key, outcome }: RequestFilter,
  before: string | null,
): Search {
  const keyId = key === undefined ? null : parseId('key', key)
  const beforeId = before === null ? afterAll : parseId('req', before)
  assert(keyId !== undefined && beforeId !== undefined, 'an id of parsed input is an id')
  const toId = to === undefined ? afterAll : firstIdAt(Date.parse(to))
  return {
    account,
    fromId: from === undefined ? 0n : firstIdAt(Date.parse(from)),
    beforeId: toId < beforeId ? toId : beforeId,
    key: keyId,
    model: model ?? null,
    outcome: outcome ?? null,
  }
}

/**
 * Yields what is found in batches, at most `rowsMax` receipts. The caller counts what was scanned, and stops
 * when it is enough.
 */
export async function* receiptBatches(
  { usage, limits }: Pick<ControlDeps, 'usage' | 'limits'>,
  search: Search,
  rowsMax: number,
): AsyncGenerator<ReceiptsFound, void> {
  let rows = 0
  let next: bigint | null = search.beforeId
  while (rows < rowsMax && next !== null) {
    const found: ReceiptsFound = await usage.searchReceipts({
      ...search,
      beforeId: next,
      limit: Math.min(stepRows, rowsMax - rows),
      scannedMax: limits.usageSliceRowsMax,
    })
    yield found
    rows += found.receipts.length
    next = found.next
  }
}

export function rangeTooWide(scannedMax: number): TollgateError {
  return new TollgateError('invalid_value', {
    message: `from: more than ${scannedMax} requests would have to be scanned; choose a shorter period.`,
    param: 'from',
  })
}
