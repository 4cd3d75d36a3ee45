/** A relative time with the exact time in its title. Updates while shown. */
import { type JSX, useSyncExternalStore } from 'react'
import { exactTime, exactTimes, listTime, relative } from '@/lib/format'

const everyMs = 30_000
let nowMs = Date.now()

function subscribe(listener: () => void): () => void {
  nowMs = Date.now()
  const timer = setInterval(() => {
    nowMs = Date.now()
    listener()
  }, everyMs)
  return () => clearInterval(timer)
}

/** The current time, for content that changes with it. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs)
}

export interface WhenProps {
  readonly at: string
  /** Date and time instead of "2 hours ago". */
  readonly exact?: boolean
  /** The time in UTC, with its date once that is not today, for lists in which many rows would read "3 minutes ago". */
  readonly dated?: boolean
  readonly className?: string
}

export function When({ at, exact = false, dated = false, className }: WhenProps): JSX.Element {
  const now = useNow()
  return (
    <time dateTime={at} title={exactTimes(at)} className={className}>
      {exact ? exactTime(at) : dated ? listTime(at, now) : relative(at, now)}
    </time>
  )
}
