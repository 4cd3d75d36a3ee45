/**
 * A request that another site's page makes a browser send changes nothing here, whatever cookie it has. src/api/same-site.test.ts has
 * more of the headers that browsers send.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ErrorCode } from '../../contract/errors.ts'
import { sendTo } from '../support/control-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { joined, type Member, password } from '../support/two-tenants.ts'

let gateway: TestGateway
let person: Member

before(async () => {
  gateway = await testGateway()
  person = await joined(gateway.origin, 'ada')
})
after(() => gateway.close())

type Outcome = 'done' | readonly [status: number, code: ErrorCode]
type Case = readonly [
  title: string,
  headers: Readonly<Record<string, string>>,
  outcome: Outcome,
  body?: string,
]

const rejected = [403, 'cross_site'] as const
const wrongType = [415, 'unsupported_media_type'] as const
const json = { 'content-type': 'application/json' }
/** A placeholder for the server's own origin. */
const own = 'OWN'
const asJson = JSON.stringify({ name: 'made across' })

const cases: readonly Case[] = [
  ['the console', { ...json, origin: own, 'sec-fetch-site': 'same-origin' }, 'done'],
  [
    'a page of another site',
    { ...json, origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
    rejected,
  ],
  ['a request that says nothing of where it comes from', json, rejected],
  [
    'a form',
    { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.test' },
    rejected,
    'name=x',
  ],
  [
    'a form of our own',
    { 'content-type': 'application/x-www-form-urlencoded', origin: own },
    wrongType,
    'name=x',
  ],
  ['JSON that says it is text', { 'content-type': 'text/plain', origin: own }, wrongType],
  ['JSON that says nothing', { origin: own }, wrongType],
  [
    'a form with a file',
    { 'content-type': 'multipart/form-data; boundary=x', origin: own },
    wrongType,
    '--x--',
  ],
]

for (const [title, headers, outcome, body = asJson] of cases) {
  test(`${title}: ${outcome === 'done' ? 'done' : outcome[1]}`, async () => {
    const before = (await person.client.done('key.list', {})).length
    const own = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, value.replace('OWN', gateway.origin)]),
    )
    const answer = await sendTo(gateway.origin, {
      method: 'POST',
      path: '/api/keys',
      headers: { cookie: person.client.cookie, ...own },
      body,
    })
    const after = (await person.client.done('key.list', {})).length
    if (outcome === 'done') assert.deepEqual([answer.status, after - before], [200, 1], answer.text)
    else {
      const { error } = answer.body as { readonly error: { readonly code: string } }
      assert.deepEqual([answer.status, error.code, after - before], [...outcome, 0])
    }
    assert.doesNotMatch(Object.keys(answer.headers).join(), /access-control/)
  })
}

test('identity rejects other sites as well: they sign no user in or out', async () => {
  const { cookie } = person.client
  const foreign = { ...json, origin: 'https://evil.test' }
  for (const [path, body, headers] of [
    ['/api/auth/sign-out', {}, { ...foreign, cookie }],
    ['/api/auth/sign-out', {}, { ...json, cookie }],
    ['/api/auth/sign-in/email', { email: person.email, password }, foreign],
    ['/api/auth/sign-up/email', { email: 'new@example.org', name: 'new', password }, foreign],
  ] as const) {
    const answer = await sendTo(gateway.origin, { method: 'POST', path, headers, body: JSON.stringify(body) })
    assert.equal(answer.status, 403, `${path}: ${answer.text}`)
    assert.deepEqual(answer.setCookies, [])
  }
  assert.equal((await person.client.ask('me.show')).status, 200)
})

test('no method can be disguised as another one', async () => {
  const { id } = await person.client.done('key.create', { name: 'to be kept' })
  for (const [method, path, headers] of [
    ['GET', `/api/keys/${id}?_method=DELETE`, {}],
    ['GET', `/api/keys/${id}`, { 'x-http-method-override': 'DELETE' }],
    ['POST', `/api/keys/${id}`, { 'x-http-method-override': 'DELETE', ...json }],
    ['POST', `/api/keys/${id}?_method=DELETE`, json],
    ['GET', `/api/keys/${id}/rotate`, {}],
    ['HEAD', `/api/keys/${id}/rotate`, {}],
  ] as const) {
    const body = method === 'POST' ? '{}' : undefined
    const answer = await person.client.send({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body }),
    })
    assert.equal(answer.status, 405, `${method} ${path}: ${answer.text}`)
  }
  const remaining = (await person.client.done('key.list', {})).find((key) => key.id === id)
  assert.deepEqual([remaining?.revoked, remaining?.replacedBy], [null, null])
})

test('the session cookie is sent only with this server’s own requests', async () => {
  const answer = await person.client.post('/api/auth/sign-in/email', { email: person.email, password })
  assert.ok(answer.setCookies.length > 0)
  for (const cookie of answer.setCookies) {
    assert.match(cookie, /; HttpOnly/i)
    assert.match(cookie, /; SameSite=Lax/i)
    assert.match(cookie, /; Path=\//i)
    assert.doesNotMatch(cookie, /; Domain=/i)
  }
})
