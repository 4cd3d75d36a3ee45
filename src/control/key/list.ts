/** `key.list`: an account's keys as their owner may see them. */
import type { OperationOutput } from '../../../contract/operations.ts'
import { formatUsd } from '../../../contract/usd.ts'
import type { KeyRow } from '../../access/types.ts'
import { formatId } from '../../base/ids.ts'
import { isoTime, isoTimeOrNull } from '../iso-time.ts'
import { accountVerb } from '../verb.ts'

export const listKeys = accountVerb('key.list', async (parts, _input, { account }) => {
  const keys = await parts.access.list(account.id)
  return keys.map(keyOutput)
})

function keyOutput(row: KeyRow): OperationOutput<'key.list'>[number] {
  const { budget, models, rates, onShortBalance, showBalance } = row.policy
  return {
    id: formatId('key', row.id),
    account: formatId('acct', row.account),
    name: row.name,
    label: row.label,
    created: isoTime(row.createdMs),
    expires: isoTimeOrNull(row.expiresMs),
    revoked: isoTimeOrNull(row.revokedMs),
    disabled: row.disabled,
    budget: budget === null ? null : { amount: formatUsd(budget.amount), window: budget.window },
    models: models === null ? null : [...models],
    limits: rates,
    onShortBalance,
    showBalance,
  }
}
