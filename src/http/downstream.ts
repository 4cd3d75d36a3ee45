/**
 * A response to a client: tracks whether the client is connected, how much it has not read yet
 * and since when it has been stalled. Must not know what the bytes mean.
 */
import type { ServerResponse } from 'node:http'
import type { Clock } from '../base/clock.ts'

/** Name, value, name, value; values of printable latin-1. */
export type FlatHeaders = readonly string[]

export class Downstream {
  readonly #response: ServerResponse
  readonly #clock: Clock
  #gone = false
  #finished = false
  #goneListener: (() => void) | undefined
  #finishedListener: (() => void) | undefined
  #drainedListener: (() => void) | undefined
  #waiting = false
  #progressMs = 0
  #progressBytes = 0

  constructor(response: ServerResponse, clock: Clock) {
    this.#response = response
    this.#clock = clock
    response.once('close', () => this.#close())
  }

  /** The client left before it was sent the whole answer, whatever the phase; one that closed its sending side has left. */
  get gone(): boolean {
    return this.#gone
  }

  /** Everything was handed to the operating system and the answer is over. */
  get finished(): boolean {
    return this.#finished
  }

  /** Whether a status was chosen. */
  get headersSent(): boolean {
    return this.#response.headersSent
  }

  /** Bytes that were written and not yet taken by the operating system, framing included. */
  get unsentBytes(): number {
    return this.#response.writableLength
  }

  /**
   * Since when (monotonic ms) the client reads nothing although bytes are pending; undefined when none are.
   * Progress is noticed when it is checked, and in steps of single writes.
   */
  get stalledSinceMs(): number | undefined {
    if (!this.#waiting) return undefined
    const flushedBytes = this.#flushedBytes()
    if (flushedBytes > this.#progressBytes) {
      this.#progressBytes = flushedBytes
      this.#progressMs = this.#clock.monoMs()
    }
    return this.#progressMs
  }

  /** Runs `listener` once when the client disconnects, immediately if it has already. One listener at a time. */
  onGone(listener: () => void): void {
    if (this.#gone) listener()
    else this.#goneListener = listener
  }

  /** Runs `listener` once when the whole response was passed to the operating system, immediately if it was already. */
  onFinished(listener: () => void): void {
    if (this.#finished) listener()
    else this.#finishedListener = listener
  }

  /** Runs `listener` once when everything written is flushed, immediately if nothing is pending; replaces the previous one. Never runs for a disconnected client. */
  onDrained(listener: () => void): void {
    if (this.#waiting) this.#drainedListener = listener
    else if (!this.#gone) listener()
  }

  /** Sends 100 Continue to a client that waits for it. */
  sendContinue(): void {
    if (!this.#gone) this.#response.writeContinue()
  }

  /** Chooses status and headers; they go out together with the first bytes, or with `flush`. */
  begin(status: number, headers: FlatHeaders): void {
    if (this.#gone) return
    // Node's types ask for a mutable list; it only reads it.
    this.#response.writeHead(status, headers as string[])
  }

  /** Sends the head now, before there is anything to say. */
  flush(): void {
    if (!this.#gone) this.#response.flushHeaders()
  }

  /** Sends bytes; false when the client should be given time (`onDrained`). Harmless after the client left. */
  write(chunk: Uint8Array | string): boolean {
    if (this.#gone) return true
    const more = this.#response.write(chunk)
    if (!more && !this.#waiting) this.#awaitDrain()
    return more
  }

  /** Ends the answer; nothing can be written afterwards. */
  end(chunk?: Uint8Array | string): void {
    if (this.#gone) return
    if (chunk === undefined) this.#response.end()
    else this.#response.end(chunk)
  }

  /** A whole answer with its length; the body is left out where the request's method forbids one. */
  answer(status: number, headers: FlatHeaders, body: Uint8Array | string): void {
    if (this.#gone) return
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength
    this.begin(status, [...headers, 'content-length', String(bytes)])
    this.#response.end(body)
  }

  /** Whether further requests are served on this connection after this answer. */
  get keepsConnection(): boolean {
    return this.#response.shouldKeepAlive
  }

  /** Has the connection close after this answer; to be called before it begins. */
  endConnection(): void {
    this.#response.shouldKeepAlive = false
  }

  /** Closes the connection now; what was not sent is lost. */
  destroy(): void {
    this.#response.destroy()
  }

  #awaitDrain(): void {
    this.#waiting = true
    this.#progressMs = this.#clock.monoMs()
    this.#progressBytes = this.#flushedBytes()
    this.#response.once('drain', () => this.#drained())
  }

  #drained(): void {
    this.#waiting = false
    const listener = this.#drainedListener
    this.#drainedListener = undefined
    if (!this.#gone) listener?.()
  }

  /** Bytes of this connection that the operating system accepted. */
  #flushedBytes(): number {
    const socket = this.#response.socket
    return socket === null ? 0 : socket.bytesWritten - socket.writableLength
  }

  #close(): void {
    this.#waiting = false
    this.#drainedListener = undefined
    if (this.#response.writableFinished) {
      this.#finished = true
      this.#finishedListener?.()
    } else {
      this.#gone = true
      this.#goneListener?.()
    }
    this.#goneListener = undefined
    this.#finishedListener = undefined
  }
}
