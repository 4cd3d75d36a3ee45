/**
 * The one HTTP server: the data plane is reached first, everything else goes to the control plane.
 * Sets every timeout and limit that Node leaves open, and closes gracefully. Knows nothing of models.
 */

import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import {
  type AddressInfo,
  Server as NetServer,
  type ListenOptions as ServerListenOptions,
  type Socket,
} from 'node:net'
import type { Clock } from '../base/clock.ts'
import { TollgateError } from '../base/errors.ts'
import { networkScopes } from '../base/network.ts'
import { SharedBudget } from '../base/shared-budget.ts'
import { waitsForContinue } from './body.ts'
import { Connection, type Serve } from './connection.ts'
import { Downstream } from './downstream.ts'
import { answerEarly } from './early-response.ts'
import { plainErrorBody, plainErrorHeaders, rawAnswer } from './raw.ts'

export interface ServerLimits {
  readonly headerBytesMax: number
  readonly headersMax: number
  readonly urlBytesMax: number
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
  readonly keepAliveTimeoutMs: number
  readonly connectionsMax: number
  /** The parts of them that one network and one site may have of what others leave. */
  readonly anonymousShareOfNetworkMax: number
  readonly anonymousShareOfSiteMax: number
  readonly pipelinedMax: number
  readonly slowReaderMs: number
  readonly restBytesMax: number
  readonly lingerBytesMax: number
  readonly lingerMs: number
}

export interface ServerOptions {
  /** Checks the head itself (`malformation`), so that it can answer in its caller's words. */
  readonly dataPlane: Serve
  /** Only sees requests whose head is sound. */
  readonly controlPlane: Serve
  readonly isDataPlane: (request: IncomingMessage) => boolean
  /** Whether connections from this address may belong to many clients. */
  readonly isProxy: (address: string) => boolean
  readonly limits: ServerLimits
  readonly clock: Clock
  /** Makes the id of an answer that no request of the data plane gets. */
  readonly nextRequestId: () => string
  /** Called when a connection could not be accepted; without it the error ends the process, as is Node's default. */
  readonly onAcceptError?: (error: Error) => void
}

export interface HttpServer {
  /** For libraries that need a Node server; must not be listened on or closed from outside. */
  readonly node: http.Server
  readonly draining: { readonly isStarted: boolean }
  /** Resolves with the port once it listens; rejects as Node does, e.g. with `EADDRINUSE`. */
  listen(host: string, port: number, how?: ListenOptions): Promise<number>
  /** The same at the path of a local socket. */
  listenAt(path: string): Promise<void>
  /**
   * Closes its port. A connection ends with its next response, which says so, or when no request comes within `idleMs`. Resolves when
   * none is left.
   */
  windDown(idleMs: number): Promise<void>
  /**
   * Takes no more connections, lets answers under way end, and closes each connection after its
   * last answer; at the deadline all that is left is cut. Resolves when no connection is left.
   */
  drain(deadlineMs: number): Promise<void>
}

export interface ListenOptions {
  /** Other listeners share the port: the kernel chooses one for each connection. */
  readonly shared: boolean
}

/** How often Node looks for requests that take too long. */
const timeoutCheckMs = 1_000

export function createHttpServer(options: ServerOptions): HttpServer {
  const { limits, clock } = options
  const server = http.createServer({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    noDelay: true,
    insecureHTTPParser: false,
    // Checked with the rest of the head: Node's own answer has no message.
    requireHostHeader: false,
  })
  // Node would cut the list of headers silently; they are counted instead.
  server.maxHeadersCount = 0
  server.maxConnections = limits.connectionsMax
  server.maxRequestsPerSocket = 0
  // Half as long again: the relay detects a slow reader first and can record the reason.
  server.timeout = limits.slowReaderMs * 1.5
  const connections = new Map<Socket, Connection>()
  const draining = { isStarted: false }
  const serve = router(options)
  const seat = seating(options)
  server.on('connection', (socket: Socket) => {
    if (!seat(socket)) return
    connections.set(socket, new Connection(socket, serve, limits, clock))
    socket.once('close', () => connections.delete(socket))
  })
  const take: Serve = (request, response) => connections.get(request.socket)?.take(request, response)
  server.on('request', take)
  server.on('checkContinue', take)
  server.on('checkExpectation', take)
  // The idle timeout, keep-alive included; Node counts bytes that a slow client reads as traffic.
  server.on('timeout', (socket: Socket) => connections.get(socket)?.quiet())
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const rejected = rejectionOf(error, socket, limits)
    const answer = rejected === undefined ? undefined : rawAnswer(rejected, options.nextRequestId())
    if (connections.get(socket)?.reject(answer) !== true) return
    const timer = clock.after(limits.lingerMs, () => socket.destroy())
    socket.once('close', () => timer.cancel())
  })
  return {
    node: server,
    draining,
    async listen(host, port, { shared } = { shared: false }) {
      // Connections queue while the thread is busy; if the queue is full, the kernel drops or resets them.
      await listen(server, { host, port, reusePort: shared, backlog: limits.connectionsMax })
      const boundPort = (server.address() as AddressInfo).port
      if (options.onAcceptError !== undefined) server.on('error', options.onAcceptError)
      return boundPort
    },
    listenAt: (path) => listen(server, { path }),
    windDown(idleMs) {
      return new Promise((resolve) => {
        // `server.close` is not used: it also closes connections with a request in progress.
        NetServer.prototype.close.call(server, () => resolve())
        for (const connection of [...connections.values()]) connection.windDown(idleMs)
      })
    },
    drain(deadlineMs) {
      draining.isStarted = true
      return drain({ server, connections, clock, deadlineMs })
    },
  }
}

/** Admits a connection, or rejects it when its network holds too large a share. */
function seating({ limits, isProxy, nextRequestId }: ServerOptions): (socket: Socket) => boolean {
  const seats = new SharedBudget(limits.connectionsMax, {
    network: limits.anonymousShareOfNetworkMax,
    site: limits.anonymousShareOfSiteMax,
  })
  const rejected = new TollgateError('overloaded', {
    message: 'Too many open connections from this network. Close some or try again.',
  })
  return (socket) => {
    const address = socket.remoteAddress ?? ''
    const allowance = seats.allowance(isProxy(address) ? {} : networkScopes(address))
    if (allowance.reserve(1) === undefined) {
      socket.once('close', () => allowance.release(1))
      return true
    }
    // A client that is still sending may not get to read it.
    socket.end(rawAnswer(rejected, nextRequestId()), () => socket.destroy())
    return false
  }
}

function router(options: ServerOptions): Serve {
  const { dataPlane, controlPlane, isDataPlane, limits } = options
  return (request, response) => {
    if (isDataPlane(request)) {
      dataPlane(request, response)
      return
    }
    const malformed = malformation(request, limits)
    if (malformed !== undefined) {
      reject(options, { request, response }, new TollgateError(malformed.code, malformed))
      return
    }
    if (waitsForContinue(request)) response.writeContinue()
    controlPlane(request, response)
  }
}

function reject(
  { limits, clock, nextRequestId }: ServerOptions,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  error: TollgateError,
): void {
  const client = new Downstream(response, clock)
  const requestId = nextRequestId()
  client.endConnection()
  answerEarly({ limits, clock }, request, client, {
    status: error.status,
    headers: plainErrorHeaders(error, requestId),
    body: plainErrorBody(error, requestId),
  })
}

/** The error for a connection without a valid request; undefined where no response can be sent. */
function rejectionOf(
  error: NodeJS.ErrnoException,
  socket: Socket,
  limits: ServerLimits,
): TollgateError | undefined {
  switch (error.code) {
    case 'ECONNRESET':
    case 'EPIPE':
      return undefined
    case 'HPE_HEADER_OVERFLOW':
      return new TollgateError('headers_too_large', {
        message: `The request line and headers may have at most ${limits.headerBytesMax} bytes in total.`,
      })
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      // A preconnected socket that was never used is not an error.
      if (socket.bytesRead === 0) return undefined
      return new TollgateError('request_timeout', { message: 'The request did not arrive in time.' })
    default:
      return new TollgateError('malformed_http', { message: 'This is not a valid HTTP/1.1 request.' })
  }
}

function listen(server: http.Server, at: ServerListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(at, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

interface Drain {
  readonly server: http.Server
  readonly connections: ReadonlyMap<Socket, Connection>
  readonly clock: Clock
  readonly deadlineMs: number
}

function drain({ server, connections, clock, deadlineMs }: Drain): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.after(deadlineMs, () => {
      for (const { socket } of [...connections.values()]) socket.destroy()
    })
    // Fails only when it did not listen, and then there is nothing to wait for.
    server.close(() => {
      timer.cancel()
      resolve()
    })
    for (const connection of [...connections.values()]) connection.close()
  })
}

interface EdgeLimits {
  readonly headersMax: number
  readonly urlBytesMax: number
}

/** Why a request is rejected; `code` is a row of the error table. */
interface Malformed {
  readonly code: 'malformed_http' | 'headers_too_large' | 'expectation_failed'
  readonly message: string
}

/**
 * The first thing that is wrong with the head of a request, or undefined: what Node's parser accepts and this server does
 * not, such as an ambiguous request.
 */
export function malformation(request: IncomingMessage, limits: EdgeLimits): Malformed | undefined {
  const headers = request.rawHeaders
  if (headers.length > limits.headersMax * 2) {
    return { code: 'headers_too_large', message: `A request may have at most ${limits.headersMax} headers.` }
  }
  const target = request.url ?? ''
  if (target.length > limits.urlBytesMax) {
    return { code: 'headers_too_large', message: `A URL may have at most ${limits.urlBytesMax} bytes.` }
  }
  const reason = targetTrouble(target, request) ?? framingTrouble(headers, request)
  if (reason !== undefined) return { code: 'malformed_http', message: reason }
  if (request.headers.expect === undefined || waitsForContinue(request)) return undefined
  return {
    code: 'expectation_failed',
    message: 'The only supported Expect value is 100-continue.',
  }
}

/** Only visible ASCII without a fragment: anything else is read differently by different programs. */
const plainTarget = /^\/[!"$-~]*$/

function targetTrouble(target: string, request: IncomingMessage): string | undefined {
  if (plainTarget.test(target)) return undefined
  if (target === '*' && request.method === 'OPTIONS') return undefined
  return 'The request target must be a path that begins with "/" and contains only visible ASCII characters and no fragment.'
}

function framingTrouble(headers: readonly string[], request: IncomingMessage): string | undefined {
  let hosts = 0
  let framed = false
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!
    if (name.length === hostName.length && name.toLowerCase() === hostName) hosts += 1
    if (name.length === transferName.length && name.toLowerCase() === transferName) {
      if (headers[at + 1]!.trim().toLowerCase() !== 'chunked' || framed) {
        return 'The only supported Transfer-Encoding is "chunked", sent once.'
      }
      framed = true
    }
  }
  if (hosts > 1) return 'The Host header was sent more than once.'
  if (request.httpVersion === '1.1') return hosts === 1 ? undefined : 'The Host header is missing.'
  if (request.httpVersion !== '1.0') return 'This server supports HTTP/1.1 only.'
  const length = request.headers['content-length']
  const hasBody = framed || (length !== undefined && length !== '0')
  return hasBody ? 'A request with a body must use HTTP/1.1.' : undefined
}

const hostName = 'host'
const transferName = 'transfer-encoding'
