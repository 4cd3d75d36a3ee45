/**
 * Passkeys under attack over HTTP: keys of another origin or name, responses that are replayed or belong to another
 * browser's challenge, and other users' keys, named by their IDs.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Authenticator, authenticator, type PasskeySite } from '../support/authenticator.ts'
import { type ControlAnswer, ControlClient } from '../support/control-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { joined, type Member } from '../support/two-tenants.ts'

let gateway: TestGateway
let site: PasskeySite
let owner: Member
let key: Authenticator

before(async () => {
  gateway = await testGateway({ limits: { uniformAnswerMs: 1 } })
  site = { origin: gateway.origin.replace('127.0.0.1', 'localhost'), name: 'localhost' }
  owner = await joined(gateway.origin, 'owner')
  key = authenticator()
  const made = await register(owner.client, key, site)
  assert.equal(made.status, 200, made.text)
})
after(() => gateway.close())

interface Options {
  readonly challenge: string
}

async function optionsOf(client: ControlClient, kind: 'register' | 'authenticate'): Promise<Options> {
  const path = `/api/auth/passkey/generate-${kind}-options`
  const answer = await client.send({ method: 'GET', path })
  assert.equal(answer.status, 200, answer.text)
  return answer.body as Options
}

async function register(
  client: ControlClient,
  with_: Authenticator,
  at: PasskeySite,
): Promise<ControlAnswer> {
  const { challenge } = await optionsOf(client, 'register')
  const response = with_.attest(challenge, at)
  return client.post('/api/auth/passkey/verify-registration', { response, name: 'mine' })
}

const prove = (client: ControlClient, response: object) =>
  client.post('/api/auth/passkey/verify-authentication', { response })

const newClient = () => new ControlClient(gateway.origin)
const isIn = async (client: ControlClient) => (await client.ask('me.show')).status === 200

interface Listed {
  readonly id: string
  readonly credentialID?: string
}

async function keysOf({ client }: Member): Promise<readonly Listed[]> {
  const answer = await client.send({ method: 'GET', path: '/api/auth/passkey/list-user-passkeys' })
  assert.equal(answer.status, 200, answer.text)
  return answer.body as readonly Listed[]
}

test('a passkey signs its person in, and creates a new session', async () => {
  const client = newClient()
  const { challenge } = await optionsOf(client, 'authenticate')
  const answer = await prove(client, key.prove(challenge, site))
  assert.equal(answer.status, 200, answer.text)
  const { person } = await client.done('me.show', {})
  assert.equal(person.email, owner.email)
  assert.notEqual(client.cookie, owner.client.cookie)
})

const elsewhere = (): readonly PasskeySite[] => [
  { ...site, origin: 'https://evil.test' },
  { ...site, origin: site.origin.replace('http:', 'https:') },
  { ...site, origin: site.origin.replace(/:\d+$/, ':1') },
  { ...site, origin: site.origin.replace('localhost', 'sub.localhost') },
  { ...site, origin: `${site.origin}.evil.test` },
  { ...site, origin: 'null' },
  { ...site, name: 'evil.test' },
  { ...site, name: '' },
]

test('a key that was made or used for another site is rejected', async () => {
  const { client } = await joined(gateway.origin, 'phished')
  for (const at of elsewhere()) {
    const made = await register(client, authenticator(), at)
    assert.ok(made.status >= 400 && made.status < 500, `${JSON.stringify(at)}: ${made.status} ${made.text}`)
    const thief = newClient()
    const { challenge } = await optionsOf(thief, 'authenticate')
    const answer = await prove(thief, key.prove(challenge, at))
    assert.ok(answer.status >= 400 && answer.status < 500, `${JSON.stringify(at)}: ${answer.text}`)
    assert.equal(await isIn(thief), false)
  }
})

test("a response is valid once, for this browser's challenge", async () => {
  const [asked, thief] = [newClient(), newClient()]
  const { challenge } = await optionsOf(asked, 'authenticate')
  const other = await optionsOf(thief, 'authenticate')
  const response = key.prove(challenge, site)
  assert.ok((await prove(thief, response)).status >= 400)
  assert.ok((await prove(newClient(), response)).status >= 400)
  assert.equal((await prove(asked, response)).status, 200)
  assert.ok(
    (await prove(thief, key.prove(other.challenge, site))).status >= 400,
    'a question is used up by a wrong answer',
  )
  const again = newClient()
  await optionsOf(again, 'authenticate')
  assert.ok((await prove(again, response)).status >= 400)
  for (const client of [thief, again]) assert.equal(await isIn(client), false)
})

test('an unknown key, and one that signs for another user, are rejected', async () => {
  const stranger = authenticator()
  for (const response of [
    (challenge: string) => stranger.prove(challenge, site),
    (challenge: string) => ({ ...stranger.prove(challenge, site), id: key.id, rawId: key.id }),
    (challenge: string) => ({ ...key.prove(challenge, site), id: stranger.id, rawId: stranger.id }),
    (challenge: string) => stranger.prove(challenge, site, Buffer.from(owner.person).toString('base64url')),
    () => ({}),
    () => ({ id: key.id }),
    () => ({ id: [key.id], response: {} }),
  ]) {
    const client = newClient()
    const { challenge } = await optionsOf(client, 'authenticate')
    const answer = await prove(client, response(challenge))
    assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${answer.text}`)
    assert.equal(await isIn(client), false)
  }
})

test('a user cannot see, remove or overwrite the key of another', async () => {
  const thief = await joined(gateway.origin, 'thief')
  const [own] = await keysOf(owner)
  assert.ok(own !== undefined)
  assert.deepEqual(await keysOf(thief), [])
  const removed = await thief.client.post('/api/auth/passkey/delete-passkey', { id: own.id })
  assert.ok(removed.status >= 400, removed.text)
  assert.equal((await keysOf(owner)).length, 1)
  const over = await register(thief.client, key, site)
  const client = newClient()
  const { challenge } = await optionsOf(client, 'authenticate')
  assert.equal((await prove(client, key.prove(challenge, site))).status, 200, over.text)
  assert.equal((await client.done('me.show', {})).person.email, owner.email)
  assert.equal(
    (await newClient().send({ method: 'GET', path: '/api/auth/passkey/generate-register-options' })).status,
    401,
  )
})
