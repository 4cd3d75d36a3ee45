/**
 * Reports whether this process is overloaded: samples its event loop, its heap and its store.
 * Late timers alone do not count: they are late too when the machine is busy with other programs.
 */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { Clock, Timer } from '../base/clock.ts'

/** Heap utilization beyond which new requests get 503. */
const heapShareMax = 0.9

/** Event loop utilization that counts as overload when the delay is exceeded as well. */
const eventLoopShareMax = 0.95

export interface LoadReadings {
  /** How late the event loop ran on average since the last look. */
  readonly eventLoopDelayMs: number
  /** Share of the time since the last look in which the event loop had work, 0 to 1. */
  readonly eventLoopShare: number
  /** Used share of the largest heap that V8 may have, 0 to 1. */
  readonly heapShare: number
  /** How long the commit that runs now has taken so far; 0 without one. */
  readonly commitMs: number
}

/** `saturated`: work waits longer than it may. `full`: one more request may end the process. */
export type LoadLevel = 'none' | 'saturated' | 'full'

export interface LoadMonitor {
  level(): LoadLevel
  readonly readings: LoadReadings
  /**
   * The start is over: from the second look on the event loop counts. Before that it is busy with starting, and with
   * loading what the first requests need.
   */
  begin(): void
  stop(): void
}

export interface LoadLimits {
  readonly eventLoopDelayMsMax: number
  readonly commitMsMax: number
}

export interface LoadMonitorOptions {
  readonly limits: LoadLimits
  readonly clock: Clock
  /** Takes a reading; each call begins a new span. */
  readonly read: () => LoadReadings
}

const sampleMs = 500
/** Fine enough to see a delay, coarse enough to cost nothing. */
const resolutionMs = 20
const nanosecondsPerMs = 1_000_000

/** Samples immediately and then twice a second until it is stopped. */
export function monitorLoad({ limits, clock, read }: LoadMonitorOptions): LoadMonitor {
  let looksUncounted = Number.POSITIVE_INFINITY
  const look = (): LoadReadings => {
    const seen = read()
    if (looksUncounted === 0) return seen
    looksUncounted -= 1
    return { ...seen, eventLoopDelayMs: 0, eventLoopShare: 0 }
  }
  let readings = look()
  let timer: Timer
  const sample = (): void => {
    readings = look()
    timer = clock.after(sampleMs, sample)
  }
  timer = clock.after(sampleMs, sample)
  return {
    level: () => levelOf(readings, limits),
    // tidy-allow accessor-in-object-literal: there is one for the process
    get readings() {
      return readings
    },
    begin() {
      looksUncounted = 2
      readings = look()
    },
    stop: () => timer.cancel(),
  }
}

function levelOf(readings: LoadReadings, limits: LoadLimits): LoadLevel {
  if (readings.heapShare > heapShareMax) return 'full'
  const { eventLoopDelayMs, eventLoopShare } = readings
  const isLoopSaturated = eventLoopShare > eventLoopShareMax && eventLoopDelayMs > limits.eventLoopDelayMsMax
  return isLoopSaturated || readings.commitMs > limits.commitMsMax ? 'saturated' : 'none'
}

/** Requests in flight when one more arrives. */
export interface LoadShare {
  readonly requests: number
  /** Requests of the new request's account. */
  readonly own: number
  readonly accounts: number
}

/**
 * Whether one more request of an account is rejected. Load is shed from the accounts that cause it: one that has less
 * than an equal share in flight is served until memory runs out, and a request that comes alone always is.
 */
export function shouldShed(level: LoadLevel, { requests, own, accounts }: LoadShare): boolean {
  if (level === 'none' || requests === 0) return false
  return level === 'full' || own * accounts >= requests
}

/** Reads this process. `commitMs`: how long the store's present commit has taken. */
export function processReadings(commitMs: () => number): () => LoadReadings {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  let last = performance.eventLoopUtilization()
  return () => {
    const meanMs = delays.mean / nanosecondsPerMs
    delays.reset()
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    const heap = getHeapStatistics()
    return {
      // The histogram holds how long each tick took, its own pause included; without a tick it has no mean.
      eventLoopDelayMs: Number.isNaN(meanMs) ? 0 : Math.max(0, meanMs - resolutionMs),
      // Without any time between two looks the share is not a number.
      eventLoopShare: Number.isNaN(utilization) ? 0 : utilization,
      heapShare: heap.used_heap_size / heap.heap_size_limit,
      commitMs: commitMs(),
    }
  }
}
