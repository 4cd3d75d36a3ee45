/** Failures while a user works in the console: no session, no server, no stream, truncated responses, many windows, invalid URLs. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from '../support/browser.ts'
import { type ConsolePerson, consolePerson } from '../support/console-person.ts'

let person: ConsolePerson
before(async () => {
  person = await consolePerson()
})
after(() => person.close())

const dialog = (page: Page) => page.getByRole('dialog')

test('a session that ends in the middle of a form: the user signs in again and finds what was entered', async () => {
  const visit = await person.signIn()
  const { page } = visit
  await page.goto('/console/keys?create=yes')
  await page.getByRole('textbox', { name: 'Name' }).fill('entered before')
  let ended = false
  // It ends right before the click: a list on the page that is fetched again would notice it first.
  await page.route(/\/api\//, async (route) => {
    if (ended || route.request().method() !== 'POST') return route.continue()
    ended = true
    await visit.context.clearCookies()
    await route.fulfill({ response: await route.fetch() })
  })
  await dialog(page).getByRole('button', { name: 'Create key' }).click()
  await page.waitForURL(/\/console\/sign-in\?/)
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('next'), '/console/keys?create=yes')
  await page.getByLabel('Email').fill(person.email)
  await page.getByLabel('Password', { exact: true }).fill(person.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Create API key' }).waitFor()
  assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), 'entered before')
  await dialog(page).getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('button', { name: 'Create key' }).click()
  assert.equal(await page.getByRole('textbox', { name: 'Name' }).inputValue(), '', 'who cancels begins anew')
  visit.clean()
  await visit.close()
})

test("two windows change the same key, and neither reverts the other's change", async () => {
  const { id } = await person.client.done('key.create', { name: 'in two windows' })
  const visit = await person.signIn()
  const windows = [visit.page, await visit.window()] as const
  for (const page of windows) {
    await page.goto(`/console/keys/${id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
  }
  const [first, second] = windows
  await first.getByRole('textbox', { name: 'Name' }).fill('renamed')
  await dialog(first).getByLabel('Concurrent requests').fill('3')
  await second.getByRole('textbox', { name: 'Budget in USD' }).fill('7')
  await dialog(second).getByLabel('Requests per minute').fill('60')
  for (const page of windows) {
    await dialog(page).getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').waitFor()
  }
  const changed = (await person.client.done('key.list', {})).find((key) => key.id === id)
  assert.ok(changed !== undefined)
  assert.deepEqual(
    [changed.name, changed.budget?.amount, changed.limits],
    ['renamed', '7.00', { requestsPerMinute: 60, tokensPerMinute: null, concurrent: 3 }],
  )
  await visit.close()
})

test('changes continue to appear after the event stream was rejected', async () => {
  const visit = await person.visit()
  const { page, context } = visit
  let asked = 0
  await context.route('**/api/events*', (route) => {
    asked += 1
    return asked === 1 ? route.fulfill({ status: 503, body: '{}' }) : route.continue()
  })
  const opened = context.waitForEvent(
    'response',
    (answer) => answer.url().includes('/api/events') && answer.ok(),
  )
  await page.goto('/console/keys')
  await opened
  await person.client.done('key.create', { name: 'seen after all' })
  await page.getByRole('link', { name: 'seen after all' }).waitFor()
  await visit.close()
})

test('while the server is down every page says so and stays, and recovers when it is back', async () => {
  const visit = await person.visit()
  const { page, context } = visit
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await context.setOffline(true)
  const away = page.getByText("The server can't be reached.").first()
  await page.getByRole('link', { name: 'Billing' }).first().click()
  await away.waitFor()
  await visit.accessible('contrast')
  await page.getByRole('link', { name: 'API keys' }).first().waitFor()
  await context.setOffline(false)
  await page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor()
  await page.getByText('what the next request can use').waitFor()
  await away.waitFor({ state: 'detached' })
  await visit.close()
})

test('a key that expires while it is shown is shown as ended', async () => {
  const hourMs = 3_600_000
  const visit = await person.visit()
  const { page } = visit
  const now = Date.parse((await person.client.done('me.show', {})).person.created)
  const expires = new Date(now + 2 * hourMs).toISOString()
  await person.client.done('key.create', { name: 'soon over', expires })
  await person.client.done('key.create', { name: 'lasting' })
  await page.clock.install({ time: now })
  await page.goto('/console/keys')
  await page.getByRole('row', { name: 'soon over' }).getByText('Expires soon').waitFor()
  await page.clock.fastForward(3 * hourMs)
  await page.getByRole('button', { name: 'Show 1 revoked or expired' }).click()
  await page.getByRole('row', { name: 'soon over' }).getByText('Expired', { exact: true }).waitFor()
  await visit.close()
})

test('what is shown stays while refetching fails, and so does a secret that is shown once', async () => {
  await person.signUp('forgetful')
  const visit = await person.signIn()
  const { page } = visit
  await page.clock.install()
  await page.goto('/console/admin/people')
  await page.getByRole('button', { name: 'Actions for forgetful' }).click()
  await page.getByRole('menuitem', { name: 'Create password reset link' }).click()
  const link = dialog(page).getByText('/console/reset?')
  await link.waitFor()
  let failures = 0
  await page.route('**/api/admin/people*', (route) => {
    failures += 1
    return route.fulfill({ status: 503, json: { error: { code: 'overloaded', message: 'Not now.' } } })
  })
  // A request with its retries, and the request after it.
  while (failures < 4) {
    const asked = page.waitForResponse('**/api/admin/people*')
    await page.clock.fastForward('00:15')
    await asked
  }
  assert.equal(await link.count(), 1)
  assert.equal(await page.getByText('Not now.').count(), 0)
  await visit.close()
})

test('long names leave room for what is next to them', async () => {
  const name = 'W'.repeat(100)
  const other = await person.signUp('long')
  assert.equal((await other.client.post('/api/auth/update-user', { name })).status, 200)
  const { accounts } = await other.client.done('me.show', {})
  const account = accounts[0]?.account ?? ''
  await person.client.done('people.confirm', { person: (await other.client.done('me.show', {})).person.id })
  await other.client.done('key.create', { name })
  const visit = await person.signIn()
  for (const path of ['people', 'accounts', `accounts/${account}`]) {
    await visit.page.goto(`/console/admin/${path}`)
    await visit.page.getByText(name).first().waitFor()
    await visit.page.locator('.animate-pulse').first().waitFor({ state: 'detached' })
    for (const table of await visit.page.locator('section:has(> table)').all()) {
      const [caption, isWhole] = await table.evaluate(
        (section: { ariaLabel: string; scrollWidth: number; clientWidth: number }) => [
          section.ariaLabel,
          section.scrollWidth <= section.clientWidth,
        ],
      )
      assert.ok(isWhole, `${caption} at ${path}`)
    }
  }
  await visit.close()
})

test("a URL with another user's account does not show a different account instead", async () => {
  const visit = await person.signIn()
  const { page } = visit
  const said = page.getByText("You don't have access to the account in this link.")
  await page.goto('/console/billing?account=acct_0000000000000')
  await said.waitFor()
  await visit.accessible()
  await page.getByRole('link', { name: 'Go to your account' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await said.waitFor({ state: 'detached' })
  assert.match(new URL(page.url()).search, /^\?account=acct_/)
  await visit.close()
})

test('a truncated response shows an error, and can be requested again', async () => {
  const { page } = await person.signIn()
  await page.route('**/api/keys?*', (route) =>
    route.fulfill({ status: 200, contentType: 'application/json', body: '[{"id":"key_' }),
  )
  await page.goto('/console/keys')
  await page.getByText('The server sent an invalid response.').waitFor()
  await page.unroute('**/api/keys?*')
  await page.getByRole('button', { name: /again/i }).click()
  await page.getByRole('link', { name: 'First key' }).waitFor()
})

/** More than the connections that a browser opens to one server. */
const tabCount = 8
const shows = (tabs: readonly Page[], name: string) =>
  Promise.all(tabs.map((tab) => tab.getByRole('link', { name }).waitFor()))

test('eight tabs work, receive every change, and another takes over when the leading one closes', async () => {
  const visit = await person.visit()
  const streams: string[] = []
  visit.context.on('request', (request) => {
    if (request.url().includes('/api/events')) streams.push(request.url())
  })
  const tabs = [visit.page]
  while (tabs.length < tabCount) tabs.push(await visit.window())
  for (const tab of tabs) await tab.goto('/console/keys')
  await person.client.done('key.create', { name: 'seen by all' })
  await shows(tabs, 'seen by all')
  assert.ok(streams.length <= 2, `${streams.length} connections for ${tabs.length} tabs`)
  const took = visit.context.waitForEvent('request', (request) => request.url().includes('/api/events'))
  await tabs[0]?.close()
  await took
  await person.client.done('key.create', { name: 'seen by the rest' })
  await shows(tabs.slice(1), 'seen by the rest')
  visit.clean()
  await visit.close()
})

test('an invitation appears in every window that shows the members, without a reload', async () => {
  const made = await person.client.post('/api/auth/organization/create', { name: 'Seen', slug: 'seen' })
  const { id: organizationId } = made.body as { id: string }
  const { accounts } = await person.client.done('me.show', {})
  const account = accounts.find(({ organization }) => organization === organizationId)?.account
  const visit = await person.visit()
  const tab = visit.page
  await tab.goto(`/console/settings?tab=members&account=${account}`)
  await tab.getByRole('heading', { name: 'Roles' }).waitFor()
  await person.client.post('/api/auth/organization/invite-member', {
    email: 'invited@example.org',
    role: 'developer',
    organizationId,
  })
  await tab.getByText('invited@example.org').waitFor()
  visit.clean()
  await visit.close()
})
