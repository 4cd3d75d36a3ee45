/**
 * The date of this whole process as somebody wants it, libraries included: it runs on as ever, from another moment.
 * Timers and durations do not notice.
 */
export interface ShiftedDate {
  /** From now on it is this moment, in milliseconds since 1970. */
  set(wallMs: number): void
  restore(): void
}

export function shiftedDate(): ShiftedDate {
  const RealDate = Date
  let offsetMs = 0
  const nowMs = (): number => RealDate.now() + offsetMs
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given: unknown[], made) =>
      Reflect.construct(target, given.length === 0 ? [nowMs()] : given, made) as Date,
    apply: () => new RealDate(nowMs()).toString(),
    get: (target, name, receiver) =>
      name === 'now' ? nowMs : (Reflect.get(target, name, receiver) as unknown),
  })
  return {
    set(wallMs) {
      offsetMs = Math.round(wallMs) - RealDate.now()
    },
    restore() {
      globalThis.Date = RealDate
    },
  }
}
