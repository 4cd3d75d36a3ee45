/**
 * How fast each offer answered lately: moving averages of streamed responses, for routing by latency or throughput. Of this
 * process alone, bounded, and forgotten after a while, so that an offer that was slow is measured again. A new process
 * begins with those of the one before, as far as they are not older.
 */
import type { Clock } from '../base/clock.ts'

export interface Speed {
  /** From sending the request to the first byte of the response. */
  readonly firstByteMs: number
  /** Null: not known yet. */
  readonly tokensPerSecond: number | null
}

interface MeasuredSpeed extends Speed {
  readonly upstream: string
  readonly upstreamModel: string
  /** By the wall clock. */
  readonly atMs: number
}

export interface Speeds {
  /** Counts a streamed response of a model at an upstream. */
  note(upstream: string, upstreamModel: string, speed: Speed): void
  /** Undefined: not measured, or too long ago. */
  of(upstream: string, upstreamModel: string): Speed | undefined
  /** Those that changed since the last call. */
  changed(): readonly MeasuredSpeed[]
  /** Takes those of offers that were not measured here; the latest first. */
  restore(speeds: readonly MeasuredSpeed[]): void
}

interface SpeedLimits {
  readonly speedsForgottenMs: number
  readonly speedsMax: number
}

/** By the clock that never goes back. */
interface Measured extends Speed {
  readonly upstream: string
  readonly upstreamModel: string
  readonly atMs: number
}

/** The share of the newest response in an average. */
const newest = 0.2

export function openSpeeds({
  limits,
  clock,
}: {
  limits: SpeedLimits
  clock: Pick<Clock, 'monoMs' | 'wallMs'>
}): Speeds {
  const known = new Map<string, Measured>()
  const changed = new Set<string>()

  function measured(key: string): Measured | undefined {
    const speed = known.get(key)
    return speed === undefined || clock.monoMs() - speed.atMs > limits.speedsForgottenMs ? undefined : speed
  }

  return {
    note(upstream, upstreamModel, { firstByteMs, tokensPerSecond }) {
      const key = keyOf(upstream, upstreamModel)
      const before = measured(key)
      // Behind all others: the one that was measured longest ago is in front.
      known.delete(key)
      known.set(key, {
        upstream,
        upstreamModel,
        firstByteMs: average(before?.firstByteMs ?? null, firstByteMs),
        tokensPerSecond:
          tokensPerSecond === null
            ? (before?.tokensPerSecond ?? null)
            : average(before?.tokensPerSecond ?? null, tokensPerSecond),
        atMs: clock.monoMs(),
      })
      changed.add(key)
      const [oldest] = known.keys()
      if (known.size > limits.speedsMax && oldest !== undefined) {
        known.delete(oldest)
        changed.delete(oldest)
      }
    },
    of: (upstream, upstreamModel) => measured(keyOf(upstream, upstreamModel)),
    changed() {
      const beforeMs = clock.wallMs() - clock.monoMs()
      const speeds = [...changed].flatMap((key) => known.get(key) ?? [])
      changed.clear()
      return speeds.map((speed) => ({ ...speed, atMs: Math.round(beforeMs + speed.atMs) }))
    },
    restore(speeds) {
      const [nowMs, beforeMs] = [clock.monoMs(), clock.wallMs() - clock.monoMs()]
      const room = Math.max(0, limits.speedsMax - known.size)
      const missing = speeds
        .filter((one) => !known.has(keyOf(one.upstream, one.upstreamModel)))
        .slice(0, room)
      // In front of those that were measured here, the oldest first. A clock that was ahead makes nothing newer than now.
      const here = [...known]
      known.clear()
      for (const speed of missing.toReversed())
        known.set(keyOf(speed.upstream, speed.upstreamModel), {
          ...speed,
          atMs: Math.min(nowMs, speed.atMs - beforeMs),
        })
      for (const [key, speed] of here) known.set(key, speed)
    },
  }
}

const keyOf = (upstream: string, upstreamModel: string): string => `${upstream}\n${upstreamModel}`

function average(before: number | null, value: number): number {
  return before === null ? value : before + newest * (value - before)
}
