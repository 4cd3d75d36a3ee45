/** An attacker that opens connections and sends nothing on them; it reopens closed connections up to a total. */
import { connect, type Socket } from 'node:net'
import type { Attack, AttackTarget } from '../support/attacks.ts'

/** Values: `connections`, `from` (a loopback address), `attempts` (the total). */
export async function begin({ port, values }: AttackTarget): Promise<Attack> {
  const { connections, from, attempts } = values
  const counts = { attempts: 0, opened: 0, closed: 0 }
  const sockets = new Set<Socket>()
  let isOver = false
  await Promise.all(Array.from({ length: Number(connections) }, () => open()))
  await allTaken()

  /** Resolves once the connection is open or was rejected. */
  function open(): Promise<void> {
    counts.attempts += 1
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: String(from) })
      sockets.add(socket)
      socket.on('connect', () => {
        counts.opened += 1
        resolve()
      })
      socket.on('error', () => socket.destroy())
      socket.resume()
      socket.on('close', () => {
        counts.closed += 1
        sockets.delete(socket)
        resolve()
        if (!isOver && counts.attempts < Number(attempts)) void open()
      })
    })
  }

  /** Resolves once the server, which takes connections in their order, has taken those that the system opened for it. */
  function allTaken(): Promise<void> {
    return new Promise((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', localAddress: String(from) })
      sockets.add(socket)
      socket.on('connect', () => socket.write('GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n'))
      socket.on('data', () => resolve())
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        resolve()
      })
    })
  }

  return {
    counts: () => ({ ...counts }),
    async stop() {
      isOver = true
      await Promise.all(
        [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy())),
      )
    },
  }
}
