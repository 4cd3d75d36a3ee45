/**
 * Spending in UTC windows. One meter keeps what was ever spent and how much of it before the present
 * day, week and month, so that every window is exact at every moment, whichever one a budget names.
 */
import { dayMs, dayOf, firstDayOf, monthOf, weekOf } from './calendar.ts'
import type { BudgetWindow } from './types.ts'

/** All amounts nano-USD; `day` counts from 1970-01-01. */
export interface SpendMeter {
  readonly spent: bigint
  readonly day: number
  readonly beforeDay: bigint
  readonly beforeWeek: bigint
  readonly beforeMonth: bigint
}

export const unspent: SpendMeter = { spent: 0n, day: 0, beforeDay: 0n, beforeWeek: 0n, beforeMonth: 0n }

/**
 * The meter as it stands at `nowMs`: windows that have ended restart. A wall clock that steps back
 * over midnight changes nothing; one that steps back further takes the day along and forgives nothing.
 */
export function rollSpend(meter: SpendMeter, nowMs: number): SpendMeter {
  const day = dayOf(nowMs)
  if (day === meter.day || day === meter.day - 1) return meter
  if (day < meter.day) return { ...meter, day }
  const { spent } = meter
  return {
    spent,
    day,
    beforeDay: spent,
    beforeWeek: weekOf(day) === weekOf(meter.day) ? meter.beforeWeek : spent,
    beforeMonth: monthOf(day) === monthOf(meter.day) ? meter.beforeMonth : spent,
  }
}

/** What was spent in the window of a meter that was rolled to now. */
export function spentIn(meter: SpendMeter, window: BudgetWindow): bigint {
  switch (window) {
    case 'day':
      return meter.spent - meter.beforeDay
    case 'week':
      return meter.spent - meter.beforeWeek
    case 'month':
      return meter.spent - meter.beforeMonth
    case 'total':
      return meter.spent
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
