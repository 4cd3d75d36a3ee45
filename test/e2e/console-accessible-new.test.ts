/** The pages of an empty console: no violation that axe finds, and no page wider than a phone. */
import { after, before, test } from 'node:test'
import type { Visit } from '../support/browser.ts'
import { arrive, fits, phone } from '../support/console-looks.ts'
import { consolePages } from '../support/console-pages.ts'
import { type ConsolePerson, consolePerson } from '../support/console-person.ts'
import type { LivedInIds } from '../support/lived-in.ts'

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
