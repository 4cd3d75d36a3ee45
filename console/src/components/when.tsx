/** A relative time with the exact time in its title. Updates while shown. */
import { type JSX, useSyncExternalStore } from 'react'
import { exactTime, relative, shortTime } from '@/lib/format'

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
  /** Date and time once it is more than a day ago, for lists in which many rows would read "3 days ago". */
  readonly dated?: boolean
  readonly className?: string
}

const dayMs = 86_400_000

export function When({ at, exact = false, dated = false, className }: WhenProps): JSX.Element {
  const now = useNow()
  const isOld = dated && now - Date.parse(at) >= dayMs
  return (
    <time dateTime={at} title={exactTime(at)} className={className}>
      {exact ? exactTime(at) : isOld ? shortTime(at, now) : relative(at, now)}
    </time>
  )
}
