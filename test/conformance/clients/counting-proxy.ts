/**
 * Forwards requests to a gateway and records the status of each POST, so that a check can count how often a client sent a
 * rejected one. `GET /-/statuses` returns the statuses since the last call, such as `402`, or `402 402` for a
 * request that was repeated.
 */
import http from 'node:http'

/** A runaway client must not exhaust the memory. */
const statusesMax = 1_000

export interface CountingProxy {
  readonly origin: string
  close(): Promise<void>
}

export async function countingProxy(target: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(target)
  let statuses: string[] = []
  const server = http.createServer((request, response) => {
    if (request.url === '/-/statuses') {
      response.end(statuses.join(' '))
      statuses = []
      return
    }
    const { method, url, headers } = request
    const counted = statuses
    // A request that is never answered counts as well.
    const position = method === 'POST' && counted.length < statusesMax ? counted.push('unanswered') - 1 : null
    const onward = http.request({ hostname, port, method, path: url, headers }, (answer) => {
      const status = answer.statusCode ?? 502
      if (position !== null) counted[position] = String(status)
      response.writeHead(status, answer.rawHeaders)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
