/**
 * A gateway with two tenants for tests of permissions: an organization with a person in every role and a
 * management key with every scope, an operator, and an unrelated person who has one of everything that has an id. All of
 * them signed up over HTTP as people do.
 */
import assert from 'node:assert/strict'
import { type Role, roles, type Scope, scopes } from '../../contract/operation.ts'
import { formatId, parseId } from '../../src/base/ids.ts'
import type { Limits } from '../../src/config/config.ts'
import { ControlClient, sendTo } from './control-client.ts'
import { type TestGateway, type TestGatewayOptions, testGateway } from './gateway.ts'
import { insertTopUp } from './top-up-rows.ts'

export const password = 'a long enough password'

export interface Member {
  readonly client: ControlClient
  readonly email: string
  /** The person's id. */
  readonly person: string
  /** The personal account. */
  readonly account: string
}

/** Everything of the unrelated person that an input can name. */
export interface Belongings {
  readonly account: string
  readonly email: string
  readonly person: string
  readonly key: string
  readonly managementKey: string
  readonly request: string
  readonly topUp: string
  readonly entry: string
}

export interface TwoTenants {
  readonly gateway: TestGateway
  readonly operator: Member
  readonly members: Readonly<Record<Role, Member>>
  /** The account of the organization. */
  readonly account: string
  readonly organization: string
  /** A key of the organization's account, with every scope. */
  readonly managementKey: ControlClient
  readonly anyone: ControlClient
  readonly stranger: Member
  readonly belongings: Belongings
  /** A person who has just signed up. */
  signUp(name: string): Promise<Member>
  close(): Promise<void>
}

export async function twoTenants(
  limits: Partial<Limits> = {},
  more: Omit<TestGatewayOptions, 'limits'> = {},
): Promise<TwoTenants> {
  const gateway = await testGateway({ ...more, limits })
  const { origin } = gateway
  const signUp = (name: string) => joined(origin, name)
  const operator = await claimed(gateway)
  const owner = await signUp('owner')
  const organization = await foundOrganization(owner)
  const members = { owner } as Record<Role, Member>
  for (const role of roles) {
    if (role === 'owner') continue
    members[role] = await signUp(role)
    await invited(owner, members[role], { organization, role })
  }
  const account = await organizationAccount(owner)
  const managementKey = await keyWith(owner, account, scopes)
  const stranger = await signUp('stranger')
  return {
    gateway,
    operator,
    members,
    account,
    organization,
    managementKey: new ControlClient(origin, managementKey.key),
    anyone: new ControlClient(origin),
    stranger,
    belongings: await belongingsOf(gateway, stranger),
    signUp,
    close: () => gateway.close(),
  }
}

async function claimed(gateway: TestGateway): Promise<Member> {
  const { start } = gateway.gateway
  assert.ok(start.kind === 'first')
  const client = new ControlClient(gateway.origin)
  const email = 'operator@example.org'
  const token = new URL(start.setupLink).searchParams.get('token') ?? ''
  await client.done('setup.claim', { token, name: 'operator', email, password })
  return signedIn(client, email)
}

export async function joined(origin: string, name: string): Promise<Member> {
  const client = new ControlClient(origin)
  const email = `${name.replaceAll(/\W/g, '-')}@example.org`
  const answer = await client.post('/api/auth/sign-up/email', { name, email, password })
  assert.equal(answer.status, 200, answer.text)
  return signedIn(client, email)
}

/** `userAgent`: how it appears in the list of sessions. */
export async function signedIn(client: ControlClient, email: string, userAgent?: string): Promise<Member> {
  const answer = await client.send({
    method: 'POST',
    path: '/api/auth/sign-in/email',
    headers: {
      'content-type': 'application/json',
      ...(userAgent === undefined ? {} : { 'user-agent': userAgent }),
    },
    body: JSON.stringify({ email, password }),
  })
  assert.equal(answer.status, 200, answer.text)
  const { person, accounts } = await client.done('me.show', {})
  const [own] = accounts
  assert.ok(own !== undefined)
  return { client, email, person: person.id, account: own.account }
}

async function foundOrganization({ client }: Member): Promise<string> {
  const answer = await client.post('/api/auth/organization/create', { name: 'First', slug: 'first' })
  assert.equal(answer.status, 200, answer.text)
  return (answer.body as { readonly id: string }).id
}

async function invited(
  by: Member,
  whom: Member,
  { organization, role }: { readonly organization: string; readonly role: Role },
): Promise<void> {
  const invitation = await by.client.post('/api/auth/organization/invite-member', {
    email: whom.email,
    role,
    organizationId: organization,
  })
  assert.equal(invitation.status, 200, invitation.text)
  const { id } = invitation.body as { readonly id: string }
  const accepted = await whom.client.post('/api/auth/organization/accept-invitation', { invitationId: id })
  assert.equal(accepted.status, 200, accepted.text)
}

async function organizationAccount({ client }: Member): Promise<string> {
  const { accounts } = await client.done('me.show', {})
  const found = accounts.find(({ kind }) => kind === 'organization')
  assert.ok(found !== undefined)
  return found.account
}

export function keyWith(
  { client }: Pick<Member, 'client'>,
  account: string,
  given: readonly Scope[],
): Promise<{ readonly id: string; readonly key: string }> {
  return client.done('management-key.create', { account, name: 'all', scopes: [...given] })
}

/** Adds credit without a password; returns the id of its entry. */
export async function creditTo(
  { gateway }: Pick<TestGateway, 'gateway'>,
  account: string,
  amount: bigint,
): Promise<string> {
  const { ledger, nextId } = gateway.services
  const id = parseId('acct', account)
  assert.ok(id !== undefined)
  const entryId = nextId()
  await ledger.credit({
    entryId,
    account: id,
    amount,
    source: 'manual',
    reference: `given ${entryId}`,
    nowMs: 1,
    note: null,
  })
  return formatId('ent', entryId)
}

async function belongingsOf({ gateway, origin }: TestGateway, owner: Member): Promise<Belongings> {
  const { services } = gateway
  const { client, account, email, person } = owner
  const id = parseId('acct', account)
  assert.ok(id !== undefined)
  const entry = await creditTo({ gateway }, account, 1_000_000_000n)
  const key = await client.done('key.create', { name: 'secret name' })
  const managementKey = await keyWith(owner, account, scopes)
  const answer = await sendTo(origin, {
    method: 'POST',
    path: '/v1/chat/completions',
    headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox-echo', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  assert.equal(answer.status, 200, answer.text)
  const topUp = services.nextId()
  await insertTopUp(services.store, { id: topUp, account: id, amount: 5_000_000_000n })
  return {
    account,
    email,
    person,
    key: key.id,
    managementKey: managementKey.id,
    request: answer.headers['x-request-id'] ?? '',
    topUp: formatId('top', topUp),
    entry,
  }
}
