/** A key as the control plane shows it: its permissions and its usage. Never the key. */
import type { OperationOutput } from '../../../contract/operations.ts'
import { formatUsd } from '../../../contract/usd.ts'
import type { KeyRow } from '../../access/types.ts'
import { assert } from '../../base/assert.ts'
import { formatId } from '../../base/ids.ts'
import type { ControlDeps } from '../control-deps.ts'
import { isoTime, isoTimeOrNull } from '../iso-time.ts'

export type KeyOut = OperationOutput<'key.list'>[number]

/** Of keys that all belong to one account. */
export async function keyOutputs(deps: ControlDeps, rows: readonly KeyRow[]): Promise<KeyOut[]> {
  const [first] = rows
  if (first === undefined) return []
  const builtIn = await deps.builtInKeys.of(first.account)
  const uses = await deps.usage.keyActivity(rows.map(({ id }) => id))
  return Promise.all(
    rows.map(async (row) => {
      const use = uses.get(row.id)
      assert(use !== undefined, 'usage knows every key that it is asked for')
      return {
        ...(await keyFields(deps, row)),
        builtIn: row.id === builtIn,
        lastUsed: isoTimeOrNull(use.lastUsedMs),
        spent: formatUsd(use.spent),
      }
    }),
  )
}

export async function keyOutput(deps: ControlDeps, row: KeyRow): Promise<KeyOut> {
  const [output] = await keyOutputs(deps, [row])
  assert(output !== undefined, 'one key is shown as one')
  return output
}

type KeyFields = Omit<KeyOut, 'builtIn' | 'lastUsed' | 'spent'>

async function keyFields({ ledger, clock }: ControlDeps, row: KeyRow): Promise<KeyFields> {
  const { budget, models, rates, onShortBalance, showBalance, showCost } = row.policy
  const inWindow = budget === null ? null : await ledger.keySpend(row.id, budget.window, clock.wallMs())
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
    requiredTags: row.policy.requiredTags ? [...row.policy.requiredTags] : null,
    fallbacks: row.policy.fallbacks ? [...row.policy.fallbacks] : null,
    limits: rates,
    onShortBalance,
    showBalance,
    showCost,
    automaticCaching: row.policy.automaticCaching ?? 'conversations',
    managed: [...(row.policy.managed ?? [])],
    createdBy: row.createdBy,
    spentInWindow: inWindow === null ? null : formatUsd(inWindow.spent),
    replacedBy: row.replacedBy === null ? null : formatId('key', row.replacedBy),
  }
}
