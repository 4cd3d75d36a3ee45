/**
 * An upstream that replays recorded responses over real HTTP: the status, headers and bytes it is given,
 * cut into chunks as the test chooses, and records every request. It knows no format.
 */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A request as the upstream received it. */
interface ReceivedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** How many bytes are in one chunk of the response; `whole`: all of them. */
export type ChunkBytes = number | 'whole'

/** How a response ends: properly, by closing in the middle of the message, or not at all. */
type ReplayEnd = 'complete' | 'closed' | 'silent'

export interface Replay {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  readonly chunkBytes?: ChunkBytes
  readonly end?: ReplayEnd
}

export interface ReplayUpstream {
  readonly origin: string
  /** In the order of arrival. */
  readonly requests: readonly ReceivedRequest[]
  /** The response to every request from now on. */
  play(replay: Replay): void
  /** The response to each request from now on, as it depends on the request. */
  playFor(choose: (request: ReceivedRequest) => Replay): void
  close(): Promise<void>
}

/** Chunks written in one event-loop turn: they share TCP segments but remain separate chunks. */
const chunksPerTurn = 97

export async function replayUpstream(): Promise<ReplayUpstream> {
  const requests: ReceivedRequest[] = []
  const sockets = new Set<Socket>()
  let choose = (_: ReceivedRequest): Replay => ({
    ...{ status: 500, headers: {} },
    bytes: Buffer.from('nothing to replay'),
  })
  const server = createServer({ noDelay: true }, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const received = { method, url, headers, body: Buffer.concat(parts) }
      requests.push(received)
      send(response, choose(received))
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    play(replay) {
      choose = () => replay
    },
    playFor(chosen) {
      choose = chosen
    },
    close() {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function send(response: ServerResponse, replay: Replay): void {
  const { bytes, chunkBytes = 'whole' } = replay
  response.on('error', () => response.destroy())
  response.writeHead(replay.status, replay.headers)
  response.flushHeaders()
  const step = chunkBytes === 'whole' ? Math.max(1, bytes.length) : chunkBytes
  let at = 0
  function some(): void {
    for (let count = 0; count < chunksPerTurn && at < bytes.length; count += 1) {
      response.write(bytes.subarray(at, at + step))
      at += step
    }
    if (at < bytes.length && !response.destroyed) setImmediate(some)
    else finish(response, replay.end ?? 'complete')
  }
  some()
}

function finish(response: ServerResponse, end: ReplayEnd): void {
  if (end === 'complete') response.end()
  // After all pending data, in the middle of the message.
  else if (end === 'closed') response.socket?.end()
}
