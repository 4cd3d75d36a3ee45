/** Labels of intervals on axes and in tables, in UTC, where they begin. Pure. */
import type { Step } from './usage-range.ts'

const forms: Readonly<Record<Step, Intl.DateTimeFormat>> = {
  hour: new Intl.DateTimeFormat('en-US', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: 'UTC',
  }),
  day: new Intl.DateTimeFormat('en-US', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  month: new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' }),
}
/** The same on an axis: of hours only midnight has its date. */
export function stepMarks(step: Step): (iso: string) => string {
  return (iso) => (step !== 'hour' || iso.slice(11, 13) === '00' ? markOf(step, iso) : iso.slice(11, 16))
}

const markOf = (step: Step, iso: string): string =>
  forms[step === 'hour' ? 'day' : step].format(new Date(iso))

/** `Nov 5`, `Nov 5, 14:00`, `Nov 2026`. */
export function stepWords(step: Step): (iso: string) => string {
  return (iso) => forms[step].format(new Date(iso))
}
