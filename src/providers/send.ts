/**
 * The only HTTP client: sends a prepared request to an upstream over HTTP/1.1 and reports the response chunk by chunk, follows no
 * redirect, has no deadline except for connecting, and decompresses responses that are compressed without being requested. Does not
 * interpret the bytes.
 */
import { assert, unreachable } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import { type ContentDecoder, findDecoder } from '../base/content-encoding.ts'
import { AuthorizedExchange } from './authorized-exchange.ts'
import { type ConnectionUser, Origin, type OriginOptions, type UpstreamConnection } from './connections.ts'
import type {
  Exchange,
  ExchangeListener,
  ExchangeState,
  SendFailure,
  SendLimits,
  UpstreamRequest,
} from './send-types.ts'
import { TokenCache } from './token-cache.ts'
import { tokenRequests } from './token-request.ts'

export interface Sender {
  /** Never throws for an upstream's fault or an invalid header; those arrive as `failed`. */
  send(request: UpstreamRequest): Exchange
  /** Connections to an origin that are open or being opened. */
  openSockets(origin: string): number
  /** Fails what is under way as `aborted` and closes every connection. */
  close(): Promise<void>
}

export function openSender({ limits, clock }: { limits: SendLimits; clock: Clock }): Sender {
  const options: OriginOptions = { limits, clock }
  const origins = new Map<string, Origin>()
  const sendNow = (request: UpstreamRequest): Exchange => {
    let origin = origins.get(request.origin)
    if (origin === undefined) {
      origin = new Origin(request.origin, options)
      origins.set(request.origin, origin)
    }
    const exchange = new UpstreamExchange(origin)
    exchange.begin(request)
    return exchange
  }
  const authorizing = {
    clock,
    tokens: new TokenCache({ clock, limits }),
    request: tokenRequests({ send: sendNow, clock, limits }),
  }
  return {
    send(request) {
      const { authorizer } = request
      if (authorizer === undefined) return sendNow(request)
      const exchange = new AuthorizedExchange({ authorizer, deps: authorizing, send: sendNow }, request)
      exchange.begin()
      return exchange
    },
    openSockets: (origin) => origins.get(origin)?.sockets ?? 0,
    async close() {
      await Promise.all([...origins.values()].map((origin) => origin.close()))
    },
  }
}

type ExchangeEvent =
  | { readonly kind: 'head'; readonly status: number; readonly headers: ReadonlyMap<string, string> }
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly failure: SendFailure }

interface UnsentRequest {
  readonly head: string
  readonly body: readonly Uint8Array[]
  readonly bodyBytes: number
}

/**
 * A request on a connection: passes the events of the response to an `ExchangeListener`, in order and pausable, and returns the
 * connection or discards it. A connection whose exchange did not end cleanly is never reused.
 */
class UpstreamExchange implements Exchange, ConnectionUser {
  readonly #origin: Origin
  #connection: UpstreamConnection | undefined
  /** Set for a response that was compressed although `identity` was requested. */
  #decoder: ContentDecoder | undefined
  #unsent: UnsentRequest | undefined
  #listener: ExchangeListener | undefined
  #state: ExchangeState = 'waiting'
  /** Whether no more events come: the response ended, failed or was canceled. */
  #over = false
  #paused = false
  /** The upstream waits because of us. */
  #holding = false
  /** Events not delivered yet; bounded by one read of the socket, since the upstream is paused. */
  #undelivered: ExchangeEvent[] = []
  #requestSent = false
  /** The value for a connection that was released. */
  #requestWritten = false

  constructor(origin: Origin) {
    this.#origin = origin
  }

  get state(): ExchangeState {
    return this.#state
  }

  get requestSent(): boolean {
    return this.#requestSent
  }

  get requestWritten(): boolean {
    return this.#requestWritten || (this.#requestSent && this.#connection?.isWritten === true)
  }

  begin(request: UpstreamRequest): void {
    const { body } = request
    let bodyBytes = 0
    for (const piece of body) bodyBytes += piece.length
    const head = requestHead(this.#origin.host, request, bodyBytes)
    if (head.kind === 'invalid') return this.broken('protocol', head.reason)
    this.#unsent = { head: head.text, body, bodyBytes }
    this.#connect()
  }

  listen(listener: ExchangeListener): void {
    this.#listener = listener
    this.#catchUp()
  }

  pause(): void {
    if (this.#paused || !this.#isUnderWay()) return
    this.#paused = true
    this.#hold()
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#catchUp()
  }

  abort(): void {
    if (!this.#isUnderWay()) return
    this.#state = 'aborted'
    this.#over = true
    this.#undelivered = []
    this.#discardConnection()
  }

  opened(): void {
    const unsent = this.#unsent
    if (unsent === undefined || this.#over) return
    this.#unsent = undefined
    this.#requestSent = true
    this.#connection?.write(unsent.head, unsent.body, unsent.bodyBytes)
    if (this.#holding) this.#connection?.pause()
  }

  lost(): void {
    this.#connection = undefined
    this.#connect()
  }

  head(status: number, headers: ReadonlyMap<string, string>): void {
    const encoding = headers.get('content-encoding') ?? ''
    const isPlain = encoding === '' || encoding === 'identity' || headers.get('content-length') === '0'
    if (isPlain) return this.#pass({ kind: 'head', status, headers })
    const decoder = findDecoder(encoding)?.()
    if (decoder === undefined) return this.broken('protocol', `content-encoding ${encoding}`)
    this.#decoder = decoder
    decoder.on('data', (bytes: Buffer) => this.#deliverOrKeep(bytes))
    decoder.on('drain', () => {
      if (!this.#holding) this.#connection?.resume()
    })
    decoder.on('end', () => this.#ended())
    decoder.on('error', ({ message }) => this.broken('protocol', `content-encoding ${encoding}: ${message}`))
    const decoded = new Map(headers)
    decoded.delete('content-encoding')
    decoded.delete('content-length')
    this.#pass({ kind: 'head', status, headers: decoded })
  }

  chunk(bytes: Uint8Array): void {
    if (this.#decoder === undefined) this.#deliverOrKeep(bytes)
    else if (!this.#decoder.write(bytes)) this.#connection?.pause()
  }

  end(): void {
    const decoder = this.#decoder
    this.#over = decoder === undefined
    const connection = this.#connection
    this.#requestWritten = this.requestWritten
    this.#connection = undefined
    connection?.leave()
    if (connection !== undefined) this.#origin.release(connection)
    if (decoder === undefined) this.#ended()
    else decoder.end()
  }

  broken(kind: SendFailure['kind'], detail: string): void {
    if (this.#over) return
    const connection = this.#connection
    const wasReused = connection !== undefined && connection.served > 0
    const stale = kind === 'reset' && wasReused && this.#requestSent && !connection.hasAnswered
    this.#over = true
    this.#discardConnection()
    this.#pass({ kind: 'failed', failure: { kind, requestSent: this.#requestSent, stale, detail } })
  }

  #connect(): void {
    const connection = this.#origin.take()
    if (connection === undefined) {
      return this.broken('refused', 'every connection that the origin may have is in use')
    }
    this.#connection = connection
    connection.begin(this)
  }

  #isUnderWay(): boolean {
    return this.#state === 'waiting' || this.#state === 'answering'
  }

  #pass(event: ExchangeEvent): void {
    if (this.#mayDeliver()) this.#deliver(event)
    else this.#keep(event)
  }

  #deliverOrKeep(bytes: Uint8Array): void {
    // The hot path: no event object is allocated for what can be delivered directly.
    if (this.#mayDeliver()) this.#listener!.chunk(bytes)
    else this.#keep({ kind: 'chunk', bytes })
  }

  #ended(): void {
    this.#over = true
    this.#pass({ kind: 'end' })
  }

  #mayDeliver(): boolean {
    return this.#listener !== undefined && !this.#paused && this.#undelivered.length === 0
  }

  #keep(event: ExchangeEvent): void {
    this.#undelivered.push(event)
    this.#hold()
  }

  #deliver(event: ExchangeEvent): void {
    const listener = this.#listener
    assert(listener !== undefined, 'an exchange that delivers has a listener')
    switch (event.kind) {
      case 'head':
        this.#state = 'answering'
        listener.head(event.status, event.headers)
        break
      case 'chunk':
        listener.chunk(event.bytes)
        break
      case 'end':
        this.#state = 'ended'
        listener.end()
        break
      case 'failed':
        this.#state = 'failed'
        listener.failed(event.failure)
        break
      default:
        unreachable(event)
    }
  }

  #catchUp(): void {
    while (this.#undelivered.length > 0 && this.#listener !== undefined && !this.#paused) {
      this.#deliver(this.#undelivered.shift()!)
    }
    if (this.#holding && this.#mayDeliver()) {
      this.#holding = false
      this.#decoder?.resume()
      if (this.#decoder?.writableNeedDrain !== true) this.#connection?.resume()
    }
  }

  #hold(): void {
    if (this.#over) return
    this.#holding = true
    this.#decoder?.pause()
    // Until the request is sent, reading detects that a connection is not usable any more.
    if (this.#requestSent) this.#connection?.pause()
  }

  #discardConnection(): void {
    const connection = this.#connection
    this.#connection = undefined
    this.#unsent = undefined
    this.#decoder?.destroy()
    if (connection !== undefined) this.#origin.discard(connection)
  }
}

type RequestHead =
  | { readonly kind: 'head'; readonly text: string }
  | { readonly kind: 'invalid'; readonly reason: string }

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const forbiddenInValue = /[^\t\x20-\x7e\x80-\xff]/
const pathForm = /^\/[\x21-\x7e\x80-\xff]*$/

/** Headers that decide where a message ends and what becomes of the connection. */
const framing: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Methods whose requests state the length of their body even where it is empty. */
const withBody: ReadonlySet<string> = new Set(['POST', 'PUT'])

/**
 * The head of an HTTP/1.1 request as text of one byte for each character, with the empty line. Nothing in a name, value or path
 * may end its line, and what frames the message is written here alone.
 */
export function requestHead(host: string, request: UpstreamRequest, bodyBytes: number): RequestHead {
  const { method, path, headers } = request
  if (!pathForm.test(path)) return { kind: 'invalid', reason: 'invalid request path' }
  let text = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at]!
    const value = headers[at + 1]!
    if (!token.test(name) || framing.has(name.toLowerCase())) {
      return { kind: 'invalid', reason: `invalid header ${JSON.stringify(name)}` }
    }
    if (forbiddenInValue.test(value)) return { kind: 'invalid', reason: `invalid value of header ${name}` }
    text += `${name}: ${value}\r\n`
  }
  if (bodyBytes > 0 || withBody.has(method)) text += `content-length: ${bodyBytes}\r\n`
  return { kind: 'head', text: `${text}\r\n` }
}
