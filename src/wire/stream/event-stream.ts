/**
 * A push parser for the frames of `application/vnd.amazon.eventstream`: chunks cut anywhere, both checksums verified, and no
 * frame larger than allowed. It reports the position of each frame in the stream, as the parser of server-sent events does.
 * The encoding: docs.aws.amazon.com/lexv2/latest/dg/event-stream-encoding.html, of which Bedrock sends texts as headers.
 */

/** Length of the frame and of its headers, then their checksum. */
const preludeBytes = 12
const checksumBytes = 4
const frameBytesMin = preludeBytes + checksumBytes
/** github.com/awslabs/aws-c-event-stream, AWS_EVENT_STREAM_MAX_HEADERS_SIZE. */
const headerBytesMax = 128 * 1024
/** The type of a header whose value is text; its length is in two bytes. */
const textType = 7
/** Bytes of a header's value by its type; undefined: a length in two bytes precedes it. */
const valueBytes: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16]

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
const nothing = new Uint8Array(0)
const noHeaders: ReadonlyMap<string, string> = new Map()

/** `push` a chunk, then call `next` until it returns false; after each true the fields describe one frame. */
export class EventStreamParser {
  /** The position of the frame in the stream, counted from the stream's first byte. */
  start = 0
  end = 0
  /** A frame has more than the allowed bytes; nothing more is read. */
  isTooLarge = false
  /** The bytes are not a frame, or were corrupted; nothing more is read. */
  isBroken = false
  /** Part of a frame is never given out. */
  readonly isWhole = true
  readonly hasData = true
  /** The headers whose values are texts. */
  headers: ReadonlyMap<string, string> = noHeaders
  private payload: Uint8Array = nothing
  private readonly eventBytesMax: number
  /** Bytes not yet returned begin at `at`. */
  private view: Uint8Array = nothing
  private at = 0
  /** Memory of our own, when a frame spans chunks; `view` is its filled part. */
  private own: Uint8Array | null = null

  constructor(eventBytesMax: number) {
    this.eventBytesMax = eventBytesMax
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0 || this.isTooLarge || this.isBroken) return
    const pending = this.view.length - this.at
    if (pending === 0) {
      this.view = chunk
      this.own = null
    } else this.append(chunk, pending)
    this.at = 0
  }

  /** The stream's last byte was pushed; an incomplete frame is ignored. */
  close(): void {
    // Nothing is held back that could be given out.
  }

  next(): boolean {
    const { view, at } = this
    if (this.isTooLarge || this.isBroken || view.length - at < preludeBytes) return false
    const frameBytes = numberAt(view, at)
    const headerBytes = numberAt(view, at + 4)
    const isFrame =
      crc32(view, at, at + 8) === numberAt(view, at + 8) &&
      headerBytes <= headerBytesMax &&
      frameBytes >= frameBytesMin + headerBytes
    if (!isFrame) this.isBroken = true
    else if (frameBytes > this.eventBytesMax) this.isTooLarge = true
    if (!isFrame || this.isTooLarge || view.length - at < frameBytes) return false
    return this.give(frameBytes, headerBytes)
  }

  /** The payload as text; bytes that are not UTF-8 become U+FFFD. Valid until the next call of `next`. */
  dataText(): string {
    return decoder.decode(this.payload)
  }

  private give(frameBytes: number, headerBytes: number): boolean {
    const { view, at } = this
    const end = at + frameBytes
    const headersEnd = at + preludeBytes + headerBytes
    const isIntact = crc32(view, at, end - checksumBytes) === numberAt(view, end - checksumBytes)
    const headers = isIntact ? readHeaders(view, at + preludeBytes, headersEnd) : undefined
    if (headers === undefined) {
      this.isBroken = true
      return false
    }
    this.headers = headers
    this.payload = view.subarray(headersEnd, end - checksumBytes)
    this.start = this.end
    this.end += frameBytes
    this.at = end
    return true
  }

  private append(chunk: Uint8Array, pending: number): void {
    const needed = pending + chunk.length
    let own = this.own
    if (own === null || own.length < needed) {
      own = new Uint8Array(needed * 2)
      own.set(this.view.subarray(this.at))
    } else if (this.at > 0) own.copyWithin(0, this.at, this.at + pending)
    own.set(chunk, pending)
    this.own = own
    this.view = own.subarray(0, needed)
  }
}

/** undefined: they are not what their lengths say, or a name comes twice. */
function readHeaders(view: Uint8Array, start: number, end: number): ReadonlyMap<string, string> | undefined {
  const names = new Set<string>()
  const headers = new Map<string, string>()
  let at = start
  while (at < end) {
    const typeAt = at + 1 + view[at]!
    if (typeAt >= end || typeAt === at + 1) return undefined
    const name = decoder.decode(view.subarray(at + 1, typeAt))
    const type = view[typeAt]!
    if (names.has(name) || type >= valueBytes.length) return undefined
    names.add(name)
    const fixed = valueBytes[type]
    const valueAt = typeAt + (fixed === undefined ? 3 : 1)
    if (valueAt > end) return undefined
    const length = fixed ?? view[typeAt + 1]! * 256 + view[typeAt + 2]!
    at = valueAt + length
    if (at > end) return undefined
    if (type === textType) headers.set(name, decoder.decode(view.subarray(valueAt, at)))
  }
  return headers
}

function numberAt(view: Uint8Array, at: number): number {
  return view[at]! * 2 ** 24 + view[at + 1]! * 2 ** 16 + view[at + 2]! * 2 ** 8 + view[at + 3]!
}

/** The reflected polynomial of CRC-32 as gzip uses it: RFC 1952, section 8. */
const polynomial = 0xedb88320

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let remainder = index
  for (let bit = 0; bit < 8; bit += 1) {
    remainder = (remainder & 1) === 1 ? (remainder >>> 1) ^ polynomial : remainder >>> 1
  }
  return remainder >>> 0
})

function crc32(view: Uint8Array, start: number, end: number): number {
  let remainder = 0xffffffff
  for (let at = start; at < end; at += 1) {
    remainder = crcTable[(remainder ^ view[at]!) & 0xff]! ^ (remainder >>> 8)
  }
  return (remainder ^ 0xffffffff) >>> 0
}
