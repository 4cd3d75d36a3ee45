/** Reading and rejecting bodies: limits, budget, waiting clients, and responses that must arrive. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { edgeLimits, withEdge } from '../../test/support/http-edge.ts'
import { manualClock } from '../../test/support/manual-clock.ts'
import { RawClient } from '../../test/support/raw-client.ts'
import { SharedBudget } from '../base/shared-budget.ts'
import { readBody } from './body.ts'

const run = promisify(execFile)
const host = 'Host: gateway.test\r\n'
const post = `POST /v1/x HTTP/1.1\r\n${host}`
const mebibyte = 1024 * 1024

/** Lets the event loop turn until `condition` holds; fails when it never does. */
async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 10_000 && !condition(); turn += 1) await new Promise(setImmediate)
  assert.ok(condition())
}

interface BodyCase {
  readonly name: string
  readonly pieces: readonly (string | Uint8Array)[]
  /** Status and body of the answer. */
  readonly expect: string
}

const large = Buffer.alloc(edgeLimits.bodyBytesMax, 'x')
const tiny = Array.from({ length: 5_000 }, (_, index) => `1\r\n${index % 10}\r\n`).join('')

const cases: readonly BodyCase[] = [
  { name: 'none', pieces: [`${post}\r\n`], expect: '200 got 0' },
  { name: 'with the head', pieces: [`${post}Content-Length: 5\r\n\r\nhello`], expect: '200 got 5' },
  { name: 'after the head', pieces: [`${post}Content-Length: 5\r\n\r\n`, 'he', 'llo'], expect: '200 got 5' },
  {
    name: 'as large as allowed',
    pieces: [`${post}Content-Length: ${large.length}\r\n\r\n`, large],
    expect: `200 got ${large.length}`,
  },
  {
    name: 'as large as allowed, in chunks',
    pieces: [
      `${post}Transfer-Encoding: chunked\r\n\r\n${large.length.toString(16)}\r\n`,
      large,
      '\r\n0\r\n\r\n',
    ],
    expect: `200 got ${large.length}`,
  },
  {
    name: 'in very many chunks',
    pieces: [`${post}Transfer-Encoding: chunked\r\n\r\n`, tiny, '0\r\n\r\n'],
    expect: '200 got 5000',
  },
  {
    name: 'one byte too large by its length',
    pieces: [`${post}Content-Length: ${large.length + 1}\r\n\r\n`],
    expect: '413 too_large',
  },
  {
    name: 'one byte too large in chunks',
    pieces: [`${post}Transfer-Encoding: chunked\r\n\r\n${(large.length + 1).toString(16)}\r\n`, large, 'x'],
    expect: '413 too_large',
  },
  {
    name: 'zipped',
    pieces: [`${post}Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nxx`],
    expect: '503 compressed',
  },
  {
    name: 'marked as not zipped',
    pieces: [`${post}Content-Encoding: Identity\r\nContent-Length: 2\r\n\r\nxx`],
    expect: '200 got 2',
  },
]

for (const { name, pieces, expect } of cases) {
  test(`a body ${name}`, async () => {
    await withEdge({}, async ({ port }) => {
      const client = new RawClient(port)
      for (const piece of pieces) {
        client.send(piece)
        await new Promise(setImmediate)
      }
      const answer = await client.answer()
      assert.equal(`${answer?.status} ${answer?.body}`, expect)
      client.close()
    })
  })
}

test('a body may have any bytes and keeps them, however it is cut', async () => {
  const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => (index * 7 + (index >> 8)) % 128))
  await withEdge({}, async ({ port, served }) => {
    for (const size of [1_000, 65_536, 199_999]) {
      const client = new RawClient(port)
      client.send(`${post}Transfer-Encoding: chunked\r\n\r\n`)
      for (let at = 0; at < bytes.length; at += size) {
        const piece = bytes.subarray(at, at + size)
        client.send(`${piece.length.toString(16)}\r\n`)
        client.send(piece)
        client.send('\r\n')
        await new Promise(setImmediate)
      }
      client.send('0\r\n\r\n')
      assert.equal((await client.answer())?.body, `got ${bytes.toString().length}`)
      client.close()
    }
    assert.equal(served.length, 3)
  })
})

test('bodies of all requests share one budget', async () => {
  await withEdge({}, async ({ port, budget }) => {
    const clients = Array.from({ length: 6 }, () => new RawClient(port))
    for (const client of clients) {
      client.send(`${post}Content-Length: ${large.length}\r\n\r\n`)
      client.send(large.subarray(0, large.length - 1))
    }
    const rejected = await Promise.race(clients.map((client) => client.answer()))
    assert.equal(`${rejected?.status} ${rejected?.body}`, '503 no_room')
    assert.ok(budget.used <= 4 * mebibyte)
    for (const client of clients) client.close()
    await until(() => budget.used === 0)
    const next = new RawClient(port)
    next.send(`${post}Content-Length: 2\r\n\r\nok`)
    assert.equal((await next.answer())?.body, 'got 2')
    next.close()
  })
})

interface UploadCase {
  readonly name: string
  /** Bytes that come, and how long nothing comes after them. */
  readonly pieces: readonly (readonly [bytes: number, silentMs: number])[]
  readonly expect: 'body' | 'too_slow'
}

const graceMs = edgeLimits.uploadGraceMs
const rate = edgeLimits.uploadBytesPerSecondMin
const steady = (bytes: number, everyMs: number, times: number) =>
  Array.from({ length: times }, () => [bytes, everyMs] as const)

const uploads: readonly UploadCase[] = [
  { name: 'at the least rate', pieces: steady(rate * 5, 5_000, 20), expect: 'body' },
  { name: 'at half of it', pieces: steady(rate * 2.5, 5_000, 20), expect: 'too_slow' },
  { name: 'a byte now and then', pieces: steady(1, graceMs - 1, 3), expect: 'too_slow' },
  { name: 'small and slow, within the grace', pieces: steady(10, graceMs / 4, 3), expect: 'body' },
  {
    name: 'on a link that fails for a while',
    pieces: [...steady(60_000, 5_000, 5), [1, graceMs - 6_000], ...steady(60_000, 5_000, 5)],
    expect: 'body',
  },
  {
    name: 'all but the last byte at once',
    pieces: [
      [1_000_000, graceMs],
      [1, 0],
    ],
    expect: 'too_slow',
  },
]

for (const { name, pieces, expect } of uploads) {
  test(`an upload ${name}: ${expect}`, async () => {
    const clock = manualClock()
    const budget = new SharedBudget<never>(8 * mebibyte, {})
    const request = new IncomingMessage(new Socket())
    const total = pieces.reduce((sum, [bytes]) => sum + bytes, 0)
    request.headers['content-length'] = String(total)
    const reader = { allowance: budget.allowance({}), clock, limits: { ...edgeLimits, bodyBytesMax: total } }
    const reading = readBody(reader, request, { gone: false, sendContinue: () => {} })
    for (const [bytes, silentMs] of pieces) {
      request.push(Buffer.alloc(bytes))
      await new Promise(setImmediate)
      clock.advance(silentMs)
    }
    const outcome = await reading
    assert.equal(outcome.kind, expect)
    if (outcome.kind === 'body') outcome.drop()
    assert.deepEqual([budget.used, clock.pending()], [0, 0])
  })
}

test('the memory of a body that comes in pieces is freed as they are copied, and all of it when reading fails', async () => {
  for (const [announced, expect] of [
    [4 * mebibyte, 'body'],
    [4 * mebibyte + 1, 'gone'],
  ] as const) {
    const request = new IncomingMessage(new Socket())
    request.headers['content-length'] = String(announced)
    const allowance = new SharedBudget<never>(8 * mebibyte, {}).allowance({})
    const reader = { allowance, clock: manualClock(), limits: { ...edgeLimits, bodyBytesMax: announced } }
    const reading = readBody(reader, request, { gone: false, sendContinue: () => {} })
    const pieces = Array.from({ length: 8 }, (_, index) => Buffer.alloc(mebibyte / 2, String(index)))
    for (const piece of pieces) {
      request.push(piece)
      await new Promise(setImmediate)
    }
    request.emit('close')
    const outcome = await reading
    assert.equal(outcome.kind, expect)
    const whole = Buffer.concat(
      Array.from({ length: 8 }, (_, index) => Buffer.alloc(mebibyte / 2, String(index))),
    )
    if (outcome.kind === 'body') assert.ok(whole.equals(outcome.bytes))
    assert.deepEqual(
      pieces.map(({ buffer }) => buffer.byteLength),
      pieces.map(() => 0),
    )
  }
})

test('the rest of a rejected body is swallowed to a limit, then the connection ends', async () => {
  await withEdge({ clock: manualClock() }, async ({ port }) => {
    const client = new RawClient(port)
    client.send(`${post}Authorization: wrong\r\nContent-Length: 99999999\r\n\r\n`)
    const answer = await client.answer()
    assert.equal(`${answer?.status} ${answer?.body}`, '401 who are you?')
    assert.match(answer?.head ?? '', /connection: close/i)
    const piece = Buffer.alloc(mebibyte)
    let sent = 0
    while (!client.closed && sent < 64) {
      client.send(piece)
      sent += 1
      await new Promise(setImmediate)
    }
    await client.untilClosed()
    assert.ok(sent > edgeLimits.lingerBytesMax / mebibyte, `${sent} MiB`)
  })
})

test('after a small rejected body the connection lives on', async () => {
  await withEdge({}, async ({ port }) => {
    const client = new RawClient(port)
    for (const rest of ['hello', 'hello']) {
      client.send(`${post}Authorization: wrong\r\nContent-Length: 5\r\n\r\n`)
      assert.equal((await client.answer())?.status, 401)
      client.send(rest)
    }
    client.send(`${post}Content-Encoding: br\r\nContent-Length: 5\r\n\r\nhello`)
    assert.equal((await client.answer())?.status, 503)
    client.send(`${post}Content-Length: 2\r\n\r\nok`)
    assert.equal((await client.answer())?.body, 'got 2')
    client.close()
  })
})

async function isThere(program: string): Promise<boolean> {
  return run(program, ['--version']).then(
    () => true,
    () => false,
  )
}

const uploadBytes = 20 * mebibyte
const patient = { limits: { lingerBytesMax: 32 * mebibyte } }

test('Python reads a rejection that comes while it uploads', async (context) => {
  if (!(await isThere('python3'))) return context.skip('no python3 on this machine')
  const program = `
import http.client, sys
connection = http.client.HTTPConnection('127.0.0.1', int(sys.argv[1]))
connection.request('POST', '/v1/x', body=b'x' * ${uploadBytes}, headers={'Authorization': 'wrong'})
answer = connection.getresponse()
print(answer.status, answer.read().decode())
`
  await withEdge(patient, async ({ port }) => {
    const { stdout } = await run('python3', ['-c', program, String(port)])
    assert.equal(stdout.trim(), '401 who are you?')
  })
})

test('curl reads a rejection that comes while it uploads, waiting or not', async (context) => {
  if (!(await isThere('curl'))) return context.skip('no curl on this machine')
  const body = 'x'.repeat(uploadBytes)
  for (const expect of ['Expect: 100-continue', 'Expect:']) {
    await withEdge(patient, async ({ port }) => {
      const address = `http://127.0.0.1:${port}/v1/x`
      const options = [
        '-sS',
        '-w',
        ' %{http_code} %{size_upload}',
        '-H',
        'Authorization: wrong',
        '-H',
        expect,
      ]
      const child = run('curl', [...options, '--data-binary', '@-', address])
      child.child.stdin?.on('error', () => {})
      child.child.stdin?.end(body)
      const [, status, uploaded] = /(\d+) (\d+)$/.exec((await child).stdout) ?? []
      assert.equal(status, '401')
      if (expect !== 'Expect:') assert.equal(uploaded, '0')
    })
  }
})
