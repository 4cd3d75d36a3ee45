/**
 * Unexpected values in every field of every endpoint below `/api`, made from the contract and from the table of
 * identity: each is accepted or rejected as the sender's mistake, and none causes an internal error.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type OperationName, operations } from '../../contract/operations.ts'
import { inputOf } from '../../src/api/operation-schemas.ts'
import { exampleOf } from '../../src/api/schema-text.ts'
import { createLog } from '../../src/base/log.ts'
import { authRules } from '../../src/identity/auth-gateway/rules-table.ts'
import { type ControlAnswer, ControlClient } from '../support/control-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { sampled } from '../support/sampled.ts'
import { joined, type Member, password } from '../support/two-tenants.ts'

const many = 1_000_000
let logged = ''
let gateway: TestGateway
let operator: Member
let person: Member

before(async () => {
  const destination = {
    write(line: string) {
      logged += line
    },
  }
  gateway = await testGateway({
    log: createLog({ level: 'error', destination }),
    limits: {
      uniformAnswerMs: 1,
      guessesPerPersonMax: many,
      guessesPerNetworkMax: many,
      guessesFromStrangersMax: many,
      emailsPerAddressMax: many,
      emailsPerNetworkMax: many,
      challengesPerNetworkMax: many,
      passwordHashesQueuedMax: many,
      csvAtOnceMax: many,
      csvPerAccountMax: many,
    },
  })
  person = await joined(gateway.origin, 'ada')
  const { start } = gateway.gateway
  assert.ok(start.kind === 'first')
  const client = new ControlClient(gateway.origin)
  const token = new URL(start.setupLink).searchParams.get('token') ?? ''
  const email = 'operator@example.org'
  await client.done('setup.claim', { token, name: 'operator', email, password })
  await client.post('/api/auth/sign-in/email', { email, password })
  operator = { ...person, client, email }
})
after(() => gateway.close())

const oddValues: readonly unknown[] = [
  null,
  0,
  1.5,
  2 ** 60,
  '',
  '\u0000',
  '\ud800',
  '../../x',
  '{{7*7}}<%= 7 %>',
  '__proto__',
  'ａ＠ｂ．ｃ',
  'x'.repeat(5_000),
  [],
  ['x', 'y'],
  { $ne: null },
  JSON.parse('{"toString":1,"valueOf":1,"then":1,"length":-1,"__proto__":1}'),
]
const odd = sampled(oddValues, 6, 9)

function assertOurs(context: string, { status, text, headers }: ControlAnswer): void {
  assert.ok(status < 500, `${context}: ${status} ${text}`)
  if (status >= 400) assert.match(headers['content-type'] ?? '', /json/, context)
  assert.doesNotMatch(text, /node_modules|SQLITE|at \w+ \(|\.ts:\d/, context)
}

/** What would end the session that sends it, or delete the server's own objects. */
const endsSession = /sign-out|revoke|change-password|two-factor\/enable/

test('no odd value below /api/auth causes an internal error', async () => {
  const anyone = new ControlClient(gateway.origin)
  for (const [address, { fields = [] }] of Object.entries(authRules)) {
    const [method = '', pattern = ''] = address.split(' ')
    const path = `/api/auth${pattern.replace('*', 'nobody')}`
    for (const client of endsSession.test(path) ? [anyone] : [anyone, person.client]) {
      const sent = odd.flatMap((value) =>
        method === 'GET'
          ? [client.send({ method, path: `${path}?${queryOf(value)}` })]
          : bodiesOf(value, fields).map((body) => client.post(path, body)),
      )
      for (const [index, answer] of (await Promise.all(sent)).entries())
        assertOurs(`${address} ${index}`, answer)
    }
  }
  assert.equal(logged, '')
})

function queryOf(value: unknown): URLSearchParams {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  const named = ['id', 'token', 'organizationId', 'callbackURL', 'state', 'code', 'name', 'limit']
  return new URLSearchParams(Object.fromEntries(named.map((name) => [name, text.slice(0, 500)])))
}

const bodiesOf = (value: unknown, fields: readonly string[]): readonly unknown[] => [
  value,
  ...fields.map((field) => ({ ...usual(fields), [field]: value })),
]

const words: Readonly<Record<string, unknown>> = {
  email: 'somebody@example.org',
  newEmail: 'somebody@example.org',
  name: 'x',
  slug: 'x',
  password: 'not the right one',
  newPassword: 'another long enough one',
  role: 'developer',
  code: '000000',
}

function usual(fields: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(fields.map((name) => [name, words[name] ?? 'x']))
}

const names = (Object.keys(operations) as OperationName[]).filter((name) => operations[name].http !== null)

test('no odd value in an operation causes an internal error', async () => {
  for (const name of names) {
    const example = exampleOf(inputOf(name)) as Readonly<Record<string, unknown>>
    const client =
      operations[name].policy.kind === 'public' ? new ControlClient(gateway.origin) : operator.client
    const [method, path] = operations[name].http ?? []
    for (const field of Object.keys(inputOf(name).properties ?? {})) {
      const isInAddress = method === 'GET' || path?.includes(`{${field}}`)
      // A lone surrogate cannot be in a URL, and an object is not text.
      const values = odd.filter((value) =>
        typeof value === 'string' ? value.isWellFormed() : !(isInAddress && typeof value === 'object'),
      )
      const answers = await Promise.all(
        values.map((value) => client.ask(name, { ...example, [field]: value })),
      )
      for (const [index, answer] of answers.entries()) {
        const context = `${name} ${field}=${JSON.stringify(values[index]).slice(0, 100)}`
        if (!/"payment_provider_unavailable"|"upstream_/.test(answer.text)) assertOurs(context, answer)
      }
    }
  }
  assert.equal(logged, '')
})
