/** The default policy of a key, and how policies are stored. Pure. */
import type { KeyPolicy } from './types.ts'

/** No limits beyond the account's. Stored policies lack fields that were added later. */
export const policyDefaults: KeyPolicy = {
  rates: { requestsPerMinute: null, tokensPerMinute: null, concurrent: null },
  budget: null,
  models: null,
  requiredTags: null,
  fallbacks: null,
  onShortBalance: 'lower',
  showBalance: true,
  showCost: false,
  automaticCaching: 'conversations',
  managed: [],
}

type Budget = NonNullable<KeyPolicy['budget']>

interface StoredPolicy extends Partial<Omit<KeyPolicy, 'budget'>> {
  /** Amounts are decimal digits, since JSON has no bigint. */
  readonly budget: (Omit<Budget, 'amount'> & { readonly amount: string }) | null
}

export function policyToText(policy: KeyPolicy): string {
  const { budget } = policy
  const stored: StoredPolicy = {
    ...policy,
    budget: budget === null ? null : { ...budget, amount: budget.amount.toString() },
  }
  return JSON.stringify(stored)
}

/** Reads only what `policyToText` wrote. */
export function policyFromText(text: string): KeyPolicy {
  const { budget, ...stored } = JSON.parse(text) as StoredPolicy
  return {
    ...policyDefaults,
    ...stored,
    budget: budget === null ? null : { ...budget, amount: BigInt(budget.amount) },
  }
}
