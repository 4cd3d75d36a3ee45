/** Sign-up, sessions, passwords, operators and account deletion, and what a copy of the database reveals. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { ann, type Browser, bob, testPeople } from '../../test/support/people.ts'

const cookieName = 'tollgate.session_token'

async function signUp(browser: Browser, who: typeof ann | typeof bob = ann): Promise<void> {
  const { status, body } = await browser.post('/sign-up/email', who)
  assert.equal(status, 200, JSON.stringify(body))
}

test('a person who signs up is signed in and identified by the cookie alone', async (context) => {
  const people = await testPeople(context)
  const browser = people.browser()
  assert.equal(await browser.signedIn(), null)
  await signUp(browser)
  const session = await browser.signedIn()
  assert.equal(session?.person.email, ann.email)
  assert.deepEqual(
    [session?.person.operator, session?.person.verified, session?.person.confirmed],
    [false, false, false],
  )
  assert.equal((await people.identity.findPersonByEmail('ANN@example.org'))?.id, session?.person.id)
  assert.equal(await people.browser().signedIn(), null)
})

test("a login creates a new session and ends the browser's previous one", async (context) => {
  const people = await testPeople(context)
  const browser = people.browser()
  await signUp(browser)
  const before = browser.cookies.get(cookieName) ?? ''
  const fixed = people.browser()
  fixed.cookies.set(cookieName, before)
  assert.equal((await browser.post('/sign-in/email', ann)).status, 200)
  assert.notEqual(browser.cookies.get(cookieName), before)
  assert.notEqual(await browser.signedIn(), null)
  assert.equal(await fixed.signedIn(), null)
})

test('a session token set by a stranger is never adopted', async (context) => {
  const people = await testPeople(context)
  const browser = people.browser()
  browser.cookies.set(cookieName, 'chosen-by-stranger.c2ln')
  await signUp(browser)
  assert.ok(!browser.cookies.get(cookieName)?.startsWith('chosen'))
})

test('sessions are listed by handle, and ended one by one or all others together', async (context) => {
  const people = await testPeople(context)
  const [first, second, third] = [people.browser(), people.browser(), people.browser()]
  await signUp(first)
  for (const browser of [second, third]) await browser.post('/sign-in/email', ann)
  const own = (await first.get('/get-session')).body.session as { token: string }
  const sessions = (await first.get('/list-sessions')).body as unknown as { token: string }[]
  assert.equal(sessions.length, 3)
  assert.ok(sessions.some(({ token }) => token === own.token))
  assert.ok(sessions.every(({ token }) => token.startsWith('session:')))
  const handleOfSecond = ((await second.get('/get-session')).body.session as { token: string }).token
  assert.equal((await first.post('/revoke-session', { token: handleOfSecond })).status, 200)
  assert.equal(await second.signedIn(), null)
  assert.notEqual(await third.signedIn(), null)
  assert.equal((await first.post('/revoke-other-sessions')).status, 200)
  assert.equal(await third.signedIn(), null)
  assert.notEqual(await first.signedIn(), null)
})

test("a person cannot end another person's session", async (context) => {
  const people = await testPeople(context)
  const [mine, theirs] = [people.browser(), people.browser()]
  await signUp(mine)
  await signUp(theirs, bob)
  const { token } = (await theirs.get('/get-session')).body.session as { token: string }
  await mine.post('/revoke-session', { token })
  assert.notEqual(await theirs.signedIn(), null)
})

test("a response for a session that was replaced in the meantime keeps the new session's cookie", async (context) => {
  const people = await testPeople(context)
  const browser = people.browser()
  await signUp(browser)
  const late = people.browser()
  late.cookies.set(cookieName, browser.cookies.get(cookieName) ?? '')
  const change = { currentPassword: ann.password, newPassword: 'a new long password' }
  assert.equal((await browser.post('/change-password', change)).status, 200)
  for (const path of [
    '/list-sessions',
    '/passkey/list-user-passkeys',
    '/organization/list',
    '/get-session',
  ]) {
    const { setCookies } = await late.get(path)
    // Browsers store one cookie per name: clearing the old one last would clear the new one.
    assert.deepEqual(setCookies, [], path)
  }
  assert.notEqual(await browser.signedIn(), null)
})

test('a copy of the database opens no session', async (context) => {
  const people = await testPeople(context)
  const browser = people.browser()
  await signUp(browser)
  const cookie = decodeURIComponent(browser.cookies.get(cookieName) ?? '')
  const token = cookie.slice(0, cookie.lastIndexOf('.'))
  const { link } = await people.identity.createResetLink((await browser.signedIn())?.person.id ?? '')
  const { link: invitation } = await people.identity.invite('carol@example.org')
  const secrets = [
    token,
    ann.password,
    new URL(link).searchParams.get('token') ?? '',
    new URL(invitation).searchParams.get('invitation') ?? '',
  ]
  const enabled = await browser.post('/two-factor/enable', { password: ann.password })
  secrets.push(...(enabled.body.backupCodes as string[]))
  secrets.push(new URL(String(enabled.body.totpURI)).searchParams.get('secret') ?? '')
  await people.shut()
  for (const file of readdirSync(people.dataFolder).filter((name) => name.startsWith('identity.db'))) {
    const bytes = readFileSync(join(people.dataFolder, file))
    for (const secret of secrets) assert.ok(!bytes.includes(secret), `${file} holds ${secret}`)
  }
  const database = new DatabaseSync(join(people.dataFolder, 'identity.db'))
  const row = database.prepare('SELECT token FROM auth_session').get() as { token: string }
  const { password } = database.prepare('SELECT password FROM auth_account').get() as { password: string }
  database.close()
  assert.match(password, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  const again = await testPeople(context, { dataFolder: people.dataFolder })
  const thief = again.browser()
  for (const guess of [row.token, `session:${row.token}`]) {
    for (const signature of ['', '.', `.${row.token}`, cookie.slice(cookie.lastIndexOf('.'))]) {
      thief.cookies.set(cookieName, encodeURIComponent(`${guess}${signature}`))
      assert.equal(await thief.signedIn(), null)
      assert.equal((await thief.get('/get-session')).body.text, 'null')
    }
  }
  thief.cookies.set(cookieName, browser.cookies.get(cookieName) ?? '')
  assert.notEqual(await thief.signedIn(), null)
})

test('read-only fields are not written', async (context) => {
  const people = await testPeople(context)
  const browser = people.browser()
  const wanted = { operator: true, confirmed: true, emailVerified: true, role: 'admin', id: 'mine' }
  assert.equal((await browser.post('/sign-up/email', { ...ann, ...wanted })).status, 200)
  await browser.post('/update-user', { name: 'Ann B', ...wanted })
  const { person } = (await browser.signedIn()) ?? {}
  assert.deepEqual(
    [person?.name, person?.operator, person?.confirmed, person?.verified],
    ['Ann B', false, false, false],
  )
  assert.notEqual(person?.id, 'mine')
  assert.equal((await browser.post('/update-session', { createdAt: '2040-01-01' })).status, 404)
  assert.equal((await browser.post('/delete-user', {})).status, 404)
})

test('common and short passwords are rejected wherever one is set', async (context) => {
  const people = await testPeople(context)
  const browser = people.browser()
  for (const password of ['Password123', 'qwertyuiop', 'ann@example.org', 'aaaaaaaaaaaab', 'short']) {
    const { status } = await browser.post('/sign-up/email', { ...ann, password })
    assert.equal(status, 400, password)
  }
  await signUp(browser)
  const changed = { currentPassword: ann.password, newPassword: '1234567890' }
  assert.equal((await browser.post('/change-password', changed)).body.code, 'PASSWORD_TOO_COMMON')
  await assert.rejects(people.identity.createOperator({ ...bob, password: 'letmein1234' }), {
    code: 'invalid_value',
  })
})

test("confirming one's identity renews the login and keeps the session", async (context) => {
  const people = await testPeople(context)
  const browser = people.browser()
  await signUp(browser)
  const before = await browser.signedIn()
  const cookie = browser.cookieHeader()
  const wrong = await browser.post('/confirm-login', { password: 'not the right one' })
  assert.equal(wrong.status, 401)
  assert.equal((await browser.signedIn())?.loginMs, before?.loginMs)
  assert.equal((await browser.post('/confirm-login', { password: ann.password })).status, 200)
  const after = await browser.signedIn()
  assert.ok((after?.loginMs ?? 0) > (before?.loginMs ?? 0))
  assert.equal(after?.sessionId, before?.sessionId)
  assert.equal(browser.cookieHeader(), cookie)
  assert.equal((await people.browser().post('/confirm-login', { password: ann.password })).status, 401)
})

test('operators are created and confirmed, and the last one cannot be removed', async (context) => {
  const people = await testPeople(context)
  const { identity } = people
  const first = await identity.createOperator(ann)
  assert.ok(first !== 'exists')
  assert.deepEqual([first.operator, first.confirmed], [true, true])
  assert.equal(await identity.createOperator({ ...ann, email: 'ANN@example.org' }), 'exists')
  assert.equal(await identity.setOperator(first.id, false), 'last')
  assert.equal(await identity.removePerson(first.id), 'last_operator')
  await signUp(people.browser(), bob)
  const second = await identity.findPersonByEmail(bob.email)
  assert.equal(await identity.setOperator(second?.id ?? '', true), 'done')
  const both = [identity.setOperator(first.id, false), identity.setOperator(second?.id ?? '', false)]
  assert.deepEqual((await Promise.all(both)).sort(), ['done', 'last'])
  const left = await identity.listPeople({ state: 'operators', search: null, limit: 10 })
  assert.equal(left.length, 1)
  assert.equal((await people.browser().post('/sign-in/email', ann)).status, 200)
})

test('people are listed by what an operator searches for', async (context) => {
  const people = await testPeople(context)
  await people.identity.createOperator(ann)
  await signUp(people.browser(), bob)
  const emails = async (state: 'all' | 'to_confirm' | 'operators', search: string | null = null) =>
    (await people.identity.listPeople({ state, search, limit: 10 })).map(({ email }) => email).sort()
  assert.deepEqual(await emails('all'), [ann.email, bob.email])
  assert.deepEqual(await emails('operators'), [ann.email])
  assert.deepEqual(await emails('to_confirm'), [bob.email])
  assert.deepEqual(await emails('all', 'BO'), [bob.email])
  assert.deepEqual(await emails('all', '%'), [])
  const [found] = await people.identity.listPeople({ state: 'to_confirm', search: null, limit: 10 })
  assert.equal((await people.identity.confirm(found?.id ?? '')).confirmed, true)
  assert.deepEqual(await emails('to_confirm'), [])
  await assert.rejects(people.identity.confirm('unknown'), { code: 'person_not_found' })
})

test('an account deletion exports and removes everything of a person', async (context) => {
  const people = await testPeople(context)
  const browser = people.browser()
  await signUp(browser)
  const id = (await browser.signedIn())?.person.id ?? ''
  const exported = JSON.stringify(await people.identity.exportPerson(id))
  assert.ok(exported.includes(ann.email) && !exported.includes('argon2'))
  assert.ok(!/"(token|password|secret)"/.test(exported))
  assert.equal(await people.identity.removePerson(id), 'removed')
  assert.equal(await browser.signedIn(), null)
  assert.equal(await people.identity.findPerson(id), undefined)
  await people.shut()
  const database = new DatabaseSync(join(people.dataFolder, 'identity.db'))
  for (const table of ['auth_user', 'auth_session', 'auth_account', 'auth_verification']) {
    assert.equal(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n, 0, table)
  }
  database.close()
})

test('only JSON is accepted, and field lengths are bounded', async (context) => {
  const people = await testPeople(context)
  const browser = people.browser()
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    const reply = await browser.post('/sign-up/email', ann, { 'content-type': type })
    assert.equal(reply.status, 415, type)
  }
  const long = await browser.post('/sign-up/email', { ...ann, name: 'x'.repeat(101) })
  assert.equal((long.body.error as { code: string }).code, 'invalid_value')
  assert.equal(await people.identity.findPersonByEmail(ann.email), undefined)
})
