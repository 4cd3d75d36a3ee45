/** The command palette in a real browser: by keyboard, by touch, for administrators and for other users. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from '../support/browser.ts'
import { type ConsolePerson, consolePerson } from '../support/console-person.ts'

let person: ConsolePerson
before(async () => {
  person = await consolePerson()
})
after(() => person.close())

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
const palette = (page: Page) => page.getByRole('dialog', { name: 'Search and commands' })

/** Opens the palette by its shortcut, types, and selects the first result, which is `found`. */
async function run(page: Page, search: string, found: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await palette(page).getByRole('combobox').fill(search)
  await palette(page).getByRole('option', { name: found, selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await palette(page).waitFor({ state: 'detached' })
}

test('the keyboard alone reaches pages, actions and themes, and Escape returns the focus', async () => {
  const visit = await person.visit({ theme: 'light' })
  const { page } = visit
  await run(page, 'billing', 'Billing')
  await heading(page, 'Billing')
  await page.locator('h1:focus').waitFor()
  await page.keyboard.press('Control+k')
  await palette(page).waitFor()
  await visit.accessible()
  await page.keyboard.press('Escape')
  await page.locator('h1:focus').waitFor()
  await run(page, 'audit', 'Admin: Audit log')
  await heading(page, /Admin/)
  assert.equal(new URL(page.url()).pathname, '/console/admin/audit')
  await run(page, 'dark', 'Dark theme')
  assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
  await run(page, 'create key', 'Create API key')
  await page.getByRole('dialog', { name: 'Create API key' }).waitFor()
  await page.keyboard.press('Control+k')
  assert.equal(await palette(page).count(), 0, 'a dialog is not covered by the palette')
  await page.keyboard.press('Escape')
  await page.locator('[role=dialog]').waitFor({ state: 'detached' })
  await run(page, 'quick start', 'Quick start')
  await page.waitForURL('**/docs/quick-start')
  visit.clean()
  await visit.close()
})

test('what is typed while the palette loads is its first search', async () => {
  const visit = await person.visit()
  const { page } = visit
  let load = (): void => {}
  const wait = new Promise<void>((resolve) => {
    load = resolve
  })
  let asked = 0
  await page.route(/\/palette-[^/]*\.js$/, async (route) => {
    asked += 1
    await wait
    await route.continue()
  })
  await page.goto('/console')
  await heading(page, 'Overview')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('upst')
  load()
  await palette(page).getByRole('option', { name: 'Admin: Models and upstreams' }).waitFor()
  assert.equal(asked, 1)
  await page.keyboard.type('reams')
  assert.equal(await palette(page).getByRole('combobox').inputValue(), 'upstreams')
  await page.keyboard.press('Escape')
  await palette(page).waitFor({ state: 'detached' })
  await visit.close()
})

test('words that people use find actions, models, people and errors', async () => {
  const dana = await person.signUp('dana')
  const visit = await person.visit()
  const { page } = visit
  await heading(page, 'Overview')
  await page.keyboard.press('Control+k')
  const search = palette(page).getByRole('combobox')
  for (const [words, found] of [
    ['invoice', 'Invoices and statements'],
    ['revoke', 'Revoke or edit an API key'],
    ['budget', 'Set the budget of an API key'],
    ['receipt', 'Find a receipt'],
    ['sandbox-echo', 'sandbox-echo'],
    ['insufficient_balance', 'Insufficient balance'],
    [dana.email, dana.email],
  ] as const) {
    await search.fill(words)
    await palette(page).getByRole('option', { name: found }).first().waitFor()
  }
  await visit.accessible()
  await page.keyboard.press('Escape')
  await run(page, 'sign out', 'Sign out')
  await page.waitForURL('**/console/sign-in')
  await visit.close()
})

test('a pasted line with a request ID opens its receipt', async () => {
  const visit = await person.visit()
  const { page } = visit
  const { key } = await person.client.done('key.create', { name: 'asks' })
  const answer = await person.ask(key, 'sandbox-echo')
  const id = String(answer.headers['x-request-id'])
  await run(page, `failed with 500 (${id})`, `Open request ${id}`)
  await heading(page, /^sandbox-echo/)
  assert.equal(new URL(page.url()).pathname, `/console/requests/${id}`)
  visit.clean()
  await visit.close()
})

test('a user who is not an administrator switches to an organization by touch, and finds no admin pages', async () => {
  const member = await person.signUp('member')
  const made = await member.client.post('/api/auth/organization/create', { name: 'Works', slug: 'works' })
  assert.equal(made.status, 200, made.text)
  const visit = await member.visit({ phone: true, theme: 'dark' })
  const { page } = visit
  await page.getByRole('button', { name: 'Search or jump to' }).tap()
  await palette(page).getByRole('option', { name: 'Overview' }).waitFor()
  await visit.accessible()
  await palette(page).getByRole('combobox').fill('admin')
  await palette(page).getByText('No results').waitFor()
  await palette(page).getByRole('combobox').fill('works')
  await palette(page).getByRole('option', { name: 'Switch to Works' }).tap()
  await page.waitForURL(/account=acct_/)
  await heading(page, 'Overview')
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  assert.ok(width <= 390, `the page is ${width} pixels wide`)
  visit.clean()
  await visit.close()
})
