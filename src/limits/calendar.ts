/**
 * The UTC calendar as arithmetic on milliseconds since 1970: days, weeks from Monday, months, and the
 * text of a timestamp. Pure, for any clock; leap seconds do not exist here.
 */

export const minuteMs = 60_000
export const dayMs = 86_400_000

export interface CivilDate {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  /** 1 to 31. */
  readonly day: number
}

/** Minutes since 1970. */
export const minuteOf = (nowMs: number): number => Math.floor(nowMs / minuteMs)

/** Days since 1970-01-01. */
export const dayOf = (nowMs: number): number => Math.floor(nowMs / dayMs)

/** Weeks, counted from the one of 1970-01-01, which was a Thursday. */
export const weekOf = (day: number): number => Math.floor((day + 3) / 7)

/** Months since January of year 0. */
export function monthOf(day: number): number {
  const { year, month } = dateOf(day)
  return year * 12 + month - 1
}

/** The first day of a month as `monthOf` counts them. */
export function firstDayOf(month: number): number {
  // Years begin in March here, so that the leap day is a year's last one.
  const year = Math.floor((month - 2) / 12)
  const monthFromMarch = month - 2 - year * 12
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400)
  return year * 365 + leapDays + Math.floor((153 * monthFromMarch + 2) / 5) - epochDay
}

/** Days from 0000-03-01 to 1970-01-01. */
const epochDay = 719_468
const daysPerEra = 146_097

/** The date of a day (since 1970) in the Gregorian calendar. */
export function dateOf(day: number): CivilDate {
  const shifted = day + epochDay
  const era = Math.floor(shifted / daysPerEra)
  const dayOfEra = shifted - era * daysPerEra
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  return {
    year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  }
}

/** `2026-01-31T09:05:07Z`: a moment, rounded up to the second, as RFC 3339 writes it. */
export function momentText(ms: number): string {
  const seconds = Math.ceil(ms / 1_000)
  const { year, month, day } = dateOf(dayOf(seconds * 1_000))
  const ofDay = seconds - dayOf(seconds * 1_000) * (dayMs / 1_000)
  const clock = [Math.floor(ofDay / 3_600), Math.floor(ofDay / 60) % 60, ofDay % 60].map(twoDigits).join(':')
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}T${clock}Z`
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')
