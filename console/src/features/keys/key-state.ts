/** The state of a key as a label and a sentence, and the labels of budget windows. Pure. */
import type { OperationOutput } from '../../../../contract/operations.ts'
import { nanoOf } from '../usage/amount.ts'

export type Key = OperationOutput<'key.list'>[number]
export interface KeyDialogProps {
  readonly apiKey: Key
  readonly open: boolean
  readonly onClose: () => void
}

export type Tone = 'neutral' | 'good' | 'warn' | 'bad' | 'info'

export interface KeyState {
  readonly kind: 'active' | 'expiring' | 'replaced' | 'budget_used' | 'disabled' | 'expired' | 'revoked'
  readonly label: string
  readonly tone: Tone
  /** Whether requests with it are accepted now. */
  readonly works: boolean
}

const soonMs = 7 * 86_400_000

export function keyState(key: Key, nowMs: number): KeyState {
  const expiresMs = key.expires === null ? undefined : Date.parse(key.expires)
  if (key.revoked !== null) return { kind: 'revoked', label: 'Revoked', tone: 'neutral', works: false }
  if (expiresMs !== undefined && expiresMs <= nowMs) {
    return { kind: 'expired', label: 'Expired', tone: 'neutral', works: false }
  }
  if (key.disabled) return { kind: 'disabled', label: 'Disabled', tone: 'warn', works: false }
  if (isBudgetUsed(key)) return { kind: 'budget_used', label: 'Over budget', tone: 'bad', works: false }
  if (key.replacedBy !== null)
    return { kind: 'replaced', label: 'Rotated, expires soon', tone: 'warn', works: true }
  if (expiresMs !== undefined && expiresMs - nowMs < soonMs) {
    return { kind: 'expiring', label: 'Expires soon', tone: 'warn', works: true }
  }
  return { kind: 'active', label: 'Active', tone: 'good', works: true }
}

function isBudgetUsed(key: Key): boolean {
  if (key.budget === null || key.spentInWindow === null) return false
  return nanoOf(key.spentInWindow) >= nanoOf(key.budget.amount)
}

/** A key that can never work again. */
export const hasEnded = (state: KeyState) => state.kind === 'revoked' || state.kind === 'expired'

type Window = NonNullable<Key['budget']>['window']
export const windowWords: Readonly<
  Record<Window, { readonly choice: string; readonly per: string; readonly when: string }>
> = {
  day: { choice: 'Daily', per: 'per day', when: 'Resets at midnight UTC.' },
  week: { choice: 'Weekly', per: 'per week', when: 'Resets on Monday at midnight UTC.' },
  month: {
    choice: 'Monthly',
    per: 'per month',
    when: 'Resets on the 1st at midnight UTC.',
  },
  total: { choice: 'Never', per: 'in total', when: 'Never resets.' },
}
export const windows = ['day', 'week', 'month', 'total'] as const satisfies readonly Window[]
