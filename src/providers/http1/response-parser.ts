/**
 * Parses HTTP/1.1 responses from the bytes of one connection, one response at a time. It is strict, stores no more than an incomplete
 * head or line, and does not look at the body.
 */

/** Parts of a response: one head, then chunks, then one end. */
export interface ResponseEvents {
  head(status: number, headers: ReadonlyMap<string, string>): void
  chunk(bytes: Uint8Array): void
  end(): void
}

type Step = 'head' | 'length' | 'until-close' | 'size' | 'data' | 'data-end' | 'trailers'

const CR = 13
const LF = 10
const semicolon = 59
const headEnd = Buffer.from('\r\n\r\n')
const lineEnd = Buffer.from('\r\n')
const firstBytes = 'HTTP/1.'
/** `;name`, `;name=token` or `;name="text"`, any number of times. */
const extensions =
  /^(?:;[!#$%&'*+.^_`|~\w-]+(?:=(?:[!#$%&'*+.^_`|~\w-]+|"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"))?)+$/
/** 4 GiB less one byte. */
const sizeDigitsMax = 8
/** Return value of a step for bytes that are not a response. */
const failed = -1

export class ResponseParser {
  readonly #overheadBytesMax: number
  #events: ResponseEvents | undefined
  #step: Step = 'head'
  /** The beginning of a head or line. */
  #rest: Buffer | undefined
  /** Bytes of the body or of its chunk that are still to come. */
  #left = 0
  /** Bytes of this response that are not its body. */
  #overhead = 0
  #reason = ''
  #head: ResponseHead | undefined
  #isExact = false

  /** @param overheadBytesMax the maximum size of all parts of a response but its body: heads, chunk extensions and trailers. */
  constructor(overheadBytesMax: number) {
    this.#overheadBytesMax = overheadBytesMax
  }

  /** After the end: the connection can take another request, because nothing came after the response. */
  get isReusable(): boolean {
    return this.#isExact && this.#head?.keepsOpen === true
  }

  /** The upstream's timeout for idle connections, if the response stated one. */
  get idleMs(): number | null {
    return this.#head?.idleMs ?? null
  }

  /** Starts reading a response and sends its events to `events`. */
  begin(events: ResponseEvents): void {
    this.#events = events
    this.#step = 'head'
    this.#rest = undefined
    this.#overhead = 0
    this.#head = undefined
    this.#isExact = false
  }

  /** No more events, even in the middle of `read`. */
  stop(): void {
    this.#events = undefined
    this.#rest = undefined
  }

  /** Emits what `bytes` complete; returns why they are not a response, after which `read` must not be called. */
  read(bytes: Buffer): string | undefined {
    let buffer = bytes
    if (this.#rest !== undefined) {
      buffer = Buffer.concat([this.#rest, bytes])
      this.#rest = undefined
    }
    for (let at = 0; at < buffer.length && this.#events !== undefined; ) {
      at = this.#advance(buffer, at)
      if (at === failed) {
        this.stop()
        return this.#reason
      }
    }
    return undefined
  }

  /** The connection has ended; returns whether that completes the response. */
  finish(): boolean {
    if (this.#step !== 'until-close' || this.#events === undefined) return false
    this.#end(false)
    return true
  }

  /** The position behind what was understood, or `failed`. */
  #advance(buffer: Buffer, at: number): number {
    switch (this.#step) {
      case 'head':
        return this.#readHead(buffer, at)
      case 'length':
      case 'data':
        return this.#readBody(buffer, at)
      case 'until-close':
        this.#events?.chunk(at === 0 ? buffer : buffer.subarray(at))
        return buffer.length
      case 'size':
        return this.#readSize(buffer, at)
      case 'data-end':
        return this.#readDataEnd(buffer, at)
      case 'trailers':
        return this.#readTrailers(buffer, at)
    }
  }

  #readHead(buffer: Buffer, at: number): number {
    const end = buffer.indexOf(headEnd, at)
    if (end < 0) return this.#waitForHead(buffer, at)
    const next = end + headEnd.length
    if (!this.#spend(next - at)) return failed
    const head = readResponseHead(buffer.toString('latin1', at, end))
    if (head.kind === 'invalid') return this.#reject(head)
    // Interim responses say nothing that is used.
    if (head.status < 200) return next
    this.#head = head
    const { bodyEnd } = head
    const step = { length: 'length', chunked: 'size', close: 'until-close' } as const
    this.#step = step[bodyEnd.kind]
    this.#events?.head(head.status, head.headers)
    if (bodyEnd.kind === 'length') {
      this.#left = bodyEnd.bytes
      if (this.#left === 0) this.#end(next === buffer.length)
    }
    return next
  }

  /** Waits for the rest of a head. Bytes that cannot become one are rejected immediately, as the end may never arrive. */
  #waitForHead(buffer: Buffer, at: number): number {
    if (!firstBytes.startsWith(buffer.toString('latin1', at, at + firstBytes.length))) {
      return this.#fail('no status line of HTTP/1.1')
    }
    for (let found = buffer.indexOf(LF, at); found >= 0; found = buffer.indexOf(LF, found + 1)) {
      if (buffer[found - 1] !== CR) return this.#fail('a line of the head ends with LF alone')
    }
    return this.#wait(buffer, at)
  }

  #readBody(buffer: Buffer, at: number): number {
    const end = Math.min(buffer.length, at + this.#left)
    this.#left -= end - at
    this.#events?.chunk(at === 0 && end === buffer.length ? buffer : buffer.subarray(at, end))
    if (this.#left > 0) return end
    if (this.#step === 'data') this.#step = 'data-end'
    else this.#end(end === buffer.length)
    return end
  }

  #readSize(buffer: Buffer, at: number): number {
    let size = 0
    let place = at
    for (; place < buffer.length; place += 1) {
      const digit = hexDigit(buffer[place]!)
      if (digit < 0) break
      size = size * 16 + digit
    }
    if (place - at > sizeDigitsMax) return this.#fail('a chunk size of too many digits')
    if (place === buffer.length) return this.#wait(buffer, at)
    if (place === at) return this.#fail('an invalid chunk size')
    const hasExtension = buffer[place] === semicolon
    if (!hasExtension && buffer[place] !== CR) return this.#fail('an invalid chunk size')
    const end = hasExtension ? buffer.indexOf(lineEnd, place) : place
    if (end < 0 || end + 1 === buffer.length) return this.#wait(buffer, at)
    if (buffer[end + 1] !== LF) return this.#fail('a chunk size that does not end its line')
    if (hasExtension && !this.#skipExtension(buffer, place, end)) return failed
    this.#left = size
    this.#step = size === 0 ? 'trailers' : 'data'
    return end + lineEnd.length
  }

  #skipExtension(buffer: Buffer, start: number, end: number): boolean {
    if (!this.#spend(end - start)) return false
    if (extensions.test(buffer.toString('latin1', start, end))) return true
    this.#fail('an invalid chunk extension')
    return false
  }

  #readDataEnd(buffer: Buffer, at: number): number {
    if (buffer[at] !== CR || (at + 1 < buffer.length && buffer[at + 1] !== LF)) {
      return this.#fail('a chunk that is longer than its size')
    }
    if (at + 1 === buffer.length) return this.#wait(buffer, at)
    this.#step = 'size'
    return at + lineEnd.length
  }

  #readTrailers(buffer: Buffer, at: number): number {
    if (buffer[at] === CR) {
      if (at + 1 === buffer.length) return this.#wait(buffer, at)
      if (buffer[at + 1] !== LF) return this.#fail('a control character in a trailer')
      this.#end(at + lineEnd.length === buffer.length)
      return at + lineEnd.length
    }
    const end = buffer.indexOf(headEnd, at)
    if (end < 0) return this.#wait(buffer, at)
    const next = end + headEnd.length
    if (!this.#spend(next - at)) return failed
    const wrong = checkTrailers(buffer.toString('latin1', at, end))
    if (wrong !== undefined) return this.#reject(wrong)
    this.#end(next === buffer.length)
    return next
  }

  /** The rest is read again when more has arrived, if it may still be long enough. */
  #wait(buffer: Buffer, at: number): number {
    if (this.#overhead + buffer.length - at > this.#overheadBytesMax) return this.#tooLong()
    this.#rest = buffer.subarray(at)
    return buffer.length
  }

  #spend(bytes: number): boolean {
    this.#overhead += bytes
    if (this.#overhead <= this.#overheadBytesMax) return true
    this.#tooLong()
    return false
  }

  #tooLong(): number {
    return this.#fail(`heads, chunk extensions and trailers of more than ${this.#overheadBytesMax} bytes`)
  }

  #reject({ reason }: InvalidHead): number {
    return this.#fail(reason)
  }

  #fail(reason: string): number {
    this.#reason = reason
    return failed
  }

  #end(isExact: boolean): void {
    const events = this.#events
    this.#events = undefined
    this.#isExact = isExact
    // Last: a listener may send the next request on this connection.
    events?.end()
  }
}

function hexDigit(character: number): number {
  if (character >= 48 && character <= 57) return character - 48
  const letter = character | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

/** Where a body ends: after `bytes`, with the last chunk, or with the connection. */
type BodyEnd =
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'close' }

interface ResponseHead {
  readonly kind: 'head'
  readonly status: number
  /** Names in lower case; a repeated header's values are joined by `, `. */
  readonly headers: ReadonlyMap<string, string>
  readonly bodyEnd: BodyEnd
  /** The connection can take another request after this response. */
  readonly keepsOpen: boolean
  /** The upstream's timeout for idle connections, if stated. */
  readonly idleMs: number | null
}

interface InvalidHead {
  readonly kind: 'invalid'
  readonly reason: string
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/
/** Control characters, and half of a line's end. */
const forbidden = /[^\t\r\n -~\x80-\xff]|\r(?!\n)|(?<!\r)\n/
const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
/** Headers that decide where a body ends: allowed once, and without tabs, which parsers treat differently. */
const framing: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding'])
const length = /^\d{1,15}$/
const closeOption = /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i
const idleTimeout = /(?:^|[\t ,;])timeout=(\d{1,6})(?![^\t ,;])/i

const emptyBody: BodyEnd = { kind: 'length', bytes: 0 }
const chunked: BodyEnd = { kind: 'chunked' }
const untilClose: BodyEnd = { kind: 'close' }

/**
 * The head of a response, and where its body ends. Anything that two readers could understand differently is rejected; nothing is
 * repaired. `text` has one character for each byte, and not the empty line at its end.
 */
function readResponseHead(text: string): ResponseHead | InvalidHead {
  if (forbidden.test(text)) return invalid('a control character in the head')
  const firstEnd = text.indexOf('\r\n')
  const first = statusLine.exec(firstEnd < 0 ? text : text.slice(0, firstEnd))
  if (first === null) return invalid('no status line of HTTP/1.1')
  const headers = new Map<string, string>()
  if (firstEnd >= 0) {
    const wrong = readFields(text, firstEnd + 2, headers)
    if (wrong !== undefined) return wrong
  }
  return withBodyEnd(Number(first[2]), first[1] === '1', headers)
}

/** Reads trailers, which nothing here uses. */
function checkTrailers(text: string): InvalidHead | undefined {
  return forbidden.test(text) ? invalid('a control character in a trailer') : readFields(text, 0, new Map())
}

function readFields(text: string, from: number, fields: Map<string, string>): InvalidHead | undefined {
  for (let start = from; start <= text.length; ) {
    const found = text.indexOf('\r\n', start)
    const end = found < 0 ? text.length : found
    const colon = text.indexOf(':', start)
    if (colon < 0 || colon >= end) return invalid('a header without a colon')
    const name = text.slice(start, colon).toLowerCase()
    // A line that continues the one before begins with a space, which is not a token either.
    if (!token.test(name)) return invalid('an invalid header name')
    const value = trimmed(text, colon + 1, end)
    const before = fields.get(name)
    if (framing.has(name) && (before !== undefined || text.slice(colon, end).includes('\t'))) {
      return invalid(`an ambiguous ${name}`)
    }
    fields.set(name, before === undefined ? value : `${before}, ${value}`)
    start = end + 2
  }
  return undefined
}

/** Without spaces and tabs around it. */
function trimmed(text: string, from: number, to: number): string {
  let [start, end] = [from, to]
  while (start < end && isBlank(text.charCodeAt(start))) start += 1
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

function isBlank(character: number): boolean {
  return character === 32 || character === 9
}

function withBodyEnd(
  status: number,
  isLatest: boolean,
  headers: ReadonlyMap<string, string>,
): ResponseHead | InvalidHead {
  const coding = headers.get('transfer-encoding')
  const stated = headers.get('content-length')
  if (coding !== undefined && stated !== undefined) return invalid('content-length and transfer-encoding')
  if (coding !== undefined && (!isLatest || coding.toLowerCase() !== 'chunked')) {
    return invalid('a transfer-encoding other than chunked')
  }
  if (stated !== undefined && !length.test(stated)) return invalid('an invalid content-length')
  const closes = !isLatest || closeOption.test(headers.get('connection') ?? '')
  if (status < 200 && (status === 101 || closes || coding !== undefined || stated !== undefined)) {
    return invalid('an interim response that closes, switches protocols or has a body')
  }
  const isBare = status === 204 || status === 304
  const bodyEnd = status < 200 || isBare ? emptyBody : bodyEndOf(coding, stated)
  // A response that must not have a body and announces one may be followed by it.
  const isDoubtful = isBare && (coding !== undefined || Number(stated ?? 0) > 0)
  const keepsOpen = !closes && !isDoubtful && bodyEnd !== untilClose
  const idle = idleTimeout.exec(headers.get('keep-alive') ?? '')?.[1]
  const idleMs = idle === undefined ? null : Number(idle) * 1_000
  return { kind: 'head', status, headers, bodyEnd, keepsOpen, idleMs }
}

function bodyEndOf(coding: string | undefined, stated: string | undefined): BodyEnd {
  if (coding !== undefined) return chunked
  return stated === undefined ? untilClose : { kind: 'length', bytes: Number(stated) }
}

function invalid(reason: string): InvalidHead {
  return { kind: 'invalid', reason }
}
