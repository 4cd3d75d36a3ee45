/**
 * Each credential works only where it belongs: sessions and management keys at the control plane, API keys at the data
 * plane, none in a URL, never two in one request; and none of them reaches the log.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ErrorCode } from '../../contract/errors.ts'
import { scopes } from '../../contract/operation.ts'
import type { ControlErrorBody } from '../../contract/operations.ts'
import { createLog } from '../../src/base/log.ts'
import { type ControlAnswer, ControlClient, type Sending, sendTo } from '../support/control-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { creditTo, joined, keyWith, type Member } from '../support/two-tenants.ts'

let logged = ''
let gateway: TestGateway
let person: Member
let managementKey: string
let modelKey: string

before(async () => {
  const destination = {
    write(line: string) {
      logged += line
    },
  }
  gateway = await testGateway({ log: createLog({ level: 'trace', destination }) })
  person = await joined(gateway.origin, 'ada')
  managementKey = (await keyWith(person, person.account, scopes)).key
  modelKey = (await person.client.done('key.create', { name: 'models' })).key
})
after(() => gateway.close())

const chat = JSON.stringify({ model: 'sandbox-echo', messages: [{ role: 'user', content: 'Hello' }] })
const json = { 'content-type': 'application/json' }
const toModels: Sending = { method: 'POST', path: '/v1/chat/completions', headers: json, body: chat }
const toMessages: Sending = {
  method: 'POST',
  path: '/v1/alt/v1/messages',
  headers: json,
  body: JSON.stringify({
    model: 'sandbox-echo',
    max_tokens: 10,
    messages: [{ role: 'user', content: 'Hello' }],
  }),
}
const toAccount: Sending = { method: 'GET', path: '/api/account' }

interface Case {
  readonly title: string
  readonly sending: Sending
  readonly headers: () => Readonly<Record<string, string>>
  /** After the path's `?`. */
  readonly query?: () => string
  readonly rejected: readonly [status: number, code: ErrorCode]
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

const rejections: readonly Case[] = [
  ...[
    toModels,
    toMessages,
    { method: 'GET', path: '/v1/models' },
    { method: 'GET', path: '/v1/credits' },
  ].flatMap((sending): Case[] => [
    {
      title: `a session at ${sending.path}`,
      sending,
      headers: () => ({ cookie: person.client.cookie }),
      rejected: [401, 'missing_api_key'],
    },
    {
      title: `a management key at ${sending.path}`,
      sending,
      headers: () => bearer(managementKey),
      rejected: [401, 'invalid_api_key'],
    },
    {
      title: `a management key as x-api-key at ${sending.path}`,
      sending,
      headers: () => ({ 'x-api-key': managementKey }),
      rejected: [401, 'invalid_api_key'],
    },
    {
      title: `a key for models in the address of ${sending.path}`,
      sending,
      headers: () => ({}),
      query: () => `key=${modelKey}&api_key=${modelKey}&access_token=${modelKey}`,
      rejected: [401, 'missing_api_key'],
    },
  ]),
  ...['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'].map(
    (name): Case => ({
      title: `a key for models as ${name} at the control plane`,
      sending: toAccount,
      headers: () => (name === 'authorization' ? bearer(modelKey) : { [name]: modelKey }),
      rejected: [401, 'invalid_api_key'],
    }),
  ),
  {
    title: 'a key for models beside a session',
    sending: toAccount,
    headers: () => ({ ...bearer(modelKey), cookie: person.client.cookie }),
    rejected: [400, 'repeated_credential'],
  },
  {
    title: 'a management key beside a session',
    sending: toAccount,
    headers: () => ({ ...bearer(managementKey), cookie: person.client.cookie }),
    rejected: [400, 'repeated_credential'],
  },
  ...['key', 'token', 'access_token', 'authorization'].map(
    (name): Case => ({
      title: `a management key as ?${name}= at the control plane`,
      sending: toAccount,
      headers: () => ({}),
      query: () => `${name}=${managementKey}`,
      rejected: [401, 'not_signed_in'],
    }),
  ),
  {
    title: 'a management key as x-api-key at the control plane',
    sending: toAccount,
    headers: () => ({ 'x-api-key': managementKey }),
    rejected: [401, 'not_signed_in'],
  },
  {
    title: 'a management key without its last letter',
    sending: toAccount,
    headers: () => bearer(managementKey.slice(0, -1)),
    rejected: [401, 'invalid_api_key'],
  },
  {
    title: 'a session cookie that was changed',
    sending: toAccount,
    headers: () => ({ cookie: person.client.cookie.replace(/(session_token=[^;]*)../, '$1xx') }),
    rejected: [401, 'not_signed_in'],
  },
  {
    title: 'a session cookie under another name',
    sending: toAccount,
    headers: () => ({ cookie: person.client.cookie.replace(/^[^=]+/, 'session') }),
    rejected: [401, 'not_signed_in'],
  },
  {
    title: 'a session as a bearer token',
    sending: toAccount,
    headers: () => bearer(person.client.cookie.replace(/^[^=]+=/, '')),
    rejected: [401, 'invalid_api_key'],
  },
  {
    title: 'the credentials of somebody in between',
    sending: toAccount,
    headers: () => ({ authorization: 'Basic dXNlcjpwYXNz' }),
    rejected: [401, 'not_signed_in'],
  },
]

for (const { title, sending, headers, query, rejected } of rejections) {
  test(`${title} is rejected`, async () => {
    const path = query === undefined ? sending.path : `${sending.path}?${query()}`
    const answer = await sendTo(gateway.origin, {
      ...sending,
      path,
      headers: { ...sending.headers, ...headers() },
    })
    assert.deepEqual([answer.status, codeOf(answer)], rejected, answer.text)
  })
}

function codeOf({ body }: ControlAnswer): string | undefined {
  const { error } = body as { error: ControlErrorBody['error'] & { details?: { code?: string } } }
  return error.code ?? error.details?.code
}

test('an API key at the control plane gets an error that says so', async () => {
  const answer = await sendTo(gateway.origin, { ...toAccount, headers: bearer(modelKey) })
  assert.match(answer.text, /for model requests/)
  assert.ok(!answer.text.includes(modelKey))
})

test('each of them works where it belongs', async () => {
  assert.equal((await person.client.ask('account.show')).status, 200)
  assert.equal((await new ControlClient(gateway.origin, managementKey).ask('account.show')).status, 200)
  await creditTo(gateway, person.account, 1_000_000_000n)
  const asked = await sendTo(gateway.origin, { ...toModels, headers: { ...json, ...bearer(modelKey) } })
  assert.equal(asked.status, 200, asked.text)
})

test('a management key that expired, was revoked or lacks the scope is rejected', async () => {
  const { client, account } = person
  const reading = await client.done('management-key.create', { name: 'r', scopes: ['account:read'] })
  const reader = new ControlClient(gateway.origin, reading.key)
  assert.equal((await reader.ask('account.show')).status, 200)
  assert.equal(codeOf(await reader.ask('key.list')), 'not_allowed')
  assert.equal(codeOf(await reader.ask('key.create', { account, name: 'x' })), 'not_allowed')
  assert.equal(
    codeOf(await reader.ask('management-key.create', { name: 'x', scopes: ['keys:write'] })),
    'not_allowed',
  )
  await client.done('management-key.revoke', { managementKey: reading.id })
  assert.equal(codeOf(await reader.ask('account.show')), 'invalid_api_key')
  const expired = await client.ask('management-key.create', {
    name: 'x',
    scopes: ['account:read'],
    expires: '2020-01-01T00:00:00Z',
  })
  assert.notEqual(expired.status, 200)
})

test('signing out ends the session here', async () => {
  const leaving = await joined(gateway.origin, 'leaving')
  const { cookie } = leaving.client
  const out = await leaving.client.post('/api/auth/sign-out', {})
  assert.equal(out.status, 200, out.text)
  const answer = await sendTo(gateway.origin, { ...toAccount, headers: { cookie } })
  assert.equal(codeOf(answer), 'not_signed_in')
})

test('no credential was logged', () => {
  const token = person.client.cookie.replace(/^[^=]+=/, '')
  for (const secret of [managementKey, modelKey, token]) {
    assert.ok(secret.length > 20 && !logged.includes(secret))
  }
})
