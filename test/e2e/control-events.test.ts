/** Streams of events over a real server: who gets one, what it contains, and what ends it. */
import assert from 'node:assert/strict'
import { type IncomingMessage, request } from 'node:http'
import { after, before, test } from 'node:test'
import { parseId } from '../../src/base/ids.ts'
import { type ControlClient, sendTo } from '../support/control-client.ts'
import { type TwoTenants, twoTenants } from '../support/two-tenants.ts'

const streamsMax = 3
let world: TwoTenants
before(async () => {
  world = await twoTenants({ eventsRecheckMs: 20, eventStreamsPerWatcherMax: streamsMax })
})
after(() => world.close())

interface Stream {
  readonly answer: IncomingMessage
  /** Resolves with everything received once it contains `shows`. */
  shows(text: string): Promise<string>
  readonly ended: Promise<unknown>
  close(): void
}

function watch(headers: Readonly<Record<string, string>>, account?: string): Promise<Stream> {
  const { hostname, port } = new URL(world.gateway.origin)
  const path = account === undefined ? '/api/events' : `/api/events?account=${account}`
  return new Promise((resolve, reject) => {
    const asking = request({ hostname, port, path, headers, agent: false }, (answer) => {
      let text = ''
      const waiting = new Set<() => void>()
      answer.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
        for (const look of [...waiting]) look()
      })
      answer.on('error', () => {})
      resolve({
        answer,
        shows: (wanted) =>
          new Promise((found) => {
            const look = (): void => {
              if (!text.includes(wanted)) return
              waiting.delete(look)
              found(text)
            }
            waiting.add(look)
            look()
          }),
        ended: new Promise((done) => answer.once('close', done)),
        close: () => asking.destroy(),
      })
    })
    asking.on('error', reject)
    asking.end()
  })
}

const cookieOf = (client: ControlClient) => ({ cookie: client.cookie })

test('a user who may see an account receives its changes, and no others', async () => {
  const { owner } = world.members
  const stream = await watch(cookieOf(owner.client), world.account)
  assert.equal(stream.answer.statusCode, 200)
  assert.match(String(stream.answer.headers['content-type']), /^text\/event-stream/)
  assert.equal(stream.answer.headers['cache-control'], 'no-store')
  assert.equal(stream.answer.headers['access-control-allow-origin'], undefined)
  await stream.shows(`event: ready\ndata: {"account":"${world.account}"}`)
  const { changes } = world.gateway.gateway.services
  const strangers = parseId('acct', world.belongings.account)
  assert.ok(strangers !== undefined)
  changes.publish(strangers, ['billing'])
  await owner.client.done('key.create', { account: world.account, name: 'heard of' })
  const text = await stream.shows('event: changed')
  assert.match(text, /"topics":\[[^\]]*"keys"/)
  assert.ok(!text.includes(world.belongings.account))
  stream.close()
})

test('an account’s management key may watch it', async () => {
  const made = await world.members.owner.client.done('management-key.create', {
    account: world.account,
    name: 'watcher',
    scopes: ['account:read'],
  })
  const stream = await watch({ authorization: `Bearer ${made.key}` })
  await stream.shows(world.account)
  await world.members.owner.client.done('management-key.revoke', { managementKey: made.id })
  await stream.ended
})

test('no other caller gets a stream', async () => {
  const { members, belongings, account } = world
  for (const [headers, of, status] of [
    [{}, undefined, 401],
    [{}, account, 401],
    [cookieOf(members.owner.client), belongings.account, 404],
    [cookieOf(members.developer.client), 'acct_0000000000001', 404],
    [cookieOf(world.stranger.client), account, 404],
    [cookieOf(members.owner.client), 'nonsense', 400],
    [cookieOf(members.owner.client), `${account}&other=1`, 400],
  ] as const) {
    const stream = await watch(headers, of)
    assert.equal(stream.answer.statusCode, status, `${of}`)
    stream.close()
  }
  const head = await sendTo(world.gateway.origin, {
    method: 'HEAD',
    path: '/api/events',
    headers: cookieOf(members.owner.client),
  })
  assert.equal(head.status, 405)
})

test('joining an organization, changing role and leaving are sent to its watchers and to the member', async () => {
  const { members, account, organization: organizationId } = world
  const { client: owner } = members.owner
  const { client: newcomer, email } = await world.signUp('newcomer')
  const step = async (by: ControlClient, path: string, body: object, isTold: boolean): Promise<unknown> => {
    const own = await watch(cookieOf(owner), account)
    const theirs = await watch(cookieOf(newcomer))
    for (const stream of [own, theirs]) await stream.shows('ready')
    const answer = await by.post(`/api/auth/organization/${path}`, body)
    assert.equal(answer.status, 200, answer.text)
    await own.shows('"people"')
    if (isTold) await theirs.shows('"people"')
    for (const stream of [own, theirs]) stream.close()
    return answer.body
  }
  const asked = { email, role: 'developer', organizationId }
  const { id: invitationId } = (await step(owner, 'invite-member', asked, false)) as { id: string }
  const { member } = (await step(newcomer, 'accept-invitation', { invitationId }, true)) as {
    member: { id: string }
  }
  const moved = { memberId: member.id, role: 'billing', organizationId }
  await step(owner, 'update-member-role', moved, true)
  await step(owner, 'remove-member', { memberIdOrEmail: member.id, organizationId }, true)
})

test('a stranger who names a user sends them no event', async () => {
  const { members, account, organization: organizationId, stranger } = world
  const own = await watch(cookieOf(members.owner.client), account)
  const theirs = await watch(cookieOf(stranger.client))
  for (const stream of [own, theirs]) await stream.shows('ready')
  const named = { organizationId, userId: members.owner.person, member: { organizationId } }
  const answer = await stranger.client.post('/api/auth/update-user', { name: 'Somebody', ...named })
  assert.equal(answer.status, 200, answer.text)
  await theirs.shows('"people"')
  const watched = parseId('acct', account)
  assert.ok(watched !== undefined)
  world.gateway.gateway.services.changes.publish(watched, ['billing'])
  assert.doesNotMatch(await own.shows('"billing"'), /"people"/)
  for (const stream of [own, theirs]) stream.close()
})

test('a stream ends with its session', async () => {
  const leaving = await world.signUp('leaving')
  const stream = await watch(cookieOf(leaving.client))
  await stream.shows('ready')
  await leaving.client.post('/api/auth/sign-out', {})
  await stream.ended
})

test('a stream ends when its reader is removed as a member', async () => {
  const { members, account, organization } = world
  const stream = await watch(cookieOf(members.billing.client), account)
  await stream.shows('ready')
  const removed = await members.owner.client.post('/api/auth/organization/remove-member', {
    memberIdOrEmail: members.billing.email,
    organizationId: organization,
  })
  assert.equal(removed.status, 200, removed.text)
  await stream.ended
})

test('the number of streams per user is limited', async () => {
  const { client } = world.stranger
  const streams = []
  for (let opened = 0; opened < streamsMax; opened += 1) streams.push(await watch(cookieOf(client)))
  const rejected = await watch(cookieOf(client))
  assert.equal(rejected.answer.statusCode, 429)
  assert.ok(Number(rejected.answer.headers['retry-after']) > 0)
  for (const stream of streams) stream.close()
  rejected.close()
})

/** Last: nothing is served afterwards. */
test('when the server stops, streams end immediately and new ones are rejected', async () => {
  const stream = await watch(cookieOf(world.members.admin.client))
  await stream.shows('ready')
  await world.gateway.gateway.drain()
  await stream.ended
  await assert.rejects(watch(cookieOf(world.members.admin.client)), { code: 'ECONNREFUSED' })
})
