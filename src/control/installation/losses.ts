/** `losses.list`: what was written off. */
import { formatUsd } from '../../../contract/usd.ts'
import { formatId } from '../../base/ids.ts'
import { operationHandler } from '../handle-operation.ts'
import { isoTimeOrNull } from '../iso-time.ts'

const defaultRangeMs = 30 * 24 * 3_600_000

export const listLosses = operationHandler(
  'losses.list',
  async ({ usage, ledger, clock }, { from, to, limit }) => {
    const toMs = to === undefined ? clock.wallMs() : Date.parse(to)
    const fromMs = from === undefined ? toMs - defaultRangeMs : Date.parse(from)
    const { total, accounts } = await usage.losses({ fromMs, toMs, limit })
    return {
      total: formatUsd(total),
      accounts: await Promise.all(
        accounts.map(async ({ account, writtenOff, requests }) => {
          const row = await ledger.account(account)
          return {
            account: formatId('acct', account),
            email: row?.email ?? null,
            writtenOff: formatUsd(writtenOff),
            requests,
            restricted: isoTimeOrNull(row?.restrictedMs ?? null),
          }
        }),
      ),
    }
  },
)
