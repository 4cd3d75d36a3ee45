/**
 * Ports that no other test takes: the system hands out ports above these, so a port that was listened on and closed may already
 * belong to another test.
 */
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Where nothing listens: the discard service. */
export const unreachableOrigin = 'http://127.0.0.1:9'

const first = 20_000
const count = 10_000

/** A port on which nothing listens now, and that the system does not choose. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await Promise.race([
      once(server, 'listening').then(() => true),
      once(server, 'error').then(() => false),
    ]).catch(() => false)
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
