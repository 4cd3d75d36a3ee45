/** The pages that the server writes itself, in a real browser: nothing is missing or forbidden, and anybody can use them. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openBrowser, type TestBrowser } from '../support/browser.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'

let gateway: TestGateway
let browser: TestBrowser
before(async () => {
  gateway = await testGateway()
  browser = await openBrowser()
})
after(async () => {
  await browser.close()
  await gateway.close()
})

/** Long ones are made of the same parts as short ones, and take axe many seconds each. */
const long = ['/docs/api', '/docs/clients', '/docs/control-api', '/docs/operate/configuration']
const short = ['/', '/docs', '/docs/errors/insufficient_balance', '/docs/operate/cli']

for (const options of [{ theme: 'light' }, { theme: 'dark' }, { phone: true }] as const) {
  test(`pages are whole and accessible: ${JSON.stringify(options)}`, async () => {
    const visit = await browser.visit(gateway.origin, options)
    for (const path of [...short, ...long]) {
      await visit.page.goto(path)
      visit.clean()
      if (short.includes(path)) await visit.accessible()
      const widths = await visit.page.evaluate('[document.documentElement.scrollWidth, innerWidth]')
      const [content = 0, window = 0] = widths as readonly number[]
      assert.ok(content <= window, `${path} is ${content} wide in ${window}`)
      assert.equal(await visit.page.locator('h1').count(), 1, path)
      assert.equal(await visit.page.locator('script').count(), 0, path)
    }
    await visit.close()
  })
}

test('every link of the documentation leads somewhere', async () => {
  const visit = await browser.visit(gateway.origin)
  const seen = new Set<string>(['/docs'])
  for (const path of seen) {
    await visit.page.goto(path)
    const links = (await visit.page.evaluate(
      '[...document.links].filter((link) => link.origin === location.origin).map((link) => link.pathname + link.hash)',
    )) as readonly string[]
    for (const link of links) {
      const [page = '', fragment] = link.split('#')
      if (fragment !== undefined && page === path) {
        const target = await visit.page.locator(`[id="${fragment}"]`).count()
        assert.ok(target > 0, `${path} → ${link}`)
      }
      if (page.startsWith('/docs') && !/^\/docs\/errors\/./.test(page)) seen.add(page)
      else if (!seen.has(page)) {
        const answer = await visit.page.request.get(page)
        // The console may not be built where tests run.
        assert.ok(answer.ok() || /^\/(?:console|pricing)/.test(page), `${path} → ${page}: ${answer.status()}`)
      }
    }
  }
  assert.ok(seen.size >= 10)
  await visit.close()
})
