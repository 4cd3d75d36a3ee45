/**
 * Named places where a test makes the program fail: exit immediately, lose a thread, wait, or throw. Off unless a
 * specification was configured; then only one property is read. Never decides anything else.
 */
import { BrokenInvariant } from './assert.ts'

export interface Failpoints {
  /** False when nothing is configured: callers on a hot path look at this first. */
  readonly active: boolean
  /** Dies (`kill`), ends its thread (`exit`) or throws (`fail`) when `name` says so and its turn has come; else returns. */
  reach(name: string): void
  /** Whether anything is configured for `name`. */
  has(name: string): boolean
  /** How long to wait at `name`, in milliseconds; 0 when nothing is configured for it. */
  delayMs(name: string): number
}

/** Reaches the points `<moment>-<name>` of these names. */
export function reachEach(points: Failpoints, moment: string, names: Iterable<string>): void {
  for (const name of names) points.reach(`${moment}-${name}`)
}

/** How long to wait at the points `<moment>-<name>` of these names together, in milliseconds. */
export function delayOfEach(points: Failpoints, moment: string, names: Iterable<string>): number {
  let delayMs = 0
  for (const name of names) delayMs += points.delayMs(`${moment}-${name}`)
  return delayMs
}

interface Point {
  readonly action: 'kill' | 'exit' | 'fail' | 'delay'
  readonly amount: number
}

/**
 * Reads `name:kill`, `name:kill=40` (at the 40th time), `name:exit`, `name:fail`, `name:fail=3`, `name:delay=3000`,
 * separated by commas. Throws RangeError for anything else: a misspelt test must not pass.
 */
export function failpoints(specification: string | undefined): Failpoints {
  const points = new Map((specification ?? '').split(',').filter(Boolean).map(parsePoint))
  if (points.size === 0) return { active: false, has: () => false, reach: () => {}, delayMs: () => 0 }
  const reached = new Map<string, number>()
  return {
    active: true,
    has: (name) => points.has(name),
    reach(name) {
      const point = points.get(name)
      if (point === undefined || point.action === 'delay') return
      const times = (reached.get(name) ?? 0) + 1
      reached.set(name, times)
      if (times !== point.amount) return
      if (point.action === 'kill') process.kill(process.pid, 'SIGKILL')
      if (point.action === 'exit') process.exit(1)
      throw new BrokenInvariant(`failpoint ${name}`)
    },
    delayMs(name) {
      const point = points.get(name)
      return point?.action === 'delay' ? point.amount : 0
    },
  }
}

function parsePoint(text: string): [name: string, point: Point] {
  const match = /^([a-z][A-Za-z0-9-]*):(kill|exit|fail|delay)(?:=([1-9][0-9]{0,8}))?$/.exec(text.trim())
  const [, name, action, amount] = match ?? []
  if (name === undefined || action === undefined || (action === 'delay' && amount === undefined)) {
    throw new RangeError(`not a failpoint: ${text}`)
  }
  return [name, { action: action as Point['action'], amount: amount === undefined ? 1 : Number(amount) }]
}
