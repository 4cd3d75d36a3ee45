/** `credit`: the operator adds credit to an account; idempotent by the reference. */
import { formatUsd } from '../../../contract/usd.ts'
import { TollgateError } from '../../base/errors.ts'
import { formatId } from '../../base/ids.ts'
import { nanoOf } from '../amount.ts'
import { findAccount } from '../find-account.ts'
import { operationHandler } from '../handle-operation.ts'

export const creditAccount = operationHandler(
  'credit',
  async (deps, { account, amount, reference, note }) => {
    const row = await findAccount(deps, account)
    const result = await deps.ledger.credit({
      entryId: deps.nextId(),
      account: row.id,
      amount: nanoOf(amount),
      source: 'manual',
      reference,
      nowMs: deps.clock.wallMs(),
      note: note ?? null,
    })
    switch (result.kind) {
      case 'credited':
        return {
          entry: formatId('ent', result.entryId),
          created: result.created,
          balance: formatUsd(result.posted),
        }
      case 'conflict':
        throw new TollgateError('conflict', {
          message: `The reference ${JSON.stringify(reference)} was used for another account or amount.`,
          param: 'reference',
        })
      case 'no_account':
        throw new TollgateError('account_not_found', {
          message: `The account ${formatId('acct', row.id)} no longer exists.`,
          param: 'account',
        })
    }
  },
)
