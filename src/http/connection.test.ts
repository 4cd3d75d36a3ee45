/** Pipelined requests of a connection are buffered and served in order, and its end is noticed. */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { withEdge } from '../../test/support/http-edge.ts'
import { RawClient } from '../../test/support/raw-client.ts'
import type { Downstream } from './downstream.ts'

const host = 'Host: gateway.test\r\n'

interface HandledRequest {
  readonly request: IncomingMessage
  readonly client: Downstream
}

/** Gives the server time to read what has come. */
async function turns(port: number): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) {
    const other = new RawClient(port)
    other.send(`GET /v1/turn HTTP/1.1\r\n${host}\r\n`)
    assert.equal((await other.answer())?.status, 200)
    other.close()
  }
}

for (const [what, bodyBytes] of [
  ['bodies', 50_000],
  ['heads', 0],
] as const) {
  test(`requests that are sent ahead with large ${what} stay with their client, and are served in order`, async () => {
    const paths = Array.from({ length: 100 }, (_none, index) => `/v1/more/${index}`)
    const arrived: HandledRequest[] = []
    const more = (request: IncomingMessage, client: Downstream): void => {
      arrived.push({ request, client })
      request.resume()
      if (arrived.length > 1) client.answer(200, [], 'here')
    }
    await withEdge({ more, limits: { pipelinedMax: 128 } }, async ({ port }) => {
      const client = new RawClient(port)
      const body = 'x'.repeat(bodyBytes)
      const fill = bodyBytes === 0 ? `Fill: ${'x'.repeat(15_000)}\r\n` : ''
      for (const path of paths) {
        client.send(`POST ${path} HTTP/1.1\r\n${host}${fill}Content-Length: ${bodyBytes}\r\n\r\n${body}`)
      }
      await turns(port)
      const [first] = arrived
      assert.ok(first !== undefined && arrived.length === 1, 'one at a time')
      const { bytesRead } = first.request.socket
      assert.ok(bytesRead < 300_000, `${bytesRead} bytes were read`)
      first.client.answer(200, [], 'here')
      for (const _path of paths) assert.equal((await client.answer())?.status, 200)
      assert.deepEqual(
        arrived.map(({ request }) => request.url),
        paths,
      )
      client.close()
    })
  })
}

test('a client that left while its requests waited is noticed when they begin', async () => {
  const arrived: HandledRequest[] = []
  const more = (request: IncomingMessage, client: Downstream): void => void arrived.push({ request, client })
  await withEdge({ more, limits: { pipelinedMax: 128 } }, async ({ port }) => {
    const client = new RawClient(port)
    client.send(`GET /v1/more/1 HTTP/1.1\r\n${host}\r\nGET /v1/more/2 HTTP/1.1\r\n${host}\r\n`)
    while (arrived.length === 0) await turns(port)
    client.close()
    await turns(port)
    const gone = new Promise<void>((resolve) => {
      arrived[0]?.client.onGone(resolve)
      arrived[0]?.client.onFinished(() => arrived[1]?.client.onGone(resolve))
    })
    arrived[0]?.client.answer(200, [], 'here')
    await gone
  })
})

test('a request that waits for the rest of its body is served whole while the server drains', async () => {
  const arrived: HandledRequest[] = []
  const more = (request: IncomingMessage, client: Downstream): void => void arrived.push({ request, client })
  await withEdge({ more }, async ({ port, server, served }) => {
    const client = new RawClient(port)
    const body = 'x'.repeat(500_000)
    const length = `Content-Length: ${body.length}`
    client.send(`GET /v1/more HTTP/1.1\r\n${host}\r\nPOST /v1/x HTTP/1.1\r\n${host}${length}\r\n\r\n${body}`)
    await turns(port)
    const drained = server.drain(60_000)
    arrived[0]?.client.answer(200, [], 'here')
    assert.equal((await client.answer())?.body, 'here')
    assert.equal((await client.answer())?.body, `got ${body.length}`)
    await drained
    assert.equal(served.at(-1), `POST /v1/x ${body.length}`)
  })
})

for (const [what, bytes] of [
  ['nothing', ''],
  ['a request that was answered', `GET /v1/x HTTP/1.1\r\n${host}\r\n`],
  ['half a head', `GET /v1/x HTTP/1.1\r\n${host}`],
  ['half a body', `POST /v1/x HTTP/1.1\r\n${host}Content-Length: 9\r\n\r\nhalf`],
  ['half a chunk', `POST /v1/x HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n9\r\nhalf`],
] as const) {
  test(`a sending side that is closed after ${what} ends the connection, and nothing of it is carried out`, async () => {
    await withEdge({}, async ({ port, served }) => {
      const client = new RawClient(port)
      client.send(bytes)
      const isWhole = what === 'a request that was answered'
      if (isWhole) assert.equal((await client.answer())?.status, 200)
      client.socket.end()
      await client.untilClosed()
      assert.equal(served.length, isWhole ? 1 : 0)
    })
  })
}

test('a client that closes its sending side within a request behind another one is noticed', async () => {
  const arrived: Downstream[] = []
  const more = (_request: IncomingMessage, client: Downstream): void => void arrived.push(client)
  await withEdge({ more }, async ({ port }) => {
    const client = new RawClient(port)
    client.send(`GET /v1/more HTTP/1.1\r\n${host}\r\nGET /v1/half HTTP/1.1\r\n`)
    while (arrived.length === 0) await turns(port)
    client.socket.end()
    await new Promise<void>((resolve) => arrived[0]?.onGone(resolve))
    await client.untilClosed()
  })
})
