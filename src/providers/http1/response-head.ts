/**
 * Reads the head of an HTTP/1.1 response, and decides where its body ends. Anything that two readers could understand
 * differently is refused; nothing is repaired.
 */

/** Where a body ends: after `bytes`, with the last chunk, or with the connection. */
export type BodyEnd =
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'close' }

export interface ResponseHead {
  readonly kind: 'head'
  readonly status: number
  /** Names in lower case; a repeated header's values are joined by `, `. */
  readonly headers: ReadonlyMap<string, string>
  readonly bodyEnd: BodyEnd
  /** The connection can take another request after this response. */
  readonly keepsOpen: boolean
  /** How long the upstream keeps an idle connection, where it says so. */
  readonly idleMs: number | null
}

export interface InvalidHead {
  readonly kind: 'invalid'
  readonly reason: string
}

const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/
/** Control characters, and half of a line's end. */
const forbidden = /[^\t\r\n -~\x80-\xff]|\r(?!\n)|(?<!\r)\n/
const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
/** They decide where a body ends: given once, and without tabs, which parsers take differently. */
const framing: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding'])
const length = /^\d{1,15}$/
const closeOption = /(?:^|,)[\t ]*close[\t ]*(?:,|$)/i
const idleTimeout = /(?:^|[\t ,;])timeout=(\d{1,6})(?![^\t ,;])/i

const emptyBody: BodyEnd = { kind: 'length', bytes: 0 }
const chunked: BodyEnd = { kind: 'chunked' }
const untilClose: BodyEnd = { kind: 'close' }

/** `text` has one character for each byte, and not the empty line at its end. */
export function readResponseHead(text: string): ResponseHead | InvalidHead {
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
export function checkTrailers(text: string): InvalidHead | undefined {
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
