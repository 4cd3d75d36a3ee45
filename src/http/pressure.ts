/**
 * Tells whether this process has more to do than it can: looks now and then at how late the event
 * loop runs and how full the heap is. It decides nothing; who takes requests in asks it.
 */
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import type { Clock, Timer } from '../base/clock.ts'

export interface Readings {
  /** How late the event loop ran on average since the last look. */
  readonly eventLoopDelayMs: number
  /** Used share of the largest heap that V8 may have, 0 to 1. */
  readonly heapShare: number
}

export interface Pressure {
  overloaded(): boolean
  readonly readings: Readings
  stop(): void
}

export interface PressureOptions {
  readonly limits: { readonly eventLoopDelayMsMax: number; readonly heapShareMax: number }
  readonly clock: Clock
  /** What is looked at; each call begins a new span. */
  readonly read: () => Readings
}

const sampleMs = 500
/** Fine enough to see a delay, coarse enough to cost nothing. */
const resolutionMs = 20
const nanosecondsPerMs = 1_000_000

/** Looks at once and then twice a second until it is stopped. */
export function watchPressure({ limits, clock, read }: PressureOptions): Pressure {
  let readings = read()
  let timer: Timer
  const sample = (): void => {
    readings = read()
    timer = clock.after(sampleMs, sample)
  }
  timer = clock.after(sampleMs, sample)
  return {
    overloaded: () =>
      readings.eventLoopDelayMs > limits.eventLoopDelayMsMax || readings.heapShare > limits.heapShareMax,
    get readings() {
      return readings
    },
    stop: () => timer.cancel(),
  }
}

/** Reads this process. */
export function processReadings(): () => Readings {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  return () => {
    const meanMs = delays.mean / nanosecondsPerMs
    delays.reset()
    const heap = getHeapStatistics()
    return {
      // The histogram holds how long each tick took, its own pause included; without a tick it has no mean.
      eventLoopDelayMs: Number.isNaN(meanMs) ? 0 : Math.max(0, meanMs - resolutionMs),
      heapShare: heap.used_heap_size / heap.heap_size_limit,
    }
  }
}
