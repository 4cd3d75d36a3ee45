/**
 * The floor for a Node program with the same parts: `node:http` in, undici out, the path and the bytes
 * relayed as they come. No key, no limit, no money. Arguments: the upstream's port.
 */
import { createServer } from 'node:http'
import { Pool } from 'undici'

const [upstreamPort = ''] = process.argv.slice(2)
const pool = new Pool(`http://127.0.0.1:${upstreamPort}`, { connections: 4_096, pipelining: 1 })

const server = createServer({ noDelay: true, keepAliveTimeout: 75_000 }, (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    pool.dispatch(
      {
        method: 'POST',
        path: request.url ?? '/',
        headers: ['content-type', 'application/json'],
        body: chunks.length === 1 ? (chunks[0] ?? null) : Buffer.concat(chunks),
      },
      {
        onRequestStart: () => undefined,
        onResponseStart(_controller, status, headers) {
          response.writeHead(status, headers as Record<string, string>)
        },
        onResponseData(_controller, chunk) {
          response.write(chunk)
        },
        onResponseEnd() {
          response.end()
        },
        onResponseError() {
          response.destroy()
        },
      },
    )
  })
})

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.stdout.write(`${typeof address === 'object' && address !== null ? address.port : 0}\n`)
})
