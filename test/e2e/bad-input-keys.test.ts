/**
 * Invalid, revoked and expired keys: 401 in the caller's format, without a store lookup
 * for what cannot be a key; store failures are never reported as an invalid key; and no key that
 * was sent is logged, echoed or forwarded.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ErrorCode } from '../../contract/errors.ts'
import { makeKey } from '../../src/access/key-form.ts'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { systemRandom } from '../../src/base/ids.ts'
import { createLog } from '../../src/base/log.ts'
import { defaultPolicy } from '../../src/control/key-policy.ts'
import {
  asking,
  type Format,
  formats,
  goodBody,
  type HostileGateway,
  headerOf,
  hostileGateway,
  type Rejected,
  readPlainRejection,
  readRejection,
  selfContained,
} from '../support/hostile-gateway.ts'
import type { RawAnswer } from '../support/raw-client.ts'
import { withSeparateThreads } from '../support/shared-threads.ts'

/** The real clock, with a wall clock that a test can move. */
let offsetMs = 0
const clock: Clock = { ...systemClock, wallMs: () => systemClock.wallMs() + offsetMs }

/** Everything that the process logged, and every key and word that must not be in it. */
let logged = ''
const secrets = new Set<string>()
const log = createLog({
  level: 'trace',
  destination: {
    write(line: string) {
      logged += line
    },
  },
})

withSeparateThreads()
let gateway: HostileGateway
before(async () => {
  gateway = await hostileGateway({
    clock,
    log,
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrent: null },
  })
})
after(async () => {
  for (const secret of secrets) assert.ok(!logged.includes(secret), 'a key or a prompt was logged')
  await gateway.end()
})

const prompt = 'nobody-else-may-read-this'
secrets.add(prompt)

/** Sends these header lines and no other credential. */
function ask(
  format: Format,
  headers: readonly string[],
  at: { readonly query?: string; readonly from?: HostileGateway } = {},
): Promise<RawAnswer | undefined> {
  const body = goodBody(format).replace('hello', prompt)
  const lines = [
    `POST ${asking[format].path}${at.query ?? ''} HTTP/1.1`,
    'Host: a',
    ...headers,
    `Content-Length: ${body.length}`,
  ]
  return (at.from ?? gateway).raw(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** The key is rejected under every header that accepts one, in both formats; nothing of it is echoed. */
async function rejectedAs(key: string, code: ErrorCode, status = 401): Promise<void> {
  if (key.length >= 12) secrets.add(key.slice(6))
  const reached = gateway.sandbox.requests()
  for (const format of formats) {
    for (const line of [
      `Authorization: Bearer ${key}`,
      `x-api-key: ${key}`,
      `api-key: ${key}`,
      `x-goog-api-key: ${key}`,
    ]) {
      const answer = await ask(format, [line])
      const rejection: Rejected = readRejection(format, answer)
      assert.deepEqual(
        [rejection.status, rejection.code],
        [status, code],
        `${line.slice(0, 60)}: ${answer?.body}`,
      )
      if (key.length >= 12) assert.ok(!answer?.body.includes(key.slice(0, 12)), 'a key is not told back')
      if (status === 401) assert.equal(headerOf(answer!, 'www-authenticate'), 'Bearer')
    }
  }
  assert.equal(gateway.sandbox.requests(), reached)
}

function wellFormed(): string {
  const id = gateway.gateway.services.nextId()
  return makeKey(id, id, systemRandom).key
}

/** Replaces one character of the key. */
function mistyped(key: string, at: number): string {
  return key.slice(0, at) + (key[at] === 'a' ? 'b' : 'a') + key.slice(at + 1)
}

test('no key, or something that is not a key', async () => {
  for (const format of formats) {
    for (const headers of [
      [],
      ['Authorization: '],
      ['Authorization: Bearer'],
      ['Authorization: Bearer  '],
      ['Authorization: Basic YTpi'],
      ['x-api-key: '],
      ['x-api-key:   '],
      ['Cookie: session=1'],
      ['Proxy-Authorization: Bearer x'],
    ]) {
      const rejection = readRejection(format, await ask(format, headers))
      assert.deepEqual([rejection.status, rejection.code], [401, 'missing_api_key'], headers.join())
    }
  }
  const made = wellFormed()
  for (const key of [
    'x',
    'undefined',
    'null',
    `sk-${'tg'}-`,
    `sk-${'tg'}-${'a'.repeat(46)}`,
    made.slice(0, -1),
    `${made}a`,
    made.slice(1),
    made.toUpperCase(),
    made.toLowerCase(),
    `${made} ${made}`,
    `${made},${made}`,
    `"${made}"`,
    `Bearer ${made}`,
    `${made}\t`.repeat(2),
    made.replaceAll('-', '_'),
    `${made.slice(0, 20)}\xe9${made.slice(21)}`,
    `' OR '1'='1`,
    `${made}' OR '1'='1`,
    `'; DROP TABLE api_key; --`,
    `" UNION SELECT hash FROM api_key --`,
    '../../../etc/passwd',
    '__proto__',
    '{"$gt":""}',
    'x'.repeat(8_000),
  ]) {
    await rejectedAs(key, 'invalid_api_key')
  }
  await gateway.assertServes()
})

test('a key with one wrong character, wherever it is', async () => {
  const account = await gateway.account('3')
  for (let at = 6; at < account.key.length; at += 5)
    await rejectedAs(mistyped(account.key, at), 'invalid_api_key')
  await gateway.assertUntouched(account, '3')
})

test('a well-formed key that does not exist', async () => {
  await rejectedAs(wellFormed(), 'invalid_api_key')
})

test('a revoked key', async () => {
  const account = await gateway.account('3')
  assert.equal((await ask('chat', [`Authorization: Bearer ${account.key}`]))?.status, 200)
  assert.equal(await gateway.gateway.services.access.revoke(account.keyId), 'revoked')
  await rejectedAs(account.key, 'revoked_api_key')
})

test('a key that expires while it is used', async () => {
  const account = await gateway.account('3')
  const expiresMs = clock.wallMs() + 60_000
  const key = await gateway.gateway.services.access.create({
    account: account.id,
    name: 'short',
    expiresMs,
    policy: defaultPolicy('personal'),
  })
  assert.equal((await ask('messages', [`x-api-key: ${key.secret}`]))?.status, 200)
  offsetMs = 60_001
  await rejectedAs(key.secret, 'expired_api_key')
  assert.equal((await ask('messages', [`x-api-key: ${account.key}`]))?.status, 200)
  offsetMs = 0
})

const filler = 'Ab1'.repeat(14)

/** Prefixes of provider keys, assembled so that none is in the source. */
const providers: readonly (readonly string[])[] = [
  ['sk', '-ant-api03-'],
  ['sk', '-ant-oat01-'],
  ['sk', '-or-v1-'],
  ['sk', '-proj-'],
  ['sk', '-svcacct-'],
  ['sk', '-admin-'],
  ['sk', `-${filler.slice(0, 20)}T3Blbk`, 'FJ'],
  ['sess', '-'],
  ['AI', 'za'],
  ['AQ', '.'],
  ['ya', '29.'],
  ['gs', 'k_'],
  ['xa', 'i-'],
  ['pp', 'lx-'],
  ['h', 'f_'],
  ['r', '8_'],
  ['cs', 'k-'],
  ['f', 'w_'],
  ['tg', 'p_v1_'],
  ['nv', 'api-'],
  ['vc', 'k_'],
  ['gh', 'p_'],
  ['github', '_pat_'],
]

test("a provider's own key is named as such", async () => {
  for (const parts of providers) await rejectedAs(parts.join('') + filler, 'provider_api_key')
  await rejectedAs(['AK', 'IA', 'A1'.repeat(8)].join(''), 'provider_api_key')
})

test('a credential of one megabyte is rejected by the parser', async () => {
  const rejection = readPlainRejection(await ask('chat', [`Authorization: Bearer ${'x'.repeat(1_000_000)}`]))
  assert.deepEqual([rejection.status, rejection.code], [431, 'headers_too_large'])
  await gateway.assertServes()
})

test('a valid key is accepted in every header and with any spelling of its scheme', async () => {
  for (const format of formats) {
    const account = await gateway.account('3')
    for (const line of [
      `Authorization: Bearer ${account.key}`,
      `authorization: bearer ${account.key}`,
      `AUTHORIZATION: BEARER ${account.key}`,
      `Authorization:   Bearer    ${account.key}   `,
      `Authorization:\tBearer\t${account.key}\t`,
      `Authorization: ${account.key}`,
      `X-Api-Key:${account.key}`,
      `x-api-key:   ${account.key}  `,
      `api-key: ${account.key}`,
      `x-goog-api-key: ${account.key}`,
    ]) {
      assert.equal((await ask(format, [line]))?.status, 200, line.slice(0, 30))
    }
  }
})

test('of two valid keys the first in order pays, in whichever headers they are', async () => {
  const names = ['Authorization: Bearer ', 'x-api-key: ', 'api-key: ', 'x-goog-api-key: '] as const
  for (const format of formats) {
    for (const [place, first] of names.entries()) {
      for (const second of names.slice(place + 1)) {
        const [payer, other] = [await gateway.account('3'), await gateway.account('3')]
        // The one that pays is the last header.
        const answer = await ask(format, [second + other.key, first + payer.key])
        assert.equal(answer?.status, 200, answer?.body)
        assert.ok((await gateway.balance(payer.id)).posted < 3_000_000_000n, `${first} pays`)
        await gateway.assertUntouched(other, '3')
      }
    }
  }
})

test('a valid key pays although another header contains an invalid one', async () => {
  for (const format of formats) {
    const account = await gateway.account('3')
    for (const worthless of ['x', wellFormed(), ['sk', '-ant-api03-', filler].join('')]) {
      const answer = await ask(format, [`Authorization: Bearer ${worthless}`, `x-api-key: ${account.key}`])
      assert.equal(answer?.status, 200, answer?.body)
      const sent = gateway.sandbox.requestLog().at(-1)
      const seen = JSON.stringify([sent?.headers, sent?.line])
      for (const key of [worthless, account.key]) {
        if (key.length > 1) assert.ok(!seen.includes(key), 'no credential of the caller goes upstream')
      }
    }
  }
})

test('a credential header that is sent twice is rejected, even with the same key', async () => {
  for (const format of formats) {
    const [account, other] = [await gateway.account('3'), await gateway.account('3')]
    for (const [one, two] of [
      ['Authorization: Bearer ', 'Authorization: Bearer '],
      ['Authorization: Bearer ', 'AUTHORIZATION: Basic '],
      ['x-api-key: ', 'X-API-Key: '],
      ['api-key: ', 'api-key: '],
      ['x-goog-api-key: ', 'x-goog-api-key: '],
    ] as const) {
      for (const second of [account.key, other.key, '']) {
        const rejection = readRejection(format, await ask(format, [one + account.key, two + second]))
        assert.deepEqual([rejection.status, rejection.code], [400, 'repeated_credential'], `${one} ${two}`)
      }
    }
    await gateway.assertUntouched(account, '3')
    await gateway.assertUntouched(other, '3')
  }
})

test('a key in the query is ignored where no library puts one, and is not forwarded', async () => {
  for (const format of selfContained) {
    const account = await gateway.account('3')
    secrets.add(account.key.slice(24))
    const queries = [
      `?key=${account.key}`,
      `?a=b&key=${account.key}`,
      `?KEY=${account.key}`,
      `?%6Bey=${account.key}`,
      `?api_key=${account.key}`,
      `?api-key=${account.key}&beta=true`,
      `?x-api-key=${account.key}`,
      `?access_token=${account.key}`,
      `?Authorization=Bearer%20${account.key}`,
      `?key=a&key=${account.key}`,
    ]
    for (const query of queries) {
      const rejection = readRejection(format, await ask(format, [], { query }))
      assert.deepEqual([rejection.status, rejection.code], [401, 'missing_api_key'])
      assert.equal((await ask(format, [asking[format].keyHeader(account.key)], { query }))?.status, 200)
      const sent = gateway.sandbox.requestLog().at(-1)
      assert.ok(!sent?.line.includes(account.key), sent?.line)
    }
  }
})

test('a key in the query of a Gemini URL pays, and is not forwarded', async () => {
  const account = await gateway.account('3')
  secrets.add(account.key.slice(24))
  for (const query of [`?key=${account.key}`, `?a=b&key=${account.key}&c=d`, `?%6Bey=${account.key}`]) {
    assert.equal((await ask('gemini', [], { query }))?.status, 200, query)
    const sent = gateway.sandbox.requestLog().at(-1)
    assert.ok(!sent?.line.includes(account.key), sent?.line)
  }
  const rejection = readRejection('gemini', await ask('gemini', [], { query: `?key=a&key=${account.key}` }))
  assert.deepEqual([rejection.status, rejection.code], [400, 'repeated_credential'])
})

test('without its store the server reports an outage, and rejects no key for it', async () => {
  const broken = await hostileGateway({ log })
  const account = await broken.account('3')
  const key = `x-api-key: ${account.key}`
  assert.equal((await ask('chat', [key], { from: broken }))?.status, 200)
  await new Promise<void>((ready) => broken.gateway.finishStart(ready))
  assert.equal((await broken.raw('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n'))?.status, 200)
  await broken.gateway.services.store.close()
  for (const format of formats) {
    for (const header of [key, `x-api-key: ${wellFormed()}`, `Authorization: Bearer ${wellFormed()}`]) {
      const answer = await ask(format, [header], { from: broken })
      const rejection = readRejection(format, answer)
      assert.deepEqual([rejection.status, rejection.code], [503, 'store_unavailable'], answer?.body)
      assert.match(headerOf(answer!, 'retry-after') ?? '', /^\d+$/)
    }
    // Requests that need no store are answered as usual.
    assert.equal(readRejection(format, await ask(format, ['x-api-key: x'], { from: broken })).status, 401)
  }
  for (const path of ['/v1/credits', '/v1/generations/req_0000000000001']) {
    const answer = await broken.raw(`GET ${path} HTTP/1.1\r\nHost: a\r\n${key}\r\n\r\n`)
    assert.equal(readRejection('chat', answer).code, 'store_unavailable')
  }
  assert.equal((await broken.raw('GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n'))?.status, 503)
  assert.equal((await broken.raw('GET /livez HTTP/1.1\r\nHost: a\r\n\r\n'))?.status, 200)
  await broken.close()
  await broken.sandbox.close()
})
