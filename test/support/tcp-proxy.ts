/** A TCP proxy in front of a database, whose connections a test cuts at a chosen moment. On loopback. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { systemClock } from '../../src/base/clock.ts'

/** `request`: what has the text does not arrive. `reply`: it arrives, and its reply does not. */
export type CutAt = 'request' | 'reply'

export interface TcpProxy {
  /** The address of the database through the proxy. */
  readonly url: string
  /** Cuts the next connection that sends the text; resolves when it is cut. */
  cutNext(text: string, at: CutAt): Promise<void>
  /** Cuts all connections. */
  cutAll(): void
  /** The number of chunks sent to the database so far. */
  readonly requestCount: number
  /** How much later everything arrives, in both directions; 0: immediately. */
  delay(ms: number): void
  /** Whether new connections are cut, as where the database is away. */
  reject(isRejected: boolean): void
  /** Whether nothing passes in either direction and no connection ends, as where a machine is gone without a word. */
  freeze(isFrozen: boolean): void
  /** Freezes once no transaction is open: a commit that was sent and is not answered has an unknown outcome. */
  freezeBetweenTransactions(): Promise<void>
  close(): Promise<void>
}

interface Cut {
  readonly text: string
  readonly at: CutAt
  readonly done: () => void
}

/** Writes to a socket in the order of the calls, each as much later as is said then, and never before an earlier one. */
function laterTo(socket: Socket, delayMs: () => number): (chunk: Buffer) => void {
  const waiting: { readonly dueMs: number; readonly chunk: Buffer }[] = []
  const writeNext = (): void => {
    const [next] = waiting
    if (next === undefined) return
    systemClock.after(Math.max(0, next.dueMs - systemClock.monoMs()), () => {
      waiting.shift()
      if (!socket.destroyed) socket.write(next.chunk)
      writeNext()
    })
  }
  return (chunk) => {
    if (waiting.length === 0 && delayMs() === 0) {
      socket.write(chunk)
      return
    }
    waiting.push({ dueMs: systemClock.monoMs() + delayMs(), chunk })
    if (waiting.length === 1) writeNext()
  }
}

/** How the server ends what it says to a connection without an open transaction: ready for the next query, and idle. */
const idle = Buffer.from('Z\0\0\0\x05I', 'latin1')

export async function openTcpProxy(url: string): Promise<TcpProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  /** Clients that wait for the database's answer, or are in a transaction. */
  const busy = new Set<Socket>()
  let whenIdle: (() => void) | undefined
  let next: Cut | undefined
  let rejects = false
  let delayMs = 0
  let isFrozen = false
  let requestCount = 0

  function relay(client: Socket): void {
    if (rejects) {
      client.on('error', () => {})
      client.destroy()
      return
    }
    const server = connect(Number(target.port), target.hostname)
    const [toServer, toClient] = [laterTo(server, () => delayMs), laterTo(client, () => delayMs)]
    let cut: Cut | undefined
    const end = (): void => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      sockets.add(socket)
      if (isFrozen) socket.pause()
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
        left(client)
      })
    }
    client.on('data', (chunk) => {
      requestCount += 1
      busy.add(client)
      if (next !== undefined && chunk.includes(next.text)) {
        cut = next
        next = undefined
      }
      if (cut?.at !== 'request') toServer(chunk)
      else {
        cut.done()
        end()
      }
    })
    server.on('data', (chunk) => {
      // Responses to earlier statements may arrive first.
      if (cut === undefined || !chunk.includes('COMMIT')) toClient(chunk)
      else {
        cut.done()
        end()
      }
      if (chunk.subarray(-idle.length).equals(idle)) left(client)
    })
  }

  function left(client: Socket): void {
    busy.delete(client)
    if (busy.size === 0) whenIdle?.()
  }

  function freeze(isOn: boolean): void {
    isFrozen = isOn
    for (const socket of sockets) {
      if (isOn) socket.pause()
      else socket.resume()
    }
  }

  const listener = createServer(relay).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = new URL(url)
  address.port = String((listener.address() as AddressInfo).port)
  return {
    url: address.href,
    cutNext: (text, at) =>
      new Promise((resolve) => {
        next = { text, at, done: resolve }
      }),
    cutAll() {
      for (const socket of sockets) socket.destroy()
    },
    get requestCount() {
      return requestCount
    },
    delay(ms) {
      delayMs = ms
    },
    reject(isRejected) {
      rejects = isRejected
    },
    freeze,
    freezeBetweenTransactions: () =>
      new Promise((resolve) => {
        whenIdle = () => {
          whenIdle = undefined
          freeze(true)
          resolve()
        }
        if (busy.size === 0) whenIdle()
      }),
    async close() {
      const closed = once(listener, 'close')
      listener.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
