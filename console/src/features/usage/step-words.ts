/** How the steps of a series are written on an axis and in a table: in UTC, because that is where they begin. Pure. */
import type { Step } from './usage-range.ts'

const forms: Readonly<Record<Step, Intl.DateTimeFormat>> = {
  hour: new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    timeZone: 'UTC',
  }),
  day: new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }),
  month: new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' }),
}
/** `5 Nov`, `5 Nov, 14:00`, `Nov 2026`. */
export function stepWords(step: Step): (iso: string) => string {
  return (iso) => forms[step].format(new Date(iso))
}
