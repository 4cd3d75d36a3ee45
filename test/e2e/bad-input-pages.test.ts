/**
 * What is served next to the data plane: probes, metrics for callers with the token, pages that
 * cannot be framed or scripted, and errors without internal details. No origin may call anything.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ErrorCode } from '../../contract/errors.ts'
import { createLog } from '../../src/base/log.ts'
import {
  type HostileGateway,
  headerOf,
  hostileGateway,
  readPlainRejection,
} from '../support/hostile-gateway.ts'
import type { RawAnswer } from '../support/raw-client.ts'

const metricsToken = 'metrics-for-tests-only'
let logged = ''
let gateway: HostileGateway
/** Without a metrics token. */
let plain: HostileGateway
before(async () => {
  const destination = {
    write(line: string) {
      logged += line
    },
  }
  gateway = await hostileGateway({ metricsToken, log: createLog({ level: 'trace', destination }) })
  plain = await hostileGateway()
  await new Promise<void>((ready) => gateway.gateway.finishStart(ready))
})
after(async () => {
  await gateway.end()
  await plain.end()
})

function ask(start: string, more = '', from = gateway): Promise<RawAnswer | undefined> {
  return from.raw(`${start} HTTP/1.1\r\nHost: a\r\n${more}\r\n`)
}

function post(path: string, type: string, body: string): Promise<RawAnswer | undefined> {
  return ask(
    `POST ${path}`,
    `Content-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

interface PageError {
  readonly error: { readonly code: string; readonly message: string; readonly requestId: string }
}

const internals = /FST_|node_modules|\.ts\b|at \w+ \(|Error:|SQLITE|statusCode/

function assertPageError(answer: RawAnswer | undefined, status: number, code: ErrorCode): void {
  assert.equal(answer?.status, status, answer?.body)
  assert.match(headerOf(answer!, 'content-type') ?? '', /^application\/json/)
  const { error } = JSON.parse(answer?.body ?? '') as PageError
  assert.equal(error.code, code)
  assert.match(error.requestId, /^req_[0-9a-z]{13}$/)
  assert.equal(headerOf(answer!, 'x-request-id'), error.requestId)
  assert.doesNotMatch(answer!.body, internals)
  assertGuarded(answer!)
}

const policyParts = {
  page: ["default-src 'self'", "object-src 'none'", "form-action 'self'"],
  'no page': ["default-src 'none'", "form-action 'none'"],
} as const

/** Neither framed nor sniffed, running only our own files, sending no referrer to other sites, for no other origin. */
function assertGuarded(answer: RawAnswer, what: keyof typeof policyParts = 'no page'): void {
  assert.equal(headerOf(answer, 'x-content-type-options'), 'nosniff')
  assert.equal(headerOf(answer, 'referrer-policy'), what === 'page' ? 'same-origin' : 'no-referrer')
  const policy = headerOf(answer, 'content-security-policy') ?? ''
  for (const part of ["base-uri 'none'", "frame-ancestors 'none'", ...policyParts[what]]) {
    assert.ok(policy.includes(part), policy)
  }
  assert.doesNotMatch(policy, /script-src|unsafe-|\*/)
  assert.doesNotMatch(answer.head, /^access-control-|^set-cookie|^server:|^x-powered-by/im)
}

const nowhere = [
  'GET /api/unknown',
  'GET /api/unknown/',
  'GET /api/',
  'GET /api//pricing',
  'GET /api/pricing/x',
  'GET /api/%00',
  'GET /api/__proto__',
  'GET /api/constructor',
  'GET /api/..%2fmetrics',
  'GET /api/../metrics',
  'GET /consolex',
  'GET /console/assets/..%2f..%2findex.html',
  'PUT /metrics',
  'GET /api/account/',
  'GET /api/Account',
  'GET /api/account.',
  'GET /api/auth',
  'POST /api/stripe/webhook',
]

test('a missing path is a JSON 404', async () => {
  for (const start of nowhere) assertPageError(await ask(start), 404, 'unknown_path')
})

for (const path of [
  '/docs/nothing',
  '/docs/errors/__proto__',
  '/docs/__proto__',
  '/docs/errors/..%2fapi',
  '/docs/api.html',
  '/docs/pages.json',
  '/docs/decisions/dependencies',
  '/docs/..%2f..%2fetc%2fpasswd',
]) {
  test(`GET ${path} is an HTML page with status 404`, async () => {
    const answer = await ask(`GET ${path}`)
    assert.equal(answer?.status, 404)
    assert.match(headerOf(answer!, 'content-type') ?? '', /^text\/html; charset=utf-8/)
    assert.equal(headerOf(answer!, 'cache-control'), 'no-store')
    assert.match(answer!.body, /<h1>Page not found<\/h1>/)
    assertGuarded(answer!, 'page')
  })
}

for (const [start, allow] of [
  ['POST /livez', 'GET, HEAD'],
  ['DELETE /readyz', 'GET, HEAD'],
  ['OPTIONS /api/pricing', 'GET, HEAD'],
  ['PUT /api/keys', 'GET, HEAD, POST'],
  ['GET /api/setup', 'POST'],
  ['GET /api/keys/key_0000000000001', 'DELETE, PATCH'],
  ['DELETE /api/auth/session', 'GET, HEAD, POST'],
  ['POST /docs', 'GET, HEAD'],
  ['POST /docs/api', 'GET, HEAD'],
] as const) {
  test(`${start}: the path allows ${allow}`, async () => {
    const answer = await ask(start)
    assert.equal(headerOf(answer!, 'allow'), allow)
    assertPageError(answer, 405, 'method_not_allowed')
  })
}

test('metrics are missing without the token, and available with it', async () => {
  for (const line of [
    '',
    'Authorization: Bearer x\r\n',
    `Authorization: Bearer ${metricsToken}x\r\n`,
    `Authorization: Basic ${metricsToken}\r\n`,
    `Authorization: ${metricsToken}\r\n`,
    'Authorization: Bearer \r\n',
    `x-api-key: ${metricsToken}\r\n`,
  ]) {
    assertPageError(await ask('GET /metrics', line), 404, 'unknown_path')
  }
  for (const line of [
    '',
    'Authorization: Bearer null\r\n',
    'Authorization: Bearer undefined\r\n',
    'Authorization: Bearer \r\n',
  ]) {
    assertPageError(await ask('GET /metrics', line, plain), 404, 'unknown_path')
  }
  assertPageError(await ask(`GET /metrics?token=${metricsToken}`), 404, 'unknown_path')
  const answer = await ask('GET /metrics', `Authorization: Bearer ${metricsToken}\r\n`)
  assert.equal(answer?.status, 200)
  assert.match(headerOf(answer!, 'content-type') ?? '', /^text\/plain/)
  assert.match(answer!.body, /^# TYPE \w+ /m)
  assertGuarded(answer!)
})

test('a setup page does not contain its token, and viewing it does not use it up', async () => {
  const { start } = gateway.gateway
  assert.ok(start.kind === 'first')
  const link = new URL(start.setupLink)
  const token = link.searchParams.get('token') ?? ''
  for (const query of [link.search, '', '?token=x', `?token=${token}&token=${token}`, '?token=%00']) {
    const answer = await ask(`GET /console/setup${query}`)
    assert.match(headerOf(answer!, 'content-type') ?? '', /^text\/html/)
    assert.ok(!answer!.body.includes(token))
    assertGuarded(answer!, 'page')
  }
  const person = { name: 'N', email: 'n@example.org', password: 'long enough to count' }
  for (const [wrong, status] of [
    ['x', 404],
    [`${token}x`, 404],
    [token.toUpperCase(), 404],
    [start.key, 400],
    ["' OR 1=1", 404],
    ['x'.repeat(201), 400],
    ['', 400],
    [[token], 400],
    [null, 400],
  ] as const) {
    const answer = await post('/api/setup', 'application/json', JSON.stringify({ ...person, token: wrong }))
    const code = status === 404 ? 'setup_link_not_valid' : 'invalid_value'
    if (wrong !== start.key) assertPageError(answer, status, code)
    assert.notEqual(answer?.status, 200)
  }
  assert.ok(!logged.includes(token) && !logged.includes(start.key.slice(24)))
})

test("an invalid page request is the sender's error", async () => {
  const rows: readonly (readonly [
    answer: Promise<RawAnswer | undefined>,
    status: number,
    code: ErrorCode,
  ])[] = [
    [post('/api/x', 'application/json', '{'), 400, 'invalid_json'],
    [post('/api/x', 'application/json', '{"__proto__":{"polluted":true}}'), 400, 'invalid_json'],
    [post('/api/x', 'application/json', '{"constructor":{"prototype":{}}}'), 400, 'invalid_json'],
    [post('/api/x', 'application/json', ''), 400, 'invalid_json'],
    [post('/api/x', 'application/json', '[]'), 404, 'unknown_path'],
    [post('/', 'application/json', JSON.stringify('x'.repeat(2_000_000))), 413, 'body_too_large'],
    [post('/api/setup', 'text/plain', '{}'), 415, 'unsupported_media_type'],
    [post('/api/setup', 'application/x-www-form-urlencoded', 'token=x'), 415, 'unsupported_media_type'],
    [post('/api/setup', 'multipart/form-data; boundary=x', '--x--'), 415, 'unsupported_media_type'],
    [post('/api/setup', 'application/jsonp', '{}'), 415, 'unsupported_media_type'],
    [post('/api/setup', 'application/json', '[]'), 400, 'invalid_value'],
    [post('/api/setup', 'application/json', '"token"'), 400, 'invalid_value'],
    [post('/api/setup?token=x', 'application/json', '{}'), 400, 'invalid_value'],
    [ask('GET /api/%zz'), 400, 'malformed_http'],
    [ask('GET /console/%c0%af'), 400, 'malformed_http'],
  ]
  for (const [answer, status, code] of rows) assertPageError(await answer, status, code)
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
  assert.ok(!logged.includes('"level":"error"'), 'none of it is our mistake')
})

test('an ambiguous request head never reaches a page', async () => {
  for (const [start, more, status, code] of [
    ['GET /api/pricing', 'Host: b\r\n', 400, 'malformed_http'],
    ['GET /livez', 'Expect: wonders\r\n', 417, 'expectation_failed'],
    ['GET /', 'A: b\r\n'.repeat(100), 431, 'headers_too_large'],
    [`GET /?${'x'.repeat(9_000)}`, '', 431, 'headers_too_large'],
  ] as const) {
    const rejection = readPlainRejection(await ask(start, more))
    assert.deepEqual([rejection.status, rejection.code], [status, code])
  }
})
