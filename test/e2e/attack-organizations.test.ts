/**
 * Organizations under attack over HTTP: another tenant reads and writes by ID, members escalate their role, an
 * invitation is used by another person, and the last owners leave concurrently. Foreign and missing objects look alike.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ControlAnswer, ControlClient } from '../support/control-client.ts'
import { type TwoTenants, twoTenants } from '../support/two-tenants.ts'

const base = '/api/auth/organization'
const unknown = 'Zz0123456789abcdefghijABCDEFGHIJ'

const organizationsMax = 6
const invitationsMax = 7
let world: TwoTenants
before(async () => {
  world = await twoTenants({
    organizationsPerPersonMax: organizationsMax,
    openInvitationsMax: invitationsMax,
  })
})
after(() => world.close())

const get = (client: ControlClient, path: string, query: Readonly<Record<string, string>>) =>
  client.send({ method: 'GET', path: `${base}/${path}?${new URLSearchParams(query)}` })
const post = (client: ControlClient, path: string, body: object) => client.post(`${base}/${path}`, body)

interface Invited {
  readonly id: string
}

async function invite(by: ControlClient, email: string, role: string): Promise<ControlAnswer> {
  return post(by, 'invite-member', { email, role, organizationId: world.organization })
}

async function invitationFor(by: ControlClient, email: string, role: string): Promise<string> {
  const answer = await invite(by, email, role)
  assert.equal(answer.status, 200, answer.text)
  return (answer.body as Invited).id
}

interface MemberRow {
  readonly id: string
  readonly role: string
  readonly userId: string
}

async function memberRows(): Promise<readonly MemberRow[]> {
  const { client } = world.members.owner
  const answer = await get(client, 'list-members', { organizationId: world.organization })
  assert.equal(answer.status, 200, answer.text)
  return (answer.body as { readonly members: readonly MemberRow[] }).members
}

async function rowOf(person: string): Promise<MemberRow> {
  const row = (await memberRows()).find(({ userId }) => userId === person)
  assert.ok(row !== undefined)
  return row
}

const reads = [
  'get-organization',
  'get-full-organization',
  'list-members',
  'list-invitations',
  'get-active-member-role',
  'list-teams',
  'list-roles',
] as const

test('reads of another organization look like reads of a missing one', async () => {
  const { stranger, members } = world
  for (const path of reads) {
    const theirs = await get(stranger.client, path, { organizationId: world.organization })
    const none = await get(stranger.client, path, { organizationId: unknown })
    assert.ok(theirs.status >= 400, `${path}: ${theirs.text}`)
    assert.deepEqual([theirs.status, theirs.text], [none.status, none.text], path)
    const bySlug = await get(stranger.client, path, { organizationSlug: 'first' })
    const noSlug = await get(stranger.client, path, { organizationSlug: 'nothing-here' })
    assert.deepEqual([bySlug.status, bySlug.text], [noSlug.status, noSlug.text], `${path} by slug`)
    for (const { person, email } of Object.values(members)) {
      for (const secret of [person, email]) assert.ok(!`${theirs.text}${bySlug.text}`.includes(secret), path)
    }
  }
})

test('changes to another organization look like changes to a missing one', async () => {
  const { stranger, members } = world
  const row = await rowOf(members.developer.person)
  const before = JSON.stringify(await memberRows())
  const changes: readonly (readonly [path: string, body: object])[] = [
    ['invite-member', { email: 'x@example.org', role: 'developer' }],
    ['update', { data: { name: 'Mine' } }],
    ['update-member-role', { memberId: row.id, role: 'billing' }],
    ['remove-member', { memberIdOrEmail: members.developer.email }],
    ['remove-member', { memberIdOrEmail: row.id }],
    ['leave', {}],
    ['set-active', {}],
    ['delete', {}],
    ['has-permission', { permissions: { member: ['delete'] } }],
  ]
  for (const [path, body] of changes) {
    const theirs = await post(stranger.client, path, { ...body, organizationId: world.organization })
    const none = await post(stranger.client, path, { ...body, organizationId: unknown })
    assert.ok(theirs.status >= 400, `${path}: ${theirs.text}`)
    assert.deepEqual([theirs.status, theirs.text], [none.status, none.text], path)
  }
  assert.equal(JSON.stringify(await memberRows()), before)
})

test("members of another organization cannot be reached from one's own", async () => {
  const { stranger, members } = world
  const made = await post(stranger.client, 'create', { name: 'Other', slug: 'other' })
  assert.equal(made.status, 200, made.text)
  const organizationId = (made.body as Invited).id
  const row = await rowOf(members.developer.person)
  const before = JSON.stringify(await memberRows())
  for (const [path, body] of [
    ['update-member-role', { memberId: row.id, role: 'billing', organizationId }],
    ['remove-member', { memberIdOrEmail: row.id, organizationId }],
    ['remove-member', { memberIdOrEmail: members.developer.email, organizationId }],
  ] as const) {
    assert.ok((await post(stranger.client, path, body)).status >= 400, path)
  }
  const invitation = await invitationFor(members.owner.client, 'somebody@example.org', 'developer')
  assert.ok((await post(stranger.client, 'cancel-invitation', { invitationId: invitation })).status >= 400)
  assert.ok((await get(stranger.client, 'get-invitation', { id: invitation })).status >= 400)
  assert.equal(JSON.stringify(await memberRows()), before)
})

test('members cannot escalate their role, and no field does it for them', async () => {
  const { members, organization: organizationId } = world
  const rows = await memberRows()
  const idOf = ({ person }: { person: string }) => rows.find(({ userId }) => userId === person)?.id ?? ''
  const climbing: readonly (readonly [who: keyof typeof members, path: string, body: object])[] = [
    ['admin', 'update-member-role', { memberId: idOf(members.admin), role: 'owner' }],
    ['admin', 'update-member-role', { memberId: idOf(members.admin), role: ['admin', 'owner'] }],
    ['admin', 'update-member-role', { memberId: idOf(members.admin), role: 'admin,owner' }],
    ['admin', 'update-member-role', { memberId: idOf(members.admin), role: 'admin, owner' }],
    ['admin', 'update-member-role', { memberId: idOf(members.owner), role: 'billing' }],
    ['admin', 'remove-member', { memberIdOrEmail: idOf(members.owner) }],
    ['admin', 'remove-member', { memberIdOrEmail: members.owner.email }],
    ['admin', 'invite-member', { email: 'new@example.org', role: 'owner' }],
    ['admin', 'invite-member', { email: 'new@example.org', role: ['developer', 'owner'] }],
    ['admin', 'invite-member', { email: 'new@example.org', role: 'developer,owner' }],
    ['admin', 'invite-member', { email: 'new@example.org', role: 'developer, owner' }],
    ['admin', 'invite-member', { email: 'new@example.org', role: [' owner'] }],
    ['owner', 'update-member-role', { memberId: idOf(members.owner), role: 'admin' }],
    ['owner', 'remove-member', { memberIdOrEmail: members.owner.email }],
    ['owner', 'leave', {}],
  ]
  for (const role of ['developer', 'billing'] as const) {
    for (const [path, body] of [
      ['update-member-role', { memberId: idOf(members[role]), role: 'owner' }],
      ['update-member-role', { memberId: idOf(members[role]), role: 'admin' }],
      ['remove-member', { memberIdOrEmail: members.owner.email }],
      ['invite-member', { email: 'new@example.org', role: 'billing' }],
      ['update', { data: { name: 'Mine' } }],
      ['create-role', { role: 'king', permission: { member: ['delete'] } }],
      ['add-member', { userId: members[role].person, role: 'owner' }],
    ] as const) {
      const answer = await post(members[role].client, path, { ...body, organizationId })
      assert.ok(answer.status >= 400, `${role} ${path}: ${answer.text}`)
    }
  }
  for (const [who, path, body] of climbing) {
    const answer = await post(members[who].client, path, { ...body, organizationId })
    assert.ok(answer.status >= 400, `${who} ${path} ${JSON.stringify(body)}: ${answer.text}`)
  }
  assert.deepEqual(await memberRows(), rows)
})

test('an invitation is visible to those who could have created it, and not to lower roles', async () => {
  const { members, organization: organizationId } = world
  const toOwn = await invitationFor(members.owner.client, 'future-owner@example.org', 'owner')
  const toBuild = await invitationFor(members.owner.client, 'future-builder@example.org', 'developer')
  const seenBy = async ({ client }: { client: ControlClient }) => {
    const lists = [
      await get(client, 'list-invitations', { organizationId }),
      await get(client, 'get-full-organization', { organizationId }),
      await get(client, 'get-invitation', { id: toOwn }),
      await get(client, 'list-user-invitations', {}),
    ]
    const said = lists.map(({ text }) => text).join()
    return [said.includes(toOwn), said.includes(toBuild)]
  }
  assert.deepEqual(await seenBy(members.owner), [true, true])
  assert.deepEqual(await seenBy(members.admin), [false, true])
  assert.deepEqual(await seenBy(members.developer), [false, false])
  assert.deepEqual(await seenBy(members.billing), [false, false])
  // Without email no one has to verify an address: only the link protects the invitation.
  const thief = await world.signUp('future-owner')
  assert.ok(!(await get(thief.client, 'list-user-invitations', {})).text.includes(toOwn))
  const stolen = await post(world.stranger.client, 'accept-invitation', { invitationId: toOwn })
  assert.equal(stolen.status, 403, stolen.text)
  const again = { email: 'future-owner@example.org', role: 'developer', organizationId, resend: true }
  assert.ok(!(await post(members.admin.client, 'invite-member', again)).text.includes(toOwn))
})

test('an organization contains only what was asked for, and its texts are bounded', async () => {
  const { client, person } = await world.signUp('founder')
  const wanted = {
    id: 'mine',
    userId: world.stranger.person,
    createdAt: '2001-01-01',
    metadata: { plan: 'x' },
  }
  const made = await post(client, 'create', {
    name: 'Founded',
    slug: 'founded',
    logo: 'javascript:1',
    ...wanted,
  })
  assert.equal(made.status, 200, made.text)
  const { id, logo } = made.body as { readonly id: string; readonly logo?: unknown }
  assert.deepEqual([id === 'mine', logo ?? null], [false, null])
  const [member] = (
    (await get(client, 'list-members', { organizationId: id })).body as { members: readonly MemberRow[] }
  ).members
  assert.equal(member?.userId, person)
  const long = 'x'.repeat(2_000)
  for (const data of [{ name: long }, { slug: long }, { logo: long }, { metadata: { long } }]) {
    await post(client, 'update', { organizationId: id, data })
    const shown = await client.send({ method: 'GET', path: `${base}/list` })
    assert.ok(!shown.text.includes(long), Object.keys(data).join())
  }
})

test('of two owners who leave concurrently one stays', async () => {
  const [one, two] = [await world.signUp('owner-one'), await world.signUp('owner-two')]
  for (let round = 0; round < 5; round += 1) {
    const made = await post(one.client, 'create', { name: 'Pair', slug: `pair-${round}` })
    const organizationId = (made.body as Invited).id
    const invited = await post(one.client, 'invite-member', {
      email: two.email,
      role: 'owner',
      organizationId,
    })
    const invitationId = (invited.body as Invited).id
    assert.equal((await post(two.client, 'accept-invitation', { invitationId })).status, 200)
    const answers = await Promise.all(
      [one, two].map(({ client }) => post(client, 'leave', { organizationId })),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1, 'one of them stays')
  }
})

test('concurrent requests get no more organizations, invitations and members than sequential ones', async () => {
  const { client } = await world.signUp('hoarder')
  const times = (count: number) => Array.from({ length: count }, (_none, index) => index)
  const made = await Promise.all(
    times(organizationsMax * 3).map((index) => post(client, 'create', { name: 'x', slug: `hoard-${index}` })),
  )
  const organizations = made.filter(({ status }) => status === 200)
  assert.equal(organizations.length, organizationsMax)
  const organizationId = (organizations.at(0)?.body as Invited | undefined)?.id ?? ''
  const invited = await Promise.all(
    times(invitationsMax * 3).map((index) =>
      post(client, 'invite-member', { email: `hoard-${index}@example.org`, role: 'billing', organizationId }),
    ),
  )
  assert.equal(invited.filter(({ status }) => status === 200).length, invitationsMax)
})
