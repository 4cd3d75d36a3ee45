/**
 * Ambiguous HTTP is rejected and its connection closed; unusual but unambiguous HTTP is
 * served. A client gains nothing by sending early, slowly, concurrently or incompletely.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ErrorCode } from '../../contract/errors.ts'
import type { TestAccount } from '../support/gateway.ts'
import {
  asking,
  type Format,
  formats,
  goodBody,
  type HostileGateway,
  headerOf,
  hostileGateway,
  postBytes,
  readPlainRejection,
  readRejection,
} from '../support/hostile-gateway.ts'
import { eventually } from '../support/metered-gateway.ts'
import { RawClient } from '../support/raw-client.ts'

const requestTimeoutMs = 100

let gateway: HostileGateway
/** With shorter deadlines for sending a request. */
let hasty: HostileGateway
before(async () => {
  const rates = { requestsPerMinute: null, tokensPerMinute: null, concurrent: null }
  gateway = await hostileGateway({ limits: { ...rates, unmeteredBytes: 0 } })
  hasty = await hostileGateway({ limits: { ...rates, requestTimeoutMs, headersTimeoutMs: requestTimeoutMs } })
})
after(async () => {
  await gateway.end()
  await hasty.end()
})

const host = 'Host: gateway.test\r\n'

interface Parts {
  /** Request line and host as an ordinary client writes them. */
  readonly line: string
  readonly path: string
  /** The key and the content type. */
  readonly key: string
  readonly body: string
  /** A complete second request, which must not be served. */
  readonly smuggled: string
}

interface RejectedHttp {
  readonly name: string
  readonly bytes: (parts: Parts) => string
  readonly status: number
  readonly code: ErrorCode
  /** Whether the format was known at the rejection. */
  readonly by: 'format' | 'parser'
}

function malformed(name: string, by: RejectedHttp['by'], bytes: RejectedHttp['bytes']): RejectedHttp {
  return { name, bytes, status: 400, code: 'malformed_http', by }
}

function withLength({ body }: Parts): string {
  return `Content-Length: ${body.length}\r\n\r\n${body}`
}

function inChunks({ body }: Parts): string {
  return `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
}

const chunked = 'Transfer-Encoding: chunked\r\n'

const rejectedHttp: readonly RejectedHttp[] = [
  malformed(
    'a length and chunks',
    'parser',
    (at) => `${at.line}${at.key}Content-Length: 4\r\n${chunked}\r\n${inChunks(at)}${at.smuggled}`,
  ),
  malformed(
    'chunks and a length',
    'parser',
    (at) => `${at.line}${at.key}${chunked}${withLength(at)}${at.smuggled}`,
  ),
  malformed(
    'two lengths',
    'parser',
    (at) => `${at.line}${at.key}Content-Length: 0\r\n${withLength(at)}${at.smuggled}`,
  ),
  malformed(
    'a list of lengths',
    'parser',
    (at) => `${at.line}${at.key}Content-Length: 3, 3\r\n\r\n${at.body}`,
  ),
  malformed('a signed length', 'parser', (at) => `${at.line}${at.key}Content-Length: +3\r\n\r\n${at.body}`),
  malformed(
    'a length with a space',
    'parser',
    (at) => `${at.line}${at.key}Content-Length: 3 3\r\n\r\n${at.body}`,
  ),
  malformed(
    'an unknown encoding',
    'format',
    (at) => `${at.line}${at.key}Transfer-Encoding: xchunked\r\n\r\n${inChunks(at)}${at.smuggled}`,
  ),
  malformed(
    'chunks within another encoding',
    'format',
    (at) => `${at.line}${at.key}Transfer-Encoding: gzip, chunked\r\n\r\n${inChunks(at)}${at.smuggled}`,
  ),
  malformed(
    'chunks twice',
    'parser',
    (at) => `${at.line}${at.key}${chunked}${chunked}\r\n${inChunks(at)}${at.smuggled}`,
  ),
  malformed(
    'chunks that are not last',
    'parser',
    (at) => `${at.line}${at.key}Transfer-Encoding: chunked, identity\r\n\r\n${inChunks(at)}${at.smuggled}`,
  ),
  malformed(
    'a space before the colon',
    'parser',
    (at) => `${at.line}${at.key}Transfer-Encoding : chunked\r\n\r\n${inChunks(at)}`,
  ),
  malformed('a folded header', 'parser', (at) => `${at.line}${at.key}X: a\r\n b\r\n${withLength(at)}`),
  malformed(
    'a bare LF',
    'parser',
    (at) => `${at.line}${at.key}X: a\nContent-Length: 0\r\n\r\n${at.smuggled}`,
  ),
  malformed(
    'a bare CR',
    'parser',
    (at) => `${at.line}${at.key}X: a\rContent-Length: 0\r\n\r\n${at.smuggled}`,
  ),
  malformed('NUL in a header', 'parser', (at) => `${at.line}${at.key}X: a\0\r\n${withLength(at)}`),
  malformed('a header without a name', 'parser', (at) => `${at.line}${at.key}: a\r\n${withLength(at)}`),
  malformed('no host', 'format', (at) => `${at.line.replace(host, '')}${at.key}${withLength(at)}`),
  malformed(
    'two hosts',
    'format',
    (at) => `${at.line}Host: evil.test\r\n${at.key}${withLength(at)}${at.smuggled}`,
  ),
  malformed(
    'two equal hosts',
    'format',
    (at) => `${at.line}hOsT: gateway.test\r\n${at.key}${withLength(at)}${at.smuggled}`,
  ),
  malformed(
    'an absolute target',
    'format',
    (at) => `${at.line.replace(' /', ' http://evil.test/')}${at.key}${withLength(at)}${at.smuggled}`,
  ),
  malformed(
    'an absolute target of this server',
    'format',
    (at) => `${at.line.replace(' /', ' http://gateway.test/')}${at.key}${withLength(at)}`,
  ),
  malformed(
    'an authority as target',
    'parser',
    (at) => `${at.line.replace(at.path, 'evil.test:80')}${at.key}${withLength(at)}`,
  ),
  malformed(
    'a fragment',
    'format',
    (at) => `${at.line.replace(at.path, `${at.path}#a`)}${at.key}${withLength(at)}`,
  ),
  malformed(
    'a backslash line',
    'parser',
    (at) => `${at.line.replace(at.path, `${at.path} x`)}${at.key}${withLength(at)}`,
  ),
  malformed(
    'a high byte in the target',
    'parser',
    (at) => `${at.line.replace(at.path, `${at.path}?\xe9`)}${at.key}${withLength(at)}`,
  ),
  malformed(
    'HTTP/1.0 with a length',
    'format',
    (at) => `${at.line.replace('1.1', '1.0')}${at.key}${withLength(at)}${at.smuggled}`,
  ),
  malformed(
    'HTTP/1.0 with chunks',
    'format',
    (at) => `${at.line.replace('1.1', '1.0')}${at.key}${chunked}\r\n${inChunks(at)}${at.smuggled}`,
  ),
  malformed(
    'HTTP/2.0 in words',
    'format',
    (at) => `${at.line.replace('1.1', '2.0')}${at.key}${withLength(at)}`,
  ),
  malformed('HTTP/0.9', 'format', (at) => `${at.line.replace('1.1', '0.9')}${at.key}${withLength(at)}`),
  malformed('an HTTP/2 preface', 'parser', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  malformed('a TLS hello', 'parser', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  malformed(
    'a method that is none',
    'parser',
    (at) => `${at.line.replace('POST', 'PO$T')}${at.key}${withLength(at)}`,
  ),
  malformed(
    'a method in small letters',
    'parser',
    (at) => `${at.line.replace('POST', 'post')}${at.key}${withLength(at)}`,
  ),
  {
    name: 'an expectation that nobody knows',
    bytes: (at) => `${at.line}${at.key}Expect: 200-ok\r\n${withLength(at)}${at.smuggled}`,
    status: 417,
    code: 'expectation_failed',
    by: 'format',
  },
  {
    name: '17 KiB in one header',
    bytes: (at) => `${at.line}${at.key}X: ${'x'.repeat(17 * 1024)}\r\n${withLength(at)}`,
    status: 431,
    code: 'headers_too_large',
    by: 'parser',
  },
  {
    name: '17 KiB in many headers',
    bytes: (at) => `${at.line}${at.key}${`X: ${'x'.repeat(1024)}\r\n`.repeat(17)}${withLength(at)}`,
    status: 431,
    code: 'headers_too_large',
    by: 'parser',
  },
  {
    name: 'a 10 KB address',
    bytes: (at) =>
      `${at.line.replace(at.path, `${at.path}?${'x'.repeat(10_000)}`)}${at.key}${withLength(at)}`,
    status: 431,
    code: 'headers_too_large',
    by: 'format',
  },
  {
    name: 'a 10 MB address',
    bytes: (at) =>
      `${at.line.replace(at.path, `${at.path}?${'x'.repeat(10_000_000)}`)}${at.key}${withLength(at)}`,
    status: 431,
    code: 'headers_too_large',
    by: 'parser',
  },
  {
    name: '101 headers',
    bytes: (at) => `${at.line}${at.key}${'A: b\r\n'.repeat(97)}${withLength(at)}`,
    status: 431,
    code: 'headers_too_large',
    by: 'format',
  },
  {
    name: '2,100 headers',
    bytes: (at) => `${at.line}${at.key}${'A:b\r\n'.repeat(2_100)}${withLength(at)}`,
    status: 431,
    code: 'headers_too_large',
    by: 'format',
  },
]

function partsOf(format: Format, account: TestAccount): Parts {
  const { path, keyHeader } = asking[format]
  const body = goodBody(format)
  return {
    path,
    line: `POST ${path} HTTP/1.1\r\n${host}`,
    key: `${keyHeader(account.key)}\r\nContent-Type: application/json\r\n`,
    body,
    smuggled: postBytes(format, body, { key: account.key }).toString('latin1'),
  }
}

for (const format of formats) {
  test(`${format}: an ambiguous request is rejected and its connection closed`, async () => {
    for (const { name, bytes, status, code, by } of rejectedHttp) {
      // The parser knows no format.
      if (by === 'parser' && format !== 'chat') continue
      const account = await gateway.account('3')
      const reached = gateway.sandbox.requests()
      const client = new RawClient(gateway.port)
      client.send(bytes(partsOf(format, account)))
      const answer = await client.answer()
      const rejection =
        by === 'parser' ? readPlainRejection(answer) : readRejection(answeredFormat(format, name), answer)
      assert.deepEqual([rejection.status, rejection.code], [status, code], `${name}: ${answer?.body}`)
      if (code !== 'headers_too_large') {
        assert.match(headerOf(answer!, 'connection') ?? '', /^close$/i, name)
        await client.untilClosed()
        assert.equal(client.received, '', `${name}: nothing else is answered`)
      }
      client.close()
      assert.equal(gateway.sandbox.requests(), reached, name)
      await gateway.assertUntouched(account, '3')
    }
    await gateway.assertServes()
  })
}

/** A target that is not a path reveals no format, except through a method that only one format has. */
function answeredFormat(format: Format, name: string): Format {
  return format !== 'gemini' && name.includes('target') && name.includes('absolute') ? 'chat' : format
}

interface ServedHttp {
  readonly name: string
  readonly bytes: (parts: Parts) => string
}

const servedHttp: readonly ServedHttp[] = [
  {
    name: 'an upgrade to h2c, as Java clients offer it',
    bytes: (at) =>
      `${at.line}${at.key}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n${withLength(at)}`,
  },
  {
    name: 'an upgrade to WebSocket',
    bytes: (at) =>
      `${at.line}${at.key}Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n${withLength(at)}`,
  },
  { name: 'one chunk', bytes: (at) => `${at.line}${at.key}${chunked}\r\n${inChunks(at)}` },
  {
    name: 'a chunk for every byte, with extensions and a trailer',
    bytes: (at) =>
      `${at.line}${at.key}${chunked}\r\n${[...at.body].map((byte) => `1;a="b"\r\n${byte}\r\n`).join('')}0\r\nX-Sum: 1\r\nAuthorization: Bearer nobody\r\n\r\n`,
  },
  {
    name: 'names in any case',
    bytes: (at) => `${at.line}${at.key.replace('Content-Type', 'cOnTeNt-TyPe')}${withLength(at)}`,
  },
  { name: 'empty lines before', bytes: (at) => `\r\n\r\n${at.line}${at.key}${withLength(at)}` },
  { name: '100 headers', bytes: (at) => `${at.line}${at.key}${'A: b\r\n'.repeat(96)}${withLength(at)}` },
  {
    name: 'an 8 KB address',
    bytes: (at) => `${at.line.replace(at.path, `${at.path}?${'x'.repeat(8_000)}`)}${at.key}${withLength(at)}`,
  },
  {
    name: 'no type',
    bytes: (at) => `${at.line}${at.key.replace(/Content-Type.*\r\n/, '')}${withLength(at)}`,
  },
  {
    name: 'a type with parameters',
    bytes: (at) => `${at.line}${at.key.replace('json', 'json; charset=utf-8')}${withLength(at)}`,
  },
]

for (const format of formats) {
  test(`${format}: unusual but unambiguous requests are served`, async () => {
    for (const { name, bytes } of servedHttp) {
      const account = await gateway.account('3')
      const client = new RawClient(gateway.port)
      client.send(bytes(partsOf(format, account)))
      const answer = await client.answer()
      assert.equal(answer?.status, 200, `${name}: ${answer?.body}`)
      assert.match(answer?.head ?? '', /^HTTP\/1\.1 /)
      assert.equal(headerOf(answer!, 'upgrade'), undefined)
      client.send(partsOf(format, account).smuggled)
      assert.equal((await client.answer())?.status, 200, `${name}: the connection goes on`)
      client.close()
    }
  })
}

test('a client that sends Expect: 100-continue is asked for its body after its key was found valid', async () => {
  for (const format of formats) {
    const account = await gateway.account('3')
    const { line, key, body } = partsOf(format, account)
    const head = `Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`
    const client = new RawClient(gateway.port)
    client.send(line + key + head)
    assert.equal((await client.answer())?.status, 100)
    client.send(body)
    assert.equal((await client.answer())?.status, 200)
    client.close()
    const stranger = new RawClient(gateway.port)
    stranger.send(line + head)
    const rejection = readRejection(format, await stranger.answer())
    assert.deepEqual([rejection.status, rejection.code], [401, 'missing_api_key'])
    stranger.close()
  }
})

/** Method, path, status; for missing paths, the format of the path decides the error format. */
const addresses: readonly (readonly [method: string, path: string, status: number, format: Format])[] = [
  ['GET', '/v1/chat/completions', 405, 'chat'],
  ['PUT', '/v1/chat/completions', 405, 'chat'],
  ['DELETE', '/v1/chat/completions', 405, 'chat'],
  ['PATCH', '/v1/chat/completions', 405, 'chat'],
  ['OPTIONS', '/v1/chat/completions', 405, 'chat'],
  ['TRACE', '/v1/chat/completions', 405, 'chat'],
  ['PROPFIND', '/v1/chat/completions', 405, 'chat'],
  ['GET', '/v1/alt/v1/messages', 405, 'messages'],
  ['OPTIONS', '/v1/messages', 405, 'messages'],
  ['POST', '/v1/models', 405, 'chat'],
  ['POST', '/v1/alt/v1/models', 405, 'messages'],
  ['DELETE', '/v1/models/hostile-chat', 405, 'chat'],
  ['POST', '/v1/alt', 405, 'messages'],
  ['POST', '/V1/chat/completions', 404, 'chat'],
  ['POST', '/v1/Chat/completions', 404, 'chat'],
  ['POST', '/v1/chat/completions.', 404, 'chat'],
  ['POST', '/v1/chat/completions..', 404, 'chat'],
  ['POST', '/v1/chat/completions;a=b', 404, 'chat'],
  ['POST', '/v1/chat/completions%00', 404, 'chat'],
  ['POST', '/v1/chat/completions%20', 404, 'chat'],
  ['POST', '/v1/chat/completions/x', 404, 'chat'],
  ['POST', '/v1/chat%2fcompletions', 404, 'chat'],
  ['POST', '/v1/%63hat/completions', 404, 'chat'],
  ['POST', '/v1/../v1/chat/completions', 404, 'chat'],
  ['POST', '/v1/%2e%2e/v1/chat/completions', 404, 'chat'],
  ['POST', '/v1/./chat/completions', 404, 'chat'],
  ['POST', '/v1\\chat\\completions', 404, 'chat'],
  ['POST', '/v1/v1/v1/v1/v1/chat/completions', 404, 'chat'],
  ['POST', '/__proto__/chat/completions', 404, 'chat'],
  ['POST', '/constructor', 404, 'chat'],
  ['POST', '/v1/toString', 404, 'chat'],
  ['POST', '/v1/hasOwnProperty/x', 404, 'chat'],
  ['POST', '/v1/alt/v1/messages.', 404, 'messages'],
  ['POST', '/v1/alt/v1/Messages', 404, 'messages'],
  ['POST', '/v1/alt/%6dessages', 404, 'messages'],
  ['POST', '/v1/alt/../messages', 404, 'messages'],
  ['POST', '/anthropic/v1/messages/x', 404, 'messages'],
  ['POST', '/v1/messages/batches', 501, 'messages'],
  ['GET', '/credits', 404, 'chat'],
  ['GET', '/v1/models/%zz', 404, 'chat'],
  ['GET', '/v1/models/%c0%af', 404, 'chat'],
  ['GET', '/v1/models/..%2f..%2fetc%2fpasswd', 404, 'chat'],
  ['GET', '/v1/models/__proto__', 404, 'chat'],
  ['GET', '/v1/models/hostile-chat/', 200, 'chat'],
  ['GET', '/v1/generations/req_0000000000000', 404, 'chat'],
  ['GET', '/v1/generations/req_zzzzzzzzzzzzz', 404, 'chat'],
  ['GET', `/v1/generations/req_${'z'.repeat(1_000)}`, 404, 'chat'],
  ['GET', '/v1/generations/%27%20OR%201=1', 404, 'chat'],
  ['GET', '/v1/alt/v1/models?limit=-1', 400, 'messages'],
  ['GET', '/v1/alt/v1/models?limit=1e9', 400, 'messages'],
  ['GET', '/v1/alt/v1/models?after_id=__proto__', 400, 'messages'],
  ['GET', '/v1/alt/v1/models?after_id=a&before_id=b', 400, 'messages'],
]

test('a path matches exactly, and only with its own method', async () => {
  const account = await gateway.account('3')
  const reached = gateway.sandbox.requests()
  for (const [method, path, status, format] of addresses) {
    const body = goodBody(format)
    const answer = await gateway.raw(
      `${method} ${path} HTTP/1.1\r\n${host}Authorization: Bearer ${account.key}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    assert.equal(answer?.status, status, `${method} ${path}: ${answer?.body}`)
    if (status === 200) continue
    const rejection = readRejection(format, answer)
    if (status === 405) {
      assert.match(headerOf(answer!, 'allow') ?? '', /^(GET|POST)$/)
      assert.equal(headerOf(answer!, 'access-control-allow-origin'), undefined)
    }
    if (rejection.code === 'unknown_path') assert.ok(rejection.message.includes(`${gateway.origin}/v1`), path)
  }
  assert.equal(gateway.sandbox.requests(), reached)
  await gateway.assertUntouched(account, '3')
})

test('without a key only probes reveal more than where to go', async () => {
  for (const [method, path, status] of addresses) {
    const answer = await gateway.raw(`${method} ${path} HTTP/1.1\r\n${host}\r\n`)
    const expected =
      method === 'GET' &&
      path.startsWith('/v1/') &&
      status !== 405 &&
      !path.includes('%zz') &&
      !path.includes('%c0')
        ? 401
        : status
    assert.equal(answer?.status, expected, `${method} ${path}: ${answer?.body}`)
  }
})

test('100 pipelined requests on one connection are answered in order', async () => {
  for (const format of formats) {
    const account = await gateway.account('3')
    const count = 100
    const words = Array.from({ length: count }, (_, index) => `answer-${index}`)
    const client = new RawClient(gateway.port)
    client.send(
      Buffer.concat(
        words.map((word) => postBytes(format, goodBody(format).replace('hello', word), { key: account.key })),
      ),
    )
    for (const word of words) {
      const answer = await client.answer()
      assert.equal(answer?.status, 200)
      assert.ok(answer?.body.includes(`"${word}"`), `${word}: ${answer?.body}`)
    }
    client.close()
    const { held, openHolds } = await gateway.balance(account.id)
    assert.deepEqual([held, openHolds], [0n, 0])
  }
})

test('errors and responses alternate on one connection, in order', async () => {
  const account = await gateway.account('3')
  const good = (format: Format) => postBytes(format, goodBody(format), { key: account.key })
  const client = new RawClient(gateway.port)
  client.send(
    Buffer.concat([
      good('chat'),
      postBytes('messages', '{', { key: account.key }),
      good('messages'),
      postBytes('chat', goodBody('chat'), { key: 'nobody' }),
      Buffer.from(`GET /v1/nowhere HTTP/1.1\r\n${host}\r\n`),
      good('chat'),
      Buffer.from(`GET /v1/models HTTP/1.1\r\n${host}Host: evil.test\r\n\r\n`),
      good('chat'),
    ]),
  )
  const statuses: (number | undefined)[] = []
  for (let at = 0; at < 8; at += 1) statuses.push((await client.answer())?.status)
  assert.deepEqual(statuses, [200, 400, 200, 401, 404, 200, 400, undefined])
})

test('what follows a request that closes the connection is not executed', async () => {
  const account = await gateway.account('3')
  const reached = gateway.sandbox.requests()
  const last = postBytes('chat', goodBody('chat'), { key: account.key, headers: 'Connection: close\r\n' })
  const client = new RawClient(gateway.port)
  client.send(Buffer.concat([last, last, last]))
  assert.equal((await client.answer())?.status, 200)
  await client.untilClosed()
  assert.equal(client.received, '')
  await becomes(() => gateway.gateway.deps.inFlight.count === 0)
  assert.equal(gateway.sandbox.requests(), reached + 1)
})

test('a complete request is answered whatever follows it', async () => {
  for (const format of formats) {
    const account = await gateway.account('3')
    const good = postBytes(format, goodBody(format), { key: account.key })
    for (const rest of [
      'no request at all\r\n\r\n',
      '\x16\x03\x01\x02\x00',
      `POST /v1/x HTTP/1.1\r\nContent-Length: x\r\n\r\n`,
    ]) {
      const client = new RawClient(gateway.port)
      client.send(Buffer.concat([good, good, Buffer.from(rest, 'latin1')]))
      assert.equal((await client.answer())?.status, 200)
      assert.equal((await client.answer())?.status, 200)
      await client.untilClosed()
      assert.equal(client.received, '')
    }
    const { openHolds } = await gateway.balance(account.id)
    assert.equal(openHolds, 0)
  }
})

test('an unexpected body is not awaited, and no body answers a HEAD', async () => {
  const { key } = await gateway.account('3')
  for (const path of ['/v1/models', '/v1/credits', '/v1/alt', '/v1/alt/v1/models?limit=1']) {
    for (const framing of [`Content-Length: ${2 ** 40}\r\n\r\n`, `${chunked}\r\n400\r\n`]) {
      const client = new RawClient(gateway.port)
      client.send(`GET ${path} HTTP/1.1\r\n${host}x-api-key: ${key}\r\n${framing}hello`)
      const answer = await client.answer()
      assert.equal(answer?.status, 200, answer?.body)
      assert.match(headerOf(answer!, 'connection') ?? '', /^close$/i)
      client.close()
    }
    const client = new RawClient(gateway.port)
    client.send(`HEAD ${path} HTTP/1.1\r\n${host}x-api-key: ${key}\r\n\r\n`)
    client.send(
      `HEAD ${path.split('?')[0]}/nowhere/at/all HTTP/1.1\r\n${host}x-api-key: ${key}\r\nConnection: close\r\n\r\n`,
    )
    await client.untilClosed()
    const heads = client.received.split('\r\n\r\n')
    assert.equal(heads.length, 3, client.received)
    assert.match(heads[0] ?? '', /^HTTP\/1\.1 200 /)
    assert.match(heads[1] ?? '', /^HTTP\/1\.1 404 /)
    assert.equal(heads[2], '')
  }
})

test('a request that arrives byte by byte is served and forwarded whole', async () => {
  for (const format of formats) {
    const account = await gateway.account('3')
    const body = goodBody(format).replace('hello', 'h\\u00e9llo')
    const client = new RawClient(gateway.port)
    for (const byte of postBytes(format, body, { key: account.key })) {
      client.send(new Uint8Array([byte]))
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    assert.equal((await client.answer())?.status, 200)
    assert.equal(
      gateway.sandbox.requestLog().at(-1)?.body?.toString(),
      body.replace(asking[format].model, 'sandbox-echo'),
    )
    client.close()
  }
})

async function becomes(holds: () => boolean): Promise<void> {
  await eventually(String(holds), holds, (is) => is)
}

/** What a client does while it waits for its response. */
const goodbyes: Readonly<Record<string, (client: RawClient) => Promise<void>>> = {
  'that leaves after asking': async (client) => client.close(),
  'that closes its sending side after asking': async (client) => void client.socket.end(),
}

for (const [who, leave] of Object.entries(goodbyes)) {
  test(`a client ${who} is detected`, async () => {
    const account = await gateway.account('3')
    const ask = `{"model":"sandbox-hang","stream":true,"messages":[{"role":"user","content":"hello"}]}`
    const client = new RawClient(gateway.port)
    client.send(postBytes('chat', ask, { key: account.key }))
    const inFlight = gateway.gateway.deps.inFlight
    await becomes(() => inFlight.count === 1)
    await leave(client)
    await becomes(() => inFlight.count === 0)
    const { held, openHolds, posted } = await gateway.balance(account.id)
    assert.deepEqual([held, openHolds], [0n, 0])
    assert.ok(posted > 2_900_000_000n, 'what was never answered costs at most its input')
  })
}

test('a client that disconnects in the middle of its body leaves nothing behind', async () => {
  const { bodies: budget } = gateway.gateway.deps
  for (const format of formats) {
    const account = await gateway.account('3')
    const { line, key, body } = partsOf(format, account)
    for (const framing of ['Content-Length: 1000\r\n\r\n', `${chunked}\r\n400\r\n`]) {
      const client = new RawClient(gateway.port)
      client.send(line + key + framing + body.slice(0, 40))
      await becomes(() => budget.used > 0)
      client.close()
      await becomes(() => budget.used === 0)
      await gateway.assertUntouched(account, '3')
    }
  }
})

test('a body that stalls gets an error, and nothing was reserved for it', async () => {
  const framings = [
    'Content-Length: 1000\r\n\r\n',
    `Content-Length: ${2 ** 24}\r\n\r\n`,
    `${chunked}\r\n400\r\n`,
  ]
  const stalled = formats.flatMap((format) => framings.map((framing) => [format, framing] as const))
  const account = await hasty.account('3')
  await Promise.all(
    stalled.map(async ([format, framing]) => {
      const { line, key, body } = partsOf(format, account)
      const client = new RawClient(hasty.port)
      client.send(line + key + framing + body.slice(0, 40))
      const answer = await client.answer()
      assert.equal(answer?.status, 408, answer?.body)
      assert.match(headerOf(answer!, 'x-request-id') ?? '', /^req_/)
      assert.match(headerOf(answer!, 'connection') ?? '', /^close$/i)
      await client.untilClosed()
      assert.equal(client.received, '', 'one answer and no more')
    }),
  )
  await hasty.assertUntouched(account, '3')
  await hasty.assertServes()
})

test('a head that stalls gets an error', async () => {
  const heads = [`POST /v1/messages HTTP/1.1\r\n${host}`, 'P', `GET /v1/models HTTP/1.1\r\n${host}X: a`]
  const clients = heads.map((head) => {
    const client = new RawClient(hasty.port)
    client.send(head)
    return client
  })
  for (const client of clients) {
    const rejection = readPlainRejection(await client.answer())
    assert.deepEqual([rejection.status, rejection.code], [408, 'request_timeout'])
    await client.untilClosed()
  }
})
