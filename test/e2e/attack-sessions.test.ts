/**
 * Sessions, links and keys under attack over HTTP: what a changed password, a reset and a deleted person must end, two
 * cookies in one request, what a copy of the databases and the log reveals, and links that lead elsewhere.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { scopes } from '../../contract/operation.ts'
import { systemClock } from '../../src/base/clock.ts'
import { createLog } from '../../src/base/log.ts'
import { ControlClient, sendTo } from '../support/control-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { storedIn } from '../support/test-database.ts'
import { totpCode } from '../support/totp.ts'
import { joined, keyWith, type Member, password, signedIn } from '../support/two-tenants.ts'

const newPassword = 'another long enough one'
/** The code that set the factor up is used; the next one is valid already. */
const stepMs = 30_000
const json = { 'content-type': 'application/json' }

let logged = ''
let gateway: TestGateway
let operator: Member
/** Every secret that a client ever received. */
const secrets = new Map<string, string>()

before(async () => {
  const destination = {
    write(line: string) {
      logged += line
    },
  }
  gateway = await testGateway({
    log: createLog({ level: 'trace', destination }),
    limits: { uniformAnswerMs: 1, eventsRecheckMs: 50 },
  })
  const { start } = gateway.gateway
  assert.ok(start.kind === 'first')
  const client = new ControlClient(gateway.origin)
  const token = new URL(start.setupLink).searchParams.get('token') ?? ''
  secrets.set('setup token', token)
  secrets.set('password', password)
  secrets.set('new password', newPassword)
  const email = 'operator@example.org'
  await client.done('setup.claim', { token, name: 'operator', email, password })
  operator = await signedIn(client, email)
})
after(() => gateway.close())

/** Another browser of the same person. */
async function again({ email }: Member, secret = password): Promise<ControlClient> {
  const client = new ControlClient(gateway.origin)
  const answer = await client.post('/api/auth/sign-in/email', { email, password: secret })
  assert.equal(answer.status, 200, answer.text)
  keepToken(client)
  return client
}

function keepToken(client: ControlClient): void {
  const token = decodeURIComponent(client.cookie.replace(/^.*session_token=/, '')).split('.')[0] ?? ''
  assert.ok(token.length > 20)
  secrets.set(`session ${secrets.size}`, token)
}

async function resetToken({ person }: Member): Promise<string> {
  const { link } = await operator.client.done('people.reset-link', { person })
  const token = new URL(link).searchParams.get('token') ?? ''
  secrets.set(`reset ${secrets.size}`, token)
  return token
}

const statusOf = async (client: ControlClient) => (await client.ask('me.show')).status
const reset = (token: string) =>
  new ControlClient(gateway.origin).post('/api/auth/reset-password', { token, newPassword })

async function secondFactor({ client }: Member): Promise<{ secret: string; codes: readonly string[] }> {
  const enabled = await client.post('/api/auth/two-factor/enable', { password })
  assert.equal(enabled.status, 200, enabled.text)
  const { totpURI, backupCodes } = enabled.body as { totpURI: string; backupCodes: string[] }
  const secret = new URL(totpURI).searchParams.get('secret') ?? ''
  const code = totpCode(secret, systemClock.wallMs())
  assert.equal((await client.post('/api/auth/two-factor/verify-totp', { code })).status, 200)
  secrets.set(`second factor ${secrets.size}`, secret)
  for (const backup of backupCodes) secrets.set(`backup code ${secrets.size}`, backup)
  return { secret, codes: backupCodes }
}

test('a reset ends every session, every other link and every unfinished sign-in', async () => {
  const person = await joined(gateway.origin, 'reset')
  const { secret } = await secondFactor(person)
  const half = new ControlClient(gateway.origin)
  const asked = await half.post('/api/auth/sign-in/email', { email: person.email, password })
  assert.equal((asked.body as { twoFactorRedirect?: boolean }).twoFactorRedirect, true)
  const [first, second] = [await resetToken(person), await resetToken(person)]
  assert.equal((await reset(first)).status, 200)
  assert.equal(await statusOf(person.client), 401)
  for (const token of [first, second]) assert.equal((await reset(token)).status, 400)
  const code = totpCode(secret, systemClock.wallMs() + stepMs)
  assert.equal((await half.post('/api/auth/two-factor/verify-totp', { code })).status, 401)
  assert.equal(await statusOf(half), 401)
})

test('a changed password ends reset links and every other session', async () => {
  const person = await joined(gateway.origin, 'changed')
  const other = await again(person)
  const token = await resetToken(person)
  const change = { currentPassword: password, newPassword }
  assert.equal((await person.client.post('/api/auth/change-password', change)).status, 200)
  assert.deepEqual([await statusOf(person.client), await statusOf(other)], [200, 401])
  assert.equal((await reset(token)).status, 400)
})

test('a trusted browser is not trusted after the password has changed', async () => {
  const person = await joined(gateway.origin, 'trusting')
  const { secret } = await secondFactor(person)
  const trusted = new ControlClient(gateway.origin)
  await trusted.post('/api/auth/sign-in/email', { email: person.email, password })
  const code = totpCode(secret, systemClock.wallMs() + stepMs)
  const entered = await trusted.post('/api/auth/two-factor/verify-totp', { code, trustDevice: true })
  assert.equal(entered.status, 200, entered.text)
  await trusted.post('/api/auth/sign-out', {})
  assert.equal((await reset(await resetToken(person))).status, 200)
  const back = await trusted.post('/api/auth/sign-in/email', { email: person.email, password: newPassword })
  assert.equal((back.body as { twoFactorRedirect?: boolean }).twoFactorRedirect, true, back.text)
})

test('of two session cookies in one request the first counts, everywhere', async () => {
  const [one, two] = [await joined(gateway.origin, 'cookie-one'), await joined(gateway.origin, 'cookie-two')]
  const cookie = `${one.client.cookie}; ${two.client.cookie}`
  const me = await sendTo(gateway.origin, { method: 'GET', path: '/api/me', headers: { cookie } })
  const session = await sendTo(gateway.origin, {
    method: 'GET',
    path: '/api/auth/get-session',
    headers: { cookie },
  })
  assert.ok(me.text.includes(one.email), me.text)
  assert.ok(session.text.includes(one.email) && !session.text.includes(two.email), session.text)
  const token = decodeURIComponent(two.client.cookie.replace(/^[^=]+=/, '')).split('.')[0] ?? ''
  assert.ok(!session.text.includes(token))
})

test('a session that is ended elsewhere is rejected immediately, and its stream of events ends', async () => {
  const person = await joined(gateway.origin, 'streaming')
  const other = await again(person)
  const stream = sendTo(gateway.origin, {
    method: 'GET',
    path: '/api/events',
    headers: { cookie: other.cookie },
  })
  assert.equal((await person.client.post('/api/auth/revoke-other-sessions', {})).status, 200)
  assert.equal(await statusOf(other), 401)
  assert.equal((await stream).status, 200)
})

test("a deleted person's sessions and keys end, including the keys of accounts that they alone owned", async () => {
  const person = await joined(gateway.origin, 'leaving')
  const { client, account, email } = person
  const made = await client.post('/api/auth/organization/create', { name: 'Alone', slug: 'alone' })
  assert.equal(made.status, 200, made.text)
  const { accounts } = await client.done('me.show', {})
  const alone = accounts.find(({ kind }) => kind === 'organization')?.account ?? ''
  const keys: string[] = []
  const managing: ControlClient[] = []
  for (const owned of [account, alone]) {
    keys.push((await client.done('key.create', { account: owned, name: 'models' })).key)
    const { key } = await keyWith(person, owned, scopes)
    secrets.set(`management key ${owned}`, key)
    managing.push(new ControlClient(gateway.origin, key))
  }
  for (const key of keys) secrets.set(`key ${secrets.size}`, key)
  const other = await again(person)
  const token = await resetToken(person)
  await client.done('me.delete', { email })
  for (const left of [client, other]) assert.equal(await statusOf(left), 401)
  assert.equal((await reset(token)).status, 400)
  for (const key of managing) assert.equal((await key.ask('account.show')).status, 401)
  for (const key of keys) {
    const headers = { authorization: `Bearer ${key}` }
    const answer = await sendTo(gateway.origin, { method: 'GET', path: '/v1/models', headers })
    assert.equal(answer.status, 401, answer.text)
  }
})

test('no link of ours leads to another site', async () => {
  const { client, email } = await joined(gateway.origin, 'linked')
  const places = [
    'https://evil.test/',
    '//evil.test',
    '/\\evil.test',
    '/%5Cevil.test',
    'javascript:alert(1)',
    '/\t/evil.test',
  ]
  for (const callbackURL of places) {
    const query = new URLSearchParams({ token: 'invented', callbackURL })
    for (const path of ['verify-email', 'reset-password/invented', 'error', 'delete-user/callback']) {
      const answer = await sendTo(gateway.origin, { method: 'GET', path: `/api/auth/${path}?${query}` })
      const { location = '' } = answer.headers
      assert.ok(
        location === '' || new URL(location, gateway.origin).origin === gateway.origin,
        `${path} ${location}`,
      )
    }
    const social = await client.post('/api/auth/sign-in/social', { provider: 'github', callbackURL })
    assert.ok(social.status >= 400, social.text)
    const asked = await client.post('/api/auth/sign-up/email', { email, name: 'x', password, callbackURL })
    assert.ok(!`${asked.text} ${JSON.stringify(asked.headers)}`.includes('evil.test'))
  }
  const shown = await sendTo(gateway.origin, {
    method: 'GET',
    path: `/api/auth/error?error=${encodeURIComponent('<script>x()</script>')}`,
  })
  assert.ok(!shown.text.includes('<script>'))
})

test('a forged host changes no link and no cookie', async () => {
  const headers = {
    ...json,
    origin: gateway.origin,
    'x-forwarded-host': 'evil.test',
    'x-forwarded-proto': 'https',
    forwarded: 'host=evil.test;proto=https',
    'x-original-url': '/api/admin/system',
  }
  const body = JSON.stringify({ email: operator.email, password })
  const answer = await sendTo(gateway.origin, {
    method: 'POST',
    path: '/api/auth/sign-in/email',
    headers,
    body,
  })
  assert.equal(answer.status, 200, answer.text)
  assert.ok(answer.setCookies.every((cookie) => !/__Host-|; Secure|Domain/i.test(cookie)))
  const link = await sendTo(gateway.origin, {
    method: 'POST',
    path: `/api/admin/people/${operator.person}/reset-link`,
    headers: { ...headers, cookie: operator.client.cookie },
    body: '{}',
  })
  assert.ok(!link.text.includes('evil.test'))
})

test('secrets in a URL, a header or a body reach neither log nor database nor audit', async () => {
  const canary = 'canary-'.concat('4f1d0c9b7e2a')
  secrets.set('canary', canary)
  const { client } = await joined(gateway.origin, 'canary')
  for (const path of [
    `/api/auth/verify-email?token=${canary}`,
    `/api/auth/reset-password/${canary}`,
    `/v1/models?key=${canary}&api_key=${canary}`,
    `/console/reset?token=${canary}`,
    `/console/sign-up?invitation=${canary}`,
    `/api/account?access_token=${canary}`,
  ]) {
    await client.send({ method: 'GET', path, headers: { 'x-api-key': canary } })
  }
  for (const [path, body] of [
    ['sign-in/email', { email: 'canary@example.org', password: canary }],
    ['sign-up/email', { email: 'canary-two@example.org', name: 7, password: canary }],
    ['change-password', { currentPassword: canary, newPassword: `${canary}-new` }],
    ['confirm-login', { password: canary }],
    ['confirm-login', { code: canary }],
    ['two-factor/verify-totp', { code: canary }],
    ['two-factor/verify-backup-code', { code: canary }],
    ['reset-password', { token: canary, newPassword: canary }],
    ['sign-in/social', { provider: canary, idToken: { token: canary } }],
  ] as const) {
    const answer = await client.post(`/api/auth/${path}`, body)
    assert.ok(answer.status >= 400, path)
    assert.ok(!answer.text.includes(canary), `${path}: ${answer.text}`)
  }
  for (const [name, input] of [
    ['code.redeem', { code: canary }],
    ['setup.claim', { token: canary, name: 'x', email: 'x@example.org', password: canary }],
  ] as const) {
    const answer = await client.ask(name, input)
    assert.ok(answer.status >= 400 && !answer.text.includes(canary), `${name}: ${answer.text}`)
  }
  const stored = (await storedIn(gateway.dataFolder)).filter(([place]) => !place.endsWith('.txt'))
  assert.ok(stored.length > 1)
  assert.ok(logged.length > 1_000 && secrets.size > 20)
  for (const [name, secret] of secrets) {
    assert.ok(secret.length > 6 && !logged.includes(secret), `the log holds the ${name}`)
    for (const [place, text] of stored) assert.ok(!text.includes(secret), `${place} holds the ${name}`)
  }
})
