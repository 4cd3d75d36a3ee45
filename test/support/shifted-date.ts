/**
 * Shifts the date of this whole process, libraries included: it runs at normal speed from another start.
 * Timers and durations are unaffected. A thread has the shift too once it joins.
 */
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads'

interface ShiftedDate {
  /** Sets the current time, in milliseconds since 1970. */
  set(wallMs: number): void
  restore(): void
}

/** Threads that are started later find the shift under this name. */
const place = 'shifted date'

export function shiftedDate(): ShiftedDate {
  const RealDate = Date
  const offsetMs = new Float64Array(new SharedArrayBuffer(8))
  setEnvironmentData(place, offsetMs)
  shift(offsetMs)
  return {
    set(wallMs) {
      offsetMs[0] = Math.round(wallMs) - RealDate.now()
    },
    restore() {
      offsetMs[0] = 0
      globalThis.Date = RealDate
    },
  }
}

/** In a thread, before any code in it reads the date. */
export function joinShiftedDate(): void {
  const offsetMs = getEnvironmentData(place)
  if (offsetMs instanceof Float64Array) shift(offsetMs)
}

function shift(offsetMs: Float64Array): void {
  const RealDate = Date
  const nowMs = (): number => RealDate.now() + (offsetMs[0] ?? 0)
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given: unknown[], made) =>
      Reflect.construct(target, given.length === 0 ? [nowMs()] : given, made) as Date,
    apply: () => new RealDate(nowMs()).toString(),
    get: (target, name, receiver) =>
      name === 'now' ? nowMs : (Reflect.get(target, name, receiver) as unknown),
  })
}
