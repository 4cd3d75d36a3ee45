/** A moment: how long ago, and exactly in its title. Grows older while it is shown. */
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

/** The present moment, for what becomes another thing as time goes on. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => nowMs)
}

export interface WhenProps {
  readonly at: string
  /** Date and time instead of "2 hours ago". */
  readonly exact?: boolean
  /** Date and time once it is more than a day ago: where many stand below each other, "3 days ago" tells none from the next. */
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
