/**
 * How often a caller may change something through the control plane: each change is a row of the audit and a write ahead
 * of the paid requests. Reads are bounded where they are read.
 */
import type { Clock } from '../base/clock.ts'
import { TollgateError } from '../base/errors.ts'
import { networkOf } from '../base/network.ts'
import type { Actor } from '../control/actor.ts'
import { RateMeter } from '../limits/rate-meter.ts'
import { actorId } from './actor.ts'

/** Users and keys whose change rate is remembered. */
const changersMax = 10_000

export interface ChangeLimiterLimits {
  readonly changesPerMinute: number
}

/** Throws `rate_limited` when the actor has used up this minute's changes. */
export type ChangeLimiter = (actor: Actor) => void

export function openChangeLimiter({
  clock,
  limits,
}: {
  readonly clock: Clock
  readonly limits: ChangeLimiterLimits
}): ChangeLimiter {
  const { changesPerMinute } = limits
  const meter = new RateMeter<string>({ perMinute: changesPerMinute, takersMax: changersMax })
  return (actor) => {
    const taker = actor.kind === 'anyone' ? networkOf(actor.address ?? '') : actorId(actor)
    const metered = meter.take(taker, clock.wallMs())
    if (metered.kind === 'taken') return
    throw new TollgateError('rate_limited', {
      message: `A user or key can make at most ${changesPerMinute} changes per minute. Try again in a minute.`,
      facts: { limit: changesPerMinute },
      retryAfterMs: metered.retryAfterMs,
    })
  }
}
