/** A moment to the second in the reader's own zone, with UTC in its title. */
import type { JSX } from 'react'

const localForm = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })
const dayForm = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' })

export interface MomentProps {
  readonly at: string
  /** Leaves the time of day out. */
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
