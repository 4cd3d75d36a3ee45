/**
 * An upstream at the TCP level that misbehaves on purpose: it reads requests byte by byte and follows a script,
 * including resets and truncated lengths. It knows no format and has no timers.
 */
import net from 'node:net'

export interface SeenRequest {
  readonly method: string
  readonly path: string
  /** Request line and headers verbatim, without the empty line. */
  readonly head: string
  /** Empty when a behavior answers after the head. */
  readonly body: Buffer
  /** Counts connections from 0. */
  readonly connection: number
}

/** Actions of a behavior on the connection of a request. */
export interface Reply {
  readonly request: SeenRequest
  send(bytes: string | Uint8Array): void
  /** Closes this side after pending data was sent: FIN. */
  fin(): void
  /** Aborts the connection immediately: RST. */
  rst(): void
  /** Runs `next` when all data has left this process. */
  whenSent(next: () => void): void
  /** Bytes that were sent and that the other side does not read. */
  unsentBytes(): number
  /** Resolves when the connection is closed, by either side. */
  readonly closed: Promise<void>
}

export interface Behaviour {
  /** `head`: before the body is read, and the body is never read. Default: `request`. */
  readonly at?: 'head' | 'request'
  answer(reply: Reply): void
}

export interface FaultUpstream {
  readonly origin: string
  readonly port: number
  /** Requests as far as they were read, in order. */
  readonly requests: readonly SeenRequest[]
  /** Total number of connections. */
  readonly connections: number
  readonly openConnections: number
  /** Resolves with the next request that was not returned yet. */
  nextRequest(): Promise<Reply>
  close(): Promise<void>
}

/** Starts an upstream on a free port; `choose` picks the behavior for each request. */
export async function faultUpstream(choose: (request: SeenRequest) => Behaviour): Promise<FaultUpstream> {
  const requests: SeenRequest[] = []
  const sockets = new Set<net.Socket>()
  const arrived: Reply[] = []
  const waiting: ((reply: Reply) => void)[] = []
  let connections = 0

  function meet(request: SeenRequest, reply: Reply, behaviour: Behaviour): void {
    requests.push(request)
    const next = waiting.shift()
    if (next === undefined) arrived.push(reply)
    else next(reply)
    behaviour.answer(reply)
  }

  const server = net.createServer({ noDelay: true }, (socket) => {
    const connection = connections
    connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    readRequests(socket, connection, {
      choose,
      meet: (request, chosen) => meet(request, replyOn(socket, request, closed), chosen),
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as net.AddressInfo
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    requests,
    get connections() {
      return connections
    },
    get openConnections() {
      return sockets.size
    },
    nextRequest() {
      const reply = arrived.shift()
      if (reply !== undefined) return Promise.resolve(reply)
      return new Promise((resolve) => waiting.push(resolve))
    },
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

interface Reading {
  choose(request: SeenRequest): Behaviour
  meet(request: SeenRequest, behaviour: Behaviour): void
}

function readRequests(socket: net.Socket, connection: number, reading: Reading): void {
  let pending = Buffer.alloc(0)
  /** Unread chunks, joined only when they can complete a request: joining large bodies chunk by chunk takes seconds. */
  let arrived: Buffer[] = []
  let arrivedBytes = 0
  let wantedBytes = 0
  socket.on('data', (chunk) => {
    arrived.push(chunk)
    arrivedBytes += chunk.length
    if (pending.length + arrivedBytes < wantedBytes) return
    pending = Buffer.concat([pending, ...arrived])
    arrived = []
    arrivedBytes = 0
    wantedBytes = 0
    for (let used = readOne(); used > 0; used = readOne()) pending = pending.subarray(used)
  })

  /** The length of the first request in `pending`; 0 while it is incomplete. */
  function readOne(): number {
    const headEnd = pending.indexOf('\r\n\r\n')
    if (headEnd < 0) return 0
    const head = pending.toString('latin1', 0, headEnd)
    const [method = '', path = ''] = head.split(' ', 2)
    const bodyBytes = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
    const request = { method, path, head, body: Buffer.alloc(0), connection }
    const behaviour = reading.choose(request)
    if (behaviour.at === 'head') {
      socket.removeAllListeners('data')
      socket.pause()
      reading.meet(request, behaviour)
      return 0
    }
    const end = headEnd + 4 + bodyBytes
    if (pending.length < end) {
      wantedBytes = end
      return 0
    }
    reading.meet({ ...request, body: pending.subarray(headEnd + 4, end) }, behaviour)
    return end
  }
}

function replyOn(socket: net.Socket, request: SeenRequest, closed: Promise<void>): Reply {
  return {
    request,
    send: (bytes) => socket.write(bytes),
    fin: () => socket.end(),
    rst: () => socket.resetAndDestroy(),
    whenSent: (next) => socket.write('', () => setImmediate(next)),
    unsentBytes: () => socket.writableLength,
    closed,
  }
}

/** A response with its content-length. */
export function wholeAnswer(
  status: number,
  body: string | Uint8Array,
  headers: readonly string[] = [],
): Behaviour {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const lines = [`HTTP/1.1 ${status} Status`, `content-length: ${bytes.length}`, ...headers]
  return sends(`${lines.join('\r\n')}\r\n\r\n`, bytes)
}

/** Sends only these bytes; the connection stays open. */
export function sends(...pieces: readonly (string | Uint8Array)[]): Behaviour {
  return {
    answer(reply) {
      for (const piece of pieces) reply.send(piece)
    },
  }
}

/** Sends these bytes, waits until they are sent, then closes or aborts the connection. */
export function sendsThen(ending: 'fin' | 'rst', ...pieces: readonly (string | Uint8Array)[]): Behaviour {
  return {
    answer(reply) {
      for (const piece of pieces) reply.send(piece)
      reply.whenSent(ending === 'fin' ? reply.fin : reply.rst)
    },
  }
}

/** Sends each byte separately, one event-loop turn apart. */
export function drips(bytes: Uint8Array): Behaviour {
  return {
    answer(reply) {
      let at = 0
      const next = (): void => {
        if (at === bytes.length) return
        reply.send(bytes.subarray(at, at + 1))
        at += 1
        setImmediate(next)
      }
      next()
    },
  }
}

/** Reads the request and never responds. */
export const hangs: Behaviour = { answer() {} }

/** Encodes a chunk of a chunked response; without arguments the last one. */
export function httpChunk(text = ''): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}

export const chunkedHead =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n'
