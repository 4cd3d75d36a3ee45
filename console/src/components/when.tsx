/** A moment: how long ago, and exactly in its title. Grows older while it is shown. */
import { type JSX, useSyncExternalStore } from 'react'
import { exactTime, relative } from '@/lib/format'

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

export interface WhenProps {
  readonly at: string
  /** Date and time instead of "2 hours ago". */
  readonly exact?: boolean
  readonly className?: string
}

export function When({ at, exact = false, className }: WhenProps): JSX.Element {
  const now = useSyncExternalStore(subscribe, () => nowMs)
  return (
    <time dateTime={at} title={exactTime(at)} className={className}>
      {exact ? exactTime(at) : relative(at, now)}
    </time>
  )
}
