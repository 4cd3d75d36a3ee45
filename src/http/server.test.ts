/** The HTTP edge over raw sockets: its limits and deadlines, and that nothing ends the process. */
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
    // The request in progress and the four that the edge buffers.
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
    const rejected = await client.answer()
    assert.equal(rejected?.status, 400)
    assert.equal(JSON.parse(rejected?.body ?? '').error.code, 'malformed_http')
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
      /** Opens connections until one is rejected. */
      async function fill(from: string): Promise<{ served: number; rejected: string }> {
        for (let served = 0; ; served += 1) {
          const client = new RawClient(port, from)
          client.send(`GET /v1/x HTTP/1.1\r\n${host}\r\n`)
          const answer = await client.answer()
          if (answer?.status !== 200) return { served, rejected: `${answer?.status} ${answer?.body}` }
          open.push(client)
        }
      }
      const first = await fill('127.0.0.2')
      assert.equal(first.served, 5)
      assert.match(first.rejected, /^503 .*"code":"overloaded".*/)
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
