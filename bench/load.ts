/**
 * The load generator, a process of its own: keep-alive connections that each send a prepared request, read the
 * response to its end, and send the next one. Bare sockets. Counts answers by status, and never fails: what is
 * missing when the time is over is reported. Asked by messages, one load after another.
 */
import { connect, type Socket } from 'node:net'

export interface LoadOrder {
  readonly port: number
  readonly connections: number
  readonly requests: number
  readonly path: string
  readonly body: string
  /** The requests take turns with these. */
  readonly keys: readonly string[]
  /** Sent in addition to the key's, or instead. */
  readonly headers?: Readonly<Record<string, string>>
  readonly msMax: number
}

export interface LoadReport {
  /** Answered with 200 and read to the end. */
  readonly answered: number
  /** Other answers, by status; `closed`: the connection ended first. */
  readonly rejected: Readonly<Record<string, number>>
  readonly ms: number
  /** CPU time of the generator itself, microseconds. */
  readonly cpuMicros: number
}

const rejectedPauseMs = 20
const headEndMark = '\r\n\r\n'
const lastChunk = Buffer.from('0\r\n\r\n')

interface Load {
  readonly order: LoadOrder
  readonly prepared: readonly Buffer[]
  readonly rejected: Record<string, number>
  readonly sockets: Set<Socket>
  sent: number
  answered: number
  ended: number
  isOver: boolean
  end: () => void
}

function prepare({ port, path, body, keys, headers = {} }: LoadOrder): Buffer[] {
  return keys.map((key) => {
    const all = Object.entries({ authorization: `Bearer ${key}`, ...headers })
    const lines = all.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    return Buffer.from(
      `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n${lines}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
  })
}

/** Reads one response after another from the chunks of a connection. */
class ResponseReader {
  status = ''
  /** Bytes of the body still to come; null: until the last chunk of a chunked body. */
  #left: number | null = null
  #head = ''
  #isInBody = false
  readonly #tail = Buffer.alloc(lastChunk.length)

  /** Whether the response is complete with this chunk. */
  take(chunk: Buffer): boolean {
    let bodyBytes = chunk.length
    if (!this.#isInBody) {
      this.#head += chunk.toString('latin1')
      const headEnd = this.#head.indexOf(headEndMark)
      if (headEnd < 0) return false
      this.status = this.#head.slice(9, 12)
      const length = /\r\ncontent-length: (\d+)/i.exec(this.#head.slice(0, headEnd + 2))?.[1]
      this.#left = length === undefined ? null : Number(length)
      bodyBytes = this.#head.length - headEnd - headEndMark.length
      this.#isInBody = true
      this.#head = ''
    }
    if (this.#left !== null) {
      this.#left -= bodyBytes
      return this.#left <= 0 && this.#reset()
    }
    return this.#endsWithLastChunk(chunk) && this.#reset()
  }

  #endsWithLastChunk(chunk: Buffer): boolean {
    const tail = this.#tail
    if (chunk.length >= tail.length) chunk.copy(tail, 0, chunk.length - tail.length)
    else {
      tail.copyWithin(0, chunk.length)
      chunk.copy(tail, tail.length - chunk.length)
    }
    return tail.equals(lastChunk)
  }

  #reset(): true {
    this.#isInBody = false
    this.#left = null
    this.#tail.fill(0)
    return true
  }
}

/** Opens a connection; replaces it if the server closes it. */
function open(load: Load): void {
  const reader = new ResponseReader()
  const socket = connect({ port: load.order.port, host: '127.0.0.1', noDelay: true })
  let isWaiting = false
  const send = (): void => {
    if (load.isOver || load.sent >= load.order.requests) return void socket.destroy()
    isWaiting = true
    const request = load.prepared[load.sent % load.prepared.length]
    load.sent += 1
    if (request !== undefined) socket.write(request)
  }
  load.sockets.add(socket)
  socket.on('connect', send)
  socket.on('error', () => socket.destroy())
  socket.on('close', () => {
    load.sockets.delete(socket)
    if (load.isOver) return
    if (isWaiting) count(load, 'closed')
    if (load.sent < load.order.requests) setTimeout(() => open(load), rejectedPauseMs)
  })
  socket.on('data', (chunk) => {
    if (!reader.take(chunk as Buffer)) return
    isWaiting = false
    count(load, reader.status)
    if (reader.status === '200') send()
    else setTimeout(send, rejectedPauseMs)
  })
}

function count(load: Load, status: string): void {
  load.ended += 1
  if (status === '200') load.answered += 1
  else load.rejected[status] = (load.rejected[status] ?? 0) + 1
  if (load.ended >= load.order.requests) load.end()
}

function run(order: LoadOrder): Promise<LoadReport> {
  const cpuBefore = process.cpuUsage()
  const startedMs = performance.now()
  return new Promise((resolve) => {
    const load: Load = {
      order,
      prepared: prepare(order),
      rejected: {},
      sockets: new Set(),
      sent: 0,
      answered: 0,
      ended: 0,
      isOver: false,
      end() {
        if (load.isOver) return
        load.isOver = true
        clearTimeout(timeout)
        for (const socket of load.sockets) socket.destroy()
        const { user, system } = process.cpuUsage(cpuBefore)
        const { answered, rejected } = load
        resolve({ answered, rejected, ms: performance.now() - startedMs, cpuMicros: user + system })
      },
    }
    const timeout = setTimeout(load.end, order.msMax)
    for (let number = 0; number < order.connections; number += 1) open(load)
  })
}

process.on('message', (order: LoadOrder) => {
  run(order).then(
    (report) => process.send?.(report),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exit(1)
    },
  )
})
