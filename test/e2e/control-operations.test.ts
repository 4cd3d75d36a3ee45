/**
 * All operations of the contract and all routes below `/api`: each has a policy, accepts only its own fields, searches for plain
 * text, has a limit, and leaves a row in the audit where it changes something.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ControlErrorBody, OperationName } from '../../contract/operations.ts'
import { operations } from '../../contract/operations.ts'
import { inputOf } from '../../src/api/operation-schemas.ts'
import { type OtherRoute, otherRoutes } from '../../src/api/other-routes-table.ts'
import { exampleOf } from '../../src/api/schema-text.ts'
import { ControlClient } from '../support/control-client.ts'
import { mountedRoutes } from '../support/mounted-routes.ts'
import { password, type TwoTenants, twoTenants } from '../support/two-tenants.ts'

let world: TwoTenants
let mounted: readonly string[]
before(async () => {
  world = await twoTenants()
  await world.signUp('per_cent%sign')
  mounted = (await mountedRoutes(world.gateway)).filter((address) => address.includes(' /api'))
})
after(() => world.close())

const names = (Object.keys(operations) as OperationName[]).filter((name) => operations[name].http !== null)

/** `HEAD` is `GET` without the body. */
const withHead = (method: string) => (method === 'GET' ? ['GET', 'HEAD'] : [method])

const ofContract = Object.values(operations).flatMap(({ http }) =>
  http === null
    ? []
    : withHead(http[0]).map((method) => `${method} ${http[1].replaceAll(/\{(\w+)\}/g, ':$1')}`),
)
const ofTable = Object.values<OtherRoute>(otherRoutes).flatMap(({ methods, path }) =>
  methods.flatMap(withHead).map((method) => `${method} ${path}`),
)

test('every route is of the contract or of the table', () => {
  assert.ok(mounted.length > 60)
  for (const address of mounted) {
    assert.ok(ofContract.includes(address) || ofTable.includes(address), `${address} has no policy`)
  }
})

test('every operation of the contract is mounted once', () => {
  for (const address of ofContract) {
    assert.equal(mounted.filter((one) => one === address).length, 1, address)
  }
})

test('every row of the table says who may use it, and is mounted', () => {
  const absent = Object.values<OtherRoute>(otherRoutes).filter(
    ({ path }) => !mounted.some((address) => address.endsWith(` ${path}`)),
  )
  assert.deepEqual(
    absent,
    [otherRoutes.play, otherRoutes.webhook],
    'the data plane plays, and without payments there is no webhook',
  )
  for (const { policy } of Object.values<OtherRoute>(otherRoutes)) assert.match(policy, /\w.+\.$/)
})

const nothing = [
  '*',
  '.*',
  '?',
  '[a-z]',
  '^o',
  '\\',
  '\\%',
  "' OR 1=1 --",
  '%%%',
  '__',
  '\0',
  'o%r',
  'op_rator',
  '{}',
]

for (const name of ['account.list', 'people.list'] as const) {
  test(`${name} finds letters, not patterns`, async () => {
    const { client } = world.operator
    assert.equal((await client.done(name, { search: 'OPERATOR' })).length, 1)
    assert.equal((await client.done(name, { search: 'per_cent%s' })).length, 1)
    assert.equal((await client.done(name, { search: '%' })).length, 1)
    for (const search of nothing) {
      const answer = await client.ask(name, { search })
      const found = answer.status === 200 ? (answer.body as readonly unknown[]) : []
      assert.deepEqual([found, answer.status < 500], [[], true], `${search}: ${answer.text}`)
    }
    assert.equal((await client.ask(name, { search: 'x'.repeat(201) })).status, 400)
  })
}

test('no list can be requested without a limit', async () => {
  const lists: readonly OperationName[] = [
    'account.list',
    'people.list',
    'requests.list',
    'entries.list',
    'top-up.list',
    'payments.list',
    'audit.list',
    'losses.list',
  ]
  for (const name of lists) {
    for (const limit of ['0', '-1', '1001', '1e9', '99999999999999999999', 'all', '']) {
      const { status, text } = await world.operator.client.ask(name, { limit })
      assert.equal(status, 400, `${name} ${limit}: ${text}`)
    }
  }
})

const wanted: Readonly<Record<string, unknown>> = {
  role: 'owner',
  isAdmin: true,
  operator: true,
  balance: '1000.00',
  posted: '1000.00',
  held: '0.00',
  spent: '0.00',
  verified: true,
  confirmed: true,
  emailVerified: true,
  owner: 'person:x',
  tenant: 'x',
  organization: 'x',
  createdBy: 'x',
  revoked: null,
  suspended: null,
  scope: 'keys:write',
  allowedRoutes: ['*'],
}

for (const name of names) {
  test(`${name} accepts only its own fields`, async () => {
    const { properties = {} } = inputOf(name)
    const example = exampleOf(inputOf(name)) as Readonly<Record<string, unknown>>
    const { policy } = operations[name]
    const client = policy.kind === 'public' ? world.anyone : world.operator.client
    for (const [field, value] of Object.entries(wanted)) {
      if (Object.hasOwn(properties, field)) continue
      const { status, body, text } = await client.ask(name, { ...example, [field]: value ?? 'null' })
      const { error } = body as ControlErrorBody
      assert.deepEqual([status, error.code, error.param], [400, 'invalid_value', field], text)
    }
  })
}

const nested: readonly (readonly [
  name: OperationName,
  input: Readonly<Record<string, unknown>>,
  param: string,
])[] = [
  ['key.create', { name: 'x', limits: { requestsPerMinute: 1, unlimited: true } }, 'limits.unlimited'],
  ['key.create', { name: 'x', budget: { amount: '1', window: 'day', spent: '-5' } }, 'budget.spent'],
  ['billing.update', { autoTopUp: { below: '1', amount: '5', paid: true } }, 'autoTopUp.paid'],
  [
    'models.price',
    { model: 'sandbox-echo', price: { input: '1', output: '1', markup: '0' } },
    'price.markup',
  ],
]

for (const [name, input, param] of nested) {
  test(`${name} does not accept ${param}`, async () => {
    const { status, body, text } = await world.operator.client.ask(name, input)
    const { error } = body as ControlErrorBody
    assert.deepEqual([status, error.code, error.param], [400, 'invalid_value', param], text)
  })
}

test('a field in the path cannot be repeated in the body', async () => {
  const { key, account } = world.belongings
  for (const [method, path, body] of [
    ['PATCH', `/api/keys/${key}`, { key, name: 'x' }],
    ['POST', `/api/admin/accounts/${account}/credits`, { account, amount: '1', reference: 'x' }],
  ] as const) {
    const headers = { 'content-type': 'application/json' }
    const answer = await world.operator.client.send({ method, path, headers, body: JSON.stringify(body) })
    assert.equal(answer.status, 400, answer.text)
  }
})

test('a new user is not an operator, and not approved', async () => {
  const client = new ControlClient(world.gateway.origin)
  const email = 'climber@example.org'
  const asked = {
    name: 'climber',
    email,
    password,
    operator: true,
    confirmed: true,
    emailVerified: true,
    role: 'admin',
    id: 'x',
  }
  const signUp = await client.post('/api/auth/sign-up/email', asked)
  if (signUp.status !== 200)
    await client.post('/api/auth/sign-up/email', { name: 'climber', email, password })
  await client.post('/api/auth/sign-in/email', { email, password })
  for (const change of [
    { operator: true },
    { confirmed: true },
    { emailVerified: true },
    { role: 'admin' },
    { email: 'operator@example.org' },
  ]) {
    await client.post('/api/auth/update-user', { name: 'climber', ...change })
  }
  const { person, accounts } = await client.done('me.show', {})
  assert.deepEqual(
    [person.operator, person.confirmed, person.verified, person.email],
    [false, false, false, email],
  )
  assert.notEqual(person.id, 'x')
  assert.equal(accounts.length, 1)
  assert.equal((await client.ask('system.show')).status, 403)
})

/** Secrets are never recorded. */
const secretFields = ['password', 'token', 'credential', 'code']
const secret = 'known to nobody else'

/** An actor that may perform an operation, with an input that passes authorization. */
function asking(name: OperationName): {
  readonly client: ControlClient
  readonly actor: string
  readonly input: object
} {
  const { policy } = operations[name]
  const { properties = {} } = inputOf(name)
  const hidden = secretFields.filter((field) => Object.hasOwn(properties, field) && name !== 'code.revoke')
  const example = {
    ...(exampleOf(inputOf(name)) as Readonly<Record<string, unknown>>),
    ...Object.fromEntries(hidden.map((field) => [field, secret])),
  }
  const { stranger, operator, anyone, belongings } = world
  if (policy.kind === 'installation')
    return { client: operator.client, actor: operator.email, input: example }
  if (policy.kind === 'public') return { client: anyone, actor: 'anyone', input: example }
  const own = Object.fromEntries(
    (['account', 'key', 'managementKey', 'request', 'topUp'] as const)
      .filter((field) => Object.hasOwn(inputOf(name).properties ?? {}, field))
      .map((field) => [field, belongings[field]]),
  )
  return { client: stranger.client, actor: stranger.email, input: { ...example, ...own } }
}

const changing = names.filter((name) => operations[name].effect === 'changes')
/** Operations that end the actor's own access run last. */
const ordered = changing.toSorted((a, b) => Number(a === 'me.delete') - Number(b === 'me.delete'))

for (const name of ordered) {
  test(`${name} is recorded`, async () => {
    const { client, actor, input } = asking(name)
    const answer = await client.ask(name, input as Record<string, unknown>)
    const code = (answer.body as { error?: { code: string } } | undefined)?.error?.code ?? 'done'
    const [row] = await world.operator.client.done('audit.list', { operation: name, limit: 1 })
    assert.deepEqual(
      [row?.operation, row?.actor, row?.outcome, row?.address],
      [name, actor, code, '127.0.0.1'],
      answer.text,
    )
    assert.ok(!JSON.stringify(row).includes(secret))
  })
}

test('a client cannot choose the address that is recorded', async () => {
  const { client, email } = world.operator
  const spoofed = {
    'x-forwarded-for': '203.0.113.9',
    forwarded: 'for=203.0.113.9',
    'x-real-ip': '203.0.113.9',
    'x-tollgate-client-address': '203.0.113.9',
    'x-forwarded-host': 'evil.test',
  }
  const body = JSON.stringify({ email: 'guest@example.org' })
  const headers = { 'content-type': 'application/json', ...spoofed }
  const { text } = await client.send({ method: 'POST', path: '/api/admin/invitations', headers, body })
  assert.ok(!text.includes('evil.test'))
  const [row] = await client.done('audit.list', { limit: 1 })
  assert.deepEqual([row?.actor, row?.operation, row?.address], [email, 'people.invite', '127.0.0.1'])
})

test('reads leave no row', async () => {
  const before = await world.operator.client.done('audit.list', { limit: 1 })
  for (const name of names) {
    if (operations[name].effect === 'changes') continue
    const { client, input } = asking(name)
    await client.ask(name, input as Record<string, unknown>)
  }
  assert.deepEqual(await world.operator.client.done('audit.list', { limit: 1 }), before)
})
