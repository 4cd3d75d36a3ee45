/** Numbers and times as people read them; times are in UTC, as charts and budgets are. Pure. */
export { centsUsd, compareUsd, exactUsd, isNegative, isZero, sumUsd, usd } from './usd.ts'

const whole = new Intl.NumberFormat('en-US')
const compact = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

/** `12304` → `12,304`. */
export function count(value: number): string {
  return whole.format(value)
}

/** `12304` → `12.3K`, for axes and narrow places. */
export function shortCount(value: number): string {
  return compact.format(value)
}

/** `0.0123` → `1.2%`. */
export function percent(share: number): string {
  const digits = share !== 0 && Math.abs(share) < 0.1 ? 1 : 0
  return `${(share * 100).toFixed(digits)}%`
}

/** `840` → `840 ms`, `12304` → `12.3 s`, `125000` → `2m 5s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`
  const seconds = Math.round(ms / 1_000)
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`
  return `${Math.floor(seconds / 3_600)}h ${Math.floor((seconds % 3_600) / 60)}m`
}

/** `98765432` → `94.2 MiB`. */
export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let size = value
  let unit = 0
  while (size >= 1_024 && unit < units.length - 1) {
    size /= 1_024
    unit += 1
  }
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`
}

const steps: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, ms: number])[] = [
  ['year', 31_536_000_000],
  ['month', 2_592_000_000],
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
]
const relativeForm = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** `2 hours ago`, `in 3 days`, `just now`. */
export function relative(iso: string, nowMs: number): string {
  const distance = Date.parse(iso) - nowMs
  const step = steps.find(([, ms]) => Math.abs(distance) >= ms)
  return step === undefined ? 'just now' : relativeForm.format(Math.round(distance / step[1]), step[0])
}

const inUtc = { timeZone: 'UTC', hourCycle: 'h23' } as const
const exactForm = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'medium', ...inUtc })
const localForm = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'medium',
  timeStyle: 'long',
  hourCycle: 'h23',
})
const dayForm = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' })
const monthForm = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })
const timeForm = new Intl.DateTimeFormat('en-US', { timeStyle: 'medium', ...inUtc })
const shortForm = new Intl.DateTimeFormat('en-US', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  ...inUtc,
})

/** For lists, in UTC: `16:04:09` of today, `Nov 5, 16:04` of this year, else the whole date. */
export function listTime(iso: string, nowMs: number): string {
  const [at, now] = [new Date(iso), new Date(nowMs)]
  if (iso.slice(0, 10) === now.toISOString().slice(0, 10)) return timeForm.format(at)
  return at.getUTCFullYear() === now.getUTCFullYear() ? shortForm.format(at) : exactForm.format(at)
}

/** Date and time to the second: `Nov 5, 2026, 16:04:09 UTC`. */
export function exactTime(iso: string): string {
  return `${exactForm.format(new Date(iso))} UTC`
}

/** For titles: the exact time, and on the next line the same in the time zone of the browser, where it is another. */
export function exactTimes(iso: string): string {
  const at = new Date(iso)
  return at.getTimezoneOffset() === 0 ? exactTime(iso) : `${exactTime(iso)}\n${localForm.format(at)}`
}

/** The UTC day: `Nov 5, 2026`. */
export function day(iso: string): string {
  return dayForm.format(new Date(iso))
}

/** The UTC month: `November 2026`. */
export function month(iso: string): string {
  return monthForm.format(new Date(iso))
}
