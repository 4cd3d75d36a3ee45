/**
 * Schedules the polls of open background responses: soon after they start, less often the longer they run, and only a
 * few concurrently. Keeps only due times in memory; a restart reads the open responses from the ledger. Sends no request
 * itself.
 */
import type { Background } from '../../base/background.ts'
import type { Clock, Timer } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { ResponseLedger } from '../../ledger/background-response-types.ts'
import { type PollDeps, type PollResult, pollResponse } from './poll-upstream.ts'

/** Background responses polled in parallel. */
const backgroundPollsMax = 16

export interface PollLimits {
  readonly backgroundPollMsMin: number
  readonly backgroundPollMsMax: number
}

export interface ResponsePollDeps extends PollDeps {
  readonly background: PollScheduleDeps['background']
  readonly limits: PollDeps['limits'] & PollLimits
}

/** `deps` is called at each poll, since it may be composed later. */
export function responsePolls(
  deps: () => ResponsePollDeps,
  schedule: Omit<PollScheduleDeps, 'poll'>,
): ResponsePolls {
  return new ResponsePolls({ ...schedule, poll: (id) => pollResponse(deps(), id) })
}

interface PollScheduleDeps {
  readonly ledger: Pick<ResponseLedger, 'openResponses'>
  readonly background: Pick<Background, 'run' | 'retry'>
  readonly clock: Clock
  readonly log: Log
  readonly limits: PollLimits
  /** Polls an open response, and settles it when it has ended. */
  readonly poll: (id: bigint) => Promise<PollResult>
}

interface PollEntry {
  readonly account: bigint
  dueMonoMs: number
  isPolling: boolean
}

const tickMsMax = 250
/** The delay is a quarter of the response's age, up to `backgroundPollMsMax`. */
const ageDivisor = 4
const responsesPerRead = 500
const reads = { everyMs: 1_000, timesMax: 86_400 }

export class ResponsePolls {
  readonly #deps: PollScheduleDeps
  readonly #entries = new Map<bigint, PollEntry>()
  #polls = 0
  #timer: Timer | undefined
  #isStopped = false

  constructor(deps: PollScheduleDeps) {
    this.#deps = deps
  }

  /** Resumes responses that earlier processes left open; polls until the returned function is called. */
  start(): () => void {
    const { background, ledger } = this.#deps
    let after = 0n
    background.retry(
      'resume background responses',
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
    return () => this.stop()
  }

  /** Polls no more. */
  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  /** Schedules a response that has just started. */
  add(id: bigint, account: bigint): void {
    this.#set(id, account, delayOf(0, this.#deps.limits))
  }

  /** Delays the next poll, since a client's request has just polled it. */
  postpone(id: bigint, ageMs: number): void {
    const entry = this.#entries.get(id)
    if (entry !== undefined) entry.dueMonoMs = this.#in(delayOf(ageMs, this.#deps.limits))
  }

  /** Polls all responses of an account now, for example because it was suspended. */
  pollNow(account: bigint): void {
    for (const entry of this.#entries.values()) if (entry.account === account) entry.dueMonoMs = this.#in(0)
    this.#wait()
  }

  #in(ms: number): number {
    return this.#deps.clock.monoMs() + ms
  }

  #set(id: bigint, account: bigint, ms: number): void {
    this.#entries.set(id, { account, dueMonoMs: this.#in(ms), isPolling: false })
    this.#wait()
  }

  #wait(): void {
    if (this.#timer !== undefined || this.#isStopped || this.#entries.size === 0) return
    const { clock, limits } = this.#deps
    this.#timer = clock.after(Math.min(tickMsMax, limits.backgroundPollMsMin), () => {
      this.#timer = undefined
      this.#begin()
      this.#wait()
    })
  }

  /** Polls those that are due, longest overdue first. */
  #begin(): void {
    const free = backgroundPollsMax - this.#polls
    if (free <= 0 || this.#isStopped) return
    const nowMs = this.#in(0)
    const due = [...this.#entries].filter(([, entry]) => !entry.isPolling && entry.dueMonoMs <= nowMs)
    due.sort(([, one], [, other]) => one.dueMonoMs - other.dueMonoMs)
    for (const [id, entry] of due.slice(0, free)) this.#poll(id, entry)
  }

  #poll(id: bigint, entry: PollEntry): void {
    const { background, limits, log, poll } = this.#deps
    entry.isPolling = true
    this.#polls += 1
    background.run('poll a background response', async () => {
      try {
        const result = await poll(id)
        if (result.kind === 'over') this.#entries.delete(id)
        else entry.dueMonoMs = this.#in(Math.max(delayOf(result.ageMs, limits), result.pauseMs ?? 0))
      } catch (error) {
        entry.dueMonoMs = this.#in(limits.backgroundPollMsMax)
        log.warn({ err: error, request: id.toString() }, 'failed to poll a background response')
      } finally {
        entry.isPolling = false
        this.#polls -= 1
        this.#wait()
      }
    })
  }
}

/** The delay until the next poll of a response of this age. */
function delayOf(
  ageMs: number,
  {
    backgroundPollMsMin,
    backgroundPollMsMax,
  }: Pick<PollLimits, 'backgroundPollMsMin' | 'backgroundPollMsMax'>,
): number {
  return Math.min(Math.max(ageMs / ageDivisor, backgroundPollMsMin), backgroundPollMsMax)
}
