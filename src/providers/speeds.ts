/**
 * How fast each offer answered lately: moving averages of streamed responses, for routing by latency or throughput. Of this
 * process alone, bounded, and forgotten after a while, so that an offer that was slow is measured again.
 */
import type { Clock } from '../base/clock.ts'

export interface Speed {
  /** From sending the request to the first byte of the response. */
  readonly firstByteMs: number
  /** Null: not known yet. */
  readonly tokensPerSecond: number | null
}

export interface Speeds {
  /** Counts a streamed response of a model at an upstream. */
  note(upstream: string, upstreamModel: string, speed: Speed): void
  /** Undefined: not measured, or too long ago. */
  of(upstream: string, upstreamModel: string): Speed | undefined
}

interface SpeedLimits {
  readonly speedsForgottenMs: number
  readonly speedsMax: number
}

/** By the clock that never goes back. */
interface Measured extends Speed {
  readonly atMs: number
}

/** The share of the newest response in an average. */
const newest = 0.2

export function openSpeeds({ limits, clock }: { limits: SpeedLimits; clock: Pick<Clock, 'monoMs'> }): Speeds {
  const known = new Map<string, Measured>()

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
        firstByteMs: average(before?.firstByteMs ?? null, firstByteMs),
        tokensPerSecond:
          tokensPerSecond === null
            ? (before?.tokensPerSecond ?? null)
            : average(before?.tokensPerSecond ?? null, tokensPerSecond),
        atMs: clock.monoMs(),
      })
      const [oldest] = known.keys()
      if (known.size > limits.speedsMax && oldest !== undefined) known.delete(oldest)
    },
    of: (upstream, upstreamModel) => measured(keyOf(upstream, upstreamModel)),
  }
}

const keyOf = (upstream: string, upstreamModel: string): string => `${upstream}\n${upstreamModel}`

function average(before: number | null, value: number): number {
  return before === null ? value : before + newest * (value - before)
}
