/** Attackers that announce request bodies and send all but the last byte of each. */
import { get } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Attack, AttackTarget } from '../support/attacks.ts'

interface Unfinished {
  /** The local address to connect from. */
  readonly from: string
  readonly path: string
  readonly headers: readonly string[]
}

const pieceBytes = 1024 * 1024
const probes = 3

/**
 * `connections` requests to `path` with bodies of `bytes`, sent except for the last byte. Values: `from` (a loopback
 * address), `key` (optional).
 */
export async function begin({ port, values }: AttackTarget): Promise<Attack> {
  const { connections, bytes, path, key, from = '127.0.0.1' } = values
  const headers = key === undefined ? [] : [`Authorization: Bearer ${key}`]
  const unfinished: Unfinished = { from: String(from), path: String(path), headers }
  const counts = { connections: 0, sent: 0, answered: 0, rejected: 0 }
  const sockets = new Set<Socket>()
  await Promise.all(Array.from({ length: Number(connections) }, () => send(port, unfinished, Number(bytes))))
  // Data is read in order of arrival and these arrive last: by then the bodies are buffered and the burst is over.
  for (let turn = 0; turn < probes; turn += 1) await probe(port)

  function send(to: number, { from: localAddress, path: target, headers: more }: Unfinished, length: number) {
    return new Promise<void>((resolve) => {
      const socket = connect({ port: to, host: '127.0.0.1', localAddress })
      sockets.add(socket)
      socket.on('connect', () => {
        counts.connections += 1
        const lines = [`POST ${target} HTTP/1.1`, 'Host: a', 'Content-Type: application/json', ...more]
        socket.write(`${[...lines, `Content-Length: ${length}`].join('\r\n')}\r\n\r\n{"a":"`)
        sendRest(socket, length - '{"a":"'.length - 1)
      })
      socket.once('data', () => {
        counts.answered += 1
      })
      socket.on('error', () => {
        counts.rejected += 1
        socket.destroy()
      })
      socket.on('close', () => {
        sockets.delete(socket)
        resolve()
      })
      function sendRest(target: Socket, leftBytes: number): void {
        if (target.destroyed) return
        if (leftBytes === 0) {
          counts.sent += 1
          resolve()
          return
        }
        const piece = Math.min(leftBytes, pieceBytes)
        target.write(Buffer.alloc(piece, 'x'), () => sendRest(target, leftBytes - piece))
      }
    })
  }

  return {
    counts: () => ({ ...counts }),
    async stop() {
      await Promise.all(
        [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy())),
      )
    },
  }
}

function probe(port: number): Promise<void> {
  return new Promise((resolve) => {
    const asking = get({ port, host: '127.0.0.1', path: '/livez', agent: false }, (answer) => {
      answer.resume()
      answer.on('close', () => resolve())
    })
    asking.on('error', () => resolve())
  })
}
