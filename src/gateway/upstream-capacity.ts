/**
 * What the operator allows each upstream of this process: requests at the same time, and requests per minute. So an upstream is filled
 * without being asked for more than it accepts. An upstream without limits costs nothing here.
 */
import type { Clock } from '../base/clock.ts'
import type { Interruptible } from '../base/interruption.ts'
import type { Upstream } from '../catalog/types.ts'
import { RateWindows } from '../limits/rate-meter.ts'
import { fits, waitMs } from '../limits/window.ts'
import type { RequestContext, RequestLifecycle } from './request.ts'

type LimitedUpstream = Pick<Upstream, 'name' | 'limits'>

/** `full`: `retryMs` until the minute has room; null: once another request has ended. */
export type Place =
  | { readonly kind: 'taken'; readonly release: () => void }
  | { readonly kind: 'full'; readonly retryMs: number | null }

const unlimited: Place = { kind: 'taken', release: () => {} }

export class UpstreamCapacity {
  readonly #clock: Clock
  readonly #running = new Map<string, number>()
  readonly #minutes: RateWindows<string>
  /** Wakes the requests that wait for an upstream, the first one in front. */
  readonly #waiting = new Map<string, Set<() => void>>()

  constructor(clock: Clock, { limitedUpstreamsMax }: { readonly limitedUpstreamsMax: number }) {
    this.#clock = clock
    this.#minutes = new RateWindows(limitedUpstreamsMax)
  }

  /** Whether a request would have to wait. */
  isFull(upstream: LimitedUpstream): boolean {
    return this.#obstacle(upstream) !== null
  }

  take(upstream: LimitedUpstream): Place {
    const { name, limits } = upstream
    if (limits === undefined) return unlimited
    const obstacle = this.#obstacle(upstream)
    if (obstacle !== null) return obstacle
    if (limits.requestsPerMinute !== null) this.#minutes.count(name, this.#clock.wallMs())
    this.#running.set(name, this.#runningAt(name) + 1)
    let isReleased = false
    return {
      kind: 'taken',
      release: () => {
        if (isReleased) return
        isReleased = true
        this.#release(name)
      },
    }
  }

  /** How many requests wait for the upstream. */
  waitingAt(name: string): number {
    return this.#waiting.get(name)?.size ?? 0
  }

  /** Resolves when a request of the upstream has ended, after `ms`, or when `work` is interrupted. */
  whenReleased(name: string, ms: number, work: Interruptible): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(name) ?? new Set()
      this.#waiting.set(name, waiting)
      const wake = (): void => {
        timer.cancel()
        work.listen(undefined)
        waiting.delete(wake)
        if (waiting.size === 0) this.#waiting.delete(name)
        resolve()
      }
      const timer = this.#clock.after(ms, wake)
      waiting.add(wake)
      work.listen(wake)
    })
  }

  #obstacle({ name, limits }: LimitedUpstream): Extract<Place, { kind: 'full' }> | null {
    if (limits === undefined) return null
    const { concurrent, requestsPerMinute } = limits
    if (concurrent !== null && this.#runningAt(name) >= concurrent) return { kind: 'full', retryMs: null }
    if (requestsPerMinute === null) return null
    const nowMs = this.#clock.wallMs()
    const window = this.#minutes.at(name, nowMs)
    if (fits(window, 'requests', 1, requestsPerMinute)) return null
    return {
      kind: 'full',
      retryMs: Math.max(1, waitMs(window, 'requests', { amount: 1, limit: requestsPerMinute, nowMs })),
    }
  }

  #runningAt(name: string): number {
    return this.#running.get(name) ?? 0
  }

  #release(name: string): void {
    const running = this.#runningAt(name) - 1
    if (running > 0) this.#running.set(name, running)
    else this.#running.delete(name)
    const [first] = this.#waiting.get(name) ?? []
    first?.()
  }
}

export interface CapacityDeps {
  readonly capacity: UpstreamCapacity
  readonly clock: Clock
  readonly limits: { readonly upstreamWaitMs: number; readonly upstreamWaitersMax: number }
}

/** False where it was not free in time, or the request was interrupted. The lifecycle releases it. */
export async function awaitCapacity(
  { capacity, clock, limits }: CapacityDeps,
  { work }: Pick<RequestContext, 'work'>,
  lifecycle: RequestLifecycle,
  upstream: Upstream,
): Promise<boolean> {
  // The attempt before this one has ended.
  lifecycle.vacate()
  const untilMs = clock.monoMs() + Math.min(limits.upstreamWaitMs, lifecycle.leftMs())
  for (;;) {
    const place = capacity.take(upstream)
    if (place.kind === 'taken') {
      lifecycle.occupy(place.release)
      return true
    }
    const leftMs = untilMs - clock.monoMs()
    const isTooMany = capacity.waitingAt(upstream.name) >= limits.upstreamWaitersMax
    if (leftMs <= 0 || isTooMany || work.interruption !== undefined) return false
    await capacity.whenReleased(upstream.name, Math.min(leftMs, place.retryMs ?? leftMs), work)
  }
}
