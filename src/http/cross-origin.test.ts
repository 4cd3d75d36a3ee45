/** Which pages may call from a browser, and which headers their browsers get. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CrossOriginDecision, crossOriginPolicy, decideCrossOrigin } from './cross-origin.ts'

const app = 'https://app.example'
const policy = crossOriginPolicy([app, 'http://localhost:5173'])

type Headers = Readonly<Record<string, string>>

const cases: readonly [what: string, method: string, headers: Headers, kind: CrossOriginDecision['kind']][] =
  [
    ['a program, which names no origin', 'POST', {}, 'none'],
    ['an allowed page', 'POST', { origin: app }, 'allowed'],
    ['another allowed page', 'GET', { origin: 'http://localhost:5173' }, 'allowed'],
    ['another port', 'GET', { origin: 'http://localhost:5174' }, 'none'],
    ['another scheme', 'GET', { origin: 'http://app.example' }, 'none'],
    ['a longer host', 'GET', { origin: 'https://app.example.attacker.example' }, 'none'],
    ['a file or a sandboxed frame', 'GET', { origin: 'null' }, 'none'],
    ['a preflight', 'OPTIONS', { origin: app, 'access-control-request-method': 'POST' }, 'preflight'],
    ['OPTIONS that is not a preflight', 'OPTIONS', { origin: app }, 'allowed'],
    [
      'a preflight of another page',
      'OPTIONS',
      { origin: 'https://else.example', 'access-control-request-method': 'POST' },
      'none',
    ],
  ]

for (const [what, method, headers, kind] of cases) {
  test(`${what}: ${kind}`, () => {
    assert.ok(policy !== undefined)
    assert.equal(decideCrossOrigin(policy, method, headers).kind, kind)
  })
}

function preflight(requestHeaders: string): Headers {
  assert.ok(policy !== undefined)
  const decision = decideCrossOrigin(policy, 'OPTIONS', {
    origin: app,
    'access-control-request-method': 'POST',
    'access-control-request-headers': requestHeaders,
  })
  assert.ok(decision.kind === 'preflight')
  const flat = decision.headers
  return Object.fromEntries(flat.flatMap((name, at) => (at % 2 === 0 ? [[name, String(flat[at + 1])]] : [])))
}

test('a preflight allows the headers of an SDK, for two hours, and no credentials', () => {
  assert.deepEqual(preflight('authorization,content-type,x-stainless-lang'), {
    'access-control-allow-origin': app,
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': 'authorization,content-type,x-stainless-lang',
    'access-control-max-age': '7200',
    vary: 'Origin, Access-Control-Request-Headers',
  })
})

test('an invalid list of header names is not repeated', () => {
  for (const list of ['', 'a b', 'a;b', 'a:b', 'a,,b']) {
    assert.equal(preflight(list)['access-control-allow-headers'], undefined, list)
  }
})

test('without an allowed origin there is no policy', () => {
  assert.equal(crossOriginPolicy([]), undefined)
})
