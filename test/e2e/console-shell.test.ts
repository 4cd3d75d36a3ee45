/**
 * The layout of the console in a real browser: light and dark without a flash, what pages may load, how large they are,
 * phones, deep links, the back button, missing pages, and all pages while they are empty.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { firstLoadBytesMax, firstLoads } from '../../scripts/console-size.js'
import type { Page, Visit } from '../support/browser.ts'
import { arrive, fits, phone } from '../support/console-looks.ts'
import { consolePages } from '../support/console-pages.ts'
import { type ConsolePerson, consolePerson } from '../support/console-person.ts'
import type { LivedInIds } from '../support/lived-in.ts'

let person: ConsolePerson
let newcomer: Visit
before(async () => {
  person = await consolePerson()
  newcomer = await person.visit()
})
after(() => person.close())

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
const themeOf = (page: Page) => page.locator('html').getAttribute('data-theme')
const background = 'getComputedStyle(document.documentElement).backgroundColor'

/** An empty console: no violation that axe finds, and no page wider than a phone. */
const noIds = {} as LivedInIds
for (const page of consolePages.filter(({ isEmptyToo, as }) => isEmptyToo && as === 'operator')) {
  test(`new and empty: ${page.name}`, async () => {
    await arrive(newcomer, page, page.path(noIds))
    await newcomer.accessible()
    await newcomer.page.setViewportSize(phone)
    await fits(newcomer)
    newcomer.clean()
  })
}

for (const { page, scriptBytes } of firstLoads()) {
  test(`${page} needs ${(scriptBytes / 1_000).toFixed(1)} kB of compressed script`, () => {
    assert.ok(scriptBytes < firstLoadBytesMax)
  })
}

for (const theme of ['light', 'dark'] as const) {
  test(`a ${theme} system sees ${theme} pages before any script of the page runs`, async () => {
    const visit = await person.visit({ theme })
    await visit.context.route('**/console/assets/*.js', (route) => route.abort())
    await visit.page.goto('/console/settings', { waitUntil: 'load' })
    assert.equal(await themeOf(visit.page), theme)
    const dark = 'rgb(11, 11, 13)'
    assert.equal((await visit.page.evaluate<string>(background)) === dark, theme === 'dark')
    await visit.close()
  })
}

test('the chosen theme is saved, and follows the system again when that is chosen', async () => {
  const visit = await person.visit({ theme: 'light' })
  const { page } = visit
  const choose = async (look: string): Promise<void> => {
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitemcheckbox', { name: look }).click()
  }
  await choose('Dark')
  assert.equal(await themeOf(page), 'dark')
  await page.reload()
  await heading(page, 'Overview')
  assert.equal(await themeOf(page), 'dark')
  await choose('System')
  assert.equal(await themeOf(page), 'light')
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-theme=dark]').waitFor()
  visit.clean()
  await visit.close()
})

test('a page loads only from its own origin, and its policy forbids everything else', async () => {
  const visit = await person.visit()
  const { page } = visit
  const elsewhere: string[] = []
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url())
    if (origin !== person.gateway.origin && protocol !== 'blob:') elsewhere.push(request.url())
  })
  for (const path of ['/console', '/console/settings', '/console/usage', '/console/playground', '/pricing']) {
    await page.goto(path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('load')
  }
  assert.deepEqual(elsewhere, [])
  visit.clean()
  const blocked = await page.evaluate<string[]>(`(async () => {
    const seen = []
    document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective))
    const script = document.createElement('script')
    script.textContent = 'window.ran = true'
    document.head.append(script)
    const style = document.createElement('style')
    style.textContent = 'body { display: none }'
    document.head.append(style)
    await fetch('https://example.org/').catch(() => {})
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
    return window.ran ? ['ran'] : seen
  })()`)
  assert.deepEqual(blocked.toSorted(), ['connect-src', 'script-src-elem', 'style-src-elem'])
  await visit.close()
})

test('on a phone the sections open from a button, by touch and by keyboard', async () => {
  const visit = await person.visit({ phone: true, theme: 'dark' })
  const { page } = visit
  await page.getByRole('button', { name: 'Open navigation' }).tap()
  const sheet = page.getByRole('dialog', { name: 'Navigation' })
  await visit.accessible()
  await sheet.getByRole('link', { name: 'Settings' }).tap()
  await heading(page, 'Settings')
  assert.equal(await sheet.count(), 0)
  await page.getByRole('button', { name: 'Open navigation' }).press('Enter')
  await sheet.waitFor()
  await page.keyboard.press('Escape')
  await page.locator('[aria-label="Open navigation"]:focus').waitFor()
  const width = await page.evaluate<number>('document.documentElement.scrollWidth')
  assert.ok(width <= 390, `the page is ${width} pixels wide`)
  visit.clean()
  await visit.close()
})

test('a finger opens and closes an explanation, which a mouse opens by hovering', async () => {
  const visit = await person.visit({ phone: true })
  const { page } = visit
  const explained = page.getByRole('button', { name: 'How this is calculated' })
  const text = page.getByRole('tooltip').getByText(/^What your next request can use/)
  await explained.tap()
  await text.waitFor()
  await explained.tap()
  await text.waitFor({ state: 'detached' })
  await explained.tap()
  await text.waitFor()
  await page.getByRole('heading', { level: 1 }).tap()
  await text.waitFor({ state: 'detached' })
  visit.clean()
  await visit.close()
})

test('the back button, reload and the tab in the URL show the same page again', async () => {
  const visit = await person.visit()
  const { page } = visit
  await page.getByRole('link', { name: 'Settings' }).click()
  await heading(page, 'Settings')
  await page.locator('h1:focus').waitFor()
  await page.getByRole('tab', { name: 'Security' }).click()
  assert.equal(new URL(page.url()).search, '?tab=security')
  await page.reload()
  await page.getByRole('tab', { name: 'Security', selected: true }).waitFor()
  await page.goBack()
  await heading(page, 'Overview')
  assert.equal(await page.title(), 'Overview · Tollgate')
  visit.clean()
  await visit.close()
})

test('the first Tab stop skips the navigation', async () => {
  const visit = await person.signIn()
  const { page } = visit
  await page.goto('/console/settings')
  await heading(page, 'Settings')
  await page.keyboard.press('Tab')
  await page.locator('a:focus').getByText('Skip to content').waitFor()
  await page.keyboard.press('Enter')
  await page.locator('main:focus').waitFor()
  visit.clean()
  await visit.close()
})

test('an unknown URL says so, and leads back', async () => {
  const visit = await person.signIn()
  const { page } = visit
  await page.goto('/console/nowhere/at/all')
  await heading(page, 'Page not found')
  await visit.accessible()
  await page.getByRole('link', { name: 'Go to Overview' }).click()
  await heading(page, 'Overview')
  visit.clean()
  await visit.close()
})

test('an unreachable server shows an error with a way to try again', async () => {
  const visit = await person.signIn()
  const { page } = visit
  await page.route('**/api/**', (route) => route.abort())
  await page.goto('/console/settings')
  const again = page.getByRole('button', { name: 'Try again' }).first()
  await page.getByText("The server can't be reached.").first().waitFor()
  await page.unroute('**/api/**')
  await again.click()
  await heading(page, 'Settings')
  await visit.close()
})

test('a suspended user sees it on every page, in every tab, without a reload', async () => {
  const somebody = await person.signUp('suspended')
  const visit = await somebody.visit()
  const { page } = visit
  const { accounts } = await somebody.client.done('me.show', {})
  const account = accounts[0]?.account ?? ''
  await person.client.done('account.suspend', { account })
  await page.getByText('This account is suspended.').waitFor()
  await visit.accessible()
  await person.client.done('account.resume', { account })
  await page.getByText('This account is suspended.').waitFor({ state: 'detached' })
  visit.clean()
  await visit.close()
})
