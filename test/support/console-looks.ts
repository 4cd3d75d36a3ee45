/**
 * Checks a console page in every theme: with axe, by its width, and with its dialogs and menus open; and a populated
 * server with one visitor of each kind.
 */
import assert from 'node:assert/strict'
import { systemClock } from '../../src/base/clock.ts'
import { openBrowser, type TestBrowser, type Visit } from './browser.ts'
import { type ConsolePage, whole } from './console-pages.ts'
import type { ControlClient } from './control-client.ts'
import { type LivedIn, livedIn } from './lived-in.ts'

const desktop = { width: 1280, height: 800 }
export const phone = { width: 390, height: 844 }

/**
 * Finds the elements that overflow if the whole page scrolls sideways. Charts are redrawn some frames after the window is resized.
 * Runs in the page without a polling function: the content security policy forbids compiling one.
 */
const tooWide = `new Promise((resolve) => {
  const look = (framesLeft) => {
    if (document.documentElement.scrollWidth <= innerWidth) resolve([])
    else if (framesLeft > 0) requestAnimationFrame(() => look(framesLeft - 1))
    else resolve([...document.querySelectorAll('body *')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth)
      .map((element) => element.outerHTML.slice(0, 120)))
  }
  look(120)
})`

const looks = [
  { size: desktop, colorScheme: 'light', what: 'everything' },
  // Structure and names are the same in the dark theme, and so are the colors on a phone.
  { size: desktop, colorScheme: 'dark', what: 'contrast' },
  { size: phone, colorScheme: 'light', what: 'structure' },
] as const

export async function arrive(visit: Visit, { heading }: ConsolePage, path: string): Promise<void> {
  await visit.page.setViewportSize(desktop)
  await visit.page.emulateMedia({ colorScheme: 'light' })
  await visit.page.goto(path)
  await whole(visit.page, heading)
}

export async function fits({ page }: Visit): Promise<void> {
  const { width } = page.viewportSize() ?? desktop
  assert.deepEqual(await page.evaluate<string[]>(tooWide), [], `wider than ${width} pixels`)
}

export async function lookAt(visit: Visit): Promise<void> {
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

const overlaySelector = '[role=dialog], [role=menu]'

/** The dialogs and menus of a page, one after another. */
export async function lookOver(visit: Visit, openers: readonly string[]): Promise<void> {
  const { page } = visit
  await page.setViewportSize(desktop)
  await page.emulateMedia({ colorScheme: 'light' })
  for (const opener of openers) {
    await page
      .getByRole('button', { name: new RegExp(`^${opener}`) })
      .first()
      .click()
    const overlay = page.locator(overlaySelector)
    await overlay.waitFor()
    await visit.accessible('structure')
    // The colors of the page below were compared without it.
    await visit.accessible('contrast', overlaySelector)
    await page.keyboard.press('Escape')
    await overlay.waitFor({ state: 'detached' })
  }
  visit.clean()
}

export interface UsedConsole {
  readonly lived: LivedIn
  readonly visits: ReadonlyMap<ConsolePage['as'], Visit>
  close(): Promise<void>
}

const dayMs = 86_400_000

/**
 * A server with a month of usage, and a browser for each kind of visitor. Its time is noon, because what was done
 * within the last hour must be of the same day at whatever hour this runs.
 */
export async function usedConsole(): Promise<UsedConsole> {
  const browser = await openBrowser()
  const lived = await livedIn(Math.floor(systemClock.wallMs() / dayMs) * dayMs + dayMs / 2)
  const visits = new Map<ConsolePage['as'], Visit>()
  for (const [as, client] of [
    ['operator', lived.operator.client],
    ['member', lived.member.client],
    ['anyone', null],
  ] as const) {
    visits.set(as, await enter(browser, lived.gateway.origin, client))
  }
  await lived.begin()
  return {
    lived,
    visits,
    async close() {
      await browser.close()
      await lived.close()
    },
  }
}

async function enter(browser: TestBrowser, origin: string, client: ControlClient | null): Promise<Visit> {
  const visit = await browser.visit(origin)
  for (const pair of client?.cookie.split('; ') ?? []) {
    const [name = '', value = ''] = pair.split('=')
    await visit.context.addCookies([{ name, value, url: origin }])
  }
  return visit
}
