/**
 * Counts tokens exactly enough to refuse by: o200k in a thread of its own, started when it is first needed. A count has
 * a budget of time and room; when that is used up, what is not counted yet is bounded by its bytes, and labelled so.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Clock, Timer } from '../base/clock.ts'
import { boundedTokens, newProgress } from './count-progress.ts'
import type { CountMessage, CountReply, CountSetup } from './count-thread.ts'

export interface CountLimits {
  readonly countRunBytesMax: number
  readonly countBytesMax: number
  readonly countQueueMax: number
  readonly countQueuedBytesMax: number
  readonly countQueuedBytesPerAccountMax: number
  readonly countMs: number
}

/** What is counted, and for whom. */
export interface CountAsk {
  /** UTF-8 bytes are handed over: they are empty here afterwards. */
  readonly text: string | Uint8Array
  /** Accounts take turns. */
  readonly account: bigint
  /** Counting stops here: the caller needs no more. */
  readonly tokensMax: number
}

export interface Count {
  /** Never fewer than there are, up to `tokensMax`. */
  readonly tokens: number
  /** `bounded`: time or room was used up; what was not counted is one token per byte. */
  readonly source: 'counted' | 'bounded'
}

export interface Counter {
  /** o200k tokens of the text, never fewer than there are; undefined: too long, too many wait, or too late. */
  count(text: string): Promise<number | undefined>
  /** The same within the same budget, with a bound where that is used up. */
  bound(ask: CountAsk): Promise<Count>
  /** Ends the thread; what waits is bounded by what was counted. */
  close(): Promise<void>
}

interface Waiting {
  readonly bytes: number
  readonly account: bigint
  readonly progress: Int32Array
  readonly deadline: Timer
  readonly answer: (count: Count) => void
}

/** Work of the server itself that belongs to no account's turn. */
const ownWork = 0n

class CountQueue implements Counter {
  readonly #clock: Clock
  readonly #limits: CountLimits
  readonly #waiting = new Map<number, Waiting>()
  readonly #bytesOf = new Map<bigint, number>()
  #thread: Worker | undefined
  #waitingBytes = 0
  #lastId = 0
  #isClosed = false

  constructor(clock: Clock, limits: CountLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  async count(text: string): Promise<number | undefined> {
    const count = await this.bound({ text, account: ownWork, tokensMax: Number.MAX_SAFE_INTEGER })
    return count.source === 'counted' ? count.tokens : undefined
  }

  bound({ text, account, tokensMax }: CountAsk): Promise<Count> {
    const bytes = typeof text === 'string' ? Buffer.byteLength(text) : text.length
    if (!this.#hasRoom(bytes, account)) return Promise.resolve({ tokens: bytes, source: 'bounded' })
    return new Promise((answer) => {
      this.#lastId += 1
      const id = this.#lastId
      const deadline = this.#clock.after(this.#limits.countMs, () => {
        this.#settle(id, null)
        this.#thread?.postMessage([id] satisfies CountMessage)
      })
      const progress = newProgress(bytes)
      this.#waiting.set(id, { bytes, account, progress, deadline, answer })
      this.#waitingBytes += bytes
      this.#bytesOf.set(account, (this.#bytesOf.get(account) ?? 0) + bytes)
      this.#thread ??= this.#start()
      const moved = typeof text === 'string' ? [] : [text.buffer as ArrayBuffer]
      this.#thread.postMessage([id, { text, account, tokensMax, progress }] satisfies CountMessage, moved)
      this.#thread.ref()
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const last = this.#thread
    if (last === undefined) return
    this.#lose(last)
    await last.terminate()
  }

  #hasRoom(bytes: number, account: bigint): boolean {
    const limits = this.#limits
    const own = this.#bytesOf.get(account) ?? 0
    return (
      !this.#isClosed &&
      bytes <= limits.countBytesMax &&
      this.#waitingBytes + bytes <= limits.countQueuedBytesMax &&
      (account === ownWork || own + bytes <= limits.countQueuedBytesPerAccountMax) &&
      this.#waiting.size < limits.countQueueMax
    )
  }

  /** `tokens` null: no count came; as far as it got counts. */
  #settle(id: number, tokens: number | null): void {
    const found = this.#waiting.get(id)
    if (found === undefined) return
    this.#waiting.delete(id)
    this.#waitingBytes -= found.bytes
    const left = (this.#bytesOf.get(found.account) ?? 0) - found.bytes
    if (left > 0) this.#bytesOf.set(found.account, left)
    else this.#bytesOf.delete(found.account)
    found.deadline.cancel()
    if (this.#waiting.size === 0) this.#thread?.unref()
    found.answer(
      tokens === null
        ? { tokens: boundedTokens(found.progress), source: 'bounded' }
        : { tokens, source: 'counted' },
    )
  }

  /** A thread that died takes its counts with it; the next count starts another one. */
  #lose(lost: Worker): void {
    if (this.#thread !== lost) return
    this.#thread = undefined
    for (const id of [...this.#waiting.keys()]) this.#settle(id, null)
  }

  #start(): Worker {
    const file = new URL(`./count-thread${extname(import.meta.url)}`, import.meta.url)
    const setup: CountSetup = { runBytesMax: this.#limits.countRunBytesMax }
    const started = new Worker(file, { workerData: setup, name: 'token counter' })
    started.on('message', ([id, tokens]: CountReply) => this.#settle(id, tokens))
    started.on('error', () => this.#lose(started))
    started.on('exit', () => this.#lose(started))
    return started
  }
}

export function openCounter({ clock, limits }: { clock: Clock; limits: CountLimits }): Counter {
  return new CountQueue(clock, limits)
}

/** Tokens of another maker's tokenizer: `tokens × factor`, rounded up. */
export function scaled(
  tokens: number,
  factor: { readonly numerator: number; readonly denominator: number },
): number {
  return Math.ceil((tokens * factor.numerator) / factor.denominator)
}
