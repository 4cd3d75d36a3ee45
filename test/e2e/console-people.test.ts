/**
 * Users sign up and set up their accounts, in a real browser: setup, sign-up, sign-in, second factor,
 * passkey, sessions, organizations, account deletion. Every page is checked by axe, and no script, file or policy
 * may fail.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { openBrowser, type Page, type TestBrowser, type Visit } from '../support/browser.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { totpCode } from '../support/totp.ts'

const password = 'a long enough password'
let gateway: TestGateway
let browser: TestBrowser
/** By name: passkeys are not bound to an IP address. */
let origin: string
let setupLink: string

before(async () => {
  gateway = await testGateway()
  const { start } = gateway.gateway
  assert.ok(start.kind === 'first')
  setupLink = start.setupLink
  origin = gateway.origin.replace('127.0.0.1', 'localhost')
  browser = await openBrowser()
})
after(async () => {
  await browser.close()
  await gateway.close()
})

/** Runs in the page: the person looks at it again after a minute. */
const returnLater = `{
  const { now } = Date
  Date.now = () => now() + 60_000
  document.dispatchEvent(new Event('visibilitychange'))
}`

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })
const inDialog = (page: Page) => page.getByRole('dialog')

/** A new user, signed in, on the overview page. */
async function newcomer(name: string): Promise<{ visit: Visit; page: Page; email: string }> {
  const visit = await browser.visit(origin)
  const { page } = visit
  const email = `${name}@example.org`
  await page.goto('/console/sign-up')
  await field(page, 'Your name').fill(name)
  await field(page, 'Email').fill(email)
  await field(page, 'Password').fill(password)
  await button(page, 'Create account').click()
  await heading(page, 'Overview')
  return { visit, page, email }
}

async function signIn(page: Page, email: string, secret = password): Promise<void> {
  await field(page, 'Email').fill(email)
  await field(page, 'Password').fill(secret)
  await button(page, 'Sign in').click()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Signed in as/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await heading(page, 'Sign in')
}

test('what is missing in a form is said at its field, the first of which gets the focus', async () => {
  const visit = await browser.visit(origin)
  const { page } = visit
  await page.goto('/console/sign-in')
  await page.getByLabel('Email', { exact: true }).fill('')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('Enter an email address.').waitFor()
  await page.getByText('This field is required.').waitFor()
  await page.locator('input[name=email]:focus').waitFor()
  await visit.accessible()
  await page.getByLabel('Email', { exact: true }).fill('ada')
  assert.equal(await page.getByText('Enter an email address.').count(), 0)
  await page.keyboard.press('Enter')
  await page.getByText('Enter a full email address, such as ada@example.org.').waitFor()
  visit.clean()
  await visit.close()
})

test('the setup link makes the first administrator, once, with the local account and its credit', async () => {
  const visit = await browser.visit(origin)
  const { page } = visit
  await page.goto('/console/sign-in')
  const notice = page.getByRole('status').filter({ hasText: 'This server has no administrator yet.' })
  assert.match((await notice.textContent()) ?? '', /yet\. Open the setup link .* first-run\.txt/)
  assert.equal(await page.getByRole('link', { name: 'Create account' }).count(), 0)
  await page.goto(new URL(setupLink).pathname + new URL(setupLink).search)
  await heading(page, 'Set up this server')
  await page.getByText('become your personal account').waitFor()
  await visit.accessible()
  await field(page, 'Your name').fill('Operator')
  await field(page, 'Email').fill('operator@example.org')
  await field(page, 'Password').fill(password)
  await button(page, 'Become administrator').click()
  await heading(page, 'Overview')
  await page.getByText('$5.00').first().waitFor()
  await page.getByRole('link', { name: 'Admin' }).waitFor()
  await page.goto(new URL(setupLink).pathname + new URL(setupLink).search)
  await page.getByText('This server has an administrator').waitFor()
  visit.clean()
  await visit.close()
})

test('a new user sees what they are waiting for, and can sign in again with only their password', async () => {
  const { visit, page, email } = await newcomer('grace')
  await page.getByText('Waiting for approval.').waitFor()
  assert.equal(await page.getByRole('link', { name: 'Admin' }).count(), 0)
  await signOut(page)
  await visit.accessible()
  await signIn(page, email, 'another long password')
  await page.getByRole('alert').getByText('Invalid email or password').waitFor()
  await visit.accessible()
  await signIn(page, email)
  await heading(page, 'Overview')
  visit.clean()
  await visit.close()
})

test('a deep link survives signing in, and no link leads to another site', async () => {
  const { visit, page, email } = await newcomer('deep')
  await signOut(page)
  await page.goto('/console/settings?tab=security')
  await heading(page, 'Sign in')
  await signIn(page, email)
  await heading(page, 'Settings')
  assert.equal(new URL(page.url()).search, '?tab=security')
  await page.getByRole('tab', { name: 'Security', selected: true }).waitFor()
  await signOut(page)
  await page.goto(`/console/sign-in?next=${encodeURIComponent('//example.org/console')}`)
  await signIn(page, email)
  await heading(page, 'Overview')
  assert.equal(new URL(page.url()).origin, origin)
  visit.clean()
  await visit.close()
})

test('the keyboard alone is enough to sign in and out', async () => {
  const { visit, page, email } = await newcomer('keys')
  await signOut(page)
  await page.goto('/console/sign-in')
  await page.locator('input[name=email]:focus').waitFor()
  await page.keyboard.type(email)
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await heading(page, 'Overview')
  await page.getByRole('button', { name: /^Signed in as/ }).focus()
  await page.keyboard.press('Enter')
  await page.locator('[role=menu]').waitFor()
  await page.keyboard.press('End')
  await page.locator('[role=menuitem]:focus').getByText('Sign out').waitFor()
  await page.keyboard.press('Enter')
  await heading(page, 'Sign in')
  visit.clean()
  await visit.close()
})

test('a second factor is turned on with an app, required, replaced by a backup code once, and turned off', async () => {
  const { visit, page, email } = await newcomer('factor')
  await page.goto('/console/settings?tab=security')
  await button(page, 'Turn on').click()
  await inDialog(page).getByLabel('Password', { exact: true }).fill(password)
  await button(page, 'Continue').click()
  await page.getByRole('img', { name: 'Setup code for an authenticator app' }).waitFor()
  const secret = (await inDialog(page).locator('code').textContent()) ?? ''
  await visit.accessible()
  await field(page, 'Authenticator code').fill(totpCode(secret, systemClock.wallMs()))
  await inDialog(page).getByRole('button', { name: 'Turn on' }).click()
  await inDialog(page).getByText("I've stored them safely").waitFor()
  const codes = await inDialog(page).getByRole('listitem').allTextContents()
  assert.equal(codes.length, 10)
  await visit.accessible()
  await inDialog(page).getByText("I've stored them safely").click()
  await button(page, 'Done').click()
  await page.getByText('On', { exact: true }).waitFor()
  await signOut(page)

  await page.goto('/console/keys')
  await signIn(page, email)
  await heading(page, 'Two-factor authentication')
  await visit.accessible()
  await field(page, 'Authenticator code').fill('000000')
  await button(page, 'Continue').click()
  await page.getByRole('alert').waitFor()
  // The current code may be the one that set it up; the next one is valid already.
  await field(page, 'Authenticator code').fill(totpCode(secret, systemClock.wallMs() + 30_000))
  await button(page, 'Continue').click()
  await heading(page, 'API keys')
  await signOut(page)

  for (const outcome of ['opens', 'is used up'] as const) {
    await page.goto('/console/sign-in')
    await signIn(page, email)
    await heading(page, 'Two-factor authentication')
    await button(page, 'Use a backup code').click()
    await field(page, 'Backup code').fill(codes[0] ?? '')
    await button(page, 'Continue').click()
    if (outcome === 'is used up') await page.getByRole('alert').waitFor()
    else {
      await heading(page, 'Overview')
      await signOut(page)
    }
  }
  await field(page, 'Backup code').fill(codes[1] ?? '')
  await button(page, 'Continue').click()
  await heading(page, 'Overview')
  await page.goto('/console/settings?tab=security')
  await button(page, 'Turn off').click()
  await inDialog(page).getByLabel('Password', { exact: true }).fill(password)
  await inDialog(page).getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('Off', { exact: true }).waitFor()
  visit.clean()
  await visit.close()
})

test('a passkey is created, signs in without the password, and is removed', async () => {
  const { visit, page } = await newcomer('passkey')
  const devtools = await visit.context.newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  await page.goto('/console/settings?tab=security')
  await button(page, 'Add passkey').click()
  await inDialog(page).getByLabel('Name').fill('Laptop')
  await button(page, 'Add').click()
  await page.getByRole('listitem').getByText('Laptop').waitFor()
  await visit.accessible()
  await signOut(page)
  await button(page, 'Use a passkey').click()
  await heading(page, 'Overview')
  await page.goto('/console/settings?tab=security')
  await page.getByRole('button', { name: 'Remove Laptop' }).click()
  await button(page, 'Remove').click()
  await page.getByText('No passkeys yet.').waitFor()
  visit.clean()
  await visit.close()
})

test('at an IP address the page says why passkeys do not work there, and where they do', async () => {
  const visit = await browser.visit(gateway.origin)
  const { page } = visit
  await page.goto('/console/sign-in')
  await signIn(page, 'operator@example.org')
  await heading(page, 'Overview')
  await page.goto('/console/settings?tab=security')
  await page.getByText('not an IP address such as 127.0.0.1').waitFor()
  await page.getByText(`Open ${origin}/console instead.`).waitFor()
  assert.equal(await button(page, 'Add passkey').count(), 0)
  visit.clean()
  await visit.close()
})

test('sessions are listed, and an ended one is signed out at its next request', async () => {
  const { visit, page, email } = await newcomer('sessions')
  const other = await browser.visit(origin)
  await other.page.goto('/console/sign-in')
  await signIn(other.page, email)
  await heading(other.page, 'Overview')
  await page.goto('/console/settings?tab=security')
  await page.getByText('This device').waitFor()
  await page.getByRole('row').getByRole('button', { name: 'Sign out' }).click()
  await page.getByText('Session ended.').waitFor()
  await other.page.goto('/console/keys')
  await heading(other.page, 'Sign in')
  for (const { clean, close } of [visit, other]) {
    clean()
    await close()
  }
})

test('a changed password signs out everywhere else, and the old one is rejected', async () => {
  const { visit, page, email } = await newcomer('password')
  const other = await browser.visit(origin)
  await other.page.goto('/console/sign-in')
  await signIn(other.page, email)
  await heading(other.page, 'Overview')
  await page.goto('/console/settings?tab=security')
  await field(page, 'Current password').fill(password)
  await field(page, 'New password').fill('an even longer password')
  await button(page, 'Change password').click()
  await page.getByText('You were signed out everywhere else').waitFor()
  await other.page.goto('/console')
  await heading(other.page, 'Sign in')
  await signIn(other.page, email)
  await other.page.getByRole('alert').waitFor()
  await signIn(other.page, email, 'an even longer password')
  await heading(other.page, 'Overview')
  await page.goto('/console/settings')
  await heading(page, 'Settings')
  for (const { clean, close } of [visit, other]) {
    clean()
    await close()
  }
})

test('an organization is created, a user joins it by a link, changes role, and leaves', async () => {
  const owner = await newcomer('founder')
  const { page } = owner
  await page.getByRole('button', { name: /switch account/ }).click()
  await page.getByRole('menuitem', { name: 'Create organization' }).click()
  await inDialog(page).getByLabel('Name').fill('Example Ltd')
  await button(page, 'Create').click()
  await page.getByText('Example Ltd created.').waitFor()
  await heading(page, 'Overview')
  assert.match(new URL(page.url()).search, /^\?account=acct_/)
  await page.getByRole('button', { name: 'Example Ltd Organization , switch account' }).waitFor()
  // A link that names no account opens the one that was used last.
  const { search } = new URL(page.url())
  await page.goto('/console/billing')
  await page.getByRole('button', { name: 'Example Ltd Organization , switch account' }).waitFor()
  await page.waitForURL((url) => url.search === search)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByRole('tab', { name: 'Members' }).click()
  await button(page, 'Invite member').click()
  await inDialog(page).getByLabel('Email').fill('joiner@example.org')
  await inDialog(page).getByLabel('Role').selectOption('developer')
  await button(page, 'Invite').click()
  const link = await inDialog(page).locator('code').textContent()
  await owner.visit.accessible()
  await button(page, 'Done').click()
  await page.getByRole('cell', { name: 'joiner@example.org', exact: true }).waitFor()
  await owner.visit.accessible()

  const joiner = await newcomer('joiner')
  await joiner.page.goto(new URL(link ?? '').pathname + new URL(link ?? '').search)
  await joiner.page.getByText('Example Ltd').waitFor()
  await joiner.visit.accessible()
  await button(joiner.page, 'Accept').click()
  await heading(joiner.page, 'Overview')
  await joiner.page.getByRole('button', { name: /switch account/ }).click()
  await joiner.page.getByRole('menuitemcheckbox', { name: 'Example Ltd' }).click()
  await joiner.page.waitForURL(/account=acct_/)
  await joiner.page.goto(`/console/settings${new URL(joiner.page.url()).search}&tab=members`)
  await joiner.page.getByRole('cell', { name: /founder@example.org/ }).waitFor()
  assert.equal(await button(joiner.page, 'Invite member').count(), 0, 'a developer invites nobody')

  await page.reload()
  await page.getByLabel('Role of joiner').selectOption('admin')
  await page.getByText('The role of joiner is now Admin.').waitFor()
  await joiner.page.reload()
  await button(joiner.page, 'Invite member').waitFor()
  await joiner.page.getByRole('tab', { name: 'Organizations' }).click()
  await button(joiner.page, 'Leave').click()
  await inDialog(joiner.page).getByRole('button', { name: 'Leave' }).click()
  await joiner.page.getByText('You left Example Ltd.').waitFor()
  await joiner.page.getByText('No organizations yet').waitFor()
  for (const { visit } of [owner, joiner]) {
    visit.clean()
    await visit.close()
  }
})

test('a management key is created with its scopes, shown once, works, and is revoked', async () => {
  const { visit, page } = await newcomer('managing')
  await page.goto('/console/settings?tab=management-keys')
  await page.getByText('No management keys yet').waitFor()
  await button(page, 'Create management key').click()
  await inDialog(page).getByLabel('Name').fill('Export')
  await inDialog(page).getByText('View the account, balance and members').click()
  await visit.accessible()
  await button(page, 'Create key').click()
  await inDialog(page).getByText('It is shown only once.').waitFor()
  const key = (await inDialog(page).locator('code').textContent()) ?? ''
  const ask = () => fetch(`${gateway.origin}/api/account`, { headers: { authorization: `Bearer ${key}` } })
  assert.equal((await ask()).status, 200)
  await page.keyboard.press('Escape')
  await inDialog(page).waitFor()
  await button(page, 'Done').click()
  assert.equal(await page.getByText(key).count(), 0)
  await button(page, 'Revoke Export').click()
  await inDialog(page).getByRole('button', { name: 'Revoke' }).click()
  await page.getByRole('cell', { name: 'Revoked' }).waitFor()
  assert.equal((await ask()).status, 401)
  await page.getByRole('tab', { name: 'Activity' }).click()
  await page.getByRole('cell', { name: 'Revoked management key' }).waitFor()
  await visit.accessible()
  visit.clean()
  await visit.close()
})

test('a user exports their data, and deletes their account only after typing their address', async () => {
  const { visit, page, email } = await newcomer('leaving')
  await page.goto('/console/settings?tab=organizations')
  await button(page, 'Create organization').click()
  await inDialog(page).getByLabel('Name').fill('Orchard')
  await button(page, 'Create').click()
  await page.getByText('Your balance is empty.').waitFor()
  await page.goto('/console/settings?tab=privacy')
  const saving = page.waitForEvent('download')
  await button(page, 'Download').click()
  const file = await (await saving).createReadStream()
  const text = Buffer.concat(await file.toArray()).toString()
  assert.ok(text.includes(email))
  assert.equal(typeof JSON.parse(text), 'object')
  await button(page, 'Delete account').click()
  await inDialog(page).getByText('You are the only member of Orchard. It is closed too').waitFor()
  const final = button(page, 'Delete permanently')
  assert.equal(await final.isDisabled(), true)
  await inDialog(page).getByRole('textbox').fill(email)
  await visit.accessible()
  const visited: string[] = []
  page.on('framenavigated', (frame) => visited.push(frame.url()))
  // The server rejects a reading request before it has confirmed the deletion.
  await page.route('**/api/me', async (route) => {
    if (route.request().method() !== 'DELETE') return route.continue()
    const confirmation = await route.fetch()
    const rejected = page.waitForResponse((response) => response.status() === 401)
    await page.evaluate(returnLater)
    await rejected
    await route.fulfill({ response: confirmation })
  })
  await final.click()
  await page.getByText('Your account was deleted.').waitFor()
  await heading(page, 'Sign in')
  assert.deepEqual(visited, [`${origin}/console/sign-in`])
  await signIn(page, email)
  await page.getByRole('alert').waitFor()
  visit.clean()
  await visit.close()
})
