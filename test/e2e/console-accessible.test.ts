/**
 * Every page of the console before axe, in light and dark, on a desktop and on a phone, where much has happened and
 * where nothing has: no violation, no page wider than the screen, nothing broken behind it. So are the windows over
 * them. The pages stand in a table, which has every route.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, suite, test } from 'node:test'
import { sections as adminSections } from '../../console/src/features/admin/sections.ts'
import { systemClock } from '../../src/base/clock.ts'
import { openBrowser, type TestBrowser, type Visit } from '../support/browser.ts'
import { type ConsolePage, consolePages, overlaysOf, whole } from '../support/console-pages.ts'
import { type ConsolePerson, consolePerson } from '../support/console-person.ts'
import type { ControlClient } from '../support/control-client.ts'
import { type LivedIn, type LivedInIds, livedIn } from '../support/lived-in.ts'

const desktop = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }

/** What sticks out where the page as a whole scrolls sideways. Runs in the page. */
const tooWide = `document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll('body *')]
  .filter((element) => element.getBoundingClientRect().right > innerWidth)
  .map((element) => element.outerHTML.slice(0, 120))`

const looks = [
  { size: desktop, colorScheme: 'light', what: 'everything' },
  // Structure and names are the same in the dark, and its colours on a phone.
  { size: desktop, colorScheme: 'dark', what: 'contrast' },
  { size: phone, colorScheme: 'light', what: 'structure' },
] as const

async function arrive(visit: Visit, { heading }: ConsolePage, path: string): Promise<void> {
  await visit.page.setViewportSize(desktop)
  await visit.page.emulateMedia({ colorScheme: 'light' })
  await visit.page.goto(path)
  await whole(visit.page, heading)
}

async function fits({ page }: Visit): Promise<void> {
  const { width } = page.viewportSize() ?? desktop
  // Charts are drawn anew a moment after the window has another size.
  await page.waitForFunction('document.documentElement.scrollWidth <= innerWidth').catch(() => undefined)
  assert.deepEqual(await page.evaluate<string[]>(tooWide), [], `wider than ${width} pixels`)
}

async function lookAt(visit: Visit): Promise<void> {
  const { page } = visit
  for (const { size, colorScheme, what } of looks) {
    await page.setViewportSize(size)
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-theme=${colorScheme}]`).waitFor()
    await visit.accessible(what)
    await fits(visit)
  }
  visit.clean()
}

/** The windows and menus over a page, one after the other. */
async function lookOver(visit: Visit, openers: readonly string[]): Promise<void> {
  const { page } = visit
  await page.setViewportSize(desktop)
  await page.emulateMedia({ colorScheme: 'light' })
  for (const opener of openers) {
    await page
      .getByRole('button', { name: new RegExp(`^${opener}`) })
      .first()
      .click()
    const overlay = page.locator('[role=dialog], [role=menu]')
    await overlay.waitFor()
    await visit.accessible()
    await page.keyboard.press('Escape')
    await overlay.waitFor({ state: 'detached' })
  }
  visit.clean()
}

suite('where much has happened', () => {
  let browser: TestBrowser
  let lived: LivedIn
  const visits = new Map<ConsolePage['as'], Visit>()
  before(async () => {
    browser = await openBrowser()
    lived = await livedIn(systemClock.wallMs())
    for (const [as, client] of [
      ['operator', lived.operator.client],
      ['member', lived.member.client],
      ['anyone', null],
    ] as const) {
      visits.set(as, await enter(browser, lived.gateway.origin, client))
    }
    await lived.begin()
  })
  after(async () => {
    await browser.close()
    await lived.close()
  })
  for (const page of consolePages) {
    test(page.name, async () => {
      const visit = visits.get(page.as)
      assert.ok(visit !== undefined)
      await arrive(visit, page, page.path(lived.ids))
      await lookAt(visit)
      await lookOver(visit, overlaysOf[page.name] ?? [])
    })
  }
})

suite('where nothing has happened', () => {
  let person: ConsolePerson
  let visit: Visit
  before(async () => {
    person = await consolePerson()
    visit = await person.visit()
  })
  after(() => person.close())
  const noIds = {} as LivedInIds
  for (const page of consolePages.filter(({ isEmptyToo, as }) => isEmptyToo && as === 'operator')) {
    test(page.name, async () => {
      await arrive(visit, page, page.path(noIds))
      await visit.accessible()
      await visit.page.setViewportSize(phone)
      await fits(visit)
      visit.clean()
    })
  }
})

test('every route is a page of the table', () => {
  const router = readFileSync(new URL('../../console/src/router.tsx', import.meta.url), 'utf8')
  const routes = [...router.matchAll(/\b(?:page|open)\(\s*'([^']+)'/g)].map(([, path = '']) => path)
  assert.ok(routes.includes('/console/keys/$key'), 'the routes are written in another way')
  const id = '0'
  const ids: LivedInIds = { key: id, retried: id, cut: id, topUp: id, month: id, account: id, invitation: id }
  const paths = consolePages.map(({ path }) => path(ids).split('?')[0] ?? '')
  const missing = routes.filter(
    // `/console/admin` goes on to its first section.
    (route) => route !== '/console/admin' && !paths.some((path) => leadsTo(route, path)),
  )
  assert.deepEqual(missing, [])
  const sections = paths.filter((path) => leadsTo('/console/admin/$section', path))
  assert.deepEqual(
    sections.map((path) => path.split('/').at(-1)),
    adminSections.map(([section]) => section),
  )
})

function leadsTo(route: string, path: string): boolean {
  return new RegExp(`^${route.replaceAll(/\$\w+/g, '[^/]+')}$`).test(path)
}

async function enter(browser: TestBrowser, origin: string, client: ControlClient | null): Promise<Visit> {
  const visit = await browser.visit(origin)
  for (const pair of client?.cookie.split('; ') ?? []) {
    const [name = '', value = ''] = pair.split('=')
    await visit.context.addCookies([{ name, value, url: origin }])
  }
  return visit
}
