/**
 * One request on one connection: turns undici's callbacks into events of an `ExchangeListener`, in order and pausable,
 * and decides whether the connection can be reused. One whose exchange did not end cleanly never is.
 */
import { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { assert, unreachable } from '../base/assert.ts'
import { ConnectError } from './connect.ts'
import { closedHere, type Origin, type UpstreamConnection } from './connections.ts'
import type { Exchange, ExchangeListener, ExchangeState, SendFailure, UpstreamRequest } from './send-types.ts'

type ExchangeEvent =
  | { readonly kind: 'head'; readonly status: number; readonly headers: ReadonlyMap<string, string> }
  | { readonly kind: 'chunk'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | { readonly kind: 'failed'; readonly failure: SendFailure }

type Controller = Dispatcher.DispatchController
type RawHeaders = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

/** How deep in undici's parser we are: there is one for all sockets, and it must not be entered twice. */
let parsing = 0

function outsideParser(run: () => void): void {
  if (parsing === 0) run()
  else process.nextTick(run)
}

export class UpstreamExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #origin: Origin
  #lane: UpstreamConnection | undefined
  #controller: Controller | undefined
  #listener: ExchangeListener | undefined
  #state: ExchangeState = 'waiting'
  /** Nothing more comes: the answer ended, failed or is no longer wanted. */
  #over = false
  #paused = false
  /** The upstream waits because of us. */
  #holding = false
  /** Events not delivered yet; bounded by one read of the socket, since the upstream is paused. */
  #undelivered: ExchangeEvent[] = []
  #requestSent = false
  #answered = false
  #headSeen = false

  constructor(origin: Origin) {
    this.#origin = origin
  }

  get state(): ExchangeState {
    return this.#state
  }

  get requestSent(): boolean {
    return this.#requestSent
  }

  begin(request: UpstreamRequest): void {
    outsideParser(() => this.#dispatch(request))
  }

  listen(listener: ExchangeListener): void {
    this.#listener = listener
    this.#catchUp()
  }

  pause(): void {
    if (this.#paused || this.#over) return
    this.#paused = true
    this.#hold()
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#catchUp()
  }

  abort(): void {
    if (this.#state !== 'waiting' && this.#state !== 'answering') return
    this.#state = 'aborted'
    this.#over = true
    this.#undelivered = []
    this.#discardLane()
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    this.#requestSent = true
    if (this.#paused) controller.pause()
  }

  onResponseStarted(): void {
    this.#answered = true
  }

  onResponseStart(_controller: Controller, status: number, headers: RawHeaders): void {
    // 1xx are not the answer.
    if (status < 200 || this.#over) return
    this.#headSeen = true
    const encoding = headers['content-encoding']
    if (encoding !== undefined && encoding !== '' && encoding !== 'identity') {
      this.#fail('protocol', `content-encoding ${String(encoding)} although identity was requested`)
    } else this.#pass({ kind: 'head', status, headers: flatten(headers) })
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.#over) return
    // The hot path: no event object is allocated for what can be delivered directly.
    if (!this.#mayDeliver()) {
      this.#keep({ kind: 'chunk', bytes: chunk })
      return
    }
    parsing += 1
    try {
      this.#listener!.chunk(chunk)
    } finally {
      parsing -= 1
    }
  }

  onResponseEnd(): void {
    if (this.#over) return
    const socket = this.#lane?.socket
    // Where the end of the connection is the end of the answer, undici takes a reset for a clean end.
    if (socket?.errored) {
      this.#fail('reset', describe(socket.errored))
      return
    }
    this.#over = true
    // An upstream may answer before it has read the request: the rest of that must not meet the next one.
    if (socket !== undefined && socket.writableLength === 0) this.#releaseLane()
    else this.#discardLane()
    this.#pass({ kind: 'end' })
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    if (!this.#over) this.#fail(kindOf(error, this.#headSeen), describe(error))
  }

  #dispatch(request: UpstreamRequest): void {
    if (this.#over) return
    const lane = this.#origin.take()
    if (lane === undefined) {
      this.#fail('refused', 'every connection that the origin may have is in use')
      return
    }
    this.#lane = lane
    const { method, path, headers, body } = request
    const bytes = body.reduce((sum, piece) => sum + piece.length, 0)
    lane.client.dispatch(
      bytes > keptBytesMax
        ? { method, path, headers: [...headers, 'content-length', String(bytes)], body: handedOver(body) }
        : // Node's types ask for a mutable list; undici copies it.
          { method, path, headers: headers as string[], body: joined(body) },
      this,
    )
  }

  #fail(kind: SendFailure['kind'], detail: string): void {
    const served = this.#lane?.served ?? 0
    const stale = kind === 'reset' && served > 0 && this.#requestSent && !this.#answered
    this.#over = true
    this.#discardLane()
    this.#pass({ kind: 'failed', failure: { kind, requestSent: this.#requestSent, stale, detail } })
  }

  #pass(event: ExchangeEvent): void {
    if (!this.#mayDeliver()) {
      this.#keep(event)
      return
    }
    parsing += 1
    try {
      this.#deliver(event)
    } finally {
      parsing -= 1
    }
  }

  #mayDeliver(): boolean {
    return this.#listener !== undefined && !this.#paused && this.#undelivered.length === 0
  }

  #keep(event: ExchangeEvent): void {
    this.#undelivered.push(event)
    if (!this.#over) this.#hold()
  }

  #deliver(event: ExchangeEvent): void {
    const listener = this.#listener
    assert(listener !== undefined, 'someone listens')
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
      outsideParser(() => this.#controller?.resume())
    }
  }

  #hold(): void {
    this.#holding = true
    this.#controller?.pause()
  }

  #releaseLane(): void {
    const lane = this.#lane
    if (lane === undefined) return
    this.#lane = undefined
    lane.served += 1
    this.#origin.release(lane)
  }

  #discardLane(): void {
    const lane = this.#lane
    this.#lane = undefined
    if (lane !== undefined) this.#origin.discard(lane)
  }
}

/** A body of at most this size goes out in one piece, and undici keeps it until the answer has ended. */
const keptBytesMax = 64 * 1024

function joined(body: readonly Uint8Array[]): Uint8Array | null {
  return body.length <= 1 ? (body[0] ?? null) : Buffer.concat(body)
}

/** A large body without a copy, forgotten piece by piece as it is sent: the answer may take very much longer. */
function handedOver(body: readonly Uint8Array[]): Readable {
  const pieces = [...body]
  function* next(): Generator<Uint8Array> {
    for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) yield piece
  }
  return Readable.from(next())
}

function flatten(headers: RawHeaders): ReadonlyMap<string, string> {
  const map = new Map<string, string>()
  for (const name of Object.keys(headers)) {
    const value = headers[name]
    if (value !== undefined) map.set(name, typeof value === 'string' ? value : value.join(', '))
  }
  return map
}

/** Of undici's codes, those that say that the request or the answer is no HTTP as we accept it. */
const protocolCodes: ReadonlySet<string> = new Set([
  'UND_ERR_HEADERS_OVERFLOW',
  'UND_ERR_INVALID_ARG',
  'UND_ERR_NOT_SUPPORTED',
  'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
])

/** What is not known otherwise broke the connection. */
function kindOf(error: NodeJS.ErrnoException, headSeen: boolean): SendFailure['kind'] {
  if (error instanceof ConnectError) return error.trouble
  if (error === closedHere) return 'aborted'
  if (protocolCodes.has(error.code ?? '')) return 'protocol'
  // The parser reports the end of the connection within an answer as its own error.
  if (error.name === 'HTTPParserError') return /EOF/.test(error.message) ? 'reset' : 'protocol'
  // 'bad response', 'bad upgrade': an unsolicited response or protocol switch.
  if (error.code === 'UND_ERR_SOCKET' && error.message.startsWith('bad ')) return 'protocol'
  // The same error means contradictory lengths in the head, or fewer bytes than the head announced.
  if (error.code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' && !headSeen) return 'protocol'
  return 'reset'
}

function describe(error: NodeJS.ErrnoException): string {
  return `${error.code ?? error.name}: ${error.message}`
}
