/** A local time to the second, with UTC in its title. */
import type { JSX } from 'react'

const localForm = new Intl.DateTimeFormat('en-US', {
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
})
const dayForm = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })

export interface MomentProps {
  readonly at: string
  /** Omits the time of day. */
  readonly dayOnly?: boolean
  readonly className?: string
}

/** `2026-11-21T07:30:00.123Z` → `2026-11-21 07:30:00 UTC`. */
const utcWords = (iso: string) => `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`

export function Moment({ at, dayOnly = false, className }: MomentProps): JSX.Element {
  return (
    <time dateTime={at} title={utcWords(at)} className={className}>
      {(dayOnly ? dayForm : localForm).format(new Date(at))}
    </time>
  )
}
