/**
 * Spending in UTC windows. One record has the total and how much of it was spent before the current day, week and month,
 * so that every window is exact at any time, whichever one a budget uses.
 */
import { dayMs, dayOf, firstDayOf, monthOf, weekOf } from './calendar.ts'
import type { BudgetWindow } from './types.ts'

/** All amounts nano-USD; `day` counts from 1970-01-01. */
export interface SpendTotals {
  readonly spent: bigint
  readonly day: number
  readonly beforeDay: bigint
  readonly beforeWeek: bigint
  readonly beforeMonth: bigint
}

export const unspent: SpendTotals = { spent: 0n, day: 0, beforeDay: 0n, beforeWeek: 0n, beforeMonth: 0n }

/**
 * The totals at `nowMs`: windows that have ended restart. A wall clock that steps back
 * over midnight changes nothing; one that steps back further moves the day along and forgives nothing.
 */
export function rollSpend(spend: SpendTotals, nowMs: number): SpendTotals {
  const day = dayOf(nowMs)
  if (day === spend.day || day === spend.day - 1) return spend
  if (day < spend.day) return { ...spend, day }
  const { spent } = spend
  return {
    spent,
    day,
    beforeDay: spent,
    beforeWeek: weekOf(day) === weekOf(spend.day) ? spend.beforeWeek : spent,
    beforeMonth: monthOf(day) === monthOf(spend.day) ? spend.beforeMonth : spent,
  }
}

/** Spend in a window, from totals rolled to now. */
export function spentIn(spend: SpendTotals, window: BudgetWindow): bigint {
  switch (window) {
    case 'day':
      return spend.spent - spend.beforeDay
    case 'week':
      return spend.spent - spend.beforeWeek
    case 'month':
      return spend.spent - spend.beforeMonth
    case 'total':
      return spend.spent
  }
}

/** When the window of `nowMs` began and ends, in milliseconds; null for `total`, which does neither. */
export function windowBounds(
  window: BudgetWindow,
  nowMs: number,
): { readonly startMs: number; readonly endMs: number } | null {
  const day = dayOf(nowMs)
  switch (window) {
    case 'day':
      return { startMs: day * dayMs, endMs: (day + 1) * dayMs }
    case 'week': {
      const monday = weekOf(day) * 7 - 3
      return { startMs: monday * dayMs, endMs: (monday + 7) * dayMs }
    }
    case 'month': {
      const month = monthOf(day)
      return { startMs: firstDayOf(month) * dayMs, endMs: firstDayOf(month + 1) * dayMs }
    }
    case 'total':
      return null
  }
}
