/**
 * Times of the week of scheduled prices, in UTC: parsed from text (`Mon-Fri 01:00-04:00`), and looked up. Pure.
 */

/** From a minute on the named days, for at most a day; it may end on the next day. */
export interface PriceWindow {
  /** A bit per day, Monday first. */
  readonly days: number
  /** Since midnight. */
  readonly fromMinute: number
  /** After `fromMinute`; beyond 1440 on the next day. Not in the window itself. */
  readonly toMinute: number
}

const dayNames = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const
const everyDay = 0b1111111
const minutesPerDay = 24 * 60
const minuteMs = 60_000
const dayMs = minutesPerDay * minuteMs
/** 1 January 1970 was a Thursday. */
const firstWeekday = 3

const time = '([01]\\d|2[0-3]):([0-5]\\d)'
const pattern = new RegExp(`^(?:([A-Z][a-z]{2})(?:-([A-Z][a-z]{2}))? )?${time}-(?:${time}|(24):(00))$`)

/** `Mon-Fri 01:00-04:00`, `Sun 22:00-02:00` or `00:30-16:30`; undefined for anything else. */
export function parseWindow(text: string): PriceWindow | undefined {
  const match = pattern.exec(text)
  if (match === null) return undefined
  const [, first, last, fromHour, fromMinutes, hour = match[7], minutes = match[8]] = match
  const days = first === undefined ? everyDay : daysBetween(first, last ?? first)
  const fromMinute = Number(fromHour) * 60 + Number(fromMinutes)
  const end = Number(hour) * 60 + Number(minutes)
  if (days === undefined || end === fromMinute) return undefined
  return { days, fromMinute, toMinute: end > fromMinute ? end : end + minutesPerDay }
}

/** Both days included; from Saturday to Monday are three. */
function daysBetween(first: string, last: string): number | undefined {
  const [from, to] = [first, last].map((name) => dayNames.findIndex((day) => day === name))
  if (from === undefined || to === undefined || from < 0 || to < 0) return undefined
  const length = ((to - from + dayNames.length) % dayNames.length) + 1
  let days = 0
  for (let step = 0; step < length; step += 1) days |= 1 << ((from + step) % dayNames.length)
  return days
}

/** The inverse of `parseWindow`; days that are not a range are separate texts. */
export function formatWindow({ days, fromMinute, toMinute }: PriceWindow): readonly string[] {
  const end = toMinute > minutesPerDay ? toMinute - minutesPerDay : toMinute
  const hours = `${clockText(fromMinute)}-${clockText(end)}`
  if (days === everyDay) return [hours]
  return dayRanges(days).map((range) => `${range} ${hours}`)
}

function dayRanges(days: number): readonly string[] {
  const isIn = (day: number): boolean => (days & (1 << ((day + dayNames.length) % dayNames.length))) !== 0
  const starts = dayNames.flatMap((_, day) => (isIn(day) && !isIn(day - 1) ? [day] : []))
  return starts.map((start) => {
    let end = start
    while (isIn(end + 1)) end += 1
    const [first, last] = [dayNames[start], dayNames[end % dayNames.length]]
    return first === last ? `${first}` : `${first}-${last}`
  })
}

function clockText(minute: number): string {
  const [hours, minutes] = [Math.floor(minute / 60), minute % 60]
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
}

/** Whether one of the windows contains a moment. */
export function holdsAt(windows: readonly PriceWindow[], atMs: number): boolean {
  const day = Math.floor(atMs / dayMs)
  const weekday = (((day + firstWeekday) % dayNames.length) + dayNames.length) % dayNames.length
  const minute = Math.floor((atMs - day * dayMs) / minuteMs)
  const yesterday = (weekday + dayNames.length - 1) % dayNames.length
  return windows.some(({ days, fromMinute, toMinute }) => {
    const isToday = (days & (1 << weekday)) !== 0 && minute >= fromMinute && minute < toMinute
    return isToday || ((days & (1 << yesterday)) !== 0 && minute + minutesPerDay < toMinute)
  })
}

/** Moments within a week after a given one at which a window begins or ends, unordered. */
export function windowChanges(windows: readonly PriceWindow[], afterMs: number): readonly number[] {
  const weekMs = dayNames.length * dayMs
  const weekStartMs = Math.floor((afterMs + firstWeekday * dayMs) / weekMs) * weekMs - firstWeekday * dayMs
  return windows.flatMap(({ days, fromMinute, toMinute }) =>
    dayNames.flatMap((_, day) => {
      if ((days & (1 << day)) === 0) return []
      return [fromMinute, toMinute].map((minute) => {
        const atMs =
          weekStartMs + ((day * minutesPerDay + minute) % (dayNames.length * minutesPerDay)) * minuteMs
        return atMs > afterMs ? atMs : atMs + weekMs
      })
    }),
  )
}

/** `Mon 01:00`, in UTC. */
export function weekTimeText(atMs: number): string {
  const day = Math.floor(atMs / dayMs)
  const weekday = (((day + firstWeekday) % dayNames.length) + dayNames.length) % dayNames.length
  return `${dayNames[weekday]} ${clockText(Math.floor((atMs - day * dayMs) / minuteMs))}`
}
