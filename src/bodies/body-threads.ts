/**
 * Runs the work on request bodies: in place where it is short, otherwise in worker threads, so that the thread
 * that relays is never busy for long with one request. Accounts take turns, none uses two threads concurrently, and none may
 * have many bodies waiting. Waiting and running have a deadline each. It must not know what the work is.
 */
import { isWhole } from '../base/array-memory.ts'
import type { Clock, Timer } from '../base/clock.ts'
import { TollgateError } from '../base/errors.ts'
import { FairQueue } from '../base/fair-queue.ts'
import type { Interruptible } from '../base/interruption.ts'
import type { Log } from '../base/log.ts'
import { startThread, type Thread } from '../threads/thread.ts'
import { WireError } from '../wire/format.ts'
import { TooMuchWorkError } from '../wire/json/scanner.ts'
import { type BodyOutcome, type BodyRequests, buffersIn } from './body-handlers.ts'
import { type BodyWork, bodyWork, memoryNeeded } from './body-work.ts'

export interface BodyThreadLimits {
  readonly bodyThreadsMax: number
  readonly bodyThreadBytesMin: number
  readonly bodyInPlaceBytesMax: number
  readonly bodyInPlaceWorkMax: number
  readonly bodyWorkMemoryBytes: number
  readonly bodyWorkWaitingMax: number
  readonly bodyWorkWaitingPerAccountMax: number
  /** How long a job waits for its turn. */
  readonly bodyWorkMs: number
  /** How long a job runs before its thread is stopped. */
  readonly bodyWorkRunMsMax: number
}

interface BodyThreadOptions {
  readonly clock: Clock
  readonly limits: BodyThreadLimits
  readonly log: Pick<Log, 'error'>
  /** The module that each thread runs. */
  readonly entry: URL
}

/** Whose bytes are worked on. */
export interface BodyOwner {
  /** `restore` gets the bytes back from another thread. */
  readonly body: { readonly bytes: Uint8Array; restore(bytes: Uint8Array): void }
  readonly account: bigint
  /** Interrupted work is not begun. */
  readonly work: Interruptible
}

export type WorkInput<Name extends keyof BodyWork> = Parameters<BodyWork[Name]>[1]
type WorkResult<Name extends keyof BodyWork> = ReturnType<BodyWork[Name]>

export interface BodyThreads {
  /** A promise only for a large body. Throws WireError as the work does, `overloaded` where its turn does not come. */
  run<Name extends keyof BodyWork>(
    name: Name,
    input: WorkInput<Name>,
    owner: BodyOwner,
  ): WorkResult<Name> | Promise<WorkResult<Name>>
  close(): Promise<void>
}

/** Work that skips text, so that its time depends on the number of values. */
const structuralWork: ReadonlySet<keyof BodyWork> = new Set([
  'facts',
  'stripCarriers',
  'dropReasoning',
  'adapt',
])

interface Job {
  readonly name: keyof BodyWork
  readonly input: unknown
  readonly owner: BodyOwner
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
  readonly memoryBytes: number
  deadline: Timer
}

type BodyThread = Thread<BodyRequests>

class BodyThreadPool implements BodyThreads {
  readonly #clock: Clock
  readonly #limits: BodyThreadLimits
  readonly #log: Pick<Log, 'error'>
  readonly #entry: URL
  readonly #jobs = new FairQueue<Job>()
  /** Waiting jobs by account. */
  readonly #waiting = new Map<bigint, number>()
  /** Accounts whose jobs run. */
  readonly #busy = new Set<bigint>()
  readonly #idle: BodyThread[] = []
  readonly #threads = new Set<BodyThread>()
  /** Threads that are being stopped. */
  readonly #stopping = new Set<Promise<void>>()
  #waitingCount = 0
  /** Memory of the running work. */
  #usedBytes = 0
  #idleTimer: Timer | undefined
  #isClosed = false

  constructor({ clock, limits, log, entry }: BodyThreadOptions) {
    this.#clock = clock
    this.#limits = limits
    this.#log = log
    this.#entry = entry
  }

  run<Name extends keyof BodyWork>(
    name: Name,
    input: WorkInput<Name>,
    owner: BodyOwner,
  ): WorkResult<Name> | Promise<WorkResult<Name>> {
    const { bytes } = owner.body
    if (bytes.length <= this.#limits.bodyThreadBytesMin)
      return bodyWork[name](bytes, input as never) as WorkResult<Name>
    const inPlace = this.#inPlace(name, bytes, input)
    if (inPlace !== undefined) return inPlace.result
    return new Promise((resolve, reject) => {
      const memoryBytes = memoryNeeded(name, bytes.length)
      const rejection = this.#rejection(owner.account, memoryBytes)
      if (rejection !== undefined) throw rejection
      this.#wait({ name, input, owner, memoryBytes, resolve: resolve as Job['resolve'], reject })
      this.#next()
    })
  }

  /** The result of reading a body with few values; undefined for other bodies, and for work that reads the text as well. */
  #inPlace<Name extends keyof BodyWork>(
    name: Name,
    bytes: Uint8Array,
    input: WorkInput<Name>,
  ): { readonly result: WorkResult<Name> } | undefined {
    const { bodyInPlaceBytesMax, bodyInPlaceWorkMax: workMax } = this.#limits
    if (!structuralWork.has(name) || bytes.length > bodyInPlaceBytesMax || isDense(bytes, workMax))
      return undefined
    try {
      const bounded = { ...input, limits: { ...input.limits, workMax } }
      return { result: bodyWork[name](bytes, bounded as never) as WorkResult<Name> }
    } catch (error) {
      if (error instanceof TooMuchWorkError) return undefined
      throw error
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#idleTimer?.cancel()
    for (let job = this.#jobs.take(); job !== undefined; job = this.#jobs.take()) {
      this.#leaveLine(job)
      job.reject(late())
    }
    for (const thread of [...this.#threads]) this.#terminate(thread, late())
    await Promise.all(this.#stopping)
  }

  #rejection(account: bigint, memoryBytes: number): Error | undefined {
    if (memoryBytes > this.#limits.bodyWorkMemoryBytes) return tooLarge()
    const ownMax = this.#limits.bodyWorkWaitingPerAccountMax
    if ((this.#waiting.get(account) ?? 0) >= ownMax) return tooMany(ownMax)
    return this.#isClosed || this.#waitingCount >= this.#limits.bodyWorkWaitingMax ? late() : undefined
  }

  #wait(request: Omit<Job, 'deadline'>): void {
    const { account, work } = request.owner
    const deadline = this.#clock.after(this.#limits.bodyWorkMs, () => this.#giveUp(job, late()))
    const job: Job = { ...request, deadline }
    this.#jobs.add(account, job)
    this.#waiting.set(account, (this.#waiting.get(account) ?? 0) + 1)
    this.#waitingCount += 1
    work.listen((interruption) => {
      this.#giveUp(job, interruption.kind === 'stopped' ? interruption.error : gone())
    })
  }

  /** A job that does not run yet never will. */
  #giveUp(job: Job, reason: TollgateError): void {
    if (this.#jobs.remove((one) => one === job) === undefined) return
    this.#leaveLine(job)
    job.reject(reason)
  }

  #leaveLine({ owner: { account, work }, deadline }: Job): void {
    const left = (this.#waiting.get(account) ?? 0) - 1
    if (left > 0) this.#waiting.set(account, left)
    else this.#waiting.delete(account)
    this.#waitingCount -= 1
    deadline.cancel()
    work.listen(undefined)
  }

  #next(): void {
    while (this.#idle.length > 0 || this.#threads.size < this.#limits.bodyThreadsMax) {
      const leftBytes = this.#limits.bodyWorkMemoryBytes - this.#usedBytes
      const job = this.#jobs.take(
        (account, { memoryBytes }) => !this.#busy.has(account) && memoryBytes <= leftBytes,
      )
      if (job === undefined) return
      this.#leaveLine(job)
      this.#busy.add(job.owner.account)
      this.#usedBytes += job.memoryBytes
      const thread = this.#idle.pop() ?? this.#start()
      void this.#perform(thread, job)
    }
  }

  async #perform(thread: BodyThread, job: Job): Promise<void> {
    const { body, account } = job.owner
    const { bytes } = body
    this.#endIdle()
    const isLent = isWhole(bytes)
    thread.ref()
    const deadline = this.#clock.after(this.#limits.bodyWorkRunMsMax, () => this.#stop(thread, job))
    try {
      const outcome = await thread.call('work', isLent ? bytes : bytes.slice(), job.name, job.input)
      if (isLent) body.restore(outcome.bytes)
      this.#settle(job, outcome)
    } catch (error) {
      job.reject(error)
    } finally {
      deadline.cancel()
      this.#busy.delete(account)
      this.#usedBytes -= job.memoryBytes
      thread.unref()
      if (this.#threads.has(thread)) this.#idle.push(thread)
      this.#next()
      this.#endIdle()
    }
  }

  #settle(job: Job, outcome: BodyOutcome): void {
    if (outcome.kind === 'done') job.resolve(outcome.value)
    else {
      const { code, message, pointer, model } = outcome
      job.reject(Object.assign(new WireError(code, message, pointer), { model }))
    }
  }

  /** Once nothing was asked of any thread for a while, all end: what a large body took goes back to the system with them. */
  #endIdle(): void {
    this.#idleTimer?.cancel()
    this.#idleTimer = undefined
    if (this.#isClosed || this.#idle.length < this.#threads.size) return
    this.#idleTimer = this.#clock.after(idleMs, () => {
      for (const thread of [...this.#idle]) this.#terminate(thread, late())
    })
  }

  /** Work cannot be interrupted from outside but with its thread. */
  #stop(thread: BodyThread, { name }: Job): void {
    const limitMs = this.#limits.bodyWorkRunMsMax
    this.#log.error({ work: name, limitMs }, 'processing a request body took too long; replacing its thread')
    this.#terminate(thread, overdue(limitMs))
  }

  #start(): BodyThread {
    const thread: BodyThread = startThread<BodyRequests>({
      ...{ entry: this.#entry, name: 'body reader', waitingMax: 1, transfer: buffersIn, lostError: died },
      onLost: (_error, cause) => {
        if (cause === undefined) this.#log.error('a request body thread exited; replacing it')
        else this.#log.error({ err: cause }, 'a request body thread failed; replacing it')
        this.#forget(thread)
      },
    })
    this.#threads.add(thread)
    return thread
  }

  /** A thread that is gone takes its work with it; the next work starts another one. */
  #forget(thread: BodyThread): void {
    this.#threads.delete(thread)
    const index = this.#idle.indexOf(thread)
    if (index >= 0) this.#idle.splice(index, 1)
  }

  #terminate(thread: BodyThread, reason: TollgateError): void {
    this.#forget(thread)
    const ended = thread.terminate(reason)
    this.#stopping.add(ended)
    void ended.finally(() => this.#stopping.delete(ended))
  }
}

export function openBodyThreads(options: BodyThreadOptions): BodyThreads {
  return new BodyThreadPool(options)
}

const retryAfterMs = 2_000
/** Starting one again takes about 0.2 s. */
const idleMs = 20_000

function late(): TollgateError {
  return new TollgateError('overloaded', {
    message: 'This server is processing too many large request bodies. Try again.',
    retryAfterMs,
  })
}

function tooMany(limit: number): TollgateError {
  return new TollgateError('concurrency_limited', {
    message: `Rate limit reached: ${limit} large request bodies of this account are already queued. Try again when some have completed, or send fewer large requests concurrently.`,
    facts: { scope: 'account', limit },
    retryAfterMs,
  })
}

function tooLarge(): TollgateError {
  return new TollgateError('body_too_large', {
    message:
      'This server has too little memory to translate or count a request body of this size. Send a smaller request.',
  })
}

function died(): TollgateError {
  return new TollgateError('overloaded', {
    message: 'The thread that read this request body failed, probably out of memory. Try again.',
    retryAfterMs,
  })
}

function overdue(limitMs: number): TollgateError {
  return new TollgateError('overloaded', {
    message: `Reading this request body took longer than ${limitMs / 1_000} s, which is the limit. Send a smaller request.`,
    retryAfterMs,
  })
}

function gone(): TollgateError {
  return new TollgateError('request_timeout', {
    message: 'The client disconnected before the request was read.',
  })
}

const samples = 64
const sampleBytes = 64

/** The quarters of one value that each byte shows: two quotes are a name or a text, and four escapes cost as much. */
const quarters = new Uint8Array(256)
quarters['"'.charCodeAt(0)] = 2
quarters['\\'.charCodeAt(0)] = 1
quarters['{'.charCodeAt(0)] = 4
quarters['['.charCodeAt(0)] = 4

/**
 * Whether reading a JSON body would probably take more than a bounded amount of work, judged from samples of its bytes. A
 * guess, which saves an attempt: its caller must bound the work itself. `workMax`: values, and a quarter of the escapes, in the
 * whole body.
 */
function isDense(bytes: Uint8Array, workMax: number): boolean {
  if (bytes.length < samples * sampleBytes) return false
  const stride = Math.floor(bytes.length / samples)
  let found = 0
  for (let start = 0; start + sampleBytes <= bytes.length; start += stride)
    for (let at = start; at < start + sampleBytes; at += 1) found += quarters[bytes[at]!]!
  return found * (stride / sampleBytes) > 4 * workMax
}
