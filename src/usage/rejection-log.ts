/**
 * Rejected requests on their way to the ledger: equal ones are counted in memory and written every second. Rejections beyond the
 * bounds are dropped and counted, so a flood of them costs nothing more.
 */
import type { Clock, Timer } from '../base/clock.ts'
import { hourOf } from '../base/ids.ts'
import type { LoggedRejection, RejectionBatch, RejectionCount } from './types.ts'

export interface RejectionLogLimits {
  readonly rejectionsKeptPerKey: number
  readonly rejectionsQueuedMax: number
  readonly rejectionsFlushMs: number
}

type Counted = RejectionCount & { count: number }

export interface RejectionLogDeps {
  readonly clock: Clock
  readonly limits: RejectionLogLimits
  /** Runs the writing apart from requests, and is waited for at the end of the process. */
  readonly begin: (work: () => Promise<void>) => void
  readonly write: (batch: RejectionBatch) => Promise<void>
  /** Called with the number of rejections that were dropped. */
  readonly dropped: (count: number) => void
  /** The accounts whose rejections can be read now. */
  readonly written: (accounts: ReadonlySet<bigint>) => void
}

/** Texts of the caller are cut at these lengths. */
const modelCharactersMax = 200
const messageCharactersMax = 1_000

export class RejectionLog {
  readonly #deps: RejectionLogDeps
  #counts = new Map<string, Counted>()
  #rows = new Map<bigint, LoggedRejection[]>()
  #rowCount = 0
  #timer: Timer | undefined

  constructor(deps: RejectionLogDeps) {
    this.#deps = deps
  }

  /** `knownModel`: the model if it exists; other names share one count, since callers can make them up. */
  note(rejection: LoggedRejection, knownModel: string | null): void {
    const { limits, clock, dropped } = this.#deps
    const { account, key, code } = rejection
    const [hour, model] = [hourOf(rejection.id), knownModel ?? '']
    const name = `${key} ${hour} ${code} ${model}`
    const counted = this.#counts.get(name)
    if (counted !== undefined) counted.count += 1
    else if (this.#counts.size < limits.rejectionsQueuedMax)
      this.#counts.set(name, { account, hour, key, code, model, count: 1 })
    else return dropped(1)
    this.#keep(rejection)
    this.#timer ??= clock.after(limits.rejectionsFlushMs, () => this.flush())
  }

  /** The latest of each key: more than these would be dropped again immediately. */
  #keep(rejection: LoggedRejection): void {
    const { rejectionsKeptPerKey, rejectionsQueuedMax } = this.#deps.limits
    const ofKey = this.#rows.get(rejection.key) ?? []
    if (ofKey.length >= rejectionsKeptPerKey) ofKey.shift()
    else if (this.#rowCount < rejectionsQueuedMax) this.#rowCount += 1
    else return
    this.#rows.set(rejection.key, ofKey)
    const { model, message } = rejection
    ofKey.push({
      ...rejection,
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
