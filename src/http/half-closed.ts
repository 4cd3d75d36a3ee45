/**
 * A client that closed its sending side is waiting for its response or gone. TCP shows which only when something is written:
 * a closed socket answers that with RST. This file writes bytes that change no response: those that every response begins
 * with, ahead of the rest of it, and zeros before the size of a stream's next chunk. It knows nothing of what is served.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { assert } from '../base/assert.ts'
import type { Clock, Timer } from '../base/clock.ts'

const answerStart = 'HTTP/1.1 '
/** Parsers take 16 digits in the size of a chunk at most; Node writes 8 of them at most. */
const zerosPerChunkMax = 8

/** Between the probes, for round trips of any length and proxies that pass on one write after the other; the last one is repeated. */
const delaysMs = [10, 20, 50, 150, 500, 2_000]
const lastDelayMs = 8_000

/** Probes immediately, then less and less often, whether the client is still connected, until its response is complete. */
export function probeHalfClosed(socket: Socket, response: ServerResponse, clock: Clock): void {
  const probe = new Probe(socket, response)
  let probes = 0
  let timer: Timer | undefined
  response.once('close', () => timer?.cancel())
  probe.send()
  // What is on this machine has answered by the next turn.
  setImmediate(again)

  function again(): void {
    if (!probe.send()) return
    timer = clock.after(delaysMs[probes] ?? lastDelayMs, again)
    probes += 1
  }
}

/** A write after the RST of a client that left fails, which ends the socket and the response. */
class Probe {
  readonly #socket: Socket
  readonly #response: ServerResponse
  readonly #write: Socket['write']
  #startBytes = 0
  #hasHead = false
  #zeros = 0
  #bytesWritten = 0

  constructor(socket: Socket, response: ServerResponse) {
    this.#socket = socket
    this.#response = response
    this.#write = socket.write.bind(socket)
  }

  /** Writes a byte where there is one to write; false once the answer is over. */
  send(): boolean {
    const { destroyed, writableEnded, headersSent, chunkedEncoding } = this.#response
    if (destroyed || writableEnded || this.#socket.destroyed) return false
    // What waits to be sent is a probe itself.
    if (this.#socket.writableLength > 0) return true
    if (!headersSent) this.#sendStart()
    else if (!this.#sendsHead() && chunkedEncoding) this.#sendZero()
    return true
  }

  #sendStart(): void {
    if (this.#startBytes === answerStart.length) return
    if (this.#startBytes === 0) this.#shortenHead()
    this.#write(answerStart.charAt(this.#startBytes), 'latin1')
    this.#startBytes += 1
  }

  /** Has the next write, which is that of the head, leave out what was sent of it already. */
  #shortenHead(): void {
    const socket = this.#socket
    socket.write = (data: unknown, ...rest: unknown[]): boolean => {
      Reflect.deleteProperty(socket, 'write')
      assert(typeof data === 'string' && data.startsWith(answerStart), 'a response begins with its version')
      return Reflect.apply(this.#write, socket, [data.slice(this.#startBytes), ...rest])
    }
  }

  /** A head that was chosen may wait for the first bytes of the body. */
  #sendsHead(): boolean {
    if (this.#hasHead) return false
    this.#hasHead = true
    const { bytesWritten } = this.#socket
    this.#response.flushHeaders()
    return this.#socket.bytesWritten > bytesWritten
  }

  /** Between two writes of the answer a chunk has ended, and the size of the next one may begin with zeros. */
  #sendZero(): void {
    const { bytesWritten } = this.#socket
    if (bytesWritten > this.#bytesWritten) this.#zeros = 0
    if (this.#zeros < zerosPerChunkMax) {
      this.#write('0', 'latin1')
      this.#zeros += 1
    }
    this.#bytesWritten = this.#socket.bytesWritten
  }
}
