/** The permissions of a new key: what was requested, and the defaults for the rest. */
import type { OperationInput } from '../../../contract/operations.ts'
import type { KeyPolicy } from '../../access/types.ts'
import type { AccountRow } from '../../ledger/types.ts'
import { nanoOf } from '../amount.ts'

/** Nothing limited beyond what limits the account. Members of an organization do not see its balance. */
export function defaultPolicy(kind: AccountRow['kind']): KeyPolicy {
  return {
    rates: { requestsPerMinute: null, tokensPerMinute: null, concurrent: null },
    budget: null,
    models: null,
    onShortBalance: 'lower',
    showBalance: kind === 'personal',
    showCost: false,
  }
}

export function policyOf(asked: OperationInput<'key.create'>, kind: AccountRow['kind']): KeyPolicy {
  const defaults = defaultPolicy(kind)
  return {
    rates: {
      requestsPerMinute: asked.limits?.requestsPerMinute ?? null,
      tokensPerMinute: asked.limits?.tokensPerMinute ?? null,
      concurrent: asked.limits?.concurrent ?? null,
    },
    budget:
      asked.budget === undefined || asked.budget === null
        ? null
        : { amount: nanoOf(asked.budget.amount), window: asked.budget.window },
    models: asked.models ?? null,
    requiredTags: asked.requiredTags ?? null,
    fallbacks: asked.fallbacks ?? null,
    onShortBalance: asked.onShortBalance,
    showBalance: asked.showBalance ?? defaults.showBalance,
    showCost: asked.showCost ?? defaults.showCost,
    automaticCaching: asked.automaticCaching ?? 'conversations',
  }
}
