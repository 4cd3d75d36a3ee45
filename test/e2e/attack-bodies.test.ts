/**
 * Malicious bodies: endlessly nested, larger than the endpoint allows, slow, and many concurrently. Each gets an error
 * with the reason, costs at most what its limit allows, and does not block other clients.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createLog } from '../../src/base/log.ts'
import { sendTo } from '../support/control-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { RawClient } from '../support/raw-client.ts'
import { joined, type Member } from '../support/two-tenants.ts'

const roomBytes = 256 * 1024
let logged = ''
let gateway: TestGateway
let port = 0
let person: Member

before(async () => {
  const destination = {
    write(line: string) {
      logged += line
    },
  }
  gateway = await testGateway({
    log: createLog({ level: 'error', destination }),
    limits: {
      anonymousBodyBudgetBytes: roomBytes,
      anonymousShareOfNetworkMax: 0.5,
      controlBodyMs: 5_000,
      uniformAnswerMs: 1,
    },
  })
  port = Number(new URL(gateway.origin).port)
  person = await joined(gateway.origin, 'ada')
})
after(() => gateway.close())

const json = { 'content-type': 'application/json' }
const codeOf = (text: string) =>
  (JSON.parse(text) as { readonly error: { readonly code: string } }).error.code

test('endless nesting is rejected as unreadable JSON, and is not an internal error', async () => {
  const depth = 12_000
  const deep = `${'['.repeat(depth)}${']'.repeat(depth)}`
  for (const path of [
    '/api/auth/sign-in/email',
    '/api/auth/organization/create',
    '/api/setup',
    '/api/keys',
  ]) {
    for (const body of [
      `{"email":${deep}}`,
      `{"name":${deep}}`,
      `{"a":"\\"]"${',"b":[{}]'.repeat(9)},"c":${deep}}`,
    ]) {
      const headers = { ...json, origin: gateway.origin, cookie: person.client.cookie }
      const answer = await sendTo(gateway.origin, { method: 'POST', path, headers, body })
      assert.deepEqual([answer.status, codeOf(answer.text)], [400, 'invalid_json'], `${path}: ${answer.text}`)
    }
  }
  const brackets = await person.client.ask('key.create', { name: '[[[[{{{{"]'.repeat(5) })
  assert.equal(brackets.status, 200, brackets.text)
  assert.equal(logged, '')
})

test('an unknown caller may send little, and is rejected before the body is read', async () => {
  for (const [path, bytes] of [
    ['/api/setup', 70_000],
    ['/api/auth/sign-in/email', 70_000],
    ['/api/nothing', 70_000],
    ['/api/keys', 1_100_000],
  ] as const) {
    const cookie =
      path === '/api/keys' ? `Cookie: ${person.client.cookie}\r\nOrigin: ${gateway.origin}\r\n` : ''
    const client = new RawClient(port)
    const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${cookie}`
    client.send(`${head}Content-Length: ${bytes}\r\n\r\n{"a":"`)
    const answer = await client.answer()
    assert.deepEqual([answer?.status, codeOf(answer?.body ?? '')], [413, 'body_too_large'], path)
    await client.untilClosed()
  }
  const chunked = new RawClient(port)
  chunked.send(
    'POST /api/setup HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
  )
  chunked.send(`11170\r\n{"token":"${'x'.repeat(69_990)}\r\n`)
  assert.equal((await chunked.answer())?.status, 413)
  chunked.close()
})

test('compressed bodies are not decompressed', async () => {
  const headers = { ...json, 'content-encoding': 'gzip' }
  for (const path of ['/api/setup', '/api/auth/sign-in/email']) {
    const answer = await sendTo(gateway.origin, { method: 'POST', path, headers, body: '{}' })
    assert.deepEqual([answer.status, codeOf(answer.text)], [415, 'unsupported_media_type'], answer.text)
  }
})

/** Begins a body of almost the maximum size, and then stops sending. */
function slow(path: string): RawClient {
  const client = new RawClient(port)
  client.send(
    `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 65000\r\n\r\n`,
  )
  client.send(`{"token":"${'x'.repeat(64_000)}`)
  return client
}

test('bodies that do not end are timed out, and release their memory', async () => {
  const paths = ['/api/setup', '/api/auth/sign-in/email', '/api/nothing']
  const clients = Array.from({ length: 9 }, (_none, index) => slow(paths[index % paths.length] ?? ''))
  const answers = await Promise.all(clients.map((client) => client.answer()))
  const outcomes = answers.map((answer) => `${answer?.status} ${codeOf(answer?.body ?? '')}`)
  assert.deepEqual(
    new Set(outcomes),
    new Set(['408 request_timeout', '429 concurrency_limited']),
    outcomes.join(),
  )
  assert.ok(outcomes.filter((one) => one.startsWith('408')).length * 60_000 <= roomBytes / 2, outcomes.join())
  for (const client of clients) await client.untilClosed()
  const body = JSON.stringify({ name: 'x'.repeat(60) })
  const headers = { ...json, origin: gateway.origin, cookie: person.client.cookie }
  const served = await sendTo(gateway.origin, { method: 'POST', path: '/api/keys', headers, body })
  assert.equal(served.status, 200, served.text)
})

test('bodies whose senders disconnect release their memory', async () => {
  for (let round = 0; round < 4; round += 1) {
    const clients = Array.from({ length: 4 }, () => slow('/api/setup'))
    for (const client of clients) {
      client.close()
      await client.untilClosed()
    }
    const body = JSON.stringify({ email: 'a@example.org', password: 'x'.repeat(100) })
    const answer = await sendTo(gateway.origin, {
      method: 'POST',
      path: '/api/auth/sign-in/email',
      headers: json,
      body,
    })
    assert.equal(answer.status, 401, answer.text)
  }
})
