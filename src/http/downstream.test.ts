/** Responses to clients that disconnect, that read slowly, or that are connected when the server stops. */
import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { type Edge, type Setting, withEdge } from '../../test/support/http-edge.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { RawClient } from '../../test/support/raw-client.ts'
import type { Downstream } from './downstream.ts'

const host = 'Host: gateway.test\r\n'
const get = `GET /v1/more HTTP/1.1\r\n${host}\r\n`
const sse = ['content-type', 'text/event-stream']

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate)
}

/** Runs a test with a request that reached the data plane. */
async function withClient(
  run: (client: Downstream, raw: RawClient, edge: Edge) => Promise<void>,
  setting: Setting = {},
): Promise<void> {
  let arrived: (client: Downstream) => void
  const arrival = new Promise<Downstream>((resolve) => {
    arrived = resolve
  })
  const more = (_request: IncomingMessage, client: Downstream): void => arrived(client)
  await withEdge({ ...setting, more }, async (edge) => {
    const raw = new RawClient(edge.port)
    raw.send(get)
    await run(await arrival, raw, edge)
    raw.close()
  })
}

function gone(client: Downstream): Promise<void> {
  return new Promise((resolve) => client.onGone(resolve))
}

const leaving: Readonly<Record<string, (raw: RawClient) => void>> = {
  FIN: (raw) => raw.close(),
  RST: (raw) => raw.socket.resetAndDestroy(),
  'closing its sending side': (raw) => raw.socket.end(),
}

for (const [how, leave] of Object.entries(leaving)) {
  test(`a client that leaves by ${how} is noticed before the head and within the stream`, async () => {
    await withClient(async (client, raw) => {
      assert.equal(client.gone, false)
      leave(raw)
      await gone(client)
      assert.equal(client.gone, true)
    })
    await withClient(async (client, raw) => {
      client.begin(200, sse)
      client.write('data: 1\n\n')
      assert.ok(await raw.until('data: 1'))
      leave(raw)
      await gone(client)
      // All of it is harmless now, and late listeners run immediately.
      assert.equal(client.write('data: 2\n\n'), true)
      client.flush()
      client.end()
      await gone(client)
      assert.equal(client.finished, false)
    })
  })
}

test('an answer is finished once it is handed over, and a later close does not count as leaving', async () => {
  await withClient(async (client, raw) => {
    client.onGone(() => assert.fail('not gone'))
    client.begin(200, sse)
    assert.equal(raw.received, '')
    client.flush()
    assert.ok(await raw.until('\r\n\r\n'))
    client.write('data: 1\n\n')
    client.end('data: 2\n\n')
    await new Promise<void>((resolve) => client.onFinished(resolve))
    assert.equal(client.finished, true)
    assert.equal(client.gone, false)
    const answer = await raw.answer()
    assert.match(answer?.body ?? '', /data: 1.*data: 2/s)
    raw.close()
    await turns(5)
    assert.equal(client.gone, false)
  })
})

test('head and first event leave together', async () => {
  await withClient(async (client, raw) => {
    let first: string | undefined
    raw.socket.once('data', (chunk: Buffer) => {
      first = chunk.toString('latin1')
    })
    client.begin(200, sse)
    await turns(3)
    client.write('data: 1\n\n')
    assert.ok(await raw.until('data: 1'))
    assert.match(first ?? '', /^HTTP\/1\.1 200 OK\r\n.*data: 1/s)
  })
})

test('progress of a slow client is seen without an end of the waiting', async () => {
  const clock = manualClock()
  await withClient(
    async (client, raw) => {
      raw.socket.pause()
      client.begin(200, sse)
      const event = Buffer.alloc(1024 * 1024, 'x')
      // More than the kernel buffers. Each piece in a separate turn: progress is visible piece by piece.
      for (let count = 0; count < 32; count += 1) {
        client.write(event)
        await turns(2)
      }
      const unsentBytes = client.unsentBytes
      assert.equal(client.stalledSinceMs, 0)
      clock.advance(1_000)
      assert.equal(client.stalledSinceMs, 0)
      const enough = 12 * 1024 * 1024
      let read = 0
      raw.socket.on('data', (chunk: Buffer) => {
        read += chunk.length
        if (read > enough) raw.socket.pause()
      })
      raw.socket.resume()
      while (read <= enough) await turns(1)
      await turns(20)
      assert.ok(client.unsentBytes > 0 && client.unsentBytes < unsentBytes)
      assert.equal(client.stalledSinceMs, 1_000)
      client.destroy()
      await gone(client)
      assert.equal(client.stalledSinceMs, undefined)
    },
    { clock },
  )
})

test('an answer that is not taken does not hold its connection for ever; a silent one may', async () => {
  await withClient(
    async (client, raw, { server }) => {
      const silent = new Promise<void>((resolve) => server.node.once('timeout', () => resolve()))
      client.begin(200, sse)
      client.write('data: 1\n\n')
      assert.ok(await raw.until('data: 1'))
      await silent
      assert.equal(client.gone, false)
      raw.socket.pause()
      client.end(Buffer.alloc(64 * 1024 * 1024))
      await gone(client)
    },
    { limits: { slowReaderMs: 50 } },
  )
})

test('an answer that begins while draining says that its connection ends', async () => {
  await withClient(async (client, raw, { server }) => {
    const drained = server.drain(600_000)
    client.answer(200, [], 'ok')
    const answer = await raw.answer()
    assert.match(answer?.head ?? '', /connection: close/i)
    await raw.untilClosed()
    await drained
  })
})
