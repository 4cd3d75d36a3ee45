/** The HTTP client against upstreams that misbehave, over real sockets. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import tls from 'node:tls'
import { gzipSync } from 'node:zlib'
import {
  type Behaviour,
  chunkedHead,
  drips,
  type FaultUpstream,
  faultUpstream,
  hangs,
  httpChunk,
  sends,
  sendsThen,
  wholeAnswer,
} from '../../test/support/fault-upstream.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { repeated } from '../../test/support/sampled.ts'
import { selfSigned } from '../../test/support/self-signed.ts'
import { systemClock } from '../base/clock.ts'
import { openSender, type Sender } from './send.ts'
import type { Exchange, SendFailure, SendLimits } from './send-types.ts'

const limits: SendLimits = {
  tokenRequestMs: 1_000,
  tokenResponseBytesMax: 1_024,
  tokenRefreshMs: 1_000,
  connectMs: 10_000,
  socketsPerOriginMax: 256,
  idleSocketMs: 30_000,
  upstreamHeaderBytesMax: 16_384,
}

const unexpected = (): void => assert.fail('not to be told')

interface Seen {
  readonly status: number | null
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
  readonly end: 'end' | SendFailure
}

function request(upstream: { readonly origin: string }, body = 'question', path = '/v1/x') {
  return {
    origin: upstream.origin,
    method: 'POST',
    path,
    headers: ['x-a', 'b'],
    body: [Buffer.from(body)],
  } as const
}

/** Listens to an exchange to its end and checks the order of its events. */
function watch(exchange: Exchange): Promise<Seen> {
  return new Promise((resolve) => {
    let status: number | null = null
    let headers: ReadonlyMap<string, string> = new Map()
    const chunks: Uint8Array[] = []
    let over = false
    const finish = (end: Seen['end']): void => {
      assert.equal(over, false, 'ended once')
      over = true
      resolve({ status, headers, body: Buffer.concat(chunks).toString(), end })
    }
    exchange.listen({
      head(told, given) {
        assert.equal(status, null, 'one head')
        status = told
        headers = given
      },
      chunk(bytes) {
        assert.ok(status !== null && !over, 'chunks stand between head and end')
        chunks.push(Buffer.from(bytes))
      },
      end: () => finish('end'),
      failed: (failure) => finish(failure),
    })
  })
}

async function withUpstream(
  choose: Parameters<typeof faultUpstream>[0],
  run: (upstream: FaultUpstream, sender: Sender) => Promise<void>,
  senderLimits: SendLimits = limits,
): Promise<void> {
  const upstream = await faultUpstream(choose)
  const sender = openSender({ limits: senderLimits, clock: systemClock })
  try {
    await run(upstream, sender)
  } finally {
    await sender.close()
    await upstream.close()
  }
}

const head200 = 'HTTP/1.1 200 OK\r\n'

/** `expect` is `status body end`, where end is `end` or the failure's kind. */
type Case = readonly [name: string, behaviour: Behaviour, expect: string]

const cases: readonly Case[] = [
  ['a whole answer', wholeAnswer(200, 'hello'), '200 hello end'],
  ['an empty answer', wholeAnswer(200, ''), '200  end'],
  ['no content', sends('HTTP/1.1 204 No Content\r\n\r\n'), '204  end'],
  ['an error status', wholeAnswer(500, 'oops'), '500 oops end'],
  ['chunked', sends(chunkedHead, httpChunk('ab'), httpChunk('cd'), httpChunk()), '200 abcd end'],
  [
    'dripped byte by byte',
    drips(Buffer.from(`${chunkedHead}${httpChunk('drip')}${httpChunk('drop')}${httpChunk()}`)),
    '200 dripdrop end',
  ],
  ['close-delimited', sendsThen('fin', `${head200}\r\nall of it`), '200 all of it end'],
  [
    'early hints before the answer',
    sends('HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n', `${head200}content-length: 2\r\n\r\nok`),
    '200 ok end',
  ],
  ['FIN before the head', sendsThen('fin'), 'null  reset'],
  ['RST before the head', sendsThen('rst'), 'null  reset'],
  ['FIN within the head', sendsThen('fin', 'HTTP/1.1 200 OK\r\ncontent-'), 'null  reset'],
  ['FIN within a chunked answer', sendsThen('fin', chunkedHead, httpChunk('ab')), '200 ab reset'],
  ['FIN within a chunk', sendsThen('fin', chunkedHead, '9\r\nab'), '200 ab reset'],
  [
    'FIN within a chunked answer that closes',
    sendsThen('fin', `${head200}connection: close\r\ntransfer-encoding: chunked\r\n\r\n`, httpChunk('ab')),
    '200 ab reset',
  ],
  [
    'FIN before the announced length',
    sendsThen('fin', `${head200}content-length: 9\r\n\r\nhalf`),
    '200 half reset',
  ],
  [
    'FIN before the announced length, closing',
    sendsThen('fin', `${head200}connection: close\r\ncontent-length: 9\r\n\r\nhalf`),
    '200 half reset',
  ],
  [
    'a redirect is told, not followed',
    wholeAnswer(302, '', ['location: http://127.0.0.1:9/canary']),
    '302  end',
  ],
  [
    'gzip although identity was requested',
    wholeAnswer(200, gzipSync('zipped'), ['content-encoding: gzip']),
    '200 zipped end',
  ],
  ['nothing, said to be gzip', wholeAnswer(200, '', ['content-encoding: gzip']), '200  end'],
  [
    'gzip that is cut off',
    wholeAnswer(200, gzipSync('zipped').subarray(0, 12), ['content-encoding: gzip']),
    '200 z protocol',
  ],
  [
    'an encoding that is not known',
    wholeAnswer(200, 'zipped', ['content-encoding: compress']),
    'null  protocol',
  ],
  ['no HTTP at all', sends('SSH-2.0-OpenSSH\r\n\r\n'), 'null  protocol'],
  ['a head that never ends', sends(`${head200}x: ${'y'.repeat(20_000)}`), 'null  protocol'],
  [
    'two different lengths',
    sends(`${head200}content-length: 2\r\ncontent-length: 3\r\n\r\nabc`),
    'null  protocol',
  ],
  [
    'length and chunks',
    sends(`${head200}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`),
    'null  protocol',
  ],
  ['a bad chunk size', sends(chunkedHead, 'zz\r\nab\r\n'), '200  protocol'],
  ['NUL in a header', sends(`${head200}x: a\0b\r\ncontent-length: 0\r\n\r\n`), 'null  protocol'],
  [
    'a lone CR in a header',
    sends(`${head200}x: a\rset-cookie: b\r\ncontent-length: 0\r\n\r\n`),
    'null  protocol',
  ],
  ['a space before the colon', sends(`${head200}content-length : 0\r\n\r\n`), 'null  protocol'],
  [
    'a switch of protocols nobody asked for',
    sends('HTTP/1.1 101 Switching\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n'),
    'null  protocol',
  ],
]

for (const [name, behaviour, expect] of cases) {
  test(`an upstream that answers with ${name}`, async () => {
    await withUpstream(
      () => behaviour,
      async (upstream, sender) => {
        const seen = await watch(sender.send(request(upstream)))
        const end = seen.end === 'end' ? 'end' : seen.end.kind
        assert.equal(`${seen.status} ${seen.body} ${end}`, expect, JSON.stringify(seen.end))
        if (seen.end !== 'end') {
          assert.equal(seen.end.requestSent, true)
          assert.equal(seen.end.stale, false)
        }
        assert.equal(upstream.requests.length, 1, 'asked once')
        assert.equal(upstream.requests[0]!.body.toString(), 'question')
      },
    )
  })
}

test('bytes after the announced length never reach the next request', async () => {
  const nonce = 'x-second: 1'
  await withUpstream(
    ({ head }) =>
      head.includes(nonce)
        ? wholeAnswer(200, 'second')
        : sends(`${head200}content-length: 5\r\n\r\nfirst${head200}content-length: 4\r\n\r\nevil`),
    async (upstream, sender) => {
      assert.equal((await watch(sender.send(request(upstream)))).body, 'first')
      const second = await watch(sender.send({ ...request(upstream), headers: ['x-second', '1'] }))
      assert.equal(`${second.status} ${second.body}`, '200 second')
      assert.equal(upstream.connections, 2)
    },
  )
})

test('a connection that ended cleanly is used again, the one used last first', async () => {
  await withUpstream(
    () => wholeAnswer(200, 'ok'),
    async (upstream, sender) => {
      await Promise.all([1, 2, 3].map(() => watch(sender.send(request(upstream)))))
      assert.equal(upstream.connections, 3)
      for (let turn = 0; turn < 5; turn += 1) await watch(sender.send(request(upstream)))
      assert.equal(upstream.connections, 3)
      assert.equal(new Set(upstream.requests.slice(3).map(({ connection }) => connection)).size, 1)
      assert.equal(sender.openSockets(upstream.origin), 3)
    },
  )
})

test('slices of a body arrive as one, with their length', async () => {
  await withUpstream(
    () => wholeAnswer(200, 'ok'),
    async (upstream, sender) => {
      const slices = ['{"model":"', 'other', '"}', ''].map((text) => Buffer.from(text))
      await watch(sender.send({ ...request(upstream), body: slices }))
      await watch(sender.send({ ...request(upstream), method: 'GET', body: [] }))
      assert.equal(upstream.requests[0]!.body.toString(), '{"model":"other"}')
      assert.match(upstream.requests[0]!.head, /^POST \/v1\/x HTTP\/1\.1\r\nhost: 127\.0\.0\.1:\d+\r\n/)
      assert.doesNotMatch(upstream.requests[1]!.head, /content-length/i)
    },
  )
})

test('a header or path that would break the request is rejected before anything is sent', async () => {
  const broken = [
    { headers: ['x-a', 'b\r\nx-evil: 1'] },
    { headers: ['x-a\r\nx-evil', '1'] },
    { headers: ['x-a', 'b\0'] },
    { headers: ['transfer-encoding', 'chunked'] },
    { path: '/v1/x HTTP/1.1\r\nx-evil: 1\r\n\r\n' },
    { path: '/v1/\u0130' },
  ]
  await withUpstream(
    () => wholeAnswer(200, 'ok'),
    async (upstream, sender) => {
      for (const change of broken) {
        const { end } = await watch(sender.send({ ...request(upstream), ...change }))
        assert.ok(end !== 'end' && end.kind === 'protocol' && !end.requestSent, JSON.stringify(end))
      }
      assert.equal(upstream.connections, 0)
    },
  )
})

test('an upstream that refuses connections', async () => {
  const upstream = await faultUpstream(() => hangs)
  await upstream.close()
  const sender = openSender({ limits, clock: systemClock })
  const { end } = await watch(sender.send(request(upstream)))
  assert.ok(end !== 'end' && end.kind === 'refused' && !end.requestSent)
  await sender.close()
})

test('a name that does not exist', async () => {
  const sender = openSender({ limits, clock: systemClock })
  const { end } = await watch(sender.send(request({ origin: 'http://nothing.invalid' })))
  assert.ok(end !== 'end' && end.kind === 'dns' && !end.requestSent, JSON.stringify(end))
  await sender.close()
})

test('a connection that takes too long', async () => {
  const clock = manualClock()
  const upstream = await faultUpstream(() => hangs)
  const sender = openSender({ limits, clock })
  const seen = watch(sender.send(request(upstream)))
  // No turn of the event loop has passed, so there cannot be a connection yet.
  clock.advance(limits.connectMs)
  const { end } = await seen
  assert.ok(end !== 'end' && end.kind === 'connect_timeout' && !end.requestSent)
  assert.equal(clock.pending(), 0)
  await sender.close()
  assert.equal(upstream.requests.length, 0)
  await upstream.close()
})

test('all connections of an origin in use', async () => {
  await withUpstream(
    () => hangs,
    async (upstream, sender) => {
      const first = sender.send(request(upstream))
      const { end } = await watch(sender.send(request(upstream)))
      assert.ok(end !== 'end' && end.kind === 'refused' && !end.requestSent)
      first.abort()
      const third = sender.send(request(upstream))
      await upstream.nextRequest()
      third.abort()
    },
    { ...limits, socketsPerOriginMax: 1 },
  )
})

test('an abort closes the connection in any state', async () => {
  const heads: Readonly<Record<string, Behaviour>> = {
    'before the head': hangs,
    'within the answer': sends(chunkedHead, httpChunk('ab')),
  }
  for (const [name, behaviour] of Object.entries(heads)) {
    await withUpstream(
      () => behaviour,
      async (upstream, sender) => {
        const told: string[] = []
        const exchange = sender.send(request(upstream))
        exchange.listen({
          head: () => told.push('head'),
          chunk: () => {
            told.push('chunk')
            exchange.abort()
          },
          end: () => told.push('end'),
          failed: () => told.push('failed'),
        })
        const reply = await upstream.nextRequest()
        if (behaviour === hangs) exchange.abort()
        await reply.closed
        assert.equal(exchange.state, 'aborted')
        assert.deepEqual(told, behaviour === hangs ? [] : ['head', 'chunk'], name)
        exchange.abort()
      },
    )
  }
})

test('an abort while connecting leaves no socket', async () => {
  const upstream = await faultUpstream(() => hangs)
  const sender = openSender({ limits, clock: systemClock })
  const exchange = sender.send(request(upstream))
  assert.equal(sender.openSockets(upstream.origin), 1)
  exchange.listen({ head: unexpected, chunk: unexpected, end: unexpected, failed: unexpected })
  exchange.abort()
  await sender.close()
  assert.equal(sender.openSockets(upstream.origin), 0)
  assert.equal(upstream.requests.length, 0)
  await upstream.close()
})

test('closing the sender fails what is under way and leaves no socket', async () => {
  await withUpstream(
    () => sends(chunkedHead, httpChunk('ab')),
    async (upstream, sender) => {
      const exchange = sender.send(request(upstream))
      const seen = watch(exchange)
      await upstream.nextRequest()
      await sender.close()
      const { end } = await seen
      assert.ok(end !== 'end' && end.kind === 'aborted', JSON.stringify(end))
      assert.equal(sender.openSockets(upstream.origin), 0)
    },
  )
})

test('a kept-alive connection that breaks under a request is reported as stale', async () => {
  await withUpstream(
    ({ connection, path }) =>
      path === '/first' || connection > 0 ? wholeAnswer(200, 'ok') : sendsThen('rst'),
    async (upstream, sender) => {
      await watch(sender.send(request(upstream, '', '/first')))
      const { end } = await watch(sender.send(request(upstream)))
      assert.ok(end !== 'end' && end.kind === 'reset' && end.stale && end.requestSent, JSON.stringify(end))
      assert.equal((await watch(sender.send(request(upstream)))).body, 'ok')
      assert.equal(upstream.connections, 2)
    },
  )
})

test('an idle connection that the upstream closed is not used again', async () => {
  await withUpstream(
    () => wholeAnswer(200, 'ok'),
    async (upstream, sender) => {
      await watch(sender.send(request(upstream)))
      const reply = await upstream.nextRequest()
      reply.fin()
      await reply.closed
      assert.equal((await watch(sender.send(request(upstream)))).body, 'ok')
      assert.equal(upstream.connections, 2)
    },
  )
})

test('bytes that arrive on an idle connection are not the response to the next request', async () => {
  await withUpstream(
    () => wholeAnswer(200, 'ok'),
    async (upstream, sender) => {
      await watch(sender.send(request(upstream)))
      const reply = await upstream.nextRequest()
      await new Promise(setImmediate)
      reply.send(`${head200}content-length: 4\r\n\r\nevil`)
      // The connection is still idle here: nothing has read these bytes yet.
      assert.equal((await watch(sender.send(request(upstream)))).body, 'ok')
      assert.equal(upstream.connections, 2)
      assert.equal(upstream.requests.length, 2)
    },
  )
})

test('a request that ends before it is written to an idle connection is never sent', async () => {
  const endings: Readonly<Record<string, (exchange: Exchange, sender: Sender) => Promise<void>>> = {
    abort: async (exchange) => exchange.abort(),
    close: (_exchange, sender) => sender.close(),
  }
  for (const [name, end] of Object.entries(endings)) {
    await withUpstream(
      () => wholeAnswer(200, 'ok'),
      async (upstream, sender) => {
        await watch(sender.send(request(upstream)))
        const exchange = sender.send(request(upstream))
        const failures: SendFailure[] = []
        const failed = (failure: SendFailure) => failures.push(failure)
        exchange.listen({ head: unexpected, chunk: unexpected, end: unexpected, failed })
        await end(exchange, sender)
        for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
        assert.equal(exchange.requestSent, false)
        assert.equal(exchange.state, name === 'abort' ? 'aborted' : 'failed')
        assert.deepEqual(
          failures.map(({ kind, requestSent }) => [kind, requestSent]),
          name === 'abort' ? [] : [['aborted', false]],
        )
        assert.deepEqual([upstream.requests.length, sender.openSockets(upstream.origin)], [1, 0])
      },
    )
  }
})

test('an exchange that is paused before its request is sent receives all of the response later', async () => {
  await withUpstream(
    () => wholeAnswer(200, 'ok'),
    async (upstream, sender) => {
      for (const connections of [1, 1]) {
        const exchange = sender.send(request(upstream))
        exchange.pause()
        const seen = watch(exchange)
        await upstream.nextRequest()
        for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
        assert.equal(exchange.state, 'waiting')
        exchange.resume()
        assert.equal(`${(await seen).body} ${upstream.connections}`, `ok ${connections}`)
      }
    },
  )
})

test('an idle connection is closed after its time, or the shorter time that the upstream states', async () => {
  for (const [stated, keptMs] of [
    [[], limits.idleSocketMs],
    [['keep-alive: timeout=5'], 3_000],
    [['keep-alive: timeout=2'], 0],
    [['connection: keep-alive', 'keep-alive: timeout=600, max=9'], limits.idleSocketMs],
  ] as const) {
    const clock = manualClock()
    const upstream = await faultUpstream(() => wholeAnswer(200, 'ok', stated))
    const sender = openSender({ limits, clock })
    await watch(sender.send(request(upstream)))
    const reply = await upstream.nextRequest()
    if (keptMs > 0) {
      clock.advance(keptMs - 1)
      assert.equal((await watch(sender.send(request(upstream)))).body, 'ok')
      assert.equal(upstream.connections, 1)
      clock.advance(keptMs)
    }
    await reply.closed
    assert.equal(clock.pending(), 0)
    assert.equal((await watch(sender.send(request(upstream)))).body, 'ok')
    assert.equal(upstream.connections, 2)
    await sender.close()
    assert.equal(clock.pending(), 0)
    await upstream.close()
  }
})

test('a response that must not have a body ends with its head, and a body after it is not a response', async () => {
  const heads = {
    'HTTP/1.1 204 No Content\r\n\r\n': 1,
    'HTTP/1.1 304 Not Modified\r\n\r\n': 1,
    'HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n': 2,
    'HTTP/1.1 304 Not Modified\r\ntransfer-encoding: chunked\r\n\r\n': 2,
  }
  for (const [head, connections] of Object.entries(heads)) {
    await withUpstream(
      ({ path }) => (path === '/bare' ? sends(head) : wholeAnswer(200, 'ok')),
      async (upstream, sender) => {
        const bare = await watch(sender.send(request(upstream, '', '/bare')))
        assert.equal(`${bare.body} ${bare.end}`, ' end')
        assert.equal((await watch(sender.send(request(upstream)))).body, 'ok')
        assert.equal(upstream.connections, connections, head)
      },
    )
  }
})

test('an early error is reported while the body is still in transit, and the connection is not used again', async () => {
  const refusal = `HTTP/1.1 413 Too Large\r\ncontent-length: 3\r\n\r\nbig`
  await withUpstream(
    ({ path }) =>
      path === '/early' ? { at: 'head', answer: (reply) => reply.send(refusal) } : wholeAnswer(200, 'ok'),
    async (upstream, sender) => {
      const body = [Buffer.alloc(20 * 1024 * 1024, 'x')]
      const early = await watch(sender.send({ ...request(upstream, '', '/early'), body }))
      assert.equal(`${early.status} ${early.body} ${early.end}`, '413 big end')
      assert.equal((await watch(sender.send(request(upstream)))).body, 'ok')
      assert.equal(upstream.connections, 2)
    },
  )
})

test('memory of a body that an early response leaves unsent stays as it is until all of it is written', async () => {
  const body = [Buffer.alloc(20 * 1024 * 1024, 'x')]
  await withUpstream(
    ({ path }) =>
      path === '/early'
        ? { at: 'head', answer: (reply) => reply.send(chunkedHead + httpChunk('a')) }
        : wholeAnswer(200, 'ok'),
    async (upstream, sender) => {
      const early = sender.send({ ...request(upstream, '', '/early'), body })
      await new Promise<void>((resolve) => {
        early.listen({ head: () => undefined, chunk: () => resolve(), end: unexpected, failed: unexpected })
      })
      assert.equal(early.requestWritten, false)
      early.abort()
      assert.equal(early.requestWritten, false)
      const read = sender.send({ ...request(upstream), body })
      assert.equal(read.requestWritten, false)
      await watch(read)
      assert.equal(read.requestWritten, true)
    },
  )
})

test('what arrives before there is a listener waits, and so does the upstream', async () => {
  const piece = Buffer.alloc(64 * 1024, 'x')
  const pieces = 800
  const length = piece.length * pieces
  await withUpstream(
    () => ({
      answer(reply) {
        reply.send(`${head200}content-length: ${length}\r\n\r\n`)
        for (let count = 0; count < pieces; count += 1) reply.send(piece)
      },
    }),
    async (upstream, sender) => {
      const exchange = sender.send(request(upstream))
      const reply = await upstream.nextRequest()
      // Bytes beyond the kernel's buffers stay with the upstream.
      for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
      assert.ok(reply.unsentBytes() > length / 2, `${reply.unsentBytes()} of ${length} unsent`)
      assert.equal(exchange.state, 'waiting')
      const seen = await watch(exchange)
      assert.equal(seen.body.length, length)
      assert.equal(seen.end, 'end')
    },
  )
})

test('a paused exchange tells nothing, and another listener takes over where the first one left', async () => {
  const parts = ['one', 'two', 'three']
  await withUpstream(
    () => sends(chunkedHead, ...parts.map((part) => httpChunk(part)), httpChunk()),
    async (upstream, sender) => {
      const exchange = sender.send(request(upstream))
      const first: string[] = []
      const paused = new Promise<void>((resolve) => {
        exchange.listen({
          head() {},
          chunk(bytes) {
            first.push(Buffer.from(bytes).toString())
            exchange.pause()
            resolve()
          },
          end: unexpected,
          failed: unexpected,
        })
      })
      await paused
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
      assert.deepEqual(first, ['one'])
      assert.equal(exchange.state, 'answering')
      const rest: string[] = []
      const ended = new Promise<void>((resolve) => {
        exchange.listen({
          head: unexpected,
          chunk(bytes) {
            rest.push(Buffer.from(bytes).toString())
            exchange.pause()
            setImmediate(() => exchange.resume())
          },
          end: resolve,
          failed: unexpected,
        })
      })
      assert.deepEqual(rest, [])
      exchange.resume()
      await ended
      assert.deepEqual(rest, ['two', 'three'])
    },
  )
})

test("requests may be sent, resumed and aborted from inside another one's events", async () => {
  await withUpstream(
    ({ path }) => (path === '/slow' ? sends(chunkedHead, httpChunk('slow')) : wholeAnswer(200, 'ok')),
    async (upstream, sender) => {
      // An idle connection, so that the requests below are written immediately.
      await Promise.all([1, 2].map(() => watch(sender.send(request(upstream)))))
      const slow = sender.send(request(upstream, '', '/slow'))
      slow.pause()
      const told: string[] = []
      slow.listen({
        head: () => told.push('head'),
        chunk: () => told.push('chunk'),
        end() {},
        failed: unexpected,
      })
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
      const inner: Promise<Seen>[] = []
      await new Promise<void>((resolve) => {
        const step = (): void => {
          slow.resume()
          slow.pause()
          inner.push(watch(sender.send(request(upstream))))
        }
        sender.send(request(upstream)).listen({
          head: step,
          chunk: step,
          end() {
            step()
            slow.resume()
            resolve()
          },
          failed: unexpected,
        })
      })
      assert.deepEqual(
        (await Promise.all(inner)).map(({ body }) => body),
        ['ok', 'ok', 'ok'],
      )
      for (let turn = 0; told.length < 2 && turn < 1_000; turn += 1) await new Promise(setImmediate)
      assert.deepEqual(told, ['head', 'chunk'])
      slow.abort()
    },
  )
})

const shapes: Readonly<Record<string, string>> = {
  chunked: `${chunkedHead}${httpChunk('part')}`,
  'with a length': `${head200}content-length: 9\r\n\r\npart`,
  'close-delimited': `${head200}\r\npart`,
}

for (const [name, bytes] of Object.entries(shapes)) {
  test(`a reset within an answer that is ${name} is not an end`, async () => {
    await withUpstream(
      () => sends(bytes),
      async (upstream, sender) => {
        const exchange = sender.send(request(upstream))
        const reply = await upstream.nextRequest()
        const end = await new Promise<'end' | SendFailure>((resolve) => {
          exchange.listen({ head() {}, chunk: () => reply.rst(), end: () => resolve('end'), failed: resolve })
        })
        assert.ok(end !== 'end' && end.kind === 'reset' && !end.stale, JSON.stringify(end))
      },
    )
  })
}

test('only a certificate that can be verified is trusted', async () => {
  const now = systemClock.wallMs()
  const dayMs = 86_400_000
  const valid = selfSigned(now - dayMs, now + dayMs)
  const expired = selfSigned(now - 2 * dayMs, now - dayMs)
  const defaults = tls.getCACertificates('default')
  const cases = [
    { certificate: valid, trusted: [], expect: 'tls' },
    { certificate: expired, trusted: [expired.cert], expect: 'tls' },
    { certificate: valid, trusted: [valid.cert], expect: 'end' },
  ]
  for (const { certificate, trusted, expect } of cases) {
    let asked = 0
    // Closing after each answer makes the second request resume the session of the first.
    const server = https.createServer(certificate, (_request, response) => {
      asked += 1
      response.setHeader('connection', 'close').end('ok')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    tls.setDefaultCACertificates([...defaults, ...trusted])
    const sender = openSender({ limits, clock: systemClock })
    const { port } = server.address() as AddressInfo
    for (const host of ['127.0.0.1', '127.0.0.1', 'localhost', 'localhost']) {
      const { end } = await watch(sender.send(request({ origin: `https://${host}:${port}` })))
      assert.equal(end === 'end' ? end : end.kind, expect, JSON.stringify(end))
    }
    assert.equal(asked, expect === 'end' ? 4 : 0)
    await sender.close()
    server.close()
  }
  tls.setDefaultCACertificates(defaults)
})

test('an upstream that does not speak TLS gets nothing in plain text', async () => {
  let received = ''
  await withUpstream(
    (seen) => {
      received += seen.head
      return sends('HTTP/1.1 200 OK\r\n\r\n')
    },
    async (upstream, sender) => {
      const exchange = sender.send(request({ origin: upstream.origin.replace('http:', 'https:') }))
      const seen = watch(exchange)
      // The upstream answers the greeting with bytes that are not TLS.
      for (let turn = 0; upstream.connections === 0 && turn < 1_000; turn += 1)
        await new Promise(setImmediate)
      await upstream.close()
      const { end } = await seen
      assert.ok(end !== 'end' && !end.requestSent, JSON.stringify(end))
      assert.equal(received, '')
    },
  )
})

test('with many canceled requests no byte reaches another request', async (context) => {
  const seed = process.pid
  context.diagnostic(`seed ${seed}`)
  const random = randomNumbers(seed)
  const total = repeated(500, 2_000)
  const atOnce = 64
  const partsMax = 5
  await withUpstream(
    ({ path }) => ({
      answer(reply) {
        const nonce = path.slice(1)
        let left = 1 + Math.floor(random() * partsMax)
        reply.send(`${chunkedHead.replace('\r\n\r\n', `\r\nx-nonce: ${nonce}\r\n\r\n`)}`)
        const step = (): void => {
          if (left === 0 && random() < 0.1) {
            if (random() < 0.5) reply.rst()
            else reply.fin()
            return
          }
          if (left > 0) reply.send(httpChunk(`<${nonce}>`))
          else reply.send(httpChunk())
          left -= 1
          if (left >= 0) setImmediate(step)
        }
        step()
      },
    }),
    async (upstream, sender) => {
      const ends: Record<string, number> = { ended: 0, failed: 0, aborted: 0 }
      let next = 0
      const worker = async (): Promise<void> => {
        while (next < total) {
          const nonce = `n${next}`
          next += 1
          ends[await oneOfTheStorm(sender.send(request(upstream, nonce, `/${nonce}`)), nonce, random)]! += 1
        }
      }
      await Promise.all(Array.from({ length: atOnce }, worker))
      context.diagnostic(JSON.stringify({ ...ends, connections: upstream.connections }))
      assert.equal(ends.ended! + ends.failed! + ends.aborted!, total)
      for (const [end, count] of Object.entries(ends)) assert.ok(count > total / 100, `${end}: ${count}`)
      assert.ok(upstream.connections < total, 'connections are used again')
      for (let turn = 0; sender.openSockets(upstream.origin) > atOnce && turn < 100; turn += 1) {
        await new Promise(setImmediate)
      }
      assert.ok(sender.openSockets(upstream.origin) <= atOnce)
    },
  )
})

function oneOfTheStorm(exchange: Exchange, nonce: string, random: () => number): Promise<string> {
  return new Promise((resolve) => {
    const abortAt = random() < 0.4 ? Math.floor(random() * 4) : -1
    let told = 0
    const step = (): void => {
      assert.equal(exchange.state === 'aborted', false, 'nothing is told after an abort')
      if (told === abortAt) abort()
      told += 1
    }
    const abort = (): void => {
      exchange.abort()
      resolve('aborted')
    }
    if (random() < 0.05) setImmediate(abort)
    exchange.listen({
      head(status, headers) {
        assert.equal(status, 200)
        assert.equal(headers.get('x-nonce'), nonce)
        step()
      },
      chunk(bytes) {
        assert.equal(Buffer.from(bytes).toString().replaceAll(`<${nonce}>`, ''), '')
        if (random() < 0.2) {
          exchange.pause()
          setImmediate(() => exchange.resume())
        }
        step()
      },
      end: () => resolve('ended'),
      failed: () => resolve('failed'),
    })
  })
}

/** A small deterministic generator (mulberry32), so that a seed replays the choices. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
