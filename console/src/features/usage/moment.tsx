/** A time to the second in UTC, with the local one in its title. */
import type { JSX } from 'react'
import { day, exactTime, exactTimes } from '@/lib/format'

export interface MomentProps {
  readonly at: string
  /** Omits the time of day. */
  readonly dayOnly?: boolean
  readonly className?: string
}

export function Moment({ at, dayOnly = false, className }: MomentProps): JSX.Element {
  return (
    <time dateTime={at} title={exactTimes(at)} className={className}>
      {dayOnly ? day(at) : exactTime(at)}
    </time>
  )
}
