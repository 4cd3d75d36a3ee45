/**
 * Callers cannot grant themselves anything: every operation accepts only its own fields, at every
 * depth, and signing up or changing a profile does not change roles.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ControlErrorBody, OperationName } from '../../contract/operations.ts'
import { operations } from '../../contract/operations.ts'
import { inputOf } from '../../src/api/operation-schemas.ts'
import { exampleOf } from '../../src/api/schema-text.ts'
import { ControlClient } from '../support/control-client.ts'
import { password, type TwoTenants, twoTenants } from '../support/two-tenants.ts'

let world: TwoTenants
before(async () => {
  world = await twoTenants()
})
after(() => world.close())

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

const names = (Object.keys(operations) as OperationName[]).filter((name) => operations[name].http !== null)

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
