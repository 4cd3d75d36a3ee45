/**
 * Preloaded into a server: on request over the socket named in this module's URL it reports
 * how much memory the main thread holds after a garbage collection.
 */
import { createServer } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

const path = new URL(import.meta.url).searchParams.get('socket')
// Threads load this module too.
if (isMainThread && path !== null) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const server = createServer(async (socket) => {
    collect()
    // Buffers are released after the collection that found them.
    await new Promise(setImmediate)
    collect()
    const { heapUsed, external } = process.memoryUsage()
    socket.end(String(heapUsed + external))
  })
  server.listen(path).unref()
}
