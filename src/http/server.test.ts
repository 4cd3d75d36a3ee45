/** The HTTP edge over raw sockets: what is rejected, what is served, and that nothing ends the process. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import fastify from 'fastify'
import { withEdge } from '../../test/support/http-edge.ts'
import { RawClient } from '../../test/support/raw-client.ts'
import type { Serve } from './connection.ts'
import type { Downstream } from './downstream.ts'

const host = 'Host: gateway.test\r\n'
const post = `POST /v1/x HTTP/1.1\r\n${host}`
const smuggled = `GET /v1/smuggled HTTP/1.1\r\n${host}\r\n`

interface HeadCase {
  readonly name: string
  readonly bytes: string
  /** The status of the first answer; `cut` where the connection ends without one. */
  readonly expect: number | 'cut'
}

const refusedHeads: readonly HeadCase[] = [
  {
    name: 'length and chunks',
    bytes: `${post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    expect: 400,
  },
  {
    name: 'chunks and length',
    bytes: `${post}Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n${smuggled}`,
    expect: 400,
  },
  {
    name: 'two lengths',
    bytes: `${post}Content-Length: 3\r\nContent-Length: 0\r\n\r\nabc${smuggled}`,
    expect: 400,
  },
  {
    name: 'two equal lengths',
    bytes: `${post}Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc`,
    expect: 400,
  },
  { name: 'a list of lengths', bytes: `${post}Content-Length: 3, 3\r\n\r\nabc`, expect: 400 },
  { name: 'a signed length', bytes: `${post}Content-Length: +3\r\n\r\nabc`, expect: 400 },
  { name: 'a hexadecimal length', bytes: `${post}Content-Length: 0x3\r\n\r\nabc`, expect: 400 },
  { name: 'a negative length', bytes: `${post}Content-Length: -1\r\n\r\n`, expect: 400 },
  { name: 'an endless length', bytes: `${post}Content-Length: 99999999999999999999999\r\n\r\n`, expect: 400 },
  { name: 'an identity encoding', bytes: `${post}Transfer-Encoding: identity\r\n\r\n`, expect: 400 },
  { name: 'an unknown encoding', bytes: `${post}Transfer-Encoding: gzip\r\n\r\n`, expect: 400 },
  {
    name: 'chunks that are not last',
    bytes: `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    expect: 400,
  },
  {
    name: 'chunks within another encoding',
    bytes: `${post}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    expect: 400,
  },
  {
    name: 'chunks twice',
    bytes: `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    expect: 400,
  },
  {
    name: 'chunks with a tab',
    bytes: `${post}Transfer-Encoding:\tchunked\x0b\r\n\r\n0\r\n\r\n`,
    expect: 400,
  },
  {
    name: 'a space before the colon',
    bytes: `${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`,
    expect: 400,
  },
  { name: 'a folded header', bytes: `${post}X: a\r\n Content-Length: 3\r\n\r\nabc`, expect: 400 },
  { name: 'a header without a colon', bytes: `${post}nonsense\r\n\r\n`, expect: 400 },
  { name: 'a bare LF', bytes: `POST /v1/x HTTP/1.1\n${host}\n`, expect: 400 },
  { name: 'a bare CR in a header', bytes: `${post}X: a\rContent-Length: 3\r\n\r\n`, expect: 400 },
  { name: 'NUL in a header', bytes: `${post}X: a\0b\r\n\r\n`, expect: 400 },
  { name: 'NUL in the target', bytes: `GET /v1/\0x HTTP/1.1\r\n${host}\r\n`, expect: 400 },
  { name: 'a space in the target', bytes: `GET /v1/a b HTTP/1.1\r\n${host}\r\n`, expect: 400 },
  { name: 'a high byte in the target', bytes: `GET /v1/\xe9 HTTP/1.1\r\n${host}\r\n`, expect: 400 },
  { name: 'a fragment in the target', bytes: `GET /v1/x#y HTTP/1.1\r\n${host}\r\n`, expect: 400 },
  { name: 'an absolute target', bytes: `GET http://evil.test/v1/x HTTP/1.1\r\n${host}\r\n`, expect: 400 },
  { name: 'an authority as target', bytes: `GET evil.test:80 HTTP/1.1\r\n${host}\r\n`, expect: 400 },
  { name: 'a tunnel', bytes: `CONNECT evil.test:80 HTTP/1.1\r\n${host}\r\n`, expect: 'cut' },
  { name: 'no host', bytes: 'GET /v1/x HTTP/1.1\r\n\r\n', expect: 400 },
  { name: 'two hosts', bytes: `GET /v1/x HTTP/1.1\r\n${host}Host: evil.test\r\n\r\n`, expect: 400 },
  { name: 'two equal hosts', bytes: `GET /v1/x HTTP/1.1\r\n${host}hOST: gateway.test\r\n\r\n`, expect: 400 },
  {
    name: 'HTTP/1.0 with chunks',
    bytes: `POST /v1/x HTTP/1.0\r\n${host}Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
    expect: 400,
  },
  {
    name: 'HTTP/1.0 with a length',
    bytes: `POST /v1/x HTTP/1.0\r\n${host}Content-Length: 3\r\n\r\nabc`,
    expect: 400,
  },
  { name: 'HTTP/0.9', bytes: `GET /v1/x HTTP/0.9\r\n${host}\r\n`, expect: 400 },
  { name: 'HTTP/2.0 in words', bytes: `GET /v1/x HTTP/2.0\r\n${host}\r\n`, expect: 400 },
  { name: 'an HTTP/2 preface', bytes: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', expect: 400 },
  { name: 'HTTP/1.2', bytes: `GET /v1/x HTTP/1.2\r\n${host}\r\n`, expect: 400 },
  { name: 'a TLS hello', bytes: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', expect: 400 },
  {
    name: 'a bad chunk size',
    bytes: `${post}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n`,
    expect: 400,
  },
  {
    name: 'a chunk longer than it says',
    bytes: `${post}Transfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n${smuggled}`,
    expect: 400,
  },
  {
    name: 'a chunk size that overflows',
    bytes: `${post}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc\r\n0\r\n\r\n`,
    expect: 400,
  },
  {
    name: 'a length behind the chunks',
    bytes: `${post}Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 9\r\n\r\n`,
    expect: 400,
  },
  {
    name: 'a chunk ended by LF',
    bytes: `${post}Transfer-Encoding: chunked\r\n\r\n3\nabc\n0\n\n`,
    expect: 400,
  },
  {
    name: 'an unknown expectation',
    bytes: `${post}Expect: a-miracle\r\nContent-Length: 0\r\n\r\n`,
    expect: 417,
  },
  { name: '101 headers', bytes: `${post}${'A: b\r\n'.repeat(100)}\r\n`, expect: 431 },
  { name: '2100 headers', bytes: `${post}${'A: b\r\n'.repeat(2_100)}\r\n`, expect: 431 },
  { name: 'a 17 KiB header', bytes: `${post}A: ${'b'.repeat(17 * 1024)}\r\n\r\n`, expect: 431 },
  { name: 'a 9 KiB target', bytes: `GET /v1/${'x'.repeat(9 * 1024)} HTTP/1.1\r\n${host}\r\n`, expect: 431 },
  {
    name: 'a 1 MiB target',
    bytes: `GET /v1/${'x'.repeat(1024 * 1024)} HTTP/1.1\r\n${host}\r\n`,
    expect: 431,
  },
]

for (const { name, bytes, expect } of refusedHeads) {
  test(`refused: ${name}`, async () => {
    await withEdge({}, async ({ port, served }) => {
      const client = new RawClient(port)
      client.send(bytes)
      const answer = await client.answer()
      assert.equal(answer?.status ?? 'cut', expect, answer?.head)
      // Either the connection ends, or it is in step: it answers the next request and served nothing else.
      client.send(`GET /v1/next HTTP/1.1\r\n${host}\r\n`)
      const next = await client.answer()
      assert.deepEqual(served, next === undefined ? [] : ['GET /v1/next '])
      client.close()
      const other = new RawClient(port)
      other.send(`${post}Content-Length: 2\r\n\r\nok`)
      assert.equal((await other.answer())?.body, 'got 2', 'the server lives')
      other.close()
    })
  })
}

interface ServedCase {
  readonly name: string
  readonly bytes: string
  readonly served: readonly string[]
}

const servedHeads: readonly ServedCase[] = [
  { name: 'HTTP/1.0 without a body', bytes: `GET /v1/x HTTP/1.0\r\n${host}\r\n`, served: ['GET /v1/x '] },
  {
    name: 'any case of names',
    bytes: `POST /v1/x HTTP/1.1\r\nhOsT: a\r\nCONTENT-length: 2\r\n\r\nok`,
    served: ['POST /v1/x ok'],
  },
  {
    name: 'chunks with extensions and trailers',
    bytes: `${post}Transfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n0\r\nX-Sum: 9\r\n\r\n`,
    served: ['POST /v1/x ok'],
  },
  {
    name: 'chunks in capitals',
    bytes: `${post}Transfer-Encoding: CHUNKED\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
    served: ['POST /v1/x ok'],
  },
  {
    name: '100 headers',
    bytes: `GET /v1/x HTTP/1.1\r\n${host}${'A: b\r\n'.repeat(99)}\r\n`,
    served: ['GET /v1/x '],
  },
  {
    name: 'prototype names',
    bytes: `GET /v1/__proto__?constructor=1 HTTP/1.1\r\n${host}__proto__: a\r\nconstructor: b\r\nhasOwnProperty: c\r\n\r\n`,
    served: ['GET /v1/__proto__?constructor=1 '],
  },
  {
    name: 'an upgrade to h2c',
    bytes: `${post}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAA\r\nContent-Length: 2\r\n\r\nok`,
    served: ['POST /v1/x ok'],
  },
  {
    name: 'an upgrade to WebSocket',
    bytes: `GET /v1/x HTTP/1.1\r\n${host}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZQ==\r\n\r\n`,
    served: ['GET /v1/x '],
  },
  {
    name: 'empty lines before the request',
    bytes: `\r\n\r\nGET /v1/x HTTP/1.1\r\n${host}\r\n`,
    served: ['GET /v1/x '],
  },
]

for (const { name, bytes, served: expected } of servedHeads) {
  test(`served: ${name}`, async () => {
    await withEdge({}, async ({ port, served }) => {
      const client = new RawClient(port)
      client.send(bytes)
      assert.equal((await client.answer())?.status, 200)
      assert.deepEqual(served, expected)
      assert.equal(({} as Record<string, unknown>).a, undefined)
      client.close()
    })
  })
}

test('pipelined requests on one connection are served one after the other, in order', async () => {
  let atOnce = 0
  let most = 0
  const more = (request: IncomingMessage, client: Downstream): void => {
    atOnce += 1
    most = Math.max(most, atOnce)
    setImmediate(() => {
      atOnce -= 1
      client.answer(200, [], request.url ?? '')
    })
  }
  await withEdge({ more }, async ({ port }) => {
    const client = new RawClient(port)
    const paths = ['/v1/more/1', '/v1/more/2', '/v1/more/3', '/v1/more/4']
    client.send(paths.map((path) => `GET ${path} HTTP/1.1\r\n${host}\r\n`).join(''))
    for (const path of paths) assert.equal((await client.answer())?.body, path)
    assert.equal(most, 1)
    client.close()
  })
})

test('a client that pipelines more requests than are queued gets answers to the queued ones, then the close', async () => {
  let served = 0
  const more = (_request: IncomingMessage, client: Downstream): void => {
    served += 1
    setImmediate(() => client.answer(200, [], 'here'))
  }
  await withEdge({ more }, async ({ port }) => {
    const client = new RawClient(port)
    client.send(`GET /v1/more HTTP/1.1\r\n${host}\r\n`.repeat(300))
    await client.untilClosed()
    const answers = client.received.match(/HTTP\/1\.1 200/g)?.length
    // One that is served and the four that the edge keeps.
    assert.deepEqual([answers, served], [5, 5])
    assert.equal(client.received.match(/connection: close/gi)?.length, 1, 'the last one says so')
  })
})

test('what is not for the data plane goes to the control plane, its head checked and its body asked for', async () => {
  let seen = ''
  const controlPlane: Serve = (request, response) => {
    seen += `${request.method} ${request.url};`
    request.resume()
    request.on('end', () => response.end('control'))
  }
  await withEdge({ controlPlane }, async ({ port }) => {
    const client = new RawClient(port)
    client.send(`POST /api/x HTTP/1.1\r\n${host}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`)
    assert.equal((await client.answer())?.status, 100)
    client.send('ok')
    assert.equal((await client.answer())?.body, 'control')
    client.send(`GET /api/x HTTP/1.1\r\n${host}${host}\r\n`)
    const refused = await client.answer()
    assert.equal(refused?.status, 400)
    assert.equal(JSON.parse(refused?.body ?? '').error.code, 'malformed_http')
    await client.untilClosed()
    assert.equal(seen, 'POST /api/x;')
  })
})

test('Fastify serves as the control plane of the same server', async () => {
  let handler: Serve | undefined
  await withEdge(
    { controlPlane: (request, response) => handler!(request, response) },
    async ({ server, port }) => {
      const app = fastify({
        bodyLimit: 1_000,
        serverFactory(listener) {
          handler = listener
          return server.node
        },
      })
      app.post('/api/echo', (request) => request.body)
      await app.ready()
      const address = `http://127.0.0.1:${port}/api/echo`
      const headers = { 'content-type': 'application/json' }
      const echoed = await fetch(address, { method: 'POST', headers, body: '{"a":1}' })
      assert.deepEqual(await echoed.json(), { a: 1 })
      const large = await fetch(address, { method: 'POST', headers, body: `"${'x'.repeat(2_000)}"` })
      assert.equal(large.status, 413)
      await large.arrayBuffer()
      assert.equal((await fetch(`http://127.0.0.1:${port}/v1/x`)).status, 200)
    },
  )
})

test('a connection that is silent or slow to ask is ended, with a word only where it began to ask', async () => {
  await withEdge({ limits: { headersTimeoutMs: 50, requestTimeoutMs: 50 } }, async ({ port, served }) => {
    const silent = new RawClient(port)
    const slow = new RawClient(port)
    slow.send(`GET /v1/x HTTP/1.1\r\n${host}`)
    assert.equal((await slow.answer())?.status, 408)
    await silent.untilClosed()
    assert.equal(silent.received, '')
    assert.deepEqual(served, [])
    slow.close()
  })
})

test('an idle keep-alive connection is closed', async () => {
  await withEdge({ limits: { keepAliveTimeoutMs: 10 } }, async ({ port }) => {
    const client = new RawClient(port)
    client.send(`GET /v1/x HTTP/1.1\r\n${host}\r\n`)
    assert.equal((await client.answer())?.status, 200)
    await client.untilClosed()
    assert.equal(client.received, '')
  })
})

test('an accept error is reported and ends nothing', async () => {
  const errors: Error[] = []
  await withEdge({ onAcceptError: (error) => errors.push(error) }, async ({ server, port }) => {
    const acceptError = new Error('accept EMFILE')
    server.node.emit('error', acceptError)
    assert.deepEqual(errors, [acceptError])
    const client = new RawClient(port)
    client.send(`GET /v1/x HTTP/1.1\r\n${host}\r\n`)
    assert.equal((await client.answer())?.status, 200)
    client.close()
  })
})

test('connections beyond the limit are turned away and make room again', async () => {
  await withEdge({ limits: { connectionsMax: 2 } }, async ({ port }) => {
    const ask = async (client: RawClient): Promise<number | undefined> => {
      client.send(`GET /v1/x HTTP/1.1\r\n${host}\r\n`)
      return (await client.answer())?.status
    }
    const clients = [new RawClient(port), new RawClient(port)]
    for (const client of clients) assert.equal(await ask(client), 200)
    assert.equal(await ask(new RawClient(port)), undefined)
    clients[0]!.close()
    let status: number | undefined
    for (let turn = 0; status === undefined && turn < 100; turn += 1) {
      const next = new RawClient(port)
      status = await ask(next)
      next.close()
    }
    assert.equal(status, 200)
    clients[1]!.close()
  })
})

const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((one) => one?.family === 'IPv6')

for (const listensOn of ['127.0.0.1', '::']) {
  const skip = listensOn === '::' && !hasIpv6
  test(`one network cannot take all connections, and a proxy can: on ${listensOn}`, { skip }, async () => {
    const isProxy = (address: string) => address.endsWith('127.0.0.1')
    const setting = { host: listensOn, limits: { connectionsMax: 20 }, isProxy }
    await withEdge(setting, async ({ port }) => {
      const open: RawClient[] = []
      /** Opens connections until one is refused. */
      async function fill(from: string): Promise<{ served: number; refused: string }> {
        for (let served = 0; ; served += 1) {
          const client = new RawClient(port, from)
          client.send(`GET /v1/x HTTP/1.1\r\n${host}\r\n`)
          const answer = await client.answer()
          if (answer?.status !== 200) return { served, refused: `${answer?.status} ${answer?.body}` }
          open.push(client)
        }
      }
      const first = await fill('127.0.0.2')
      assert.equal(first.served, 5)
      assert.match(first.refused, /^503 .*"code":"overloaded".*/)
      assert.deepEqual([(await fill('127.0.0.3')).served, (await fill('127.0.0.4')).served], [3, 3])
      for (const client of open.splice(0)) {
        client.close()
        await client.untilClosed()
      }
      let served = 0
      for (let turn = 0; served < 5 && turn < 100; turn += 1) served += (await fill('127.0.0.5')).served
      assert.ok(served >= 5, 'what is closed makes room')
      const closedCount = 20 - open.length
      assert.equal((await fill('127.0.0.1')).served, closedCount)
      for (const client of open) client.close()
    })
  })
}

const manyConnections = `
const { connect } = require('node:net')
const { port, count, open } = require('node:worker_threads').workerData
for (let at = 0; at < count; at += 1) {
  const socket = connect({ port, host: '127.0.0.1' })
  socket.on('error', () => {})
  socket.on('connect', () => {
    if (Atomics.add(open, 0, 1) + 1 === count) Atomics.notify(open, 0)
  })
}
`

test('connections that arrive while the thread is busy wait for it', async (context) => {
  const count = 800
  const queue = '/proc/sys/net/core/somaxconn'
  if (!existsSync(queue) || Number(readFileSync(queue)) < count)
    return context.skip('the system does not let so many wait')
  await withEdge({}, async ({ port }) => {
    const open = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(manyConnections, { eval: true, workerData: { port, count, open } })
    let opened = 0
    // Nothing else runs on this thread meanwhile.
    while (opened < count && Atomics.wait(open, 0, opened, 30_000) !== 'timed-out')
      opened = Atomics.load(open, 0)
    await worker.terminate()
    assert.equal(opened, count)
  })
})
