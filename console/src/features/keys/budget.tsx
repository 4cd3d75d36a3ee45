/** How much of its budget a key has used in the current window. */
import type { JSX } from 'react'
import { Money } from '@/components/money'
import { MoneyBar } from '../usage/money-bar.tsx'
import { type Key, windowWords } from './key-state.ts'

export function BudgetUse({ budget, spentInWindow }: Pick<Key, 'budget' | 'spentInWindow'>): JSX.Element {
  if (budget === null) return <span className="text-ink-soft">None</span>
  const spent = spentInWindow ?? '0.00'
  return (
    <span className="block w-52 max-w-full" title={windowWords[budget.window].when}>
      <span className="block text-xs">
        <Money amount={spent} />{' '}
        <span className="text-ink-soft">
          of <Money amount={budget.amount} form="exact" /> {windowWords[budget.window].per}
        </span>
      </span>
      <MoneyBar className="mt-1" part={spent} whole={budget.amount} label="Budget used" />
    </span>
  )
}
