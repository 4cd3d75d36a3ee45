/**
 * Guessing and flooding over HTTP behind a trusted proxy: many passwords for one account, one for many, from one network
 * and from changing ones; evicted counters; floods of email to one mailbox; floods of passwords to hash. No response
 * reveals whether an email address is known.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { type ControlAnswer, ControlClient, type Sending, sendTo } from '../support/control-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { type MailSink, mailSink } from '../support/mail-sink.ts'
import { totpCode } from '../support/totp.ts'
import { creditTo } from '../support/two-tenants.ts'

const password = 'a long enough password'
const wrong = 'not the right password'

let gateway: TestGateway
let sink: MailSink
const ends: (() => Promise<void>)[] = []

before(async () => {
  sink = await mailSink({ after: (end) => ends.push(async () => end()) })
  gateway = await testGateway({
    environment: {
      TOLLGATE_TRUSTED_PROXIES: '127.0.0.1',
      SMTP_URL: sink.url,
      MAIL_FROM: 'Tollgate <gate@example.org>',
    },
    limits: {
      uniformAnswerMs: 1,
      guessesPerPersonMax: 3,
      guessesPerNetworkMax: 6,
      guessesFromStrangersMax: 20,
      challengesPerNetworkMax: 8,
      attemptsKeptMax: 40,
      emailsPerAddressMax: 3,
      passwordHashesMax: 1,
      passwordHashesQueuedMax: 8,
    },
  })
})
after(async () => {
  await gateway.close()
  for (const end of ends) await end()
})

type From = Readonly<Record<string, string>>
const at = (address: string): From => ({ 'x-forwarded-for': address })

function ask(path: string, body: object, from: From): Promise<ControlAnswer> {
  const headers = { 'content-type': 'application/json', origin: gateway.origin, ...from }
  const sending: Sending = { method: 'POST', path: `/api/auth/${path}`, headers, body: JSON.stringify(body) }
  return sendTo(gateway.origin, sending)
}

const signIn = (email: string, secret: string, from: From) =>
  ask('sign-in/email', { email, password: secret }, from)

/** A person with a verified email address. */
async function newcomer(name: string, from: From): Promise<string> {
  const email = `${name}@example.org`
  const answer = await ask('sign-up/email', { name, email, password }, from)
  assert.equal(answer.status, 200, answer.text)
  const { text } = await sink.next(email)
  const token = new URL(/http\S+verify\S+/.exec(text)?.[0] ?? '').searchParams.get('token') ?? ''
  const path = `/api/auth/verify-email?token=${token}`
  assert.equal((await sendTo(gateway.origin, { method: 'GET', path })).status, 200)
  return email
}

const statuses = async (answers: readonly Promise<ControlAnswer>[]) =>
  (await Promise.all(answers)).map(({ status }) => status)
const times = (count: number) => Array.from({ length: count }, (_none, index) => index)

function isThrottled(answer: ControlAnswer): boolean {
  if (answer.status !== 429) return false
  assert.ok(Number(answer.headers['retry-after']) > 0)
  return true
}

test('rejected requests evict no counter', async () => {
  const email = await newcomer('pushed', at('198.51.100.1'))
  const attacker = at('203.0.113.1')
  for (const _time of times(3)) assert.equal((await signIn(email, wrong, attacker)).status, 401)
  assert.ok(isThrottled(await signIn(email, wrong, attacker)))
  for (const index of times(3)) await signIn(`nobody-${index}@example.org`, wrong, attacker)
  const more = await statuses(times(100).map((index) => signIn(`n-${index}@example.org`, wrong, attacker)))
  assert.deepEqual(new Set(more), new Set([429]))
  assert.ok(isThrottled(await signIn(email, wrong, attacker)))
  assert.equal((await signIn(email, password, at('198.51.100.1'))).status, 200)
})

test('an attacker with a large IPv6 network does not get new attempts for each subnet', async () => {
  const email = await newcomer('large', at('198.51.100.2'))
  const answers: ControlAnswer[] = []
  for (const index of times(40)) {
    answers.push(await signIn(email, wrong, at(`2001:db8:77:${index.toString(16)}::1`)))
  }
  const guessed = answers.filter(({ status }) => status === 401).length
  assert.ok(guessed >= 3 && guessed <= 15, `${guessed} guesses`)
  assert.ok(answers.slice(guessed).every(isThrottled))
  for (const from of ['198.51.100.2', '2001:db8:78:1::1']) {
    assert.equal((await signIn(email, password, at(from))).status, 200, from)
  }
})

test("headers that a client sends ahead of its proxy's do not change its identity", async () => {
  const email = await newcomer('spoofed', at('198.51.100.3'))
  const answers: ControlAnswer[] = []
  for (const index of times(6)) {
    answers.push(
      await signIn(email, wrong, {
        'x-forwarded-for': `10.1.1.${index}, 203.0.113.3`,
        'x-real-ip': `10.2.2.${index}`,
        'x-client-ip': `10.3.3.${index}`,
        'x-tollgate-client-address': `10.4.4.${index}`,
      }),
    )
  }
  assert.deepEqual(
    answers.map(({ status }) => status),
    [401, 401, 401, 429, 429, 429],
  )
})

test('an attacker with a thousand addresses gets few attempts, and does not lock out returning users', async () => {
  const home = at('198.51.100.20')
  const email = await newcomer('wanted', home)
  const owner = new ControlClient(gateway.origin)
  const sendAs = (client: ControlClient, path: string, body: object, from: From) =>
    client.send({
      method: 'POST',
      path: `/api/auth/${path}`,
      headers: { 'content-type': 'application/json', ...from },
      body: JSON.stringify(body),
    })
  assert.equal((await sendAs(owner, 'sign-in/email', { email, password }, home)).status, 200)
  await sendAs(owner, 'sign-out', {}, home)

  const bot = new ControlClient(gateway.origin)
  const own = await newcomer('bot', at('203.0.117.250'))
  assert.equal(
    (await sendAs(bot, 'sign-in/email', { email: own, password }, at('203.0.117.250'))).status,
    200,
  )
  const answers: ControlAnswer[] = []
  for (const index of times(60)) {
    // Signed in as another user, or with an unknown device name: still a stranger.
    const client = index % 2 === 0 ? bot : new ControlClient(gateway.origin)
    const forged: From = index % 3 === 0 && client !== bot ? { cookie: 'tollgate.device=x.y' } : {}
    const from = { ...at(`203.0.117.${index}`), ...forged }
    answers.push(await sendAs(client, 'sign-in/email', { email, password: wrong }, from))
  }
  assert.equal(answers.filter(({ status }) => status === 401).length, 20)
  assert.ok(answers.slice(20).every(isThrottled))

  const away = at('198.51.100.21')
  assert.equal((await sendAs(owner, 'sign-in/email', { email, password }, away)).status, 200)
  const elsewhere = new ControlClient(gateway.origin)
  assert.ok(isThrottled(await sendAs(elsewhere, 'sign-in/email', { email, password }, away)))
  assert.equal((await sendAs(elsewhere, 'request-password-reset', { email }, away)).status, 200)
  const { text } = await sink.next(email)
  const token = new URL(/http\S+reset\S+/.exec(text)?.[0] ?? '').searchParams.get('token')
  const newPassword = 'quite another password'
  assert.equal((await sendAs(elsewhere, 'reset-password', { token, newPassword }, away)).status, 200)
  assert.equal((await sendAs(elsewhere, 'sign-in/email', { email, password: newPassword }, away)).status, 200)
})

test('a known browser gets no more guesses than any other, from any network', async () => {
  const email = await newcomer('stolen', at('198.51.100.22'))
  const client = new ControlClient(gateway.origin)
  const guess = (secret: string, from: From) =>
    client.send({
      method: 'POST',
      path: '/api/auth/sign-in/email',
      headers: { 'content-type': 'application/json', ...from },
      body: JSON.stringify({ email, password: secret }),
    })
  assert.equal((await guess(password, at('198.51.100.22'))).status, 200)
  const answers: ControlAnswer[] = []
  for (const index of times(9)) answers.push(await guess(wrong, at(`203.0.118.${index}`)))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [401, 401, 401, 429, 429, 429, 429, 429, 429],
  )
})

test('second-factor and backup codes allow few guesses, from any network', async () => {
  const email = await newcomer('factor', at('198.51.100.4'))
  const client = new ControlClient(gateway.origin)
  const headers = { 'content-type': 'application/json', ...at('198.51.100.4') }
  const post = (path: string, body: object) =>
    client.send({ method: 'POST', path: `/api/auth/${path}`, headers, body: JSON.stringify(body) })
  await post('sign-in/email', { email, password })
  const enabled = await post('two-factor/enable', { password })
  const { totpURI } = enabled.body as { readonly totpURI: string }
  const secret = new URL(totpURI).searchParams.get('secret') ?? ''
  const code = totpCode(secret, systemClock.wallMs())
  assert.equal((await post('two-factor/verify-totp', { code })).status, 200)
  let guesses = 0
  // Fewer than the right sign-ins that a person can have.
  for (const index of times(25)) {
    const thief = new ControlClient(gateway.origin)
    const from = { 'content-type': 'application/json', ...at(`203.0.114.${index}`) }
    const send = (path: string, body: object) =>
      thief.send({ method: 'POST', path: `/api/auth/${path}`, headers: from, body: JSON.stringify(body) })
    await send('sign-in/email', { email, password })
    const path = index % 2 === 0 ? 'two-factor/verify-totp' : 'two-factor/verify-backup-code'
    const answer = await send(path, { code: index % 2 === 0 ? `00000${index % 10}` : 'AAAAA-BBBBB' })
    if (answer.status === 401) guesses += 1
    else assert.equal(answer.status, 429, answer.text)
  }
  assert.ok(guesses <= 10, `${guesses} guesses`)
  assert.equal((await client.ask('me.show')).status, 200)
})

test('redeem codes allow few guesses per minute from one network', async () => {
  const email = await newcomer('redeemer', at('198.51.100.5'))
  const headers = { 'content-type': 'application/json', ...at('198.51.100.5') }
  let tried = 0
  const one = new ControlClient(gateway.origin)
  const body = JSON.stringify({ email, password })
  await one.send({ method: 'POST', path: '/api/auth/sign-in/email', headers, body })
  const { accounts } = await one.done('me.show', {})
  await creditTo(gateway, accounts[0]?.account ?? '', 1n)
  const others = await Promise.all(
    times(2).map(async (index) => {
      const client = new ControlClient(gateway.origin)
      const own = await newcomer(`redeemer-${index}`, at(`198.51.101.${index}`))
      const given = JSON.stringify({ email: own, password })
      const from = { 'content-type': 'application/json', ...at(`198.51.101.${index}`) }
      await client.send({ method: 'POST', path: '/api/auth/sign-in/email', headers: from, body: given })
      return client
    }),
  )
  for (const index of times(24)) {
    const client = [one, ...others][index % 3] ?? one
    const answer = await client.send({
      method: 'POST',
      path: '/api/codes/redeem',
      headers: { 'content-type': 'application/json', ...at(`2001:db8:99:1::${index + 1}`) },
      body: JSON.stringify({ code: `AAAA-BBBB-CCCC-DDDD-${index + 10}00` }),
    })
    if (!isThrottled(answer)) tried += 1
  }
  assert.ok(tried <= 10, `${tried} codes were tried`)
})

test('requests that store a row are limited, whether the email address is known or not', async () => {
  const question = (from: From) =>
    sendTo(gateway.origin, {
      method: 'GET',
      path: '/api/auth/passkey/generate-authenticate-options',
      headers: from,
    })
  const answers: ControlAnswer[] = []
  for (const _time of times(12)) answers.push(await question(at('203.0.113.30')))
  assert.ok(answers.slice(0, 8).every(({ status }) => status === 200))
  assert.ok(answers.slice(8).every(isThrottled))
  assert.equal((await question(at('203.0.113.31'))).status, 200)
})

test('a mailbox is not flooded by sign-ups in its name', async () => {
  const email = await newcomer('buried', at('198.51.100.6'))
  const signUp = (to: string) => ask('sign-up/email', { name: 'x', email: to, password }, at('203.0.113.6'))
  const reset = () => ask('request-password-reset', { email }, at('203.0.113.6'))
  const answers: ControlAnswer[] = []
  for (const _time of times(8)) answers.push(await signUp(email))
  assert.equal(answers.filter(({ status }) => status === 200).length, 3)
  assert.ok(answers.slice(3).every(isThrottled))
  assert.ok(isThrottled(await reset()))
  assert.equal((await signUp('someone-else@example.org')).status, 200)
  assert.equal((await ask('request-password-reset', { email }, at('198.51.100.6'))).status, 200)
})

test('no response reveals whether an email address is known', async () => {
  const email = await newcomer('known', at('198.51.100.7'))
  const unverified = 'waiting@example.org'
  await ask('sign-up/email', { name: 'x', email: unverified, password }, at('198.51.100.7'))
  const questions: readonly (readonly [path: string, body: (about: string) => object])[] = [
    ['sign-in/email', (about) => ({ email: about, password: wrong })],
    ['request-password-reset', (about) => ({ email: about })],
    ['send-verification-email', (about) => ({ email: about })],
    ['sign-up/email', (about) => ({ email: about, name: 'x', password: 'password123' })],
  ]
  const shape = ({ status, headers, text }: ControlAnswer) => {
    const { date, 'x-request-id': id, ...rest } = headers
    assert.ok(date !== undefined)
    return JSON.stringify([
      status,
      rest,
      text.replaceAll(id ?? '', 'ID').replaceAll(/"requestId":"[^"]+"/g, ''),
    ])
  }
  let place = 0
  for (const [path, body] of questions) {
    const shapes = new Set<string>()
    for (const about of [email, email.toUpperCase(), unverified, 'nobody-at-all@example.org']) {
      place += 1
      shapes.add(shape(await ask(path, body(about), at(`203.0.115.${place}`))))
    }
    assert.equal(shapes.size, 1, `${path}: ${[...shapes].join('\n')}`)
  }
  const fresh = await ask(
    'sign-up/email',
    { name: 'x', email: 'fresh@example.org', password },
    at('203.0.115.90'),
  )
  const taken = await ask('sign-up/email', { name: 'x', email, password }, at('203.0.115.91'))
  const fields = ({ status, body, setCookies }: ControlAnswer) => {
    const { user, ...rest } = body as { readonly user: object }
    return [status, Object.keys(user).sort(), rest, setCookies.length]
  }
  assert.deepEqual(fields(taken), fields(fresh))
})

test('a flood of passwords from one network is rejected with Retry-After, and does not lock out others', async () => {
  const email = await newcomer('flooded', at('198.51.100.8'))
  const client = new ControlClient(gateway.origin)
  const from = { 'content-type': 'application/json', ...at('198.51.100.8') }
  const send = (path: string, body: object) =>
    client.send({ method: 'POST', path, headers: from, body: JSON.stringify(body) })
  assert.equal((await send('/api/auth/sign-in/email', { email, password })).status, 200)
  const flood = times(60).map((index) =>
    ask('sign-up/email', { name: 'x', email: `flood-${index}@example.org`, password }, at('203.0.113.8')),
  )
  const first = await Promise.race(flood)
  const victim = await Promise.all([
    signIn(email, password, at('198.51.100.8')),
    send('/api/auth/confirm-login', { password }),
    signIn(email, password, at('198.51.100.9')),
  ])
  assert.deepEqual(
    victim.map(({ status }) => status),
    [200, 200, 200],
  )
  const answers = [first, ...(await Promise.all(flood))]
  const rejected = answers.filter(({ status }) => status !== 200)
  assert.ok(rejected.length > 0)
  for (const { status, headers, text } of rejected) {
    assert.equal(status, 503, text)
    assert.ok(Number(headers['retry-after']) > 0)
  }
})

test('password hashing outside of sign-in is limited in the same way', async () => {
  const { start } = gateway.gateway
  assert.ok(start.kind === 'first')
  const token = new URL(start.setupLink).searchParams.get('token') ?? ''
  const claim = { token, name: 'x', email: 'operator@example.org', password }
  const flood = times(40).map((index) =>
    ask(
      'sign-up/email',
      { name: 'x', email: `more-${index}@example.org`, password },
      at(`203.0.116.${index}`),
    ),
  )
  await Promise.race(flood)
  const claims = await Promise.all(
    times(20).map(() => new ControlClient(gateway.origin).ask('setup.claim', claim)),
  )
  const made = claims.filter(({ status }) => status === 200)
  assert.ok(made.length <= 1)
  for (const { status, text } of claims) assert.ok([200, 400, 403, 404, 409, 503].includes(status), text)
  await Promise.all(flood)
  if (made.length === 0) await new ControlClient(gateway.origin).done('setup.claim', claim)
  const used = await new ControlClient(gateway.origin).ask('setup.claim', {
    ...claim,
    email: 'b@example.org',
  })
  assert.ok(used.status >= 400)
  const people = await gateway.gateway.services.identity.listPeople({
    state: 'operators',
    search: null,
    limit: 9,
  })
  assert.equal(people.length, 1)
})
