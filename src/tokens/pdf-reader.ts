/**
 * Counts the pages of PDFs in a separate thread, started on first use, so that a client's file
 * takes no time from the thread that relays. A count that misses its deadline is undefined.
 */
import type { Clock } from '../base/clock.ts'
import { CallEnded, type OnDemandThread, openOnDemandThread } from '../threads/on-demand-thread.ts'
import type { PdfLimits } from './pdf-pages.ts'

/** A PDF beyond these is bounded by its size. */
const pdfsQueuedMax = 64

export interface PdfReaderLimits extends PdfLimits {
  readonly pdfReadMs: number
  readonly pdfsQueuedPerAccountMax: number
  readonly bodyWorkMemoryBytes: number
}

export interface PdfReader {
  /** Pages of a PDF that is given as its base64 text. */
  pages(account: bigint, base64: Uint8Array): Promise<number | undefined>
  close(): Promise<void>
}

/** Requests that the PDF thread answers. */
export interface PdfRequests {
  /** A PDF as its base64 text; undefined where the file does not say. */
  pages(base64: Uint8Array): number | undefined
}

export interface PdfReaderOptions {
  readonly clock: Clock
  readonly limits: PdfReaderLimits
  /** The module that the thread runs. */
  readonly entry: URL
}

/** The file is there as base64, as bytes, as text and as joined text. */
const memoryFactor = 5

class PdfQueue implements PdfReader {
  readonly #clock: Clock
  readonly #limits: PdfReaderLimits
  readonly #thread: OnDemandThread<PdfRequests>
  readonly #queuedBy = new Map<bigint, number>()
  #queued = 0
  /** Ends with the file before the next one. */
  #last: Promise<unknown> = Promise.resolve()
  #isClosed = false

  constructor({ clock, limits, entry }: PdfReaderOptions) {
    this.#clock = clock
    this.#limits = limits
    const { pdfInflatedBytesMax, pdfReadMs } = limits
    this.#thread = openOnDemandThread<PdfRequests>({
      ...{ entry, name: 'pdf reader', setup: { pdfInflatedBytesMax }, clock, callMsMax: pdfReadMs },
      waitingMax: pdfsQueuedMax,
      transfer: (values) => bytesIn(values as Parameters<PdfRequests['pages']>),
    })
  }

  async pages(account: bigint, base64: Uint8Array): Promise<number | undefined> {
    const own = this.#queuedBy.get(account) ?? 0
    const isFull = this.#queued >= pdfsQueuedMax
    const neededBytes = memoryFactor * base64.length
    if (neededBytes > this.#limits.bodyWorkMemoryBytes) return undefined
    if (this.#isClosed || isFull || own >= this.#limits.pdfsQueuedPerAccountMax) return undefined
    this.#take(account, 1)
    const late = Promise.withResolvers<undefined>()
    const deadline = this.#clock.after(this.#limits.pdfReadMs, () => late.resolve(undefined))
    const untilMs = this.#clock.monoMs() + this.#limits.pdfReadMs
    const reading = this.#last.then(() => this.#pagesNow(base64, untilMs))
    this.#last = reading.catch(() => undefined)
    try {
      return await Promise.race([reading, late.promise])
    } finally {
      deadline.cancel()
      this.#take(account, -1)
    }
  }

  async #pagesNow(base64: Uint8Array, untilMs: number): Promise<number | undefined> {
    if (this.#clock.monoMs() >= untilMs) return undefined
    try {
      // A copy, of one file at a time: a view would take all of the memory behind it along.
      return await this.#thread.call('pages', new Uint8Array(base64))
    } catch (error) {
      if (!(error instanceof CallEnded)) throw error
      return undefined
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#thread.close()
  }

  #take(account: bigint, count: 1 | -1): void {
    this.#queued += count
    const own = (this.#queuedBy.get(account) ?? 0) + count
    if (own > 0) this.#queuedBy.set(account, own)
    else this.#queuedBy.delete(account)
  }
}

const bytesIn = ([base64]: Parameters<PdfRequests['pages']>) => [base64.buffer as ArrayBuffer]

export function openPdfReader(options: PdfReaderOptions): PdfReader {
  return new PdfQueue(options)
}
