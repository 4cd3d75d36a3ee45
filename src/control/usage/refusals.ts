/** `refusals.list` and `key.refusals`: rejected requests, by code and one by one. */
import type { OperationOutput } from '../../../contract/operations.ts'
import { assert } from '../../base/assert.ts'
import { formatId, idTimeMs, parseId } from '../../base/ids.ts'
import type { RefusalReport } from '../../usage/types.ts'
import { accountOperationHandler } from '../handle-operation.ts'
import { isoTime } from '../iso-time.ts'

export const listRefusals = accountOperationHandler('refusals.list', async ({ usage }, _input, { account }) =>
  reportOutput(await usage.refusals(account.id, null)),
)

export const keyRefusals = accountOperationHandler(
  'key.refusals',
  async ({ usage }, { key }, { account }) => {
    const id = parseId('key', key)
    assert(id !== undefined, 'an id of parsed input is an id')
    return reportOutput(await usage.refusals(account.id, id))
  },
)

function reportOutput({ counts, latest }: RefusalReport): OperationOutput<'refusals.list'> {
  return {
    counts: [...counts],
    latest: latest.map(({ id, key, code, status, model, message }) => ({
      at: isoTime(idTimeMs(id)),
      request: formatId('req', id),
      key: formatId('key', key),
      code,
      status,
      model,
      message,
    })),
  }
}
