/** Clients that close their sending side: those that wait get their response unchanged, those that left are detected by writes. */
import assert from 'node:assert/strict'
import http, { type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { type Edge, type Setting, withEdge } from '../../test/support/http-edge.ts'
import { type ManualClock, manualClock } from '../../test/support/manual-clock.ts'
import { RawClient } from '../../test/support/raw-client.ts'
import type { Downstream } from './downstream.ts'
import type { HttpServer } from './server.ts'

const host = 'Host: gateway.test\r\n'
const sse = ['content-type', 'text/event-stream']
const longMs = 60_000

interface HandledRequest {
  readonly request: IncomingMessage
  readonly client: Downstream
}

interface HalfClosing extends Edge {
  readonly clock: ManualClock
  /** The next request that reached the data plane. */
  arrival(): Promise<HandledRequest>
}

/** A server edge on a manual clock, whose requests the test answers. */
async function withRequests(
  run: (edge: HalfClosing) => Promise<void>,
  limits: Setting['limits'] = {},
): Promise<void> {
  const clock = manualClock()
  const arrived: HandledRequest[] = []
  let wake = (): void => {}
  const more = (request: IncomingMessage, client: Downstream): void => {
    arrived.push({ request, client })
    request.resume()
    wake()
  }
  const arrival = async (): Promise<HandledRequest> => {
    for (;;) {
      const next = arrived.shift()
      if (next !== undefined) return next
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }
  await withEdge({ more, clock, limits }, (edge) => run({ ...edge, clock, arrival }))
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate)
}

const gone = (client: Downstream): Promise<void> => new Promise((resolve) => client.onGone(resolve))

/** Resolves when the server has read that the client of this request closed its sending side. */
async function readsEnd({ request }: HandledRequest): Promise<void> {
  while (!request.socket.readableEnded) await turns(1)
  await turns(5)
}

async function connectionsOf(server: HttpServer): Promise<number> {
  return new Promise((resolve, reject) =>
    server.node.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  )
}

/** Everything that came until the connection ended. */
async function everything(raw: RawClient): Promise<string> {
  await raw.untilClosed()
  return raw.received.replace(/^Date: .*\r\n/gim, '')
}

const requests = {
  'HTTP/1.1': (more = '') => `GET /v1/more HTTP/1.1\r\n${host}${more}\r\n`,
  'HTTP/1.1 with a body': (more = '') =>
    `POST /v1/more HTTP/1.1\r\n${host}Content-Length: 2\r\n${more}\r\nok`,
  'HTTP/1.0': (more = '') => `GET /v1/more HTTP/1.0\r\n${host}${more}\r\n`,
}

const answers: Readonly<Record<string, (client: Downstream) => void>> = {
  'a whole answer': (client) => client.answer(200, ['content-type', 'text/plain'], 'here: ☃'),
  bytes: (client) => client.answer(200, [], Buffer.from([0, 255, 10])),
  'an error': (client) => client.answer(402, ['content-type', 'application/json'], '{"error":{}}'),
  'no body': (client) => client.answer(204, [], ''),
  events: (client) => {
    client.begin(200, sse)
    client.write('data: 1\n\n')
    client.end('data: 2\n\n')
  },
}

for (const [version, request] of Object.entries(requests)) {
  for (const [what, answer] of Object.entries(answers)) {
    test(`${version}: a half-closed client gets ${what}, byte for byte what one gets that asks for the close`, async () => {
      await withRequests(async ({ port, clock, arrival }) => {
        const usual = new RawClient(port)
        usual.send(request('Connection: close\r\n'))
        answer((await arrival()).client)
        const expected = await everything(usual)
        assert.match(expected, /^HTTP\/1\.1 [24]0/)
        for (const waitsMs of [0, longMs]) {
          const raw = new RawClient(port)
          raw.send(request())
          raw.socket.end()
          const arrived = await arrival()
          arrived.client.onGone(() => assert.fail('it is there'))
          await readsEnd(arrived)
          clock.advance(waitsMs)
          await turns(5)
          answer(arrived.client)
          assert.equal(await everything(raw), expected)
          assert.equal(arrived.client.finished, true)
          assert.equal(clock.pending(), 0)
        }
      })
    })
  }
}

test('a half-closed client of a silent stream gets the events as they were written, read by a real parser', async () => {
  await withRequests(async ({ port, clock, arrival }) => {
    const asking = http.request({ port, path: '/v1/more', agent: false })
    asking.end(() => asking.socket?.end())
    const arrived = await arrival()
    await readsEnd(arrived)
    const { client } = arrived
    client.onGone(() => assert.fail('it is there'))
    let text = ''
    let expected = ''
    asking.on('response', (response) => response.on('data', (piece: Buffer) => (text += piece)))
    client.begin(200, sse)
    client.flush()
    for (const bytes of [1, 15, 16, 4_096, 100_000]) {
      clock.advance(longMs)
      await turns(5)
      const event = `data: ${'x'.repeat(bytes)}\n\n`
      expected += event
      client.write(event)
      while (text !== expected) await turns(1)
    }
    clock.advance(longMs)
    const closed = new Promise((resolve) => asking.once('close', resolve))
    client.end()
    await closed
    assert.equal(text, expected)
    assert.equal(client.finished, true)
    assert.equal(clock.pending(), 0)
  })
})

test('a stream of known length, or of an HTTP/1.0 client, stays as it was written', async () => {
  for (const [version, headers] of [
    ['1.1', ['content-length', '6']],
    ['1.0', []],
  ] as const) {
    await withRequests(async ({ port, clock, arrival }) => {
      const raw = new RawClient(port)
      raw.send(`GET /v1/more HTTP/${version}\r\n${host}\r\n`)
      raw.socket.end()
      const arrived = await arrival()
      await readsEnd(arrived)
      arrived.client.begin(200, headers)
      for (const piece of ['abc', 'def']) {
        arrived.client.write(piece)
        await turns(5)
        clock.advance(longMs)
        await turns(5)
      }
      arrived.client.end()
      assert.match(await everything(raw), /\r\n\r\nabcdef$/)
    })
  }
})

test('a pipelined pair of a half-closed client gets both answers, and then the close', async () => {
  await withRequests(async ({ port, clock, arrival }) => {
    const raw = new RawClient(port)
    raw.send(requests['HTTP/1.1']().repeat(2))
    raw.socket.end()
    const first = await arrival()
    clock.advance(longMs)
    first.client.answer(200, [], 'first')
    const second = await arrival()
    await readsEnd(second)
    clock.advance(longMs)
    second.client.answer(200, [], 'second')
    assert.equal((await raw.answer())?.body, 'first')
    assert.equal((await raw.answer())?.body, 'second')
    await raw.untilClosed()
  })
})

test('a half-closed client is refused as any other', async () => {
  await withRequests(async ({ port, served }) => {
    for (const [more, status] of [
      ['Authorization: wrong\r\n', 401],
      [host, 400],
    ] as const) {
      const raw = new RawClient(port)
      raw.send(`POST /v1/x HTTP/1.1\r\n${host}${more}Content-Length: 2\r\n\r\nok`)
      raw.socket.end()
      assert.equal((await raw.answer())?.status, status)
      await raw.untilClosed()
    }
    assert.deepEqual(served, [])
  })
})

for (const [what, bytes] of [
  ['nothing', ''],
  ['a request that was answered', `GET /v1/x HTTP/1.1\r\n${host}\r\n`],
  ['half a head', `GET /v1/x HTTP/1.1\r\n${host}`],
  ['half a body', `POST /v1/x HTTP/1.1\r\n${host}Content-Length: 9\r\n\r\nhalf`],
  ['half a chunk', `POST /v1/x HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\n9\r\nhalf`],
] as const) {
  test(`half-closed after ${what}: the connection is closed, and nothing of it is carried out`, async () => {
    await withRequests(async ({ port, server, served, clock }) => {
      const raw = new RawClient(port)
      raw.send(bytes)
      if (what === 'a request that was answered') assert.equal((await raw.answer())?.status, 200)
      raw.socket.end()
      await raw.untilClosed()
      clock.advance(longMs)
      await turns(5)
      assert.equal(await connectionsOf(server), 0)
      assert.equal(served.length, what === 'a request that was answered' ? 1 : 0)
    })
  })
}

test('an incomplete request after a complete one: the complete one is answered, and a client that disconnects is detected', async () => {
  await withRequests(async ({ port, arrival }) => {
    const raw = new RawClient(port)
    raw.send(`${requests['HTTP/1.1']()}GET /v1/half HTTP/1.1\r\n`)
    raw.socket.end()
    const waiting = await arrival()
    await readsEnd(waiting)
    waiting.client.answer(200, [], 'here')
    assert.equal((await raw.answer())?.body, 'here')
    await raw.untilClosed()
    const leaving = new RawClient(port)
    leaving.send(`${requests['HTTP/1.1']()}GET /v1/half HTTP/1.1\r\n`)
    const { client } = await arrival()
    leaving.close()
    await gone(client)
  })
})

/** What the client was sent before it leaves. */
const moments: Readonly<Record<string, (client: Downstream) => void>> = {
  'before the head': () => {},
  'after a head that was chosen': (client) => client.begin(200, sse),
  'within a stream': (client) => {
    client.begin(200, sse)
    client.write('data: 1\n\n')
  },
}

for (const [moment, make] of Object.entries(moments)) {
  test(`a client that disconnects by FIN ${moment} is detected immediately, without a timer`, async () => {
    await withRequests(async ({ port, clock, arrival }) => {
      const raw = new RawClient(port)
      raw.send(requests['HTTP/1.1']())
      const { client } = await arrival()
      make(client)
      await turns(5)
      raw.close()
      await gone(client)
      assert.equal(clock.monoMs(), 0)
      assert.equal(clock.pending(), 0)
    })
  })

  test(`a half-closed client that leaves later ${moment} is noticed soon`, async () => {
    await withRequests(async ({ port, clock, arrival }) => {
      const raw = new RawClient(port)
      raw.send(requests['HTTP/1.1']())
      raw.socket.end()
      const arrived = await arrival()
      make(arrived.client)
      await readsEnd(arrived)
      clock.advance(100)
      await turns(5)
      assert.equal(arrived.client.gone, false)
      const leftMs = clock.monoMs()
      raw.close()
      while (!arrived.client.gone) {
        clock.advance(10)
        await turns(5)
        assert.ok(clock.monoMs() - leftMs < 1_000, 'noticed within a second')
      }
      assert.equal(clock.pending(), 0)
    })
  })
}

test('draining waits for the answer of a half-closed client', async () => {
  await withRequests(async ({ port, server, arrival }) => {
    const raw = new RawClient(port)
    raw.send(requests['HTTP/1.1']())
    raw.socket.end()
    const arrived = await arrival()
    await readsEnd(arrived)
    const drained = server.drain(longMs)
    arrived.client.answer(200, [], 'here')
    assert.equal((await raw.answer())?.body, 'here')
    await drained
  })
})

test('1,000 half-closed clients that are refused, or asked nothing, leave nothing behind', async () => {
  await withRequests(
    async ({ port, server, clock }) => {
      const responses = Array.from({ length: 1_000 }, async (_none, index) => {
        const raw = new RawClient(port)
        if (index % 2 === 0) raw.send(`GET /v1/x HTTP/1.1\r\n${host}Authorization: wrong\r\n\r\n`)
        raw.socket.end()
        await raw.untilClosed()
        return raw.received.slice(0, 12)
      })
      const starts = await Promise.all(responses)
      assert.deepEqual([...new Set(starts)].toSorted(), ['', 'HTTP/1.1 401'])
      while ((await connectionsOf(server)) > 0) await turns(1)
      assert.equal(clock.pending(), 0)
    },
    { connectionsMax: 1_000 },
  )
})
