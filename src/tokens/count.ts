/**
 * Counts tokens exactly enough to reject by: o200k in a worker thread, started at first use. A count has
 * a budget of time and room; when that is used up, the rest is bounded by its bytes, and labeled so.
 */
import type { Clock } from '../base/clock.ts'
import { CallEnded, type OnDemandThread, openOnDemandThread } from '../threads/on-demand-thread.ts'
import { boundedTokens, newProgress } from './count-progress.ts'
import type { CountRequests, CountSetup } from './count-work.ts'

/** The longest text that is tokenized in one piece. */
const runBytesMax = 2_048

export interface CountLimits {
  readonly countBytesMax: number
  readonly countQueueMax: number
  readonly countQueuedBytesMax: number
  readonly countQueuedBytesPerAccountMax: number
  readonly countMs: number
}

/** The text to count, and its account. */
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
  /** Whether a text of so many bytes would be counted now: a copy of one that would not is not worth its memory. */
  hasRoom(bytes: number, account: bigint): boolean
  /** o200k tokens of the text, never fewer than there are; undefined: too long, too many wait, or too late. */
  count(text: string): Promise<number | undefined>
  /** The same within the same budget, with a bound where that is used up. */
  bound(ask: CountAsk): Promise<Count>
  /** Ends the thread; what waits is bounded by what was counted. */
  close(): Promise<void>
}

/** Work of the server itself that belongs to no account's turn. */
const ownWork = 0n

export interface CounterOptions {
  readonly clock: Clock
  readonly limits: CountLimits
  /** The module that the thread runs. */
  readonly entry: URL
}

class CountQueue implements Counter {
  readonly #limits: CountLimits
  readonly #thread: OnDemandThread<CountRequests>
  readonly #bytesOf = new Map<bigint, number>()
  #waiting = 0
  #waitingBytes = 0
  #isClosed = false

  constructor({ clock, limits, entry }: CounterOptions) {
    this.#limits = limits
    const setup: CountSetup = { runBytesMax }
    this.#thread = openOnDemandThread<CountRequests>({
      ...{ entry, name: 'token counter', setup, clock, callMsMax: limits.countMs },
      waitingMax: limits.countQueueMax,
      transfer: (values) => bytesIn(values as Parameters<CountRequests['count']>),
    })
  }

  async count(text: string): Promise<number | undefined> {
    const count = await this.bound({ text, account: ownWork, tokensMax: Number.MAX_SAFE_INTEGER })
    return count.source === 'counted' ? count.tokens : undefined
  }

  async bound({ text, account, tokensMax }: CountAsk): Promise<Count> {
    const bytes = typeof text === 'string' ? Buffer.byteLength(text) : text.length
    if (!this.hasRoom(bytes, account)) return { tokens: bytes, source: 'bounded' }
    const progress = newProgress(bytes)
    this.#take(bytes, account, 1)
    try {
      const tokens = await this.#thread.call('count', { text, account, tokensMax, progress })
      return { tokens, source: 'counted' }
    } catch (error) {
      if (!(error instanceof CallEnded)) throw error
      return { tokens: boundedTokens(progress), source: 'bounded' }
    } finally {
      this.#take(-bytes, account, -1)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#thread.close()
  }

  hasRoom(bytes: number, account: bigint): boolean {
    const limits = this.#limits
    const own = this.#bytesOf.get(account) ?? 0
    return (
      !this.#isClosed &&
      bytes <= limits.countBytesMax &&
      this.#waitingBytes + bytes <= limits.countQueuedBytesMax &&
      (account === ownWork || own + bytes <= limits.countQueuedBytesPerAccountMax) &&
      this.#waiting < limits.countQueueMax
    )
  }

  /** Takes so much of what may wait, or gives it back. */
  #take(bytes: number, account: bigint, count: 1 | -1): void {
    this.#waiting += count
    this.#waitingBytes += bytes
    const own = (this.#bytesOf.get(account) ?? 0) + bytes
    if (own > 0) this.#bytesOf.set(account, own)
    else this.#bytesOf.delete(account)
  }
}

const bytesIn = ([{ text }]: Parameters<CountRequests['count']>) =>
  typeof text === 'string' ? [] : [text.buffer as ArrayBuffer]

export function openCounter(options: CounterOptions): Counter {
  return new CountQueue(options)
}

/** Tokens of another vendor's tokenizer: `tokens × factor`, rounded up. */
export function scaled(
  tokens: number,
  factor: { readonly numerator: number; readonly denominator: number },
): number {
  return Math.ceil((tokens * factor.numerator) / factor.denominator)
}
