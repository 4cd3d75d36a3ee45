/**
 * The connections to one origin. Each is one socket with at most one exchange on it; idle connections wait on a stack,
 * so that the last used one is used next and finding one costs the same whatever the number. It must not know what is
 * sent or judge a response.
 */
import type { Socket } from 'node:net'
import type { Clock, Timer } from '../base/clock.ts'
import { type ConnectTarget, connect, connectTarget, type SessionMemory } from './connect.ts'
import { type ResponseEvents, ResponseParser } from './http1/response-parser.ts'
import type { SendFailure, SendLimits } from './send-types.ts'

export interface OriginOptions {
  readonly limits: SendLimits
  readonly clock: Clock
}

/** The exchange that a connection serves, from `begin` until its response has ended or it is discarded. */
export interface ConnectionUser extends ResponseEvents {
  /** A request can be written. */
  opened(): void
  /** An idle connection turned out to be unusable before anything was written: another one is needed. */
  lost(): void
  /** There will be no response, or no more of it. */
  broken(kind: SendFailure['kind'], detail: string): void
}

/** An upstream that closes an idle connection after a stated time is not sent a request shortly before. */
const idleMarginMs = 2_000

export class Origin {
  /** The value of a request's `host` header. */
  readonly host: string
  readonly #options: OriginOptions
  readonly #target: ConnectTarget
  readonly #memory: SessionMemory = { session: undefined }
  readonly #idle: UpstreamConnection[] = []
  readonly #connections = new Set<UpstreamConnection>()
  #sockets = 0
  #expiry: { readonly atMs: number; readonly timer: Timer } | undefined
  #closed: (() => void) | undefined

  constructor(url: string, options: OriginOptions) {
    this.host = new URL(url).host
    this.#options = options
    this.#target = connectTarget(url)
  }

  /** Sockets that are open or being opened. */
  get sockets(): number {
    return this.#sockets
  }

  /** A connection for one exchange; undefined when all that are allowed are in use. */
  take(): UpstreamConnection | undefined {
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.isUsable && connection.idleUntilMs > this.#options.clock.monoMs()) return connection
      this.discard(connection)
    }
    if (this.#connections.size >= this.#options.limits.socketsPerOriginMax) return undefined
    const connection = new UpstreamConnection(this, this.#options.limits.upstreamHeaderBytesMax)
    this.#connections.add(connection)
    return connection
  }

  /** Takes back a connection whose response ended; closes it where no other request may follow on it. */
  release(connection: UpstreamConnection): void {
    const idleMs = connection.reusableMs(this.#options.limits.idleSocketMs)
    if (idleMs <= 0 || !this.#connections.has(connection)) return this.discard(connection)
    connection.served += 1
    connection.idleUntilMs = this.#options.clock.monoMs() + idleMs
    connection.resume()
    this.#idle.push(connection)
    this.#expireAt(connection.idleUntilMs)
  }

  /** Destroys a connection whose response has not ended. */
  discard(connection: UpstreamConnection): void {
    this.#connections.delete(connection)
    connection.destroy()
  }

  /** Breaks and closes all connections; resolves when no socket is left. */
  close(): Promise<void> {
    this.#idle.length = 0
    this.#stopExpiry()
    for (const connection of [...this.#connections]) {
      connection.interrupt('aborted', 'the connection was closed on this side')
      this.discard(connection)
    }
    if (this.#sockets === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#closed = resolve
    })
  }

  /** For `connection` alone, which is notified when its socket opens or fails. */
  openSocket(connection: UpstreamConnection): Socket {
    const { limits, clock } = this.#options
    const connecting = { target: this.#target, connectMs: limits.connectMs, clock, memory: this.#memory }
    this.#sockets += 1
    const socket = connect(connecting, (error) => connection.connected(error))
    socket.once('close', () => {
      this.#sockets -= 1
      this.#connections.delete(connection)
      const at = this.#idle.indexOf(connection)
      if (at >= 0) this.#idle.splice(at, 1)
      if (this.#idle.length === 0) this.#stopExpiry()
      if (this.#sockets === 0) this.#closed?.()
    })
    return socket
  }

  /** Sets the only timer for idle connections to the first one that expires. */
  #expireAt(atMs: number): void {
    if (this.#expiry !== undefined && this.#expiry.atMs <= atMs) return
    this.#stopExpiry()
    const { clock } = this.#options
    const timer = clock.after(Math.max(1, Math.ceil(atMs - clock.monoMs())), () => this.#expire())
    this.#expiry = { atMs, timer }
  }

  #expire(): void {
    this.#expiry = undefined
    const nowMs = this.#options.clock.monoMs()
    const expired = this.#idle.filter(({ idleUntilMs }) => idleUntilMs <= nowMs)
    const rest = this.#idle.filter(({ idleUntilMs }) => idleUntilMs > nowMs)
    this.#idle.splice(0, this.#idle.length, ...rest)
    for (const connection of expired) this.discard(connection)
    if (rest.length > 0) this.#expireAt(Math.min(...rest.map(({ idleUntilMs }) => idleUntilMs)))
  }

  #stopExpiry(): void {
    this.#expiry?.timer.cancel()
    this.#expiry = undefined
  }
}

export class UpstreamConnection {
  /** Exchanges that ended cleanly. */
  served = 0
  /** On the monotonic clock, while it is idle. */
  idleUntilMs = 0
  readonly #origin: Origin
  readonly #parser: ResponseParser
  readonly #socket: Socket
  #user: ConnectionUser | undefined
  #isOpen = false
  #isChecked = false
  #hasAnswered = false

  constructor(origin: Origin, headerBytesMax: number) {
    this.#origin = origin
    this.#parser = new ResponseParser(headerBytesMax)
    this.#socket = origin.openSocket(this)
    this.#listen()
  }

  /** Whether any byte of the present response has arrived. */
  get hasAnswered(): boolean {
    return this.#hasAnswered
  }

  get isUsable(): boolean {
    return this.#socket.writable && !this.#socket.readableEnded
  }

  /** Nothing waits to be sent. */
  get isWritten(): boolean {
    return this.#socket.writableLength === 0
  }

  /** How long it may be idle; 0 when nothing may follow the last response. */
  reusableMs(idleMsMax: number): number {
    // An upstream may answer before it has read the request: the rest of that must not meet the next one.
    if (!this.#parser.isReusable || !this.isUsable || !this.isWritten) return 0
    const stated = this.#parser.idleMs
    return stated === null ? idleMsMax : Math.min(idleMsMax, stated - idleMarginMs)
  }

  /** Serves `user`, who may write when `opened` is called. */
  begin(user: ConnectionUser): void {
    this.#user = user
    this.#hasAnswered = false
    if (this.served > 0) {
      this.#isChecked = false
      afterPoll(() => this.#reuse(user))
      return
    }
    this.#isChecked = true
    this.#parser.begin(user)
    if (this.#isOpen) user.opened()
  }

  /** The response has ended: its user gets no more events. */
  leave(): void {
    this.#user = undefined
  }

  /** `head` has one character for each byte. */
  write(head: string, body: readonly Uint8Array[], bodyBytes: number): void {
    const socket = this.#socket
    if (bodyBytes > copiedBytesMax) {
      socket.cork()
      socket.write(head, 'latin1')
      for (const piece of body) socket.write(piece)
      socket.uncork()
      return
    }
    const whole = Buffer.allocUnsafe(head.length + bodyBytes)
    let at = whole.write(head, 0, 'latin1')
    for (const piece of body) {
      whole.set(piece, at)
      at += piece.length
    }
    socket.write(whole)
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    if (this.#socket.isPaused()) this.#socket.resume()
  }

  destroy(): void {
    this.#user = undefined
    this.#parser.stop()
    this.#socket.destroy()
  }

  /** Reports to who is served, if anyone, that there will be no more of the response. */
  interrupt(kind: SendFailure['kind'], detail: string): void {
    this.#user?.broken(kind, detail)
  }

  /** The result of opening the socket. */
  connected(error: { readonly trouble: SendFailure['kind']; readonly message: string } | null): void {
    if (error !== null) return this.interrupt(error.trouble, error.message)
    this.#isOpen = true
    this.#user?.opened()
  }

  #reuse(user: ConnectionUser): void {
    if (this.#user !== user) return
    this.#isChecked = true
    this.#parser.begin(user)
    user.opened()
  }

  #listen(): void {
    const socket = this.#socket
    socket.on('data', (bytes: Buffer) => this.#read(bytes))
    socket.on('end', () => {
      if (this.#isIdle()) this.#lose()
      else if (!this.#parser.finish())
        this.interrupt('reset', 'the connection ended before the response was complete')
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#isOpen && !this.#isIdle())
        this.interrupt('reset', `${error.code ?? error.name}: ${error.message}`)
    })
    socket.once('close', () => {
      if (this.#isIdle()) this.#lose()
      else this.interrupt('reset', 'the connection was closed')
    })
  }

  #read(bytes: Buffer): void {
    // Bytes without a request must not become the response to the next request.
    if (this.#isIdle()) return this.#lose()
    this.#hasAnswered = true
    const fault = this.#parser.read(bytes)
    if (fault !== undefined) this.interrupt('protocol', `not HTTP/1.1 as it is accepted: ${fault}`)
  }

  /** No request is on it, though one may wait for `#reuse`. */
  #isIdle(): boolean {
    return this.#user === undefined || !this.#isChecked
  }

  #lose(): void {
    const user = this.#user
    this.#origin.discard(this)
    user?.lost()
  }
}

let afterPollRuns: (() => void)[] = []

/**
 * Calls `run` after all data that had arrived on any socket was read: a close or unexpected bytes are then noticed before a request
 * is written to an idle connection. All callers share one callback of the event loop.
 */
function afterPoll(run: () => void): void {
  if (afterPollRuns.push(run) > 1) return
  setImmediate(() => {
    const runs = afterPollRuns
    afterPollRuns = []
    for (const due of runs) due()
  })
}

/** A body of at most this size is sent in one piece with its head. */
const copiedBytesMax = 64 * 1024
