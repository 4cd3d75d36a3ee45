/** A request that another site's page makes a browser send changes nothing here, whatever cookie it has. */
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

interface Case {
  readonly title: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly outcome: 'done' | readonly [status: number, code: ErrorCode]
}

const refused = [403, 'cross_site'] as const
const wrongType = [415, 'unsupported_media_type'] as const
const json = { 'content-type': 'application/json' }
/** A placeholder for the server's own origin. */
const own = 'OWN'
const asJson = JSON.stringify({ name: 'made across' })

const cases: readonly Case[] = [
  {
    title: 'the console',
    headers: { ...json, origin: own, 'sec-fetch-site': 'same-origin' },
    outcome: 'done',
  },
  { title: 'an older browser', headers: { ...json, origin: own }, outcome: 'done' },
  {
    title: 'a browser that leaves Origin out',
    headers: { ...json, 'sec-fetch-site': 'same-origin' },
    outcome: 'done',
  },
  {
    title: 'a page of another site',
    headers: { ...json, origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
    outcome: refused,
  },
  {
    title: 'another site in an older browser',
    headers: { ...json, origin: 'https://evil.test' },
    outcome: refused,
  },
  { title: 'a sandboxed frame', headers: { ...json, origin: 'null' }, outcome: refused },
  {
    title: 'a subdomain of the same site',
    headers: { ...json, origin: 'http://sub.localhost', 'sec-fetch-site': 'same-site' },
    outcome: refused,
  },
  {
    title: 'another port of this machine',
    headers: { ...json, origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
    outcome: refused,
  },
  { title: 'the same host over https', headers: { ...json, origin: 'https://127.0.0.1' }, outcome: refused },
  { title: 'a request that says nothing of where it comes from', headers: json, outcome: refused },
  { title: 'a Referer alone', headers: { ...json, referer: `${own}/console` }, outcome: refused },
  {
    title: 'a form',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://evil.test' },
    body: 'name=x',
    outcome: refused,
  },
  {
    title: 'a form of our own',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: own },
    body: 'name=x',
    outcome: wrongType,
  },
  {
    title: 'JSON that says it is text',
    headers: { 'content-type': 'text/plain', origin: own },
    outcome: wrongType,
  },
  { title: 'JSON that says nothing', headers: { origin: own }, outcome: wrongType },
  {
    title: 'a form with a file',
    headers: { 'content-type': 'multipart/form-data; boundary=x', origin: own },
    body: '--x--',
    outcome: wrongType,
  },
]

for (const { title, headers, body = asJson, outcome } of cases) {
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
