/**
 * The connections to one origin. Each lane is one undici Client, that is at most one socket with at
 * most one request on it; idle lanes wait on a stack, so that the one used last is used next and
 * finding one costs the same whatever the number. It must not touch what is sent.
 */
import type { Socket } from 'node:net'
import { Client } from 'undici'
import type { Clock } from '../base/clock.ts'
import { type ConnectTarget, connect, connectTarget, type SessionMemory } from './connect.ts'
import type { SendLimits } from './send.ts'

/** What ends an exchange whose lane was closed under it. */
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
  readonly #idle: Lane[] = []
  readonly #lanes = new Set<Lane>()
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

  /** A lane for one exchange; undefined when all that are allowed are in use. */
  take(): Lane | undefined {
    for (let lane = this.#idle.pop(); lane !== undefined; lane = this.#idle.pop()) {
      if (lane.usable) return lane
      this.discard(lane)
    }
    if (this.#lanes.size >= this.#options.limits.socketsPerOriginMax) return undefined
    const lane = new Lane(this)
    this.#lanes.add(lane)
    return lane
  }

  /** Takes back a lane whose exchange ended cleanly. */
  release(lane: Lane): void {
    if (this.#lanes.has(lane)) this.#idle.push(lane)
  }

  /** Closes a lane for good, at once: whatever it carried is not over. */
  discard(lane: Lane): void {
    this.#lanes.delete(lane)
    lane.destroy()
  }

  /** Closes all lanes; resolves when no socket is left. */
  close(): Promise<void> {
    this.#idle.length = 0
    for (const lane of [...this.#lanes]) this.discard(lane)
    if (this.#sockets === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#closed = resolve
    })
  }

  openClient(lane: Lane): Client {
    const { limits, clock } = this.#options
    const connecting = { target: this.#target, connectMs: limits.connectMs, clock, memory: this.#memory }
    return new Client(this.url, {
      connect: (_options, callback) => {
        lane.socket = this.#watch(connect(connecting, callback as Parameters<typeof connect>[1]), lane)
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

  #watch(socket: Socket, lane: Lane): Socket {
    this.#sockets += 1
    lane.served = 0
    socket.once('close', () => {
      this.#sockets -= 1
      const at = this.#idle.indexOf(lane)
      if (at >= 0) {
        this.#idle.splice(at, 1)
        this.discard(lane)
      }
      if (this.#sockets === 0) this.#closed?.()
    })
    return socket
  }
}

export class Lane {
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
