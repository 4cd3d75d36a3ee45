/**
 * Counts the pages of PDFs in a thread of its own, started when it is first needed, so that no file that somebody sends
 * takes time from the thread that relays. A number that cannot be had in time is undefined.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Clock, Timer } from '../base/clock.ts'
import type { PdfLimits } from './pdf-pages.ts'
import type { PdfMessage, PdfReply } from './pdf-thread.ts'

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

interface Waiting {
  readonly account: bigint
  readonly deadline: Timer
  readonly answer: (pages: number | undefined) => void
}

class PdfQueue implements PdfReader {
  readonly #clock: Clock
  readonly #limits: PdfReaderLimits
  readonly #waiting = new Map<number, Waiting>()
  readonly #queuedBy = new Map<bigint, number>()
  #thread: Worker | undefined
  #lastId = 0
  #isClosed = false

  constructor(clock: Clock, limits: PdfReaderLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  pages(account: bigint, base64: Uint8Array): Promise<number | undefined> {
    const own = this.#queuedBy.get(account) ?? 0
    const isFull = this.#waiting.size >= this.#limits.pdfsQueuedMax
    if (this.#isClosed || isFull || own >= this.#limits.pdfsQueuedPerAccountMax) {
      return Promise.resolve(undefined)
    }
    return new Promise((answer) => {
      this.#lastId += 1
      const id = this.#lastId
      const deadline = this.#clock.after(this.#limits.pdfReadMs, () => this.#settle(id, undefined))
      this.#waiting.set(id, { account, deadline, answer })
      this.#queuedBy.set(account, own + 1)
      this.#thread ??= this.#start()
      // A view would take all of the memory behind it along.
      const copy = new Uint8Array(base64)
      this.#thread.postMessage([id, copy] satisfies PdfMessage, [copy.buffer as ArrayBuffer])
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

  #settle(id: number, pages: number | undefined): void {
    const asked = this.#waiting.get(id)
    if (asked === undefined) return
    this.#waiting.delete(id)
    const left = (this.#queuedBy.get(asked.account) ?? 0) - 1
    if (left > 0) this.#queuedBy.set(asked.account, left)
    else this.#queuedBy.delete(asked.account)
    asked.deadline.cancel()
    if (this.#waiting.size === 0) this.#thread?.unref()
    asked.answer(pages)
  }

  /** A thread that died takes its files with it; the next file starts another one. */
  #lose(lost: Worker): void {
    if (this.#thread !== lost) return
    this.#thread = undefined
    for (const id of [...this.#waiting.keys()]) this.#settle(id, undefined)
  }

  #start(): Worker {
    const file = new URL(`./pdf-thread${extname(import.meta.url)}`, import.meta.url)
    const { pdfInflatedBytesMax } = this.#limits
    const started = new Worker(file, { workerData: { pdfInflatedBytesMax }, name: 'pdf reader' })
    started.on('message', ([id, pages]: PdfReply) => this.#settle(id, pages))
    started.on('error', () => this.#lose(started))
    started.on('exit', () => this.#lose(started))
    return started
  }
}

export function openPdfReader({ clock, limits }: { clock: Clock; limits: PdfReaderLimits }): PdfReader {
  return new PdfQueue(clock, limits)
}
