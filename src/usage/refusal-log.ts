/**
 * Rejected requests on their way to the ledger: equal ones are counted in memory and written every second. Rejections beyond the
 * bounds are dropped and counted, so a flood of them costs nothing more.
 */
import type { Clock, Timer } from '../base/clock.ts'
import { hourOf } from '../base/ids.ts'
import type { LoggedRefusal, RefusalBatch, RefusalCount } from './types.ts'

export interface RefusalLogLimits {
  readonly refusalsKeptPerKey: number
  readonly refusalsQueuedMax: number
  readonly refusalsFlushMs: number
}

type Counted = RefusalCount & { count: number }

export interface RefusalLogDeps {
  readonly clock: Clock
  readonly limits: RefusalLogLimits
  /** Runs the writing apart from requests, and is waited for at the end of the process. */
  readonly begin: (work: () => Promise<void>) => void
  readonly write: (batch: RefusalBatch) => Promise<void>
  /** Called with the number of rejections that were dropped. */
  readonly dropped: (count: number) => void
  /** The accounts whose refusals can be read now. */
  readonly written: (accounts: ReadonlySet<bigint>) => void
}

/** Texts of the caller are cut at these lengths. */
const modelCharactersMax = 200
const messageCharactersMax = 1_000

export class RefusalLog {
  readonly #deps: RefusalLogDeps
  #counts = new Map<string, Counted>()
  #rows = new Map<bigint, LoggedRefusal[]>()
  #rowCount = 0
  #timer: Timer | undefined

  constructor(deps: RefusalLogDeps) {
    this.#deps = deps
  }

  /** `knownModel`: the model if it exists; other names share one count, since callers can make them up. */
  note(refusal: LoggedRefusal, knownModel: string | null): void {
    const { limits, clock, dropped } = this.#deps
    const { account, key, code } = refusal
    const [hour, model] = [hourOf(refusal.id), knownModel ?? '']
    const name = `${key} ${hour} ${code} ${model}`
    const counted = this.#counts.get(name)
    if (counted !== undefined) counted.count += 1
    else if (this.#counts.size < limits.refusalsQueuedMax)
      this.#counts.set(name, { account, hour, key, code, model, count: 1 })
    else return dropped(1)
    this.#keep(refusal)
    this.#timer ??= clock.after(limits.refusalsFlushMs, () => this.flush())
  }

  /** The latest of each key: more than these would be dropped again immediately. */
  #keep(refusal: LoggedRefusal): void {
    const { refusalsKeptPerKey, refusalsQueuedMax } = this.#deps.limits
    const ofKey = this.#rows.get(refusal.key) ?? []
    if (ofKey.length >= refusalsKeptPerKey) ofKey.shift()
    else if (this.#rowCount < refusalsQueuedMax) this.#rowCount += 1
    else return
    this.#rows.set(refusal.key, ofKey)
    const { model, message } = refusal
    ofKey.push({
      ...refusal,
      model: model === null ? null : model.slice(0, modelCharactersMax),
      message: message.slice(0, messageCharactersMax),
    })
  }

  /** Begins to write what was noted. */
  flush(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#counts.size === 0) return
    const { begin, write, written, dropped } = this.#deps
    const counts = [...this.#counts.values()]
    const rows = [...this.#rows.values()].flat()
    this.#counts = new Map()
    this.#rows = new Map()
    this.#rowCount = 0
    begin(async () => {
      try {
        await write({ counts, rows })
      } catch (error) {
        dropped(counts.reduce((sum, { count }) => sum + count, 0))
        throw error
      }
      written(new Set(counts.map(({ account }) => account)))
    })
  }
}
