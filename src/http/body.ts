/**
 * Reads a request's body into one buffer, within the limit of one request and the budget of the
 * process. It must not read before it is called, nor look at the content.
 */
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { free } from '../base/array-memory.ts'
import type { Clock, Timer } from '../base/clock.ts'
import { acceptedEncodings } from '../base/content-encoding.ts'
import { type ErrorCode, TollgateError } from '../base/errors.ts'
import { type Allowance, type BudgetRejection, MemoryReservation } from '../base/shared-budget.ts'
import type { Downstream } from './downstream.ts'

export interface BodyLimits {
  readonly bodyBytesMax: number
  readonly requestTimeoutMs: number
  /** Bytes of each body that are not taken from the budget. */
  readonly unmeteredBytes: number
  /** A body that comes more slowly than this for longer than the grace is not waited for. */
  readonly uploadBytesPerSecondMin: number
  readonly uploadGraceMs: number
}

export interface BodyReader {
  /** Budget for the sender's bodies. */
  readonly allowance: Allowance
  readonly limits: BodyLimits
  readonly clock: Clock
}

export type BodyFailure =
  | {
      readonly kind:
        | 'too_large'
        | 'gone'
        | 'timeout'
        | 'too_slow'
        | 'compressed'
        | 'unknown_encoding'
        | 'corrupt'
        | 'expands_too_much'
    }
  | (BudgetRejection & { readonly kind: 'no_room' })

/** A whole body. Its budget is reserved until `drop`, after which the bytes are gone. */
export class Body {
  readonly kind = 'body'
  readonly #room: MemoryReservation
  #bytes: Uint8Array

  constructor(bytes: Uint8Array, room: MemoryReservation) {
    this.#bytes = bytes
    this.#room = room
  }

  /** Empty once the body was dropped. */
  get bytes(): Uint8Array {
    return this.#bytes
  }

  /** Copies the body with other bytes, of which `ownBytes` are reserved; throws if the budget does not cover them. */
  another(bytes: Uint8Array, ownBytes: number): Body {
    const room = this.#room.sibling()
    const rejection = room.set(ownBytes)
    if (rejection !== undefined) throw bodyError({ kind: 'no_room', ...rejection })
    return new Body(bytes, room)
  }

  /** The same bytes in other memory, returned from a thread that had them; a body that was dropped in the meantime stays dropped. */
  restore(bytes: Uint8Array): void {
    if (this.#bytes !== nothing) this.#bytes = bytes
  }

  /** Frees the bytes and their budget; idempotent. */
  drop(): void {
    this.#room.set(0)
    this.#bytes = nothing
  }

  /** The same, and frees a large body's memory immediately: nothing may read the bytes any more, a socket included. */
  free(): void {
    const bytes = this.#bytes
    this.drop()
    if (bytes.length >= freedBytesMin) free(bytes)
  }
}

/** How many times its size a compressed body may have, beyond `expandedBytesMin`. */
export const expansionMax = 100

const failures: Readonly<Record<Exclude<BodyFailure['kind'], 'no_room'>, readonly [ErrorCode, string]>> = {
  too_large: ['body_too_large', 'The request body is too large for this endpoint.'],
  gone: ['request_timeout', 'The client disconnected before the request was complete.'],
  timeout: ['request_timeout', 'The request body did not arrive in time.'],
  too_slow: ['request_timeout', 'The request body arrived too slowly or is incomplete.'],
  compressed: [
    'unsupported_media_type',
    'Content-Encoding is not supported for request bodies. Send the body uncompressed.',
  ],
  unknown_encoding: [
    'unsupported_media_type',
    `Send the body uncompressed, or with one of these encodings: ${acceptedEncodings}.`,
  ],
  corrupt: ['invalid_json', 'The request body cannot be decompressed by its Content-Encoding.'],
  expands_too_much: [
    'body_too_large',
    `The request body decompresses to more than ${expansionMax} times its size. Send it uncompressed.`,
  ],
}

const roomRetryMs = 1_000

/** The row of the error table for a body that was not read. */
export function bodyError(failure: BodyFailure): TollgateError {
  if (failure.kind !== 'no_room') {
    const [code, message] = failures[failure.kind]
    if (failure.kind !== 'unknown_encoding') return new TollgateError(code, { message })
    return new TollgateError(code, { message, headers: { 'accept-encoding': acceptedEncodings } })
  }
  const { scope } = failure
  if (scope === null) {
    const message = 'This server is out of memory for request bodies. Try again.'
    return new TollgateError('overloaded', { message, retryAfterMs: roomRetryMs })
  }
  return new TollgateError('concurrency_limited', {
    message: `The request bodies of this ${scope} exceed their memory limit. Try again when some have completed, or send fewer large requests concurrently.`,
    facts: { scope },
    retryAfterMs: roomRetryMs,
  })
}

const nothing = new Uint8Array(0)
/** Smaller bodies are left to the garbage collector: freeing one costs more than it saves. */
const freedBytesMin = 32 * 1024
/** The first buffer for a body of more than one piece; most bodies whose head announces a length fit into it. */
const firstCapacityBytes = 64 * 1024
const firstAnnouncedBytes = 512 * 1024

type Client = Pick<Downstream, 'gone' | 'sendContinue'>

/** Whether the body has to be decompressed. */
export function isCompressed({ headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding']
  return encoding !== undefined && encoding.trim().toLowerCase() !== 'identity'
}

/** Sends 100 Continue if the client waits for it, and reads the whole body, which must not be compressed; never rejects. */
export function readBody(
  reader: BodyReader,
  request: IncomingMessage,
  client: Client,
): Promise<Body | BodyFailure> {
  return isCompressed(request) ? Promise.resolve({ kind: 'compressed' }) : readBytes(reader, request, client)
}

/** The same, and a compressed body stays as it was sent. */
export function readBytes(
  reader: BodyReader,
  request: IncomingMessage,
  client: Client,
): Promise<Body | BodyFailure> {
  const length = announcedBytes(request)
  if (length !== undefined && length > reader.limits.bodyBytesMax)
    return Promise.resolve({ kind: 'too_large' })
  if (client.gone) return Promise.resolve({ kind: 'gone' })
  if (waitsForContinue(request)) client.sendContinue()
  return new Promise((resolve) => new PendingBody(reader, { source: request, length, resolve }).begin())
}

/** Reads the output of a decoder as a body, to the limit of the reader; never rejects. */
export function readDecoded(reader: BodyReader, decoder: Readable): Promise<Body | BodyFailure> {
  return new Promise((resolve) => {
    const pending = new PendingBody(reader, { source: decoder, length: undefined, resolve })
    decoder.once('error', () => pending.fail({ kind: 'corrupt' }))
    pending.begin()
  })
}

/** Whether the client waits for 100 Continue before it sends its body. */
export function waitsForContinue(request: IncomingMessage): boolean {
  const expect = request.headers.expect
  return expect !== undefined && expect.trim().toLowerCase() === '100-continue'
}

/** The content length; undefined for a chunked body. */
export function announcedBytes(request: IncomingMessage): number | undefined {
  const length = request.headers['content-length']
  if (length !== undefined) return Number(length)
  return request.headers['transfer-encoding'] === undefined ? 0 : undefined
}

interface Upload {
  readonly source: Readable
  readonly length: number | undefined
  readonly resolve: (outcome: Body | BodyFailure) => void
}

/** A body being read: a single piece is not copied, further ones are appended to one growing buffer. */
class PendingBody {
  readonly #reader: BodyReader
  readonly #source: Readable
  readonly #length: number | undefined
  readonly #resolve: (outcome: Body | BodyFailure) => void
  readonly #room: MemoryReservation
  #timer: Timer | undefined
  /** When all of it must be there, and when more of it (monotonic ms). */
  #endMs = 0
  #dueMs = 0
  #bytes: Uint8Array = nothing
  #filledBytes = 0
  readonly #onData = (chunk: Uint8Array): void => this.#take(chunk)
  readonly #onEnd = (): void => this.#succeed()
  readonly #onClose = (): void => this.fail({ kind: 'gone' })

  constructor(reader: BodyReader, upload: Upload) {
    this.#reader = reader
    this.#source = upload.source
    this.#length = upload.length
    this.#resolve = upload.resolve
    this.#room = new MemoryReservation(reader.allowance, reader.limits.unmeteredBytes)
  }

  begin(): void {
    const source = this.#source
    const { clock, limits } = this.#reader
    const nowMs = clock.monoMs()
    this.#endMs = nowMs + limits.requestTimeoutMs
    this.#dueMs = nowMs + limits.uploadGraceMs
    this.#await(nowMs)
    source.on('close', this.#onClose)
    source.on('data', this.#onData)
    source.on('end', this.#onEnd)
  }

  #await(nowMs: number): void {
    const delayMs = Math.min(this.#endMs, this.#dueMs) - nowMs
    this.#timer = this.#reader.clock.after(delayMs, () => this.#look())
  }

  #look(): void {
    const nowMs = this.#reader.clock.monoMs()
    if (nowMs >= this.#endMs) this.fail({ kind: 'timeout' })
    else if (nowMs >= this.#dueMs) this.fail({ kind: 'too_slow' })
    else this.#await(nowMs)
  }

  #take(chunk: Uint8Array): void {
    const chunkBytes = chunk.byteLength
    const filledBytes = this.#filledBytes + chunkBytes
    if (filledBytes > this.#reader.limits.bodyBytesMax) return this.fail({ kind: 'too_large' })
    const rejection = this.#makeRoom(chunk, filledBytes)
    if (rejection !== undefined) return this.fail({ kind: 'no_room', ...rejection })
    if (this.#bytes !== chunk) {
      this.#bytes.set(chunk, this.#filledBytes)
      free(chunk)
    }
    this.#filledBytes = filledBytes
    if (filledBytes === this.#length) this.#succeed()
    else this.#waitLonger(chunkBytes)
  }

  /** Bytes buy time at the least rate, up to the grace: what came quickly is no reason to wait long for the rest. */
  #waitLonger(bytes: number): void {
    const { clock, limits } = this.#reader
    const boughtMs = (bytes * 1_000) / limits.uploadBytesPerSecondMin
    this.#dueMs = Math.min(clock.monoMs() + limits.uploadGraceMs, this.#dueMs + boughtMs)
  }

  #makeRoom(chunk: Uint8Array, filledBytes: number): BudgetRejection | undefined {
    if (filledBytes <= this.#bytes.byteLength) return undefined
    const first = this.#bytes.byteLength === 0
    const capacityBytes = first ? chunk.byteLength : this.#nextCapacity(filledBytes)
    // While it is copied both are there.
    const rejection = this.#room.set(capacityBytes + this.#bytes.byteLength)
    if (rejection !== undefined) return rejection
    if (first) {
      this.#bytes = chunk
      return undefined
    }
    const grown = Buffer.allocUnsafeSlow(capacityBytes)
    grown.set(this.#bytes.subarray(0, this.#filledBytes))
    free(this.#bytes)
    this.#bytes = grown
    this.#room.set(capacityBytes)
    return undefined
  }

  /**
   * Doubles, but never beyond what the head announced or one request may have; all of the rest when a quarter of what was
   * announced has come, so that the last copy is a small one.
   */
  #nextCapacity(filledBytes: number): number {
    const mostBytes = this.#length ?? this.#reader.limits.bodyBytesMax
    if (this.#length !== undefined && 4 * filledBytes >= mostBytes) return mostBytes
    const leastBytes = this.#length === undefined ? firstCapacityBytes : firstAnnouncedBytes
    return Math.min(mostBytes, Math.max(leastBytes, filledBytes * 2))
  }

  #succeed(): void {
    this.#stop()
    const whole =
      this.#filledBytes === this.#bytes.byteLength ? this.#bytes : this.#bytes.subarray(0, this.#filledBytes)
    this.#resolve(new Body(whole, this.#room))
  }

  fail(failure: BodyFailure): void {
    this.#stop()
    this.#source.pause()
    this.#room.set(0)
    free(this.#bytes)
    this.#bytes = nothing
    this.#resolve(failure)
  }

  #stop(): void {
    this.#timer?.cancel()
    this.#source.off('close', this.#onClose)
    this.#source.off('data', this.#onData)
    this.#source.off('end', this.#onEnd)
  }
}
