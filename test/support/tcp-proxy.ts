/** A TCP proxy in front of a database, whose connections a test cuts at a chosen moment. On loopback. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** `request`: what has the text does not arrive. `reply`: it arrives, and its reply does not. */
export type CutAt = 'request' | 'reply'

export interface TcpProxy {
  /** The address of the database through the proxy. */
  readonly url: string
  /** Cuts the next connection that sends the text; resolves when it is cut. */
  cutNext(text: string, at: CutAt): Promise<void>
  /** Cuts all connections. */
  cutAll(): void
  /** Whether new connections are cut, as where the database is away. */
  refuse(isRefused: boolean): void
  close(): Promise<void>
}

interface Cut {
  readonly text: string
  readonly at: CutAt
  readonly done: () => void
}

export async function openTcpProxy(url: string): Promise<TcpProxy> {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  let next: Cut | undefined
  let refuses = false

  function relay(client: Socket): void {
    if (refuses) {
      client.on('error', () => {})
      client.destroy()
      return
    }
    const server = connect(Number(target.port), target.hostname)
    let cut: Cut | undefined
    const end = (): void => {
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) {
      sockets.add(socket)
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        end()
      })
    }
    client.on('data', (chunk) => {
      if (next !== undefined && chunk.includes(next.text)) {
        cut = next
        next = undefined
      }
      if (cut?.at !== 'request') server.write(chunk)
      else {
        cut.done()
        end()
      }
    })
    server.on('data', (chunk) => {
      // What the statements before it answered may arrive first.
      if (cut === undefined || !chunk.includes('COMMIT')) client.write(chunk)
      else {
        cut.done()
        end()
      }
    })
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
    refuse(isRefused) {
      refuses = isRefused
    },
    async close() {
      const closed = once(listener, 'close')
      listener.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
