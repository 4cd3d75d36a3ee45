/**
 * One client connection: its requests are served one after the other, however they arrive, and it
 * knows whether it may be closed without hurting anyone. Knows nothing of what is served.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export type Serve = (request: IncomingMessage, response: ServerResponse) => void

interface Waiting {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

export class Connection {
  readonly socket: Socket
  readonly #serve: Serve
  readonly #pipelinedMax: number
  #current: ServerResponse | undefined
  readonly #waiting: Waiting[] = []
  #closing = false
  #refused = false
  readonly #next = (): void => this.#served()

  constructor(socket: Socket, serve: Serve, pipelinedMax: number) {
    this.socket = socket
    this.#serve = serve
    this.#pipelinedMax = pipelinedMax
  }

  /** Serves a request, or keeps it until those before it are answered; too many that wait end the connection. */
  take(request: IncomingMessage, response: ServerResponse): void {
    if (this.#current === undefined) this.#begin(request, response)
    else if (this.#waiting.length < this.#pipelinedMax) this.#waiting.push({ request, response })
    else this.socket.destroy()
  }

  /** Closes once the answers under way are out: at once when there are none. */
  close(): void {
    this.#closing = true
    if (this.#current === undefined) this.socket.destroy()
    else this.#current.shouldKeepAlive = false
  }

  /** Nothing moved for a while: closes, unless an answer is under way that has simply nothing to say. */
  quiet(): void {
    if (this.#current === undefined || this.socket.writableLength > 0) this.socket.destroy()
  }

  /**
   * Answers what is no request with raw bytes and ends the connection; where an answer has begun only
   * that goes out, since the bytes would stand in the middle of it. False when that was done before.
   */
  refuse(answer: string | undefined): boolean {
    if (this.#refused) return false
    this.#refused = true
    const begun = this.#current?.headersSent === true || this.#waiting.length > 0
    if (answer === undefined || !this.socket.writable) this.socket.destroy()
    else if (begun) this.socket.destroySoon()
    else this.socket.end(answer)
    return true
  }

  #begin(request: IncomingMessage, response: ServerResponse): void {
    this.#current = response
    if (this.#closing || isFramingDoubtful(request)) response.shouldKeepAlive = false
    response.once('close', this.#next)
    this.#serve(request, response)
  }

  #served(): void {
    this.#current = undefined
    const next = this.#waiting.shift()
    if (next !== undefined && !this.socket.destroyed) this.#begin(next.request, next.response)
    else if (this.#closing) this.socket.destroy()
  }
}

/** Whether programs could disagree on where this request ends; what follows on the connection is not believed then. */
function isFramingDoubtful(request: IncomingMessage): boolean {
  const transfer = request.headers['transfer-encoding']
  return transfer !== undefined && (transfer !== 'chunked' || request.httpVersion !== '1.1')
}
