/**
 * Hands requests to a gateway and counts those that generate, so that a check can tell how often a client sent one
 * that was refused. `GET /-/count` tells the number since the last time it was asked for.
 */
import http from 'node:http'

export interface CountingProxy {
  readonly origin: string
  close(): Promise<void>
}

export async function countingProxy(target: string): Promise<CountingProxy> {
  const { hostname, port } = new URL(target)
  let count = 0
  const server = http.createServer((request, response) => {
    if (request.url === '/-/count') {
      response.end(String(count))
      count = 0
      return
    }
    if (request.method === 'POST') count += 1
    const { method, url, headers } = request
    const onward = http.request({ hostname, port, method, path: url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
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
