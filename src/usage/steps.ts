/** UTC hours, days and months as ranges of whole hours. Pure. */
import { firstDayOf, monthOf } from '../limits/calendar.ts'
import type { Range, UsageStep } from './types.ts'

export const hourMs = 3_600_000
const hoursPerDay = 24

/** Hours since 1970: the one in which the range begins, and the first one that it does not reach. */
export interface Hours {
  readonly from: number
  readonly to: number
}

export function hoursOf({ fromMs, toMs }: Range): Hours {
  return { from: Math.floor(fromMs / hourMs), to: Math.ceil(toMs / hourMs) }
}

/** The first hour of the step that contains an hour. */
export const firstHourOf: Readonly<Record<UsageStep, (hour: number) => number>> = {
  hour: (hour) => hour,
  day: (hour) => Math.floor(hour / hoursPerDay) * hoursPerDay,
  month: (hour) => firstDayOf(monthOf(Math.floor(hour / hoursPerDay))) * hoursPerDay,
}

const nextStep: Readonly<Record<UsageStep, (first: number) => number>> = {
  hour: (first) => first + 1,
  day: (first) => first + hoursPerDay,
  month: (first) => firstDayOf(monthOf(first / hoursPerDay) + 1) * hoursPerDay,
}

/** The first hours of all steps that the range touches, at most `stepsMax` and one. */
export function stepsOf({ from, to }: Hours, step: UsageStep, stepsMax: number): readonly number[] {
  const steps: number[] = []
  for (
    let first = firstHourOf[step](from);
    first < to && steps.length <= stepsMax;
    first = nextStep[step](first)
  ) {
    steps.push(first)
  }
  return steps
}
