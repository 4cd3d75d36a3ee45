/** Serializes a key's policy for the store, and back. Amounts are decimal digits, since JSON has no bigint. Pure. */
import type { KeyPolicy } from './types.ts'

export function policyToText(policy: KeyPolicy): string {
  const { budget } = policy
  return JSON.stringify({
    ...policy,
    budget: budget === null ? null : { ...budget, amount: budget.amount.toString() },
  })
}

/** Reads only what `policyToText` wrote, also before there was `showCost`. */
export function policyFromText(text: string): KeyPolicy {
  const read = JSON.parse(text) as Omit<KeyPolicy, 'budget' | 'showCost'> & {
    readonly showCost?: boolean
    readonly budget: {
      readonly amount: string
      readonly window: NonNullable<KeyPolicy['budget']>['window']
    } | null
  }
  return {
    ...read,
    showCost: read.showCost ?? false,
    budget: read.budget === null ? null : { ...read.budget, amount: BigInt(read.budget.amount) },
  }
}
