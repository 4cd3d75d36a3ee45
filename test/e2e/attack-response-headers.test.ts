/**
 * Response headers for browsers and proxies: that the content is what its type says, who may cache it, and what a page
 * may do. Checked at every mounted path, signed in and signed out, and on the data plane in every format, for responses,
 * streams and errors.
 */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { operations } from '../../contract/operations.ts'
import type { Sending } from '../support/control-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { asking, formats, goodBody, type HostileGateway, hostileGateway } from '../support/hostile-gateway.ts'
import { mountedRoutes } from '../support/mounted-routes.ts'
import { joined, type Member } from '../support/two-tenants.ts'

let gateway: TestGateway
let hostile: HostileGateway
let person: Member
let mounted: readonly string[]

before(async () => {
  gateway = await testGateway({ metricsToken: 'metrics-for-tests-only' })
  hostile = await hostileGateway()
  person = await joined(gateway.origin, 'ada')
  mounted = await mountedRoutes(gateway)
})
after(async () => {
  await gateway.close()
  await hostile.end()
})

interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

/** The head of a response; the body is not awaited, because some are endless. */
function headOf({ method, path, headers = {}, body }: Sending): Promise<Head> {
  const { hostname, port } = new URL(gateway.origin)
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path, headers: { ...headers }, agent: false },
      (answer) => {
        const all = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
        resolve({ status: answer.statusCode ?? 0, headers: Object.fromEntries(all) })
        answer.on('error', () => {})
        sent.destroy()
      },
    )
    sent.on('error', reject)
    sent.end(body)
  })
}

const never = /^(?:server|x-powered-by|access-control-.*)$/
const ownFiles = /^\/(?:console\/(?:assets\/|theme\.js|favicon)|favicon\.ico)/

function assertGuarded(what: string, path: string, { status, headers }: Head): void {
  const type = headers['content-type'] ?? ''
  assert.equal(headers['x-content-type-options'], 'nosniff', what)
  assert.equal(headers['cross-origin-resource-policy'], 'same-origin', what)
  for (const name of Object.keys(headers)) assert.doesNotMatch(name, never, what)
  const policy = headers['content-security-policy'] ?? ''
  for (const part of ["frame-ancestors 'none'", "base-uri 'none'"]) assert.ok(policy.includes(part), what)
  assert.doesNotMatch(policy, /unsafe-|script-src|\*/, what)
  assert.match(headers['referrer-policy'] ?? '', /^(?:no-referrer|same-origin)$/, what)
  if (!type.startsWith('text/html') && !ownFiles.test(path) && !/^\/(?:console|docs|pricing)/.test(path)) {
    assert.ok(policy.includes("default-src 'none'"), what)
  }
  if (type.startsWith('text/html')) {
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin', what)
    assert.match(type, /charset=utf-8/i, what)
  }
  if (path.startsWith('/api/') || status >= 400)
    assert.match(headers['cache-control'] ?? '', /no-store/, what)
}

/** A path for a pattern; with unknown IDs, and with objects of the program itself where it has any. */
function pathOf(pattern: string): string {
  return pattern.replaceAll(/:\w+/g, 'key_0000000000001').replace('*', 'nothing-here')
}

test('every mounted path protects its responses, signed in and signed out', async () => {
  assert.ok(mounted.length > 100)
  const json = { 'content-type': 'application/json' }
  for (const address of mounted) {
    const [method = '', pattern = ''] = address.split(' ')
    const path = pathOf(pattern)
    const asked: Sending[] = [{ method, path }]
    if (method === 'GET' || method === 'HEAD')
      asked.push({ method, path, headers: { cookie: person.client.cookie } })
    else {
      asked.push({ method, path, headers: { ...json, origin: gateway.origin }, body: '{' })
      asked.push({ method, path, headers: { ...json, origin: 'https://evil.test' }, body: '{}' })
    }
    for (const sending of asked) {
      assertGuarded(`${address} ${JSON.stringify(sending.headers ?? {})}`, path, await headOf(sending))
    }
  }
})

test('unknown paths, wrong methods and malformed requests are protected too', async () => {
  for (const [method, path] of [
    ['GET', '/api/nothing'],
    ['GET', '/api/%zz'],
    ['PUT', '/api/keys'],
    ['GET', '/console/assets/nothing.js'],
    ['GET', '/console/%c0%af'],
    ['GET', '/metrics'],
    ['POST', '/pricing'],
  ] as const) {
    assertGuarded(`${method} ${path}`, path, await headOf({ method, path }))
  }
})

/** What is read by GET below `/api`, including downloads. */
const readings = Object.values(operations).flatMap(({ http }) => (http?.[0] === 'GET' ? [http[1]] : []))

test('no cache stores the personal data export or what is read of an account', async () => {
  assert.ok(readings.filter((path) => path.endsWith('.csv')).length > 1)
  const paths = [
    ...readings,
    '/api/events',
    '/api/play/v1/models',
    '/api/auth/get-session',
    '/api/auth/list-sessions',
  ]
  for (const path of paths) {
    const sending = {
      method: 'GET',
      path: path.replaceAll(/\{\w+\}/g, 'x'),
      headers: { cookie: person.client.cookie },
    }
    const { status, headers } = await headOf(sending)
    assert.match(headers['cache-control'] ?? '', /no-store/, `${path} ${status}`)
    assert.equal(headers['x-content-type-options'], 'nosniff', path)
    if (status === 200 && path.endsWith('.csv')) {
      assert.match(headers['content-disposition'] ?? '', /^attachment; filename="[\w.-]+"$/, path)
      assert.match(headers['content-type'] ?? '', /^text\/csv; charset=utf-8$/, path)
    }
  }
})

const header = (head: string, name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1]

test('the data plane sends the right content type and prevents shared caching', async () => {
  const { key } = await hostile.account('5')
  const line = (start: string, more = '') => hostile.raw(`${start} HTTP/1.1\r\nHost: a\r\n${more}\r\n`)
  const withKey = `x-api-key: ${key}\r\n`
  const answers = new Map<string, Awaited<ReturnType<typeof line>>>()
  for (const format of formats) {
    const { path, keyHeader } = asking[format]
    answers.set(`${format} served`, await hostile.post(format, goodBody(format), { key }))
    answers.set(`${format} rejected`, await hostile.post(format, '{', { key }))
    answers.set(`${format} without a key`, await line(`POST ${path}`))
    answers.set(`${format} with another method`, await line(`DELETE ${path}`, `${keyHeader(key)}\r\n`))
  }
  for (const path of [
    'models',
    'models/nothing',
    'credits',
    'key',
    'generations/req_0000000000001',
    'unknown',
    '',
  ]) {
    for (const base of ['/v1', '/v1/alt']) {
      answers.set(`${base}/${path}`, await line(`GET ${base}/${path}`, withKey))
      answers.set(`${base}/${path} without a key`, await line(`GET ${base}/${path}`))
    }
  }
  answers.set('two hosts', await line('GET /v1/models', 'Host: b\r\n'))
  answers.set('two hosts of a page', await line('GET /api/pricing', 'Host: b\r\n'))
  answers.set('no request', await hostile.raw('nonsense\r\n\r\n'))
  answers.set('too many headers', await line('GET /', 'a: b\r\n'.repeat(2_000)))
  const streamed = `{"model":"${asking.chat.model}","stream":true,"messages":[{"role":"user","content":"x"}]}`
  answers.set('a stream', await hostile.post('chat', streamed, { key }))
  for (const [what, answer] of answers) {
    assert.ok(answer !== undefined, what)
    assert.equal(header(answer.head, 'x-content-type-options'), 'nosniff', `${what}: ${answer.head}`)
    const cacheControl = header(answer.head, 'cache-control') ?? ''
    assert.match(cacheControl, what === 'a stream' ? /no-cache/ : /no-store/, `${what}: ${answer.head}`)
    assert.doesNotMatch(answer.head, /^(?:access-control-|set-cookie|server:|x-powered-by)/im, what)
  }
})
