/**
 * A client connection: serves its requests in order, however they arrive, and
 * knows whether it can be closed without losing a response. Knows nothing of the content.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Clock } from '../base/clock.ts'

export type Serve = (request: IncomingMessage, response: ServerResponse) => void

export interface ConnectionLimits {
  readonly pipelinedMax: number
}

interface PendingExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export class Connection {
  readonly socket: Socket
  readonly #serve: Serve
  readonly #limits: ConnectionLimits
  readonly #clock: Clock
  #current: PendingExchange | undefined
  #waiting: PendingExchange[] = []
  #closing = false
  #rejected = false
  #reads = true
  #endsAhead = false
  /** Set: it ends after its next response, or when none was asked for during this time. */
  #idleMsMax: number | undefined
  readonly #next = (): void => this.#served()

  constructor(socket: Socket, serve: Serve, limits: ConnectionLimits, clock: Clock) {
    this.socket = socket
    this.#serve = serve
    this.#limits = limits
    this.#clock = clock
    // Node resumes a socket whenever it has read a whole request.
    socket.on('resume', () => {
      if (!this.#reads) socket.pause()
    })
    // A client that closes its sending side has disconnected. Node ends the connection itself, but not for an incomplete
    // request behind one that is being answered.
    socket.once('end', () => socket.end())
  }

  /** Serves a request, or keeps it until those before it are answered; one too many is not read, and those are the last. */
  take(request: IncomingMessage, response: ServerResponse): void {
    if (this.#closing) return
    if (this.#current === undefined) this.#begin({ request, response })
    else if (this.#waiting.length < this.#limits.pipelinedMax) this.#keep({ request, response })
    else this.#endAhead()
  }

  /** While a request waits nothing more is read: what a client sends ahead takes its memory, not this server's. */
  #keep(exchange: PendingExchange): void {
    this.#waiting.push(exchange)
    this.#stopReading()
  }

  /** Accepted requests are answered; what follows them is not even read. */
  #endAhead(): void {
    this.#stopReading()
    this.#endsAhead = true
    this.close()
  }

  #stopReading(): void {
    this.#reads = false
    this.socket.pause()
  }

  /** The rest of the last buffered request, and what follows it. */
  #readOn(): void {
    if (this.#reads || this.#endsAhead || this.#waiting.length > 0) return
    this.#reads = true
    this.socket.resume()
  }

  /** Closes once the responses to accepted requests are sent: immediately if there are none. */
  close(): void {
    this.#closing = true
    if (this.#current === undefined) this.socket.destroy()
    else this.#announceEnd(this.#current)
  }

  /**
   * Ends in the way that a client expects: its next response says that it is the last one, and it closes where no request comes within
   * `idleMs`, which is longer than a client may keep it.
   */
  windDown(idleMs: number): void {
    this.#idleMsMax = idleMs
    if (this.#current === undefined) this.#endWhenIdle(idleMs)
    else if (!this.#current.response.headersSent) this.#announceEnd(this.#current)
  }

  #endWhenIdle(idleMs: number): void {
    if (idleMs === 0) return void this.socket.destroy()
    const timer = this.#clock.after(idleMs, () => {
      if (this.#current === undefined) this.socket.destroy()
    })
    this.socket.once('close', () => timer.cancel())
  }

  /** Nothing moved for a while: closes, unless an answer is under way that has simply nothing to say. */
  quiet(): void {
    if (this.#current === undefined || this.socket.writableLength > 0) this.socket.destroy()
  }

  /**
   * Ends the connection for bytes that are not a request. Complete requests before them are answered and
   * nothing else; without any, `answer` is sent, unless it would be in the middle of a started
   * response. True when the connection ends now.
   */
  reject(answer: string | undefined): boolean {
    if (this.#rejected) return false
    this.#rejected = true
    if (answer === undefined || !this.socket.writable) {
      this.socket.destroy()
    } else if (this.#current?.request.complete === true) {
      this.#waiting = this.#waiting.filter(({ request }) => request.complete)
      this.close()
      return false
    } else if (this.#current?.response.headersSent === true) {
      this.socket.destroySoon()
    } else {
      this.socket.end(answer)
    }
    return true
  }

  #begin(exchange: PendingExchange): void {
    const { request, response } = exchange
    this.#current = exchange
    if (isFramingDoubtful(request)) response.shouldKeepAlive = false
    if (this.#closing || this.#idleMsMax !== undefined) this.#announceEnd(exchange)
    response.once('close', this.#next)
    this.#serve(request, response)
  }

  #announceEnd({ response }: PendingExchange): void {
    if (this.#waiting.length === 0) response.shouldKeepAlive = false
  }

  #served(): void {
    // A request pipelined after a response that closes the connection must not run: its response could not be sent.
    if (this.#current?.response.shouldKeepAlive === false) {
      this.#closing = true
      this.#waiting = []
    }
    this.#current = undefined
    const next = this.#waiting.shift()
    if (next !== undefined && !this.socket.destroyed) {
      this.#readOn()
      this.#begin(next)
    } else if (this.#closing) this.socket.destroy()
    else if (this.#idleMsMax !== undefined) this.#endWhenIdle(this.#idleMsMax)
  }
}

/** Whether programs could disagree on where this request ends; what follows on the connection is not believed then. */
function isFramingDoubtful(request: IncomingMessage): boolean {
  const transfer = request.headers['transfer-encoding']
  return transfer !== undefined && (transfer !== 'chunked' || request.httpVersion !== '1.1')
}
