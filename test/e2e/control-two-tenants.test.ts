/**
 * Another account's objects look exactly like missing ones: every operation of the contract, with every ID of a stranger
 * in every field that takes one, sent by every role, by a management key, by an operator where operators have no access,
 * and without credentials. Made from the contract: a new operation or field is covered, or the test says what to add
 * to its tables.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { errors } from '../../contract/errors.ts'
import { roles, type Subject } from '../../contract/operation.ts'
import { type OperationName, operations } from '../../contract/operations.ts'
import { inputOf, type JsonSchema } from '../../src/api/operation-schemas.ts'
import { exampleOf } from '../../src/api/schema-text.ts'
import { formatId, parseId } from '../../src/base/ids.ts'
import type { ControlAnswer, ControlClient } from '../support/control-client.ts'
import { type Belongings, type TwoTenants, twoTenants } from '../support/two-tenants.ts'

/** What a field names: one of the stranger's objects. */
const named: Readonly<Record<string, readonly (keyof Belongings)[]>> = {
  account: ['account', 'email'],
  key: ['key'],
  managementKey: ['managementKey'],
  request: ['request'],
  topUp: ['topUp'],
  invoice: ['topUp'],
  person: ['person', 'email'],
}

/** The cursor of a list: an ID of the list's own kind. */
const cursors: Readonly<Partial<Record<OperationName, keyof Belongings>>> = {
  'account.list': 'account',
  'requests.list': 'request',
  'rejections.list': 'request',
  'entries.list': 'entry',
  'top-up.list': 'topUp',
  'payments.list': 'topUp',
}

/** Fields that do not name an owned object. */
const plain: ReadonlySet<string> = new Set(
  `actor alertDays all amount askHost auth automaticCaching autoTopUp budget by code contextTokens cost credential credit formats disabled displayName
  effectiveFrom email expires fallbacks format formats from group headers inputs invoiceTo kind limit limits markup member model models name note offers onShortBalance operation operator outcome
  allowUnserved outputTokensMax outputs overlapHours password period price priority provider reason reasons reference revision saveAnyway saveMethod requiredTags scopes search
  showBalance showCost source state strategy tags takesTools testCredential to token upstream upstreamModel upstreams url use usesMax weight`.split(
    /\s+/,
  ),
)
/** Cursors into lists that only operators see, and the audit's, whose rows have separate IDs. */
const cursorsOfNobody: readonly OperationName[] = ['audit.list', 'audit.own']

interface Probe {
  readonly name: OperationName
  readonly field: string
  readonly what: keyof Belongings
}

const names = (Object.keys(operations) as OperationName[]).filter((name) => operations[name].http !== null)

function fieldsOf(name: OperationName): Readonly<Record<string, JsonSchema>> {
  return inputOf(name).properties ?? {}
}

const probes: readonly Probe[] = names.flatMap((name) =>
  Object.keys(fieldsOf(name)).flatMap((field) => {
    const cursor = field === 'before' || field === 'after' ? cursors[name] : undefined
    const whats = cursor === undefined ? (named[field] ?? []) : [cursor]
    return whats.filter((what) => takes(name, field, what)).map((what) => ({ name, field, what }))
  }),
)

/** Some fields that name an account do not accept an email address. */
function takes(name: OperationName, field: string, what: keyof Belongings): boolean {
  return what !== 'email' || fieldsOf(name)[field]?.pattern === undefined
}

let world: TwoTenants

before(async () => {
  world = await twoTenants()
})
after(() => world.close())

test('every field of every operation is listed as naming an object, or nothing', () => {
  for (const name of names) {
    for (const field of Object.keys(fieldsOf(name))) {
      const isCursor = field === 'before' || field === 'after'
      const isKnown = isCursor
        ? name in cursors || cursorsOfNobody.includes(name)
        : field in named || plain.has(field)
      assert.ok(isKnown, `${name}: say what ${field} names`)
    }
  }
})

test('every operation on objects of an account is tested with a stranger’s', () => {
  const probed = new Set(probes.map(({ name }) => name))
  for (const name of names) {
    if (operations[name].policy.kind === 'account') assert.ok(probed.has(name), name)
  }
})

/** An unused ID next to a used one, so that it sorts the same. */
function madeUp(id: string): string {
  if (id.includes('@')) return 'strangfr@example.org'
  const [prefix = ''] = id.split('_')
  const number = parseId(prefix, id)
  return number === undefined
    ? `${id.slice(0, -1)}${id.endsWith('a') ? 'b' : 'a'}`
    : formatId(prefix, number + 1n)
}

/** What is left of a response without its own IDs and the requested one. */
function shape({ status, headers, text }: ControlAnswer, asked: string): object {
  const { date: _date, 'x-request-id': _id, 'content-length': _length, ...kept } = headers
  return {
    status,
    headers: kept,
    text: text.replaceAll(asked, '<asked>').replaceAll(/"requestId":"req_\w+"/g, '"requestId":"<id>"'),
  }
}

function inputWith({ name, field }: Probe, value: string): Readonly<Record<string, unknown>> {
  return { ...(exampleOf(inputOf(name)) as object), [field]: value }
}

/** Of the caller's own objects, filtered by or continued after a stranger's: a response, and the same one. */
const mayAnswer = ({ field }: Probe, name: OperationName): boolean => {
  const { policy } = operations[name]
  return policy.kind === 'account' && field !== fieldOf[policy.subject]
}

const fieldOf: Readonly<Record<Subject, string>> = {
  account: 'account',
  key: 'key',
  management_key: 'managementKey',
  request: 'request',
  top_up: 'topUp',
}

async function assertSame(client: ControlClient, probe: Probe, who: string): Promise<ControlAnswer> {
  const real = world.belongings[probe.what]
  const invented = madeUp(real)
  const theirs = await client.ask(probe.name, inputWith(probe, real))
  const nobodys = await client.ask(probe.name, inputWith(probe, invented))
  const context = `${who} ${probe.name} ${probe.field}=${probe.what}`
  assert.deepEqual(shape(theirs, real), shape(nobodys, invented), context)
  if (!mayAnswer(probe, probe.name))
    assert.ok([401, 403, 404].includes(theirs.status), `${context}: ${theirs.text}`)
  for (const secret of ['secret name', 'acct_', 'stranger@']) {
    if (theirs.status !== 200 && !real.startsWith(secret))
      assert.ok(!theirs.text.includes(secret), theirs.text)
  }
  return theirs
}

for (const role of roles) {
  test(`${role} of another account sees nothing and changes nothing`, async () => {
    for (const probe of probes) await assertSame(world.members[role].client, probe, role)
  })
}

test('a management key of another account sees nothing and changes nothing', async () => {
  for (const probe of probes) await assertSame(world.managementKey, probe, 'key')
})

test('an anonymous caller sees nothing and changes nothing', async () => {
  for (const probe of probes) {
    const { status, text } = await assertSame(world.anyone, probe, 'anyone')
    assert.equal(status, 401, `${probe.name}: ${text}`)
  }
})

test('an operator sees nothing and changes nothing where operators have no access', async () => {
  for (const probe of probes) {
    const { policy } = operations[probe.name]
    if (policy.kind === 'account' && policy.operator === 'no')
      await assertSame(world.operator.client, probe, 'operator')
  }
})

test('public operations reveal nothing about a user', async () => {
  for (const name of names) {
    if (operations[name].policy.kind !== 'public') continue
    const { text } = await world.anyone.ask(name, exampleOf(inputOf(name)) as Record<string, unknown>)
    for (const secret of Object.values(world.belongings))
      assert.ok(!text.includes(secret), `${name}: ${text}`)
  }
})

test('operations of the installation are rejected for non-operators, with one response', async () => {
  for (const name of names) {
    if (operations[name].policy.kind !== 'installation') continue
    for (const client of [world.members.owner.client, world.managementKey]) {
      const { status, body, text } = await client.ask(
        name,
        exampleOf(inputOf(name)) as Record<string, unknown>,
      )
      assert.equal(status, 403, `${name}: ${text}`)
      assert.equal((body as { error: { code: string } }).error.code, 'not_allowed')
    }
  }
})

/** Last, since it uses the stranger's objects up: the IDs that were used exist. */
test('their owner reaches all of them', async () => {
  const last = (name: OperationName) => /revoke|delete|stop|rotate/.test(name)
  const ordered = probes.toSorted((a, b) => Number(last(a.name)) - Number(last(b.name)))
  for (const probe of ordered) {
    const { policy } = operations[probe.name]
    if (policy.kind !== 'account' || mayAnswer(probe, probe.name)) continue
    const { status, body, text } = await world.stranger.client.ask(
      probe.name,
      inputWith(probe, world.belongings[probe.what]),
    )
    const code = (body as { error?: { code?: string } } | undefined)?.error?.code
    const context = `${probe.name} ${probe.field}=${probe.what}: ${text}`
    assert.ok(status < 500 || code === 'payment_provider_unavailable', context)
    assert.ok(
      code === undefined ||
        ![
          'account_not_found',
          'key_not_found',
          'generation_not_found',
          'top_up_not_found',
          'not_allowed',
          'not_signed_in',
        ].includes(code),
      context,
    )
    if (code !== undefined) assert.ok(Object.hasOwn(errors, code))
  }
})
