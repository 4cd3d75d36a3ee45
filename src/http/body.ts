/**
 * Reads a request's body into one buffer, within the limit of one request and the budget of the
 * process. It must not read before it is asked to, nor look at what the bytes say.
 */
import type { IncomingMessage } from 'node:http'
import type { ByteBudget } from '../base/byte-budget.ts'
import type { Clock, Timer } from '../base/clock.ts'
import type { Downstream } from './downstream.ts'

export interface BodyReader {
  readonly budget: ByteBudget
  readonly limits: { readonly bodyBytesMax: number; readonly requestTimeoutMs: number }
  readonly clock: Clock
}

export interface BodyFailure {
  readonly kind: 'too_large' | 'gone' | 'timeout' | 'no_room' | 'unsupported_encoding'
}

/** A whole body. Its room in the budget is taken until `drop`, after which the bytes are gone. */
export class Body {
  readonly kind = 'body'
  readonly #budget: ByteBudget
  #takenBytes: number
  #bytes: Uint8Array

  constructor(bytes: Uint8Array, budget: ByteBudget, takenBytes: number) {
    this.#bytes = bytes
    this.#budget = budget
    this.#takenBytes = takenBytes
  }

  /** Empty once the body was dropped. */
  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** Lets go of the bytes and gives their room back; harmless when repeated. */
  drop(): void {
    this.#budget.giveBack(this.#takenBytes)
    this.#takenBytes = 0
    this.#bytes = nothing
  }
}

const nothing = new Uint8Array(0)
/** The first buffer that is made when a body comes in more than one piece and does not tell its length. */
const firstCapacityBytes = 64 * 1024

/** Asks for the body where the client waits with it, and reads it to its end; never rejects. */
export function readBody(
  reader: BodyReader,
  request: IncomingMessage,
  client: Pick<Downstream, 'gone' | 'sendContinue'>,
): Promise<Body | BodyFailure> {
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    return Promise.resolve({ kind: 'unsupported_encoding' })
  }
  const length = announcedBytes(request)
  if (length !== undefined && length > reader.limits.bodyBytesMax)
    return Promise.resolve({ kind: 'too_large' })
  if (client.gone) return Promise.resolve({ kind: 'gone' })
  if (waitsForContinue(request)) client.sendContinue()
  return new Promise((resolve) => new Reading(reader, { request, length, resolve }).begin())
}

/** Whether the client holds its body back until it is told to send it. */
export function waitsForContinue(request: IncomingMessage): boolean {
  const expect = request.headers.expect
  return expect !== undefined && expect.trim().toLowerCase() === '100-continue'
}

/** The body's length where the head tells it; undefined for a chunked one. */
export function announcedBytes(request: IncomingMessage): number | undefined {
  const length = request.headers['content-length']
  if (length !== undefined) return Number(length)
  return request.headers['transfer-encoding'] === undefined ? 0 : undefined
}

interface Upload {
  readonly request: IncomingMessage
  readonly length: number | undefined
  readonly resolve: (outcome: Body | BodyFailure) => void
}

/** One body under way: the first piece is kept as it came, further ones are copied into one growing buffer. */
class Reading {
  readonly #reader: BodyReader
  readonly #request: IncomingMessage
  readonly #length: number | undefined
  readonly #resolve: (outcome: Body | BodyFailure) => void
  #timer: Timer | undefined
  #bytes: Uint8Array = nothing
  #filledBytes = 0
  readonly #onData = (chunk: Uint8Array): void => this.#take(chunk)
  readonly #onEnd = (): void => this.#succeed()
  readonly #onClose = (): void => this.#fail('gone')

  constructor(reader: BodyReader, upload: Upload) {
    this.#reader = reader
    this.#request = upload.request
    this.#length = upload.length
    this.#resolve = upload.resolve
  }

  begin(): void {
    const request = this.#request
    this.#timer = this.#reader.clock.after(this.#reader.limits.requestTimeoutMs, () => this.#fail('timeout'))
    request.on('close', this.#onClose)
    request.on('data', this.#onData)
    request.on('end', this.#onEnd)
  }

  #take(chunk: Uint8Array): void {
    const filledBytes = this.#filledBytes + chunk.byteLength
    if (filledBytes > this.#reader.limits.bodyBytesMax) {
      this.#fail('too_large')
    } else if (!this.#makeRoom(chunk, filledBytes)) {
      this.#fail('no_room')
    } else {
      if (this.#bytes !== chunk) this.#bytes.set(chunk, this.#filledBytes)
      this.#filledBytes = filledBytes
      if (filledBytes === this.#length) this.#succeed()
    }
  }

  #makeRoom(chunk: Uint8Array, filledBytes: number): boolean {
    if (filledBytes <= this.#bytes.byteLength) return true
    const first = this.#bytes.byteLength === 0
    const capacityBytes = first ? chunk.byteLength : this.#nextCapacity(filledBytes)
    if (!this.#reader.budget.take(capacityBytes - this.#bytes.byteLength)) return false
    if (first) {
      this.#bytes = chunk
      return true
    }
    const grown = Buffer.allocUnsafeSlow(capacityBytes)
    grown.set(this.#bytes.subarray(0, this.#filledBytes))
    this.#bytes = grown
    return true
  }

  /** Doubles, but never beyond what the head announced or one request may have. */
  #nextCapacity(filledBytes: number): number {
    const mostBytes = this.#length ?? this.#reader.limits.bodyBytesMax
    return Math.min(mostBytes, Math.max(firstCapacityBytes, filledBytes * 2))
  }

  #succeed(): void {
    this.#stop()
    const whole =
      this.#filledBytes === this.#bytes.byteLength ? this.#bytes : this.#bytes.subarray(0, this.#filledBytes)
    this.#resolve(new Body(whole, this.#reader.budget, this.#bytes.byteLength))
  }

  #fail(kind: BodyFailure['kind']): void {
    this.#stop()
    this.#request.pause()
    this.#reader.budget.giveBack(this.#bytes.byteLength)
    this.#bytes = nothing
    this.#resolve({ kind })
  }

  #stop(): void {
    this.#timer?.cancel()
    this.#request.off('close', this.#onClose)
    this.#request.off('data', this.#onData)
    this.#request.off('end', this.#onEnd)
  }
}
