/**
 * A client at the TCP level, for requests that no HTTP library would send. It sends bytes
 * unchanged and parses responses just well enough to separate them.
 */
import net from 'node:net'

export interface RawAnswer {
  readonly status: number
  /** Status line and headers. */
  readonly head: string
  readonly body: string
}

export class RawClient {
  readonly socket: net.Socket
  #received = Buffer.alloc(0)
  #wake: () => void = () => {}
  #closed = false

  /** `from`: the loopback address to connect from. */
  constructor(port: number, from = '127.0.0.1') {
    this.socket = net.connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true })
    this.socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk])
      this.#wake()
    })
    this.socket.on('error', () => this.socket.destroy())
    this.socket.on('close', () => {
      this.#closed = true
      this.#wake()
    })
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Bytes that arrived and were not parsed as a response yet. */
  get received(): string {
    return this.#received.toString('latin1')
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  }

  /** Sends, then waits until the system took the bytes, a response arrived or the connection ended. */
  async sendAndDrain(bytes: string): Promise<void> {
    let drained = false
    this.socket.write(Buffer.from(bytes, 'latin1'), () => {
      drained = true
      this.#wake()
    })
    while (!drained && !this.#closed && this.#received.length === 0) await this.#more()
  }

  /** The next response with a content-length or in chunks; undefined when the connection ends before it is complete. */
  async answer(): Promise<RawAnswer | undefined> {
    for (;;) {
      const found = this.#takeAnswer()
      if (found !== undefined || this.#closed) return found
      await this.#more()
    }
  }

  /** Waits until the received data contains `text`; false when the connection ends before. */
  async until(text: string): Promise<boolean> {
    while (!this.received.includes(text)) {
      if (this.#closed) return false
      await this.#more()
    }
    return true
  }

  async untilClosed(): Promise<void> {
    while (!this.#closed) await this.#more()
  }

  close(): void {
    this.socket.destroy()
  }

  #more(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #takeAnswer(): RawAnswer | undefined {
    const headEnd = this.#received.indexOf('\r\n\r\n')
    if (headEnd < 0) return undefined
    const head = this.#received.toString('latin1', 0, headEnd)
    const status = Number(head.split(' ', 2)[1])
    const start = headEnd + 4
    const end = status < 200 ? start : this.#bodyEnd(head, start)
    if (end === undefined) return undefined
    const body = this.#received.toString('latin1', start, end)
    this.#received = this.#received.subarray(end)
    return { status, head, body }
  }

  #bodyEnd(head: string, start: number): number | undefined {
    const length = /^content-length: *(\d+)/im.exec(head)
    if (length !== null) {
      const end = start + Number(length[1])
      return end <= this.#received.length ? end : undefined
    }
    const last = this.#received.indexOf('0\r\n\r\n', start)
    return last < 0 ? undefined : last + 5
  }
}
