/**
 * What the operator allows each upstream of this process: requests at the same time, and requests per minute. So an upstream is filled
 * without being asked for more than it accepts. An upstream without limits costs nothing here.
 */
import type { Clock, Timer } from '../base/clock.ts'
import type { Interruptible } from '../base/interruption.ts'
import type { Upstream } from '../catalog/types.ts'
import { RateWindows } from '../limits/rate-meter.ts'
import { fits, waitMs } from '../limits/window.ts'
import type { AttemptTask } from '../providers/attempt.ts'
import { asideUntilMs, type Health } from '../providers/health.ts'
import type { Candidate, RequestContext, RequestLifecycle } from './request.ts'
import { type Choice, isSameModel, type RetryPolicy } from './retry-loop.ts'

type LimitedUpstream = Pick<Upstream, 'name' | 'limits'>

/** `full`: `retryMs` until the minute has room; null: once another request has ended. */
export type Place =
  | { readonly kind: 'taken'; readonly release: () => void }
  | { readonly kind: 'full'; readonly retryMs: number | null }

/** The upstream that has room; null: the wait is over without one. */
type Wake = (name: string | null) => void

const unlimited: Place = { kind: 'taken', release: () => {} }

export class UpstreamCapacity {
  readonly #clock: Clock
  readonly #running = new Map<string, number>()
  readonly #minutes: RateWindows<string>
  /** Wakes the requests that wait for an upstream, the first one in front. */
  readonly #waiting = new Map<string, Set<Wake>>()
  /** When the minute of an upstream that is waited for has room again. One for all: most of those that wait find none then. */
  readonly #timers = new Map<string, Timer>()

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

  /**
   * Resolves with the upstream that has room, or with null after `ms` and when `work` is interrupted. The request then passes on
   * what it leaves.
   */
  whenRoom(upstreams: readonly LimitedUpstream[], ms: number, work: Interruptible): Promise<string | null> {
    return new Promise((resolve) => {
      const wake = (name: string | null): void => {
        timer.cancel()
        work.listen(undefined)
        for (const one of upstreams) this.#forget(one.name, wake)
        resolve(name)
      }
      const timer = this.#clock.after(ms, () => wake(null))
      for (const upstream of upstreams) {
        const { name } = upstream
        const waiting = this.#waiting.get(name) ?? new Set()
        this.#waiting.set(name, waiting.add(wake))
        this.#awaitMinute(name, this.#obstacle(upstream))
      }
      work.listen(() => wake(null))
    })
  }

  /** Wakes the next request that waits for the upstream if it has room, otherwise once its minute has. */
  passOn(upstream: LimitedUpstream): void {
    const { name } = upstream
    if (!this.#waiting.has(name)) return
    const obstacle = this.#obstacle(upstream)
    if (obstacle === null) this.#wakeNext(name)
    else this.#awaitMinute(name, obstacle)
  }

  /** Wakes the request that has waited longest for the upstream. */
  #wakeNext(name: string): void {
    const [first] = this.#waiting.get(name) ?? []
    first?.(name)
  }

  #awaitMinute(name: string, obstacle: Extract<Place, { kind: 'full' }> | null): void {
    const retryMs = obstacle?.retryMs ?? null
    if (retryMs === null || this.#timers.has(name)) return
    const timer = this.#clock.after(retryMs, () => {
      this.#timers.delete(name)
      this.#wakeNext(name)
    })
    this.#timers.set(name, timer)
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
    this.#wakeNext(name)
  }

  #forget(name: string, wake: Wake): void {
    const waiting = this.#waiting.get(name)
    waiting?.delete(wake)
    if (waiting?.size !== 0) return
    this.#waiting.delete(name)
    this.#timers.get(name)?.cancel()
    this.#timers.delete(name)
  }
}

export interface CapacityDeps {
  readonly capacity: UpstreamCapacity
  readonly clock: Clock
  readonly limits: { readonly upstreamWaitMs: number; readonly upstreamWaitersMax: number }
}

/** One of a request's attempts: what it may wait for, and until when. */
interface Waiting<Choice> extends Pick<RequestContext, 'work'> {
  /** In the order of preference; never empty. */
  readonly choices: readonly Choice[]
  readonly lifecycle: Pick<RequestLifecycle, 'occupy' | 'vacate'>
  /** On the clock that never jumps. */
  readonly untilMs: number
}

/**
 * The first choice whose upstream has room, as soon as one has; null where none had in time, or the request was
 * interrupted. Its place is taken, and released by the lifecycle.
 */
async function takePlace<Choice extends { readonly upstream: Upstream }>(
  { capacity, clock, limits }: CapacityDeps,
  { work, choices, lifecycle, untilMs }: Waiting<Choice>,
): Promise<Choice | null> {
  // The attempt before this one has ended.
  lifecycle.vacate()
  const upstreams = choices.map(({ upstream }) => upstream)
  for (let wokenBy: string | null = null; ; ) {
    const leftMs = untilMs - clock.monoMs()
    const taken = firstPlace(capacity, choices)
    const isTooMany = upstreams.some(({ name }) => capacity.waitingAt(name) >= limits.upstreamWaitersMax)
    const isOver = leftMs <= 0 || isTooMany || work.interruption !== undefined
    if (taken === null && !isOver) {
      wokenBy = await capacity.whenRoom(upstreams, leftMs, work)
      continue
    }
    if (taken !== null) lifecycle.occupy(taken.release)
    for (const upstream of upstreams) if (upstream.name === wokenBy) capacity.passOn(upstream)
    return taken?.choice ?? null
  }
}

function firstPlace<Choice extends { readonly upstream: Upstream }>(
  capacity: UpstreamCapacity,
  choices: readonly Choice[],
): { readonly choice: Choice; readonly release: () => void } | null {
  for (const choice of choices) {
    const place = capacity.take(choice.upstream)
    if (place.kind === 'taken') return { choice, release: place.release }
  }
  return null
}

/** The first candidate is waited for only while no other offer of its model that is in rotation has room. */
export function choosingByRoom(
  deps: CapacityDeps & { readonly health: Pick<Health, 'snapshot'> },
  { work }: Pick<RequestContext, 'work'>,
  lifecycle: Pick<RequestLifecycle, 'leftMs' | 'occupy' | 'vacate'>,
): RetryPolicy<AttemptTask>['choose'] {
  const { clock, health, limits } = deps
  let untilMs: number | null = null
  return async (first, others): Promise<Choice> => {
    const nowMs = clock.monoMs()
    untilMs ??= nowMs + limits.upstreamWaitMs
    const isInRotation = (candidate: Candidate): boolean =>
      asideUntilMs(health.snapshot(), candidate, nowMs) === 0
    const choices = others.filter((other) => isSameModel(other.target, first.target) && isInRotation(other))
    const waiting = {
      work,
      lifecycle,
      choices: [first, ...choices],
      untilMs: Math.min(untilMs, nowMs + lifecycle.leftMs()),
    }
    const candidate = await takePlace(deps, waiting)
    if (candidate === null) return { candidate: first, skipped: 'upstream_at_limit' }
    untilMs = null
    return { candidate, skipped: null }
  }
}
