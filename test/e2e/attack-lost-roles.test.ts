/**
 * A user who loses a role loses its permissions with the next request, in every browser and on every stream: a former
 * administrator, a demoted member, a removed member. What they created belongs to the organization.
 */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { type OperationName, operations } from '../../contract/operations.ts'
import { inputOf } from '../../src/api/operation-schemas.ts'
import { exampleOf } from '../../src/api/schema-text.ts'
import { ControlClient } from '../support/control-client.ts'
import { keyWith, type Member, password, type TwoTenants, twoTenants } from '../support/two-tenants.ts'

let world: TwoTenants
before(async () => {
  world = await twoTenants({ uniformAnswerMs: 1, eventsRecheckMs: 20 })
})
after(() => world.close())

async function anotherBrowser({ email }: Member): Promise<ControlClient> {
  const client = new ControlClient(world.gateway.origin)
  assert.equal((await client.post('/api/auth/sign-in/email', { email, password })).status, 200)
  return client
}

/** A stream of events; resolves when it has begun, with a way to wait for its end. */
function stream(client: ControlClient, account: string): Promise<{ readonly ended: Promise<unknown> }> {
  const { hostname, port } = new URL(world.gateway.origin)
  const headers = { cookie: client.cookie }
  const path = `/api/events?account=${account}`
  return new Promise((resolve, reject) => {
    const asking = request({ hostname, port, path, headers, agent: false }, (answer) => {
      assert.equal(answer.statusCode, 200)
      answer.resume()
      resolve({ ended: new Promise((done) => answer.once('close', done)) })
    })
    asking.on('error', reject)
    asking.end()
  })
}

const names = (Object.keys(operations) as OperationName[]).filter((name) => operations[name].http !== null)
const ofOperators = names.filter((name) => operations[name].policy.kind === 'installation')
const example = (name: OperationName) => exampleOf(inputOf(name)) as Readonly<Record<string, unknown>>

async function statusesOf(
  client: ControlClient,
  asked: readonly OperationName[],
  more: object = {},
): Promise<ReadonlySet<number>> {
  const found = new Set<number>()
  for (const name of asked) found.add((await client.ask(name, { ...example(name), ...more })).status)
  return found
}

test('a former administrator loses access immediately, in every browser', async () => {
  const { operator, belongings } = world
  const second = await world.signUp('second')
  const { person } = second
  await operator.client.done('people.operator', { person, operator: true })
  const clients = [second.client, await anotherBrowser(second)]
  for (const client of clients) assert.equal((await client.ask('system.show')).status, 200)
  const streams = await Promise.all(clients.map((client) => stream(client, belongings.account)))
  await operator.client.done('people.operator', { person, operator: false })
  for (const client of clients) {
    assert.deepEqual(await statusesOf(client, ofOperators), new Set([403]))
    assert.equal((await client.ask('account.show', { account: belongings.account })).status, 404)
    assert.equal((await client.ask('people.operator', { person, operator: true })).status, 403)
    assert.equal((await client.ask('me.show')).status, 200)
  }
  for (const { ended } of streams) await ended
})

async function roleChanged(whom: Member, role: string): Promise<void> {
  const { client } = world.members.owner
  const organizationId = world.organization
  const listed = await client.send({
    method: 'GET',
    path: `/api/auth/organization/list-members?organizationId=${organizationId}`,
  })
  const { members } = listed.body as { members: { id: string; userId: string }[] }
  const memberId = members.find(({ userId }) => userId === whom.person)?.id
  const changed = await client.post('/api/auth/organization/update-member-role', {
    memberId,
    role,
    organizationId,
  })
  assert.equal(changed.status, 200, changed.text)
}

/** Whether the operations on the account that a role may not perform are rejected, and its reads answered. */
async function assertIsNoMoreThan(client: ControlClient, role: string): Promise<void> {
  const { account } = world
  let rejected = 0
  for (const name of names) {
    const { policy, effect } = operations[name]
    if (policy.kind !== 'account' || policy.subject !== 'account') continue
    const may = (policy.roles as readonly string[]).includes(role)
    if (may && effect === 'changes') continue
    const { status, text } = await client.ask(name, { ...example(name), account })
    assert.equal(status === 403, !may, `${role} ${name}: ${text}`)
    if (!may) rejected += 1
  }
  assert.ok(rejected > 3)
}

test('a demoted member may do less with the next request', async () => {
  const { admin } = world.members
  const other = await anotherBrowser(admin)
  const key = (await admin.client.done('key.create', { account: world.account, name: 'own' })).id
  for (const role of ['developer', 'billing'] as const) {
    await roleChanged(admin, role)
    for (const client of [admin.client, other]) await assertIsNoMoreThan(client, role)
  }
  for (const name of ['key.revoke', 'key.rotate', 'key.update'] as const) {
    assert.equal((await other.ask(name, { key, name: 'x' } as never)).status >= 400, true, name)
  }
  assert.equal((await admin.client.ask('key.revoke', { key })).status, 403)
  await roleChanged(admin, 'admin')
})

test('a removed member sees and spends nothing, and what they created can be ended by the organization', async () => {
  const { owner, developer } = world.members
  const { account, organization } = world
  await roleChanged(developer, 'admin')
  const made = await keyWith(developer, account, ['account:read', 'keys:write'])
  const key = await developer.client.done('key.create', { account, name: 'left behind' })
  const program = new ControlClient(world.gateway.origin, made.key)
  const removed = await owner.client.post('/api/auth/organization/remove-member', {
    memberIdOrEmail: developer.email,
    organizationId: organization,
  })
  assert.equal(removed.status, 200, removed.text)
  for (const name of names) {
    const { policy } = operations[name]
    if (policy.kind !== 'account' || policy.subject !== 'account') continue
    const answer = await developer.client.ask(name, { ...example(name), account })
    assert.equal(answer.status, 404, `${name}: ${answer.text}`)
  }
  for (const [name, input] of [
    ['key.revoke', { key: key.id }],
    ['key.rotate', { key: key.id }],
    ['management-key.revoke', { managementKey: made.id }],
  ] as const) {
    assert.equal((await developer.client.ask(name, input)).status, 404, name)
  }
  const played = await developer.client.send({
    method: 'POST',
    path: `/api/play/v1/chat/completions?account=${account}`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-echo', messages: [{ role: 'user', content: 'x' }] }),
  })
  assert.equal(played.status, 404, played.text)
  assert.equal((await program.ask('account.show')).status, 200, 'a key is not a user')
  const listed = await owner.client.done('management-key.list', { account })
  assert.ok(listed.some(({ id }) => id === made.id))
  await owner.client.done('management-key.revoke', { managementKey: made.id })
  await owner.client.done('key.revoke', { key: key.id })
  assert.equal((await program.ask('account.show')).status, 401)
})

test('an old invitation does not readmit a removed member, nor another address', async () => {
  const { owner } = world.members
  const guest = await world.signUp('guest')
  const invited = await owner.client.post('/api/auth/organization/invite-member', {
    email: guest.email,
    role: 'developer',
    organizationId: world.organization,
  })
  const { id: invitationId } = invited.body as { readonly id: string }
  const accept = (client: ControlClient) =>
    client.post('/api/auth/organization/accept-invitation', { invitationId })
  assert.equal((await accept(world.stranger.client)).status, 403)
  assert.equal((await accept(new ControlClient(world.gateway.origin))).status, 401)
  const taken = await Promise.all([accept(guest.client), accept(guest.client), accept(guest.client)])
  assert.equal(taken.filter(({ status }) => status === 200).length, 1)
  const removed = await owner.client.post('/api/auth/organization/remove-member', {
    memberIdOrEmail: guest.email,
    organizationId: world.organization,
  })
  assert.equal(removed.status, 200, removed.text)
  assert.ok((await accept(guest.client)).status >= 400)
  assert.equal((await guest.client.ask('account.show', { account: world.account })).status, 404)
})
