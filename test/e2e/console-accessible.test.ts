/**
 * Every page of a populated console, checked by axe in light and dark, on a desktop and on a phone: no
 * violation, no page wider than the screen, no failed request or script. The table of pages has every route. Dialogs and
 * menus are checked on the same server, because populating one takes a while. Only a sample of them runs unless the whole
 * suite is requested.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { sections as adminSections } from '../../console/src/features/admin/sections.ts'
import { arrive, lookAt, lookOver, type UsedConsole, usedConsole } from '../support/console-looks.ts'
import { consolePages, overlaysOf } from '../support/console-pages.ts'
import type { LivedInIds } from '../support/lived-in.ts'
import { sampled } from '../support/sampled.ts'

let used: UsedConsole
before(async () => {
  used = await usedConsole()
})
after(() => used.close())

const pages = sampled(consolePages, 8)
const overlays = new Map(sampled(Object.entries(overlaysOf), 2))
for (const page of consolePages) {
  const openers = overlays.get(page.name)
  if (openers === undefined && !pages.includes(page)) continue
  test(`${page.name}${openers === undefined ? '' : `, and over it: ${openers.join(', ')}`}`, async () => {
    const visit = used.visits.get(page.as)
    assert.ok(visit !== undefined)
    await arrive(visit, page, page.path(used.lived.ids))
    if (pages.includes(page)) await lookAt(visit)
    if (openers !== undefined) await lookOver(visit, openers)
  })
}

test('every dialog and menu is over a page of the table', () => {
  const names = new Set(consolePages.map(({ name }) => name))
  assert.deepEqual(
    Object.keys(overlaysOf).filter((name) => !names.has(name)),
    [],
  )
})

test('every route is a page of the table', () => {
  const table = readFileSync(new URL('../../console/src/pages.ts', import.meta.url), 'utf8')
  const routes = [...table.matchAll(/\[\s*'(\/[^']*)',\s*\(\) => import/g)].map(([, path = '']) => path)
  assert.ok(routes.includes('/console/keys/$key'), 'the routes are written in another way')
  const id = '0'
  const ids: LivedInIds = { key: id, retried: id, cut: id, topUp: id, month: id, account: id, invitation: id }
  const paths = consolePages.map(({ path }) => path(ids).split('?')[0] ?? '')
  const missing = routes.filter(
    // `/console/admin` redirects to its first section.
    (route) => route !== '/console/admin' && !paths.some((path) => leadsTo(route, path)),
  )
  assert.deepEqual(missing, [])
  const sections = paths.filter((path) => leadsTo('/console/admin/$section', path))
  assert.deepEqual(
    [...new Set(sections.map((path) => path.split('/').at(-1)))],
    adminSections.map(([section]) => section),
  )
})

function leadsTo(route: string, path: string): boolean {
  return new RegExp(`^${route.replaceAll(/\$\w+/g, '[^/]+')}$`).test(path)
}
