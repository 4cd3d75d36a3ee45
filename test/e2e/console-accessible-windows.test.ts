/** The windows and menus over the pages of the console before axe, where much has happened: no violation. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { arrive, lookOver, type UsedConsole, usedConsole } from '../support/console-looks.ts'
import { consolePages, overlaysOf } from '../support/console-pages.ts'

let used: UsedConsole
before(async () => {
  used = await usedConsole()
})
after(() => used.close())

for (const [name, openers] of Object.entries(overlaysOf)) {
  test(`over ${name}: ${openers.join(', ')}`, async () => {
    const page = consolePages.find((known) => known.name === name)
    const visit = page && used.visits.get(page.as)
    assert.ok(page !== undefined && visit !== undefined, `${name} is a page of the table`)
    await arrive(visit, page, page.path(used.lived.ids))
    await lookOver(visit, openers)
  })
}
