/**
 * Collects what a provider reports of a request's usage, field by field, and returns the numbers
 * sanitized: non-negative integers that do not contradict each other. What was broken or is
 * unknown is named, never dropped silently. Must not know what a token costs.
 */

import { isRecord, type JsonRecord } from './json/parsed.ts'
import type { RawUsage } from './usage.ts'

/**
 * Counters by their dotted names: the ones a bill is based on, and the ones that are parts of those or not usage. `input`: disjoint
 * classes of one sum, between which a later report may move tokens. `output`: what is produced, which only grows.
 */
export type CounterTable = Readonly<Record<string, 'input' | 'output' | 'used' | 'ignored'>>
type Counters = Record<string, number | null>

/** No report of one request is larger than this; a larger number is broken. */
const reportedTokensMax = 1_000_000_000
const levelsMax = 4
const unknownMax = 32
/** Counters of one response whose names come from the upstream: a stream may take an hour. */
const setNamesMax = 256
const nameCharactersMax = 100

/**
 * Fields merge as reports arrive: the last that is not null wins. A 0 is a number where nothing was reported before; it takes a
 * number back only where another class of the same input grew.
 */
export class RawUsageDraft {
  private readonly table: CounterTable
  private readonly fields: Counters = {}
  private outputMost = 0
  /** The last report of the output was less than an earlier one. */
  outputShrank = false
  private readonly ran = new Map<string, string | null>()
  private readonly unknown = new Set<string>()
  private readonly setNames = new Set<string>()

  constructor(table: CounterTable) {
    this.table = table
  }

  /** Reads a usage object; names of counters that are not in the table and not zero become unknown. */
  read(usage: unknown): void {
    if (usage === null || usage === undefined) return
    if (!isRecord(usage)) return this.flag('usage')
    const reported: Counters = {}
    this.readLevel(usage, { prefix: '', level: 1, reported })
    this.merge(reported)
  }

  /** Adds to a counter that the provider splits over several entries. */
  count(name: string, value: unknown): void {
    if (typeof value === 'number') this.fields[name] = (this.fields[name] ?? 0) + value
    else if (value !== null && value !== undefined) this.flag(name)
  }

  /** Sets a counter whose name comes from the upstream. */
  set(name: string, value: number): void {
    const key = name.slice(0, nameCharactersMax)
    if (this.setNames.size === setNamesMax && !this.setNames.has(key)) return this.flag(key)
    this.setNames.add(key)
    this.fields[key] = value
  }

  /** Notes a counter's number where it is larger than the one before. */
  raise(name: string, value: number): void {
    this.fields[name] = Math.max(this.fields[name] ?? 0, value)
  }

  /** Forgets counters whose names begin so: the provider reported all of them again. */
  restart(prefix: string): void {
    for (const name of Object.keys(this.fields)) if (name.startsWith(prefix)) delete this.fields[name]
  }

  /** Forgets all counters but those whose names begin so; returns what they were. */
  restartExcept(prefix: string): Readonly<Counters> {
    const before = { ...this.fields }
    for (const name of Object.keys(before)) if (!name.startsWith(prefix)) delete this.fields[name]
    return before
  }

  /** Takes counters as they were before, where all of them have become 0; returns whether any was not 0 before. */
  restoreLost(before: Readonly<Counters>, names: readonly string[]): boolean {
    if (names.some((name) => this.fields[name])) return false
    const lost = names.filter((name) => before[name])
    for (const name of lost) this.fields[name] = before[name] ?? null
    return lost.length > 0
  }

  /** Notes the tier, speed or place that the answer names; the defaults are not worth a word. */
  servedOptions(name: string, value: unknown, defaults: readonly string[]): void {
    if (value === null || value === undefined) return
    if (typeof value !== 'string' || !/^[\w.-]{1,64}$/.test(value)) {
      if (typeof value !== 'string' || !defaults.includes(value)) this.flag(name)
      return
    }
    this.ran.set(name, defaults.includes(value) ? null : `${name}:${value}`)
  }

  flag(name: string): void {
    if (this.unknown.size < unknownMax) this.unknown.add(name.slice(0, nameCharactersMax))
  }

  rawUsage(): RawUsage {
    return {
      fields: { ...this.fields },
      servedOptions: [...this.ran.values()].filter((option) => option !== null),
      unknown: [...this.unknown],
      outputShrank: this.outputShrank,
    }
  }

  private readLevel(usage: JsonRecord, at: { prefix: string; level: number; reported: Counters }): void {
    const { prefix, level, reported } = at
    for (const [key, value] of Object.entries(usage)) {
      const name = prefix + key
      const use = Object.hasOwn(this.table, name) ? this.table[name] : undefined
      if (use === 'ignored') continue
      if (use !== undefined) {
        reported[name] = typeof value === 'number' ? value : null
        if (typeof value !== 'number' && value !== null) this.flag(name)
      } else if (isRecord(value) && level < levelsMax)
        this.readLevel(value, { prefix: `${name}.`, level: level + 1, reported })
      else if (typeof value === 'number' && value !== 0) this.flag(name)
    }
  }

  private merge(reported: Readonly<Counters>): void {
    const { fields, table } = this
    const names = Object.keys(reported)
    const hasGrown = names.some(
      (name) => table[name] === 'input' && (reported[name] ?? 0) > (fields[name] ?? 0),
    )
    for (const name of names) {
      const value = reported[name] ?? null
      const before = fields[name] ?? null
      if (value !== null && table[name] === 'output') this.noteOutput(value)
      const isErased = value === 0 && before !== null && !(table[name] === 'input' && hasGrown)
      if (!isErased) fields[name] = value ?? before
    }
  }

  private noteOutput(tokens: number): void {
    this.outputShrank = tokens < this.outputMost
    if (tokens > this.outputMost) this.outputMost = tokens
  }
}

/** Whether the counter was reported as a number that can be true; 0 can. */
export function isReported(report: RawUsage, name: string): boolean {
  const value = report.fields[name]
  return typeof value === 'number' && value >= 0 && value <= reportedTokensMax
}

/** Whether nothing that cannot be true was reported for the counter; nothing at all is no lie. */
export function isPlausible(report: RawUsage, name: string): boolean {
  const isSilent = (report.fields[name] ?? null) === null && !report.unknown.includes(name)
  return isSilent || isReported(report, name)
}

/** A report's numbers for a bill; corrections are in `flagged`. */
export class CleanCounters {
  private readonly report: RawUsage
  private readonly broken = new Set<string>()

  constructor(report: RawUsage) {
    this.report = report
    for (const name of report.unknown) this.broken.add(name)
  }

  /** Everything the report or its clean-up calls into question. */
  get flagged(): readonly string[] {
    return [...this.broken]
  }

  has(name: string): boolean {
    return typeof this.report.fields[name] === 'number'
  }

  /** How many counters have names that begin so. */
  countNamed(prefix: string): number {
    return Object.keys(this.report.fields).filter((name) => name.startsWith(prefix)).length
  }

  /** The counter; 0 where it was not reported, or with an impossible value, which must not be billed. */
  take(name: string): number {
    const value = this.report.fields[name] ?? 0
    if (value <= reportedTokensMax) return this.part(name, reportedTokensMax)
    this.broken.add(name)
    return 0
  }

  /** The counter as a part of something that has `whole`. */
  part(name: string, whole: number): number {
    const value = this.report.fields[name] ?? 0
    if (Number.isInteger(value) && value >= 0 && value <= whole) return value
    this.broken.add(name)
    if (Number.isNaN(value) || value <= 0) return 0
    return Math.min(Math.ceil(value), whole)
  }
}
