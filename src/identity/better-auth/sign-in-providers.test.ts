/** Sign-in with a real OpenID Connect provider on loopback: admission, and stored data. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  type Claims,
  clientId,
  clientSecret,
  type OidcIssuer,
  oidcIssuer,
} from '../../../test/support/oidc-issuer.ts'
import type { Lifetime } from '../../../test/support/open-ledger.ts'
import {
  ann,
  type Browser,
  type Reply,
  type TestPeopleOptions,
  testPeople,
} from '../../../test/support/people.ts'

const dora: Claims = { sub: 'p-1', email: 'dora@example.org', email_verified: true, name: 'Dora' }

async function withIssuer(context: Lifetime, options: TestPeopleOptions = {}) {
  const issuer = await oidcIssuer(context)
  const staff = { kind: 'oidc', id: 'staff', name: 'Staff', issuer: issuer.issuer } as const
  const signIn = [{ ...staff, clientId, clientSecret }]
  return { issuer, people: await testPeople(context, { signIn, ...options }) }
}

async function comeIn(browser: Browser, issuer: OidcIssuer, who: Claims = dora): Promise<Reply> {
  const begun = await browser.post('/sign-in/social', { provider: 'staff', callbackURL: '/console' })
  assert.equal(begun.status, 200, JSON.stringify(begun.body))
  return browser.get(`/callback/staff?${issuer.approve(String(begun.body.url), who)}`)
}

test('a provider verifies an address; the person is verified, and no provider token is stored', async (context) => {
  const { issuer, people } = await withIssuer(context)
  const joined: string[] = []
  people.onSignUp(async ({ email, confirmed }) => void joined.push(`${email} ${confirmed}`))
  const browser = people.browser()
  const back = await comeIn(browser, issuer)
  assert.deepEqual([back.status, back.headers.location], [302, '/console'])
  assert.equal((await browser.signedIn())?.person.verified, true)
  assert.deepEqual(joined, [`${dora.email} true`])
  const again = people.browser()
  await comeIn(again, issuer)
  assert.equal((await again.signedIn())?.person.id, (await browser.signedIn())?.person.id)
  await people.shut()
  const file = readFileSync(join(people.dataFolder, 'identity.db'))
  assert.ok(file.includes('p-1') && !file.includes('discarded-token') && !file.includes('eyJ'))
})

const modes: readonly [signup: 'closed' | 'invite', invited: boolean, verified: boolean, isIn: boolean][] = [
  ['closed', true, true, false],
  ['invite', false, true, false],
  ['invite', true, false, false],
  ['invite', true, true, true],
]
for (const [signup, invited, verified, isIn] of modes) {
  test(`sign-up ${signup}, invited ${invited}, address verified ${verified}: in ${isIn}`, async (context) => {
    const { issuer, people } = await withIssuer(context, { signup })
    if (invited) await people.identity.invite(dora.email)
    const browser = people.browser()
    await comeIn(browser, issuer, { ...dora, email_verified: verified })
    assert.equal((await browser.signedIn()) !== null, isIn)
    assert.equal((await people.identity.findPersonByEmail(dora.email)) !== undefined, isIn)
  })
}

test('an unreachable provider does not block other sign-ins, and works once it is reachable', async (context) => {
  const { issuer, people } = await withIssuer(context, { limits: { issuerRetryMs: 1 } })
  issuer.isUp = false
  const browser = people.browser()
  const rejected = await browser.post('/sign-in/social', { provider: 'staff', callbackURL: '/console' })
  assert.equal(rejected.status, 404)
  assert.equal((await people.browser().post('/sign-up/email', ann)).status, 200)
  issuer.isUp = true
  await comeIn(browser, issuer)
  assert.notEqual(await browser.signedIn(), null)
})
