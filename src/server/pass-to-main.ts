/**
 * How a request that only the main thread serves gets there: the kernel gives a connection to any thread that listens on the
 * port. Each is passed over a socket that only this user can reach, as it is, with the address that it came from.
 */
import { type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http'
import type { HttpServer } from '../http/server.ts'

/** Says for whom a connection from another thread speaks. */
const peerHeader = 'x-tollgate-peer'

/** Headers of a single connection, or handled here already (`expect`). */
const ofConnection: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'expect',
  'upgrade',
  peerHeader,
])

/** Passes requests to the socket at which the main thread listens. */
export function passToMain(socketPath: string): RequestListener {
  return (incoming, outgoing) => pass(socketPath, incoming, outgoing)
}

function pass(socketPath: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const passed = request({
    socketPath,
    method: incoming.method,
    path: incoming.url,
    headers: [
      ...passedHeaders(incoming),
      peerHeader,
      incoming.socket.remoteAddress ?? '',
      'connection',
      'close',
    ],
    // A connection is one client's.
    agent: false,
    setHost: false,
  })
  passed.on('response', (answer) => {
    // Whether it is sent in chunks depends on this client.
    outgoing.writeHead(answer.statusCode ?? 502, passedHeaders(answer, 'transfer-encoding'))
    // Headers of an event stream are sent before its first event.
    outgoing.flushHeaders()
    answer.pipe(outgoing)
    answer.on('error', () => outgoing.destroy())
  })
  // The main thread ends only with the process.
  passed.on('error', () => outgoing.destroy())
  outgoing.on('close', () => passed.destroy())
  incoming.pipe(passed)
}

/** In the order and spelling in which they came. */
function passedHeaders({ rawHeaders }: IncomingMessage, except = ''): string[] {
  const headers: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [header, value] = [rawHeaders[at]!, rawHeaders[at + 1]!]
    const name = header.toLowerCase()
    if (!ofConnection.has(name) && name !== except) headers.push(header, value)
  }
  return headers
}

/** Headers added to a passed request. */
export const passedMore = { headers: 2, headerBytes: 256 }

/** Restores the clients' addresses on connections from other threads. For a server that listens at the socket alone. */
export function takePeersFromThreads({ node }: HttpServer): void {
  node.prependListener('request', ({ headers, socket }: IncomingMessage) => {
    Object.defineProperty(socket, 'remoteAddress', { value: headers[peerHeader], configurable: true })
  })
}
