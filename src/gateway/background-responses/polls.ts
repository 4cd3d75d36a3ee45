/**
 * When open responses in the background are looked at: soon after they began, less often the longer they run, and only a
 * few at once. Remembers no more than when; a start finds all that are open again. Sends no request itself.
 */
import type { Background } from '../../base/background.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { ResponseLedger } from '../../ledger/background-response-types.ts'
import { type PollDeps, type PollResult, pollResponse } from './poll-upstream.ts'

export interface PollLimits {
  readonly backgroundPollMsMin: number
  readonly backgroundPollMsMax: number
  /** Responses that are looked at in parallel. */
  readonly backgroundPollsMax: number
}

export interface ResponsePollDeps extends PollDeps {
  readonly background: PollScheduleDeps['background']
  readonly limits: PollDeps['limits'] & PollLimits
}

/** `deps` is read when a response is looked at: it may be composed later. */
export function responsePolls(
  deps: () => ResponsePollDeps,
  polling: Omit<PollScheduleDeps, 'look'>,
): ResponsePolls {
  return new ResponsePolls({ ...polling, look: (id) => pollResponse(deps(), id) })
}

interface PollScheduleDeps {
  readonly ledger: Pick<ResponseLedger, 'openResponses'>
  readonly background: Pick<Background, 'run' | 'retry'>
  readonly clock: Clock
  readonly log: Log
  readonly limits: PollLimits
  /** Asks how it stands with an open response, and settles it when it has ended. */
  readonly look: (id: bigint) => Promise<PollResult>
}

interface PollEntry {
  readonly account: bigint
  dueMonoMs: number
  isLooking: boolean
}

const tickMsMax = 250
/** A quarter of its age: what runs for an hour is settled at most a minute late. */
const ageDivisor = 4
const responsesPerRead = 500
const reads = { everyMs: 1_000, timesMax: 86_400 }

export class ResponsePolls {
  readonly #polling: PollScheduleDeps
  readonly #entries = new Map<bigint, PollEntry>()
  #looking = 0
  #timer: Timer | undefined
  #isStopped = false

  constructor(polling: PollScheduleDeps) {
    this.#polling = polling
  }

  /** Takes up what earlier processes left open; looks until the returned function is called. */
  start(): () => void {
    const { background, ledger } = this.#polling
    let after = 0n
    background.retry(
      'take up background responses',
      async () => {
        for (;;) {
          const found = await ledger.openResponses(after, responsesPerRead)
          for (const { id, account } of found) this.#set(id, account, 0)
          const last = found.at(-1)
          if (last === undefined || this.#isStopped) return
          after = last.id
        }
      },
      reads,
    )
    return () => {
      this.#isStopped = true
      this.#timer?.cancel()
    }
  }

  /** One that has begun. */
  add(id: bigint, account: bigint): void {
    this.#set(id, account, delayOf(0, this.#polling.limits))
  }

  /** A client's request has just polled it. */
  postpone(id: bigint, ageMs: number): void {
    const entry = this.#entries.get(id)
    if (entry !== undefined) entry.dueMonoMs = this.#in(delayOf(ageMs, this.#polling.limits))
  }

  /** What becomes of the account's responses has changed: they are looked at now. */
  hasten(account: bigint): void {
    for (const entry of this.#entries.values()) if (entry.account === account) entry.dueMonoMs = this.#in(0)
    this.#wait()
  }

  #in(ms: number): number {
    return this.#polling.clock.monoMs() + ms
  }

  #set(id: bigint, account: bigint, ms: number): void {
    this.#entries.set(id, { account, dueMonoMs: this.#in(ms), isLooking: false })
    this.#wait()
  }

  #wait(): void {
    if (this.#timer !== undefined || this.#isStopped || this.#entries.size === 0) return
    const { clock, limits } = this.#polling
    this.#timer = clock.after(Math.min(tickMsMax, limits.backgroundPollMsMin), () => {
      this.#timer = undefined
      this.#begin()
      this.#wait()
    })
  }

  /** Those that are due, the one that has waited longest first. */
  #begin(): void {
    const { limits } = this.#polling
    const free = limits.backgroundPollsMax - this.#looking
    if (free <= 0 || this.#isStopped) return
    const nowMs = this.#in(0)
    const due = [...this.#entries].filter(([, entry]) => !entry.isLooking && entry.dueMonoMs <= nowMs)
    due.sort(([, one], [, other]) => one.dueMonoMs - other.dueMonoMs)
    for (const [id, entry] of due.slice(0, free)) this.#look(id, entry)
  }

  #look(id: bigint, entry: PollEntry): void {
    const { background, limits, log, look } = this.#polling
    entry.isLooking = true
    this.#looking += 1
    background.run('look at a background response', async () => {
      try {
        const found = await look(id)
        if (found.kind === 'over') this.#entries.delete(id)
        else entry.dueMonoMs = this.#in(Math.max(delayOf(found.ageMs, limits), found.pauseMs ?? 0))
      } catch (error) {
        entry.dueMonoMs = this.#in(limits.backgroundPollMsMax)
        log.warn({ err: error, request: id.toString() }, 'a background response could not be looked at')
      } finally {
        entry.isLooking = false
        this.#looking -= 1
        this.#wait()
      }
    })
  }
}

/** How long a response of this age is left alone. */
function delayOf(
  ageMs: number,
  {
    backgroundPollMsMin,
    backgroundPollMsMax,
  }: Pick<PollLimits, 'backgroundPollMsMin' | 'backgroundPollMsMax'>,
): number {
  return Math.min(Math.max(ageMs / ageDivisor, backgroundPollMsMin), backgroundPollMsMax)
}
