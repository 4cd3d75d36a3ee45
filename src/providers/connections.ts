/**
 * The connections to one origin. Each connection is one undici Client, that is at most one socket with at
 * most one request on it; idle connections wait on a stack, so that the last used one is used next and
 * finding one costs the same whatever the number. It must not change what is sent.
 */
import type { Socket } from 'node:net'
// By its path: the package's entry loads fetch, caches, mocks and proxies as well, which nothing here uses.
import Client from 'undici/lib/dispatcher/client.js'
import type { Clock } from '../base/clock.ts'
import { type ConnectTarget, connect, connectTarget, type SessionMemory } from './connect.ts'
import type { SendLimits } from './send-types.ts'

/** What ends an exchange whose connection was closed under it. */
export const closedHere = new Error('the connection was closed on this side')

export interface OriginOptions {
  readonly limits: SendLimits
  readonly clock: Clock
}

export class Origin {
  readonly url: string
  readonly #options: OriginOptions
  readonly #target: ConnectTarget
  readonly #memory: SessionMemory = { session: undefined }
  readonly #idle: UpstreamConnection[] = []
  readonly #connections = new Set<UpstreamConnection>()
  #sockets = 0
  #closed: (() => void) | undefined

  constructor(url: string, options: OriginOptions) {
    this.url = url
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
      if (connection.usable) return connection
      this.discard(connection)
    }
    if (this.#connections.size >= this.#options.limits.socketsPerOriginMax) return undefined
    const connection = new UpstreamConnection(this)
    this.#connections.add(connection)
    return connection
  }

  /** Takes back a connection whose exchange ended cleanly. */
  release(connection: UpstreamConnection): void {
    if (this.#connections.has(connection)) this.#idle.push(connection)
  }

  /** Destroys a connection whose response has not ended. */
  discard(connection: UpstreamConnection): void {
    this.#connections.delete(connection)
    connection.destroy()
  }

  /** Closes all connections; resolves when no socket is left. */
  close(): Promise<void> {
    this.#idle.length = 0
    for (const connection of [...this.#connections]) this.discard(connection)
    if (this.#sockets === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#closed = resolve
    })
  }

  openClient(connection: UpstreamConnection): Client {
    const { limits, clock } = this.#options
    const connecting = { target: this.#target, connectMs: limits.connectMs, clock, memory: this.#memory }
    return new Client(this.url, {
      connect: (_options, callback) => {
        connection.socket = this.#watch(
          connect(connecting, callback as Parameters<typeof connect>[1]),
          connection,
        )
      },
      pipelining: 1,
      allowH2: false,
      // Silence is judged by those who know what they wait for.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: limits.idleSocketMs,
      keepAliveMaxTimeout: limits.idleSocketMs,
      maxHeaderSize: limits.upstreamHeaderBytesMax,
    })
  }

  #watch(socket: Socket, connection: UpstreamConnection): Socket {
    this.#sockets += 1
    connection.served = 0
    socket.once('close', () => {
      this.#sockets -= 1
      const at = this.#idle.indexOf(connection)
      if (at >= 0) {
        this.#idle.splice(at, 1)
        this.discard(connection)
      }
      if (this.#sockets === 0) this.#closed?.()
    })
    return socket
  }
}

export class UpstreamConnection {
  readonly client: Client
  socket: Socket | undefined
  /** Exchanges that ended cleanly on the present socket. */
  served = 0

  constructor(origin: Origin) {
    this.client = origin.openClient(this)
  }

  get usable(): boolean {
    return this.socket !== undefined && !this.socket.destroyed && !this.client.destroyed
  }

  destroy(): void {
    this.client.destroy(closedHere, ignore)
    this.socket?.destroy()
  }
}

function ignore(): void {}
