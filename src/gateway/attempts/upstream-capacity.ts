/**
 * Enforces the operator's limits for each upstream across all threads of this process: concurrent requests, and requests and tokens
 * per minute. An upstream without limits costs nothing here.
 */
import type { Clock, Timer } from '../../base/clock.ts'
import type { Interruptible } from '../../base/interruption.ts'
import type { Upstream, UpstreamLimits } from '../../catalog/types.ts'
import {
  correctTokens,
  fits,
  type RateKind,
  type RateWindow,
  takeFrom,
  taken,
  waitMs,
} from '../../limits/window.ts'
import type { AttemptTask } from '../../providers/attempt.ts'
import { asideUntilMs, type Health } from '../../providers/health.ts'
import type { Candidate, CapacityLease, RequestContext, RequestLifecycle } from '../request.ts'
import { type Choice, isSameModel, type RetryPolicy } from './retry-loop.ts'
import { openCounts, type UpstreamCount, type UpstreamCounts } from './upstream-counts.ts'

type LimitedUpstream = Pick<Upstream, 'name' | 'limits'>

/** `full`: `retryMs` until the minute has room; null: once another request has ended. */
type Place =
  | (CapacityLease & { readonly kind: 'taken' })
  | { readonly kind: 'full'; readonly retryMs: number | null }

type Obstacle = Extract<Place, { kind: 'full' }>

/** The upstream that has room; null: the wait is over without one. */
type Wake = (name: string | null) => void

/** A request that waits for an upstream. */
interface Waiter {
  readonly upstream: LimitedUpstream
  readonly tokens: number
}

/** Wakes a waiting request when the minute of an upstream has room again. */
interface MinuteTimer {
  readonly timer: Timer
  readonly dueMs: number
}

const unlimited: Place = { kind: 'taken', release: () => {}, used: () => {} }

export class UpstreamCapacity {
  readonly #clock: Clock
  readonly #counts: UpstreamCounts
  /** The requests that wait for an upstream, the first one in front. */
  readonly #waiting = new Map<string, Map<Wake, Waiter>>()
  /** When the minute of an upstream that is waited for has room again. One for all: most of those that wait find none then. */
  readonly #timers = new Map<string, MinuteTimer>()

  /** `memory`: shared with the other threads. */
  constructor(clock: Clock, memory: SharedArrayBuffer) {
    this.#clock = clock
    this.#counts = openCounts(memory, () => this.#onRoom())
  }

  /** Whether even the smallest request would have to wait. */
  isFull(upstream: LimitedUpstream): boolean {
    return this.#obstacle(upstream, 1) !== null
  }

  /** A place for a request of so many tokens; one that is larger than the limit has a minute for itself. */
  take(upstream: LimitedUpstream, tokens: number): Place {
    const { name, limits } = upstream
    if (limits === undefined) return unlimited
    const reservedMs = this.#clock.wallMs()
    const reserved = limits.tokensPerMinute === null ? 0 : Math.min(tokens, limits.tokensPerMinute)
    const isCounted = limits.requestsPerMinute !== null || reserved > 0
    let obstacle: Obstacle | null = null
    this.#counts.change(name, reservedMs, (before) => {
      obstacle = obstacleAt(before, limits, { tokens, nowMs: reservedMs })
      if (obstacle !== null) return before
      const window = isCounted ? takeFrom(before.window, reserved, reservedMs) : before.window
      return { running: before.running + 1, window }
    })
    if (obstacle !== null) return obstacle
    let isReleased = false
    let isCorrected = reserved === 0
    return {
      kind: 'taken',
      release: () => {
        if (isReleased) return
        isReleased = true
        this.#release(name)
      },
      used: (actual) => {
        if (isCorrected) return
        isCorrected = true
        const nowMs = this.#clock.wallMs()
        this.#counts.change(name, nowMs, ({ running, window }) => ({
          running,
          window: correctTokens(window, { reservedMs, reserved, ...actual }, nowMs),
        }))
        this.#counts.announce()
      },
    }
  }

  /** How many requests wait for any upstream; one that waits for several counts once for each. */
  waiting(): number {
    let count = 0
    for (const waiters of this.#waiting.values()) count += waiters.size
    return count
  }

  /** How many requests wait for the upstream. */
  waitingAt(name: string): number {
    return this.#waiting.get(name)?.size ?? 0
  }

  /**
   * Resolves with the upstream that has room, or with null after `ms` and when `work` is interrupted. The request then passes on
   * what it leaves.
   */
  whenRoom(
    upstreams: readonly LimitedUpstream[],
    { ms, tokens }: { readonly ms: number; readonly tokens: number },
    work: Interruptible,
  ): Promise<string | null> {
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
        const waiting = this.#waiting.get(name) ?? new Map<Wake, Waiter>()
        this.#waiting.set(name, waiting.set(wake, { upstream, tokens }))
      }
      work.listen(() => wake(null))
      this.#counts.awaitRoom()
      for (const upstream of upstreams) {
        const obstacle = this.#obstacle(upstream, tokens)
        // Another thread has made room since.
        if (obstacle === null) return wake(upstream.name)
        this.#awaitMinute(upstream.name, obstacle)
      }
    })
  }

  /** Wakes the request that has waited longest among those that the upstream has room for; without one, once its minute has. */
  passOn(name: string): void {
    const waiting = this.#waiting.get(name)
    const [first] = waiting ?? []
    if (waiting === undefined || first === undefined) return
    const left = this.#tokensLeft(first[1].upstream)
    let next = first
    for (const one of waiting) {
      if (one[1].tokens < next[1].tokens) next = one
      if (one[1].tokens > left) continue
      next = one
      break
    }
    const [wake, { upstream, tokens }] = next
    const obstacle = this.#obstacle(upstream, tokens)
    if (obstacle === null) wake(name)
    else this.#awaitMinute(name, obstacle)
  }

  /** Keeps one timer per upstream, set to the earliest time at which a waiting request may proceed. */
  #awaitMinute(name: string, obstacle: Obstacle | null): void {
    const retryMs = obstacle?.retryMs ?? null
    if (retryMs === null) return
    const dueMs = this.#clock.monoMs() + retryMs
    const set = this.#timers.get(name)
    if (set !== undefined && set.dueMs <= dueMs) return
    set?.timer.cancel()
    const timer = this.#clock.after(retryMs, () => {
      this.#timers.delete(name)
      this.passOn(name)
    })
    this.#timers.set(name, { timer, dueMs })
  }

  #obstacle({ name, limits }: LimitedUpstream, tokens: number): Obstacle | null {
    if (limits === undefined) return null
    const nowMs = this.#clock.wallMs()
    return obstacleAt(this.#counts.at(name, nowMs), limits, { tokens, nowMs })
  }

  #tokensLeft({ name, limits }: LimitedUpstream): number {
    const limit = limits?.tokensPerMinute ?? null
    if (limit === null) return Number.POSITIVE_INFINITY
    return limit - taken(this.#counts.at(name, this.#clock.wallMs()).window, 'tokens')
  }

  #release(name: string): void {
    this.#counts.change(name, this.#clock.wallMs(), ({ running, window }) => {
      return { running: Math.max(0, running - 1), window }
    })
    this.#counts.announce()
  }

  #onRoom(): void {
    // First: another thread may make room at one upstream while this one looks at the next.
    if (this.#waiting.size > 0) this.#counts.awaitRoom()
    for (const waited of [...this.#waiting.keys()]) this.passOn(waited)
  }

  #forget(name: string, wake: Wake): void {
    const waiting = this.#waiting.get(name)
    waiting?.delete(wake)
    if (waiting?.size !== 0) return
    this.#waiting.delete(name)
    this.#timers.get(name)?.timer.cancel()
    this.#timers.delete(name)
  }
}

/** Null: a request of so many tokens has room. */
function obstacleAt(
  { running, window }: UpstreamCount,
  { concurrent, requestsPerMinute, tokensPerMinute }: UpstreamLimits,
  { tokens, nowMs }: { readonly tokens: number; readonly nowMs: number },
): Obstacle | null {
  if (concurrent !== null && running >= concurrent) return { kind: 'full', retryMs: null }
  if (requestsPerMinute === null && tokensPerMinute === null) return null
  const retryMs = Math.max(
    untilFits(window, 'requests', { amount: 1, limit: requestsPerMinute, nowMs }),
    untilFits(window, 'tokens', { amount: tokens, limit: tokensPerMinute, nowMs }),
  )
  return retryMs === 0 ? null : { kind: 'full', retryMs }
}

/** 0: it fits now. A request that is larger than the limit waits until the minute is unused. */
function untilFits(
  window: RateWindow,
  kind: RateKind,
  {
    amount,
    limit,
    nowMs,
  }: { readonly amount: number; readonly limit: number | null; readonly nowMs: number },
): number {
  if (limit === null) return 0
  const needed = Math.min(amount, limit)
  if (fits(window, kind, needed, limit)) return 0
  return Math.max(1, waitMs(window, kind, { amount: needed, limit, nowMs }))
}

export interface CapacityDeps {
  readonly capacity: UpstreamCapacity
  readonly clock: Clock
  readonly limits: { readonly upstreamWaitMs: number; readonly upstreamWaitersMax: number }
}

/** An attempt that waits for capacity: the upstreams it may use, and its deadline. */
interface Waiting<Choice> extends Pick<RequestContext, 'work'> {
  /** In the order of preference; never empty. */
  readonly choices: readonly Choice[]
  readonly lifecycle: Pick<RequestLifecycle, 'occupy' | 'vacate'>
  readonly tokens: number
  /** On the clock that never jumps. */
  readonly untilMs: number
}

/**
 * The first choice whose upstream has room, as soon as one has; null where none had in time, or the request was
 * interrupted. Its place is taken, and released by the lifecycle. A promise only where none has room yet.
 */
function takePlace<Choice extends { readonly upstream: Upstream }>(
  deps: CapacityDeps,
  waiting: Waiting<Choice>,
): Choice | null | Promise<Choice | null> {
  const { choices, lifecycle, tokens } = waiting
  // The attempt before this one has ended.
  lifecycle.vacate()
  const taken = firstPlace(deps.capacity, choices, tokens)
  if (taken === null) return placeInTime(deps, waiting)
  lifecycle.occupy(taken.place)
  return taken.choice
}

async function placeInTime<Choice extends { readonly upstream: Upstream }>(
  { capacity, clock, limits }: CapacityDeps,
  { work, choices, lifecycle, tokens, untilMs }: Waiting<Choice>,
): Promise<Choice | null> {
  const upstreams = choices.map(({ upstream }) => upstream)
  for (let wokenBy: string | null = null; ; ) {
    const leftMs = untilMs - clock.monoMs()
    const taken = firstPlace(capacity, choices, tokens)
    const isTooMany = upstreams.some(({ name }) => capacity.waitingAt(name) >= limits.upstreamWaitersMax)
    const isOver = leftMs <= 0 || isTooMany || work.interruption !== undefined
    if (taken === null && !isOver) {
      wokenBy = await capacity.whenRoom(upstreams, { ms: leftMs, tokens }, work)
      continue
    }
    if (taken !== null) lifecycle.occupy(taken.place)
    if (wokenBy !== null) capacity.passOn(wokenBy)
    return taken?.choice ?? null
  }
}

function firstPlace<Choice extends { readonly upstream: Upstream }>(
  capacity: UpstreamCapacity,
  choices: readonly Choice[],
  tokens: number,
): { readonly choice: Choice; readonly place: CapacityLease } | null {
  for (const choice of choices) {
    const place = capacity.take(choice.upstream, tokens)
    if (place.kind === 'taken') return { choice, place }
  }
  return null
}

interface ChoosingRequest {
  readonly lifecycle: Pick<RequestLifecycle, 'leftMs' | 'occupy' | 'vacate'>
  readonly tokens: number
}

/**
 * The first candidate is waited for only while no other offer of its model that is in rotation has room. `tokens`: how many the
 * request is expected to use.
 */
export function choosingByRoom(
  deps: CapacityDeps & { readonly health: Pick<Health, 'snapshot'> },
  { work }: Pick<RequestContext, 'work'>,
  { lifecycle, tokens }: ChoosingRequest,
): RetryPolicy<AttemptTask>['choose'] {
  const { clock, health, limits } = deps
  let untilMs: number | null = null
  const choiceOf = (first: Candidate, candidate: Candidate | null): Choice => {
    if (candidate === null) return { candidate: first, skipped: 'upstream_at_limit' }
    untilMs = null
    return { candidate, skipped: null }
  }
  return (first, others) => {
    const nowMs = clock.monoMs()
    untilMs ??= nowMs + limits.upstreamWaitMs
    const isInRotation = (candidate: Candidate): boolean =>
      asideUntilMs(health.snapshot(), candidate, nowMs) === 0
    const choices = others.filter((other) => isSameModel(other.target, first.target) && isInRotation(other))
    const waiting = {
      work,
      lifecycle,
      tokens,
      choices: [first, ...choices],
      untilMs: Math.min(untilMs, nowMs + lifecycle.leftMs()),
    }
    const taken = takePlace(deps, waiting)
    return taken instanceof Promise
      ? taken.then((candidate) => choiceOf(first, candidate))
      : choiceOf(first, taken)
  }
}
