/** `requests.running`: an account's running requests, and `request.stop`: stops one of them. */
import { formatUsd } from '../../../contract/usd.ts'
import { assert } from '../../base/assert.ts'
import { formatId, parseId } from '../../base/ids.ts'
import { accountOperationHandler } from '../handle-operation.ts'
import { isoTime } from '../iso-time.ts'

export const runningRequests = accountOperationHandler(
  'requests.running',
  async ({ usage }, _input, { account }) => {
    const running = await usage.running(account.id)
    return running.map(({ id, key, model, dialect, streamed, held, startedMs }) => ({
      id: formatId('req', id),
      account: formatId('acct', account.id),
      key: formatId('key', key),
      model,
      dialect,
      streamed,
      held: formatUsd(held),
      started: isoTime(startedMs),
    }))
  },
)

/** What was delivered is charged; the client gets an error in its stream. */
export const stopRequest = accountOperationHandler('request.stop', async ({ server }, { request }) => {
  const id = parseId('req', request)
  assert(id !== undefined, 'an id of parsed input is an id')
  return { id: request, stopped: await server.stop(id) }
})
