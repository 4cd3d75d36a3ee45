/** Two-factor sign-in, sign-up policies, invitations, cookies and passkeys. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getMigrations } from 'better-auth/db/migration'
import { manualClock } from '../../../test/support/manual-clock.ts'
import { temporaryDirectory } from '../../../test/support/open-ledger.ts'
import { ann, type Browser, bob, type Reply, testPeople } from '../../../test/support/people.ts'
import { totpCode } from '../../../test/support/totp.ts'
import { systemClock } from '../../base/clock.ts'
import { systemRandom } from '../../base/ids.ts'
import { createLog } from '../../base/log.ts'
import { limitDefaults } from '../../config/config.ts'
import { betterAuthOptions } from '../better-auth/better-auth.ts'
import { openPeople } from '../people/people.ts'
import { passkeysUnavailableReason } from '../public-address.ts'
import { openAdmissionPolicy } from '../sign-in/admission-policy.ts'
import { openInvitations } from '../sign-in/invitations.ts'
import { openPasswords } from '../sign-in/passwords.ts'
import { openIdentityStore } from '../store/database.ts'

const codeOf = ({ body }: Reply) => (body.error as { code: string } | undefined)?.code ?? body.code

test('the frozen tables match the schema of better-auth', async (context) => {
  const opened = openIdentityStore({
    dataFolder: temporaryDirectory(context),
    nowMs: 0,
    onLost: (error) => assert.fail(error),
  })
  assert.ok(opened.kind === 'open')
  const { database, transact, close } = opened.database
  const [clock, random] = [systemClock, systemRandom]
  const passwords = openPasswords(random, limitDefaults)
  const people = openPeople({ database, transact, clock, random, passwords })
  const invitations = openInvitations(database, { clock, random, daysMax: 1 })
  const listeners = { onSignUp: async () => {}, onVerified: async () => {} }
  const { hooks } = openAdmissionPolicy({ signup: 'open', database, invitations, people, listeners })
  const options = betterAuthOptions({
    ...{ database, passwords, hooks, emails: null, providers: [], limits: limitDefaults },
    log: createLog({ level: 'silent' }),
    secret: 's'.repeat(64),
    address: 'http://localhost:1',
  })
  const { toBeCreated, toBeAdded } = await getMigrations({
    ...options,
    database: { db: database, type: 'sqlite' },
  })
  assert.deepEqual([toBeCreated, toBeAdded], [[], []])
  close()
})

interface Factor {
  /** The code after the setup code: each is valid once. */
  readonly nextCode: string
  readonly backupCodes: readonly string[]
}

const stepMs = 30_000

async function enrol(browser: Browser): Promise<Factor> {
  const enabled = await browser.post('/two-factor/enable', { password: ann.password })
  assert.equal(enabled.status, 200, JSON.stringify(enabled.body))
  const secret = new URL(String(enabled.body.totpURI)).searchParams.get('secret') ?? ''
  const nowMs = systemClock.wallMs()
  const code = totpCode(secret, nowMs)
  assert.equal((await browser.post('/two-factor/verify-totp', { code })).status, 200)
  return {
    nextCode: totpCode(secret, nowMs + stepMs),
    backupCodes: enabled.body.backupCodes as string[],
  }
}

test('a password reset keeps two-factor authentication on', async (context) => {
  const people = await testPeople(context)
  const browser = people.browser()
  await browser.post('/sign-up/email', ann)
  await enrol(browser)
  const { link } = await people.identity.createResetLink((await browser.signedIn())?.person.id ?? '')
  const reset = { token: new URL(link).searchParams.get('token'), newPassword: 'another horse 10' }
  assert.equal((await people.browser().post('/reset-password', reset)).status, 200)
  const again = await people.browser().post('/sign-in/email', { ...ann, password: 'another horse 10' })
  assert.equal(again.body.twoFactorRedirect, true)
})

test('with sign-up closed, only operators create people', async (context) => {
  const people = await testPeople(context, { signup: 'closed' })
  const reply = await people.browser().post('/sign-up/email', ann)
  assert.deepEqual([reply.status, codeOf(reply)], [403, 'sign_up_closed'])
  assert.equal(await people.identity.findPersonByEmail(ann.email), undefined)
  assert.notEqual(await people.identity.createOperator(ann), 'exists')
})

test('open invitations are listed, and a withdrawn one admits no one', async (context) => {
  const clock = manualClock(systemClock.wallMs())
  const people = await testPeople(context, { signup: 'invite', clock })
  const first = new URL((await people.identity.invite(ann.email)).link).searchParams.get('invitation')
  clock.advance(1)
  const { expiresMs } = await people.identity.invite('Bob@example.org')
  const createdMs = clock.wallMs()
  const listed = await people.identity.listInvitations(10)
  assert.deepEqual(
    listed.map(({ email }) => email),
    [bob.email, ann.email],
  )
  assert.deepEqual(listed[0], { email: bob.email, createdMs, expiresMs })
  assert.deepEqual(await people.identity.listInvitations(1), listed.slice(0, 1))
  assert.deepEqual(
    [
      await people.identity.withdrawInvitation('ANN@example.org'),
      await people.identity.withdrawInvitation(ann.email),
    ],
    [true, false],
  )
  assert.equal((await people.browser().post('/sign-up/email', { ...ann, invitation: first })).status, 403)
  clock.advance(8 * 24 * 3_600_000)
  assert.deepEqual(await people.identity.listInvitations(10), [])
})

test('with sign-up open, an invitation confirms only the person who uses it', async (context) => {
  const people = await testPeople(context)
  await people.identity.invite(ann.email)
  await people.browser().post('/sign-up/email', ann)
  assert.equal((await people.identity.findPersonByEmail(ann.email))?.confirmed, false)
})

test('cookies are bound to the host and to HTTPS exactly when the address is HTTPS', async (context) => {
  const secure = await testPeople(context, { address: 'https://gate.example' })
  const { setCookies } = await secure.browser().post('/sign-up/email', ann)
  assert.ok(setCookies.length > 0)
  for (const cookie of setCookies) {
    assert.match(cookie, /^__Host-tollgate\./)
    assert.match(cookie, /; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    assert.ok(!/Domain/i.test(cookie))
  }
  const plain = await testPeople(context, { address: 'http://127.0.0.1:8080' })
  const reply = await plain.browser().post('/sign-up/email', ann)
  for (const cookie of reply.setCookies) {
    assert.match(cookie, /^tollgate\./)
    assert.match(cookie, /; Path=\/; HttpOnly; SameSite=Lax$/)
  }
})

const addresses: readonly [address: string, reason: RegExp | null][] = [
  ['http://localhost:8080', null],
  ['https://gate.example', null],
  ['http://127.0.0.1:8080', /http:\/\/localhost:8080\/console/],
  ['http://[::1]:8080', /http:\/\/localhost:8080\/console/],
  ['https://192.0.2.4', /do not work with an IP address/],
  ['http://gate.example', /need HTTPS/],
]
for (const [address, reason] of addresses) {
  test(`passkeys at ${address}`, async (context) => {
    const off = passkeysUnavailableReason(address)
    if (reason === null) assert.equal(off, null)
    else assert.match(off ?? '', reason)
    if (reason !== null) return
    const people = await testPeople(context, { address })
    const browser = people.browser()
    await browser.post('/sign-up/email', ann)
    const { body } = await browser.get('/passkey/generate-register-options')
    assert.equal((body.rp as { id: string }).id, new URL(address).hostname)
  })
}

test('a response that could reveal who has an account takes a whole number of time steps', async (context) => {
  const clock = manualClock(systemClock.wallMs())
  const people = await testPeople(context, { clock, limits: { uniformAnswerMs: 250 } })
  await people.browser().post('/sign-up/email', ann)
  for (const email of [ann.email, bob.email]) {
    let isAnswered = false
    const reply = people.browser().post('/sign-in/email', { email, password: 'not the right one' })
    void reply.then(() => {
      isAnswered = true
    })
    clock.advance(100)
    while (clock.pending() === 0) await new Promise((resolve) => setImmediate(resolve))
    clock.advance(149)
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isAnswered, false)
    clock.advance(1)
    assert.equal((await reply).status, 401)
  }
})
