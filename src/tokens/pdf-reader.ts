/**
 * Counts the pages of PDFs in a separate thread, started on first use, so that a client's file
 * takes no time from the thread that relays. A count that misses its deadline is undefined.
 */
import type { Clock } from '../base/clock.ts'
import { CallEnded, type OnDemandThread, openOnDemandThread } from '../threads/on-demand-thread.ts'
import type { PdfLimits } from './pdf-pages.ts'

export interface PdfReaderLimits extends PdfLimits {
  readonly pdfReadMs: number
  readonly pdfsQueuedMax: number
  readonly pdfsQueuedPerAccountMax: number
}

export interface PdfReader {
  /** Pages of a PDF that is given as its base64 text. */
  pages(account: bigint, base64: Uint8Array): Promise<number | undefined>
  close(): Promise<void>
}

/** What the thread answers. */
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

class PdfQueue implements PdfReader {
  readonly #limits: PdfReaderLimits
  readonly #thread: OnDemandThread<PdfRequests>
  readonly #queuedBy = new Map<bigint, number>()
  #queued = 0
  #isClosed = false

  constructor({ clock, limits, entry }: PdfReaderOptions) {
    this.#limits = limits
    const { pdfInflatedBytesMax, pdfReadMs, pdfsQueuedMax } = limits
    this.#thread = openOnDemandThread<PdfRequests>({
      ...{ entry, name: 'pdf reader', setup: { pdfInflatedBytesMax }, clock, callMsMax: pdfReadMs },
      waitingMax: pdfsQueuedMax,
      transfer: (values) => bytesIn(values as Parameters<PdfRequests['pages']>),
    })
  }

  async pages(account: bigint, base64: Uint8Array): Promise<number | undefined> {
    const own = this.#queuedBy.get(account) ?? 0
    const isFull = this.#queued >= this.#limits.pdfsQueuedMax
    if (this.#isClosed || isFull || own >= this.#limits.pdfsQueuedPerAccountMax) return undefined
    this.#take(account, 1)
    try {
      // A copy: a view would take all of the memory behind it along.
      return await this.#thread.call('pages', new Uint8Array(base64))
    } catch (error) {
      if (!(error instanceof CallEnded)) throw error
      return undefined
    } finally {
      this.#take(account, -1)
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
