/**
 * Sign-in through other providers, under attack over HTTP: responses of one provider brought to another, replayed or used
 * by another browser, unsigned tokens, and email addresses that a provider has not verified.
 */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, test } from 'node:test'
import { type ControlAnswer, ControlClient } from '../support/control-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { type MailSink, mailSink } from '../support/mail-sink.ts'
import { type Claims, clientId, clientSecret, type OidcIssuer, oidcIssuer } from '../support/oidc-issuer.ts'

const password = 'a long enough password'
const ends: (() => Promise<unknown>)[] = []
const lifetime = { after: (end: () => unknown) => ends.push(async () => end()) }
let gateway: TestGateway
let sink: MailSink
let good: OidcIssuer
let evil: OidcIssuer

before(async () => {
  sink = await mailSink(lifetime)
  good = await oidcIssuer(lifetime)
  evil = await oidcIssuer(lifetime)
  gateway = await testGateway({
    environment: { SMTP_URL: sink.url, MAIL_FROM: 'Tollgate <gate@example.org>' },
    limits: { uniformAnswerMs: 1 },
    signIn: [
      { kind: 'oidc', id: 'good', name: 'Good', issuer: good.issuer, clientId, clientSecret },
      { kind: 'oidc', id: 'evil', name: 'Evil', issuer: evil.issuer, clientId, clientSecret },
    ],
  })
})
after(async () => {
  await gateway.close()
  for (const end of ends) await end()
})

const claims = (name: string, more: Partial<Claims> = {}): Claims => ({
  sub: `sub-${name}`,
  email: `${name}@example.org`,
  email_verified: true,
  name,
  ...more,
})

/** Begins; returns the URL at the provider to which the browser is redirected. */
async function begun(client: ControlClient, provider: string): Promise<string> {
  const answer = await client.post('/api/auth/sign-in/social', { provider, callbackURL: '/console' })
  assert.equal(answer.status, 200, answer.text)
  return (answer.body as { readonly url: string }).url
}

const back = (client: ControlClient, provider: string, query: string): Promise<ControlAnswer> =>
  client.send({ method: 'GET', path: `/api/auth/callback/${provider}?${query}` })

const isIn = async (client: ControlClient) => (await client.ask('me.show')).status === 200
const newClient = () => new ControlClient(gateway.origin)

async function comeIn(issuer: OidcIssuer, provider: string, who: Claims): Promise<ControlClient> {
  const client = newClient()
  await back(client, provider, issuer.approve(await begun(client, provider), who))
  return client
}

test('a response of one provider is rejected at another', async () => {
  const who = claims('mixed')
  assert.ok(await isIn(await comeIn(good, 'good', who)))
  for (const [from, issuer, to] of [
    ['evil', evil, 'good'],
    ['good', evil, 'good'],
    ['good', good, 'evil'],
  ] as const) {
    const client = newClient()
    await back(client, to, issuer.approve(await begun(client, from), who))
    assert.equal(
      await isIn(client),
      false,
      `begun at ${from}, approved by ${issuer.issuer}, brought to ${to}`,
    )
  }
  const named = newClient()
  const query = good.approve(await begun(named, 'good'), who)
  await back(named, 'good', `${query}&iss=${encodeURIComponent(evil.issuer)}`)
  assert.equal(await isIn(named), false, 'the answer says who gave it')
})

test('a response is valid once, in the browser that began', async () => {
  const who = claims('once')
  const [client, other] = [newClient(), newClient()]
  const query = good.approve(await begun(client, 'good'), who)
  await begun(other, 'good')
  await back(other, 'good', query)
  assert.equal(await isIn(other), false)
  await back(newClient(), 'good', query)
  const again = newClient()
  for (const bad of ['', 'code=x', 'state=x', 'code=x&state=x', `${query}&state=x`, `${query}x`]) {
    const answer = await back(again, 'good', bad)
    assert.ok(answer.status < 500, `${bad}: ${answer.status}`)
    assert.equal(await isIn(again), false, bad)
  }
})

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

test('a token that is unsigned, or for another audience, is rejected', async () => {
  const who = claims('forged')
  const body = { iss: good.issuer, aud: clientId, ...who, iat: 1, exp: 9_999_999_999 }
  const head = (alg: string) => part({ alg, typ: 'JWT', kid: 'one' })
  const withSecret = `${head('HS256')}.${part(body)}`
  const seal = createHmac('sha256', clientSecret).update(withSecret).digest('base64url')
  for (const token of [`${head('none')}.${part(body)}.`, `${withSecret}.${seal}`, 'x.y.z', '']) {
    good.token = token
    assert.equal(await isIn(await comeIn(good, 'good', who)), false, token)
  }
  good.token = undefined
  for (const wrong of [
    { iss: evil.issuer },
    { aud: 'other' },
    { nonce: 'other' },
    { nonce: undefined },
    { exp: 1 },
    { sub: undefined },
    { sub: '' },
  ]) {
    good.wrong = wrong
    assert.equal(await isIn(await comeIn(good, 'good', who)), false, JSON.stringify(wrong))
  }
  good.wrong = {}
})

test('an address that a provider has not verified opens no account, and does not reserve the address', async () => {
  const email = 'victim@example.org'
  const claimed = claims('claimed', { email, email_verified: false })
  const thief = await comeIn(evil, 'evil', claimed)
  const signUp = { name: 'Victim', email, password: 'chosen by the victim' }
  assert.equal((await newClient().post('/api/auth/sign-up/email', signUp)).status, 200)
  assert.equal((await newClient().post('/api/auth/request-password-reset', { email })).status, 200)
  let token: string | null = null
  while (token === null) {
    const { text } = await sink.next(email)
    const link = /http\S+reset\?\S+/.exec(text)?.[0]
    if (link !== undefined) token = new URL(link).searchParams.get('token')
  }
  const chosen = { token, newPassword: password }
  assert.equal((await newClient().post('/api/auth/reset-password', chosen)).status, 200)
  assert.equal(await isIn(thief), false)
  assert.equal(await isIn(await comeIn(evil, 'evil', claimed)), false, 'the way of who claimed the address')
  const whose = await gateway.gateway.services.identity.findPersonByEmail(email)
  assert.equal(whose?.twoFactor, false)
})

test('an account with a password cannot be opened through a provider that has not verified its address', async () => {
  const email = 'settled@example.org'
  await newClient().post('/api/auth/sign-up/email', { name: 'Settled', email, password })
  for (const verified of [false, true]) {
    const client = await comeIn(evil, 'evil', claims('settled', { email_verified: verified }))
    assert.equal(await isIn(client), false, `${verified}`)
  }
})
