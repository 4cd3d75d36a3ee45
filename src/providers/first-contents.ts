/**
 * How long offers take until their first content, and how many of their requests went to another offer instead. Of this
 * process alone, bounded, and of the last five to ten minutes, so that an offer that was slow is tried again.
 */
import type { Clock } from '../base/clock.ts'
import { bucketOf, count, type Histogram, quantile } from '../base/histogram.ts'

export interface FirstContents {
  /** The first content of a streamed response came after so long. */
  came(upstream: string, upstreamModel: string, ms: number): void
  /** The 99th percentile of streamed responses; 0: unknown. */
  p99Ms(upstream: string, upstreamModel: string): number
  /** Counts a request that goes to another offer; false: too many have, so it must wait. */
  leave(upstream: string, upstreamModel: string): boolean
}

/** More than the failures after which an offer that never responds is taken out of rotation. */
const leavesMin = 10
/** An offer that is slow for a larger share is slow in general: a second request elsewhere would only cost more. */
const leavesShareMax = 0.1
const periodMs = 300_000

interface Period {
  readonly sinceMs: number
  readonly times: Histogram
  requests: number
  left: number
}

interface Counted {
  now: Period
  before: Period
}

/** Above `speedsMax` offers the one that was counted first is forgotten. */
export function openFirstContents({
  limits,
  clock,
}: {
  readonly limits: { readonly speedsMax: number }
  readonly clock: Pick<Clock, 'monoMs'>
}): FirstContents {
  const known = new Map<string, Counted>()

  function at(upstream: string, upstreamModel: string): Counted {
    const key = `${upstream}\n${upstreamModel}`
    const nowMs = clock.monoMs()
    const found = known.get(key)
    if (found !== undefined) return current(found, nowMs)
    const made = { now: emptyPeriod(nowMs), before: emptyPeriod(nowMs) }
    known.set(key, made)
    const [oldest] = known.keys()
    if (known.size > limits.speedsMax && oldest !== undefined) known.delete(oldest)
    return made
  }

  return {
    came(upstream, upstreamModel, ms) {
      const { now } = at(upstream, upstreamModel)
      now.requests += 1
      count(now.times, bucketOf(ms))
    },
    p99Ms(upstream, upstreamModel) {
      const { now, before } = at(upstream, upstreamModel)
      return Math.max(quantile(now.times, 0.99) ?? 0, quantile(before.times, 0.99) ?? 0)
    },
    leave(upstream, upstreamModel) {
      const { now, before } = at(upstream, upstreamModel)
      const leavesMax = Math.max(leavesMin, leavesShareMax * (now.requests + before.requests))
      if (now.left + before.left >= leavesMax) return false
      now.requests += 1
      now.left += 1
      return true
    },
  }
}

const emptyPeriod = (sinceMs: number): Period => ({ sinceMs, times: [], requests: 0, left: 0 })

function current(counted: Counted, nowMs: number): Counted {
  const ageMs = nowMs - counted.now.sinceMs
  if (ageMs < periodMs) return counted
  counted.before = ageMs < 2 * periodMs ? counted.now : emptyPeriod(nowMs)
  counted.now = emptyPeriod(nowMs)
  return counted
}
