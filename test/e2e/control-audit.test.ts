/** Every change through the control plane leaves a row with who, what, from where and its outcome; reads leave none. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type OperationName, operations } from '../../contract/operations.ts'
import { inputOf } from '../../src/api/operation-schemas.ts'
import { exampleOf } from '../../src/api/schema-text.ts'
import type { ControlClient } from '../support/control-client.ts'
import { type TwoTenants, twoTenants } from '../support/two-tenants.ts'

let world: TwoTenants
before(async () => {
  world = await twoTenants()
})
after(() => world.close())

const names = (Object.keys(operations) as OperationName[]).filter((name) => operations[name].http !== null)

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
