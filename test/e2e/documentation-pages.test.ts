/** The documentation in a real browser: complete and accessible in every theme and width, usable without script, searchable, linked. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
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

/** Long pages have the same components as short ones, and take axe many seconds each. */
const long = ['/docs/api', '/docs/clients', '/docs/control-api', '/docs/operate/configuration']
const short = [
  '/',
  '/docs',
  '/docs/quick-start',
  '/docs/concepts/money',
  '/docs/errors',
  '/docs/errors/insufficient_balance',
  '/docs/operate/cli',
]

for (const options of [{ theme: 'light' }, { theme: 'dark' }, { phone: true }] as const) {
  test(`pages are complete and accessible: ${JSON.stringify(options)}`, async () => {
    const visit = await browser.visit(gateway.origin, options)
    for (const path of [...short, ...long]) {
      await visit.page.goto(path)
      visit.clean()
      if (short.includes(path)) await visit.accessible()
      const widths = await visit.page.evaluate('[document.documentElement.scrollWidth, innerWidth]')
      const [content = 0, window = 0] = widths as readonly number[]
      assert.ok(content <= window, `${path} is ${content} wide in ${window}`)
      assert.equal(await visit.page.locator('h1').count(), 1, path)
    }
    await visit.close()
  })
}

test('an unknown page is a page with status 404, also outside of the documentation', async () => {
  for (const path of ['/docs/no-such-page', '/no-such-page']) {
    const visit = await browser.visit(gateway.origin)
    const answer = await visit.page.goto(path)
    assert.equal(answer?.status(), 404)
    await visit.page.getByRole('heading', { name: 'Page not found' }).waitFor()
    await visit.accessible()
    await visit.page
      .getByRole('navigation', { name: 'Documentation' })
      .getByRole('link', { name: 'Errors' })
      .click()
    await visit.page.getByRole('heading', { name: 'Errors', level: 1 }).waitFor()
    await visit.close()
  }
})

const ofBrowser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

/** What is sent for an unknown path: a page only to a browser that opens one. */
const unknownPaths: readonly (readonly [request: string, accept: string | null, isPage: boolean])[] = [
  ['GET /nope', ofBrowser, true],
  ['HEAD /nope', ofBrowser, true],
  ['GET /nope/<script>alert(1)</script>?<b>', ofBrowser, true],
  ['GET /credits', ofBrowser, true],
  ['GET /metrics', ofBrowser, true],
  ['GET /nope', 'application/json, text/html;q=0.5', false],
  ['GET /nope', 'text/html;q=0', false],
  ['GET /nope', '*/*', false],
  ['GET /nope', null, false],
  ['POST /nope', ofBrowser, false],
  ['GET /v1/nope', ofBrowser, false],
  ['GET /v1', ofBrowser, false],
  ['GET /v1beta/nope', ofBrowser, false],
  ['GET /api/nope', ofBrowser, false],
  ['GET /api/v1/nope', ofBrowser, false],
  ['GET /chat/completions', ofBrowser, false],
]

test('only a browser that opens an unknown path gets a page, and nothing of its request in it', async () => {
  const pages = new Set<string>()
  for (const [request, accept, isPage] of unknownPaths) {
    const [method = '', path = ''] = request.split(' ')
    const answer = await fetch(`${gateway.origin}${path}`, {
      method,
      headers: accept === null ? {} : { accept },
    })
    const named = `${request}, ${accept}`
    assert.equal(answer.status, request === 'GET /chat/completions' ? 405 : 404, named)
    const type = isPage ? 'text/html; charset=utf-8' : 'application/json'
    assert.ok(answer.headers.get('content-type')?.startsWith(type), named)
    if (isPage) assert.match(answer.headers.get('content-security-policy') ?? '', /^default-src 'self'/)
    const text = await answer.text()
    if (isPage && method === 'GET') pages.add(text)
  }
  assert.equal(pages.size, 1)
})

test('pages contain the base URL of this server', async () => {
  for (const [path, url] of [
    ['/docs', '/v1/chat/completions'],
    ['/', '/v1/alt'],
  ]) {
    const page = await (await fetch(`${gateway.origin}${path}`)).text()
    assert.ok(page.includes(`${gateway.origin}${url}`), path)
    assert.doesNotMatch(page, /127\.0\.0\.1:8080/)
  }
})

test('without script everything is readable, in the theme of the system', async () => {
  const visit = await browser.visit(gateway.origin, { theme: 'dark', script: false })
  await visit.page.goto('/docs')
  for (const language of ['curl', 'Python', 'TypeScript'])
    await visit.page.locator('.language', { hasText: language }).first().waitFor()
  assert.equal(await visit.page.getByRole('tab').count(), 0)
  assert.equal(await visit.page.getByRole('button', { name: 'Copy code' }).count(), 0)
  assert.equal(await visit.page.evaluate('getComputedStyle(document.body).color'), 'rgb(244, 244, 245)')
  await visit.page
    .getByRole('navigation', { name: 'Documentation' })
    .getByRole('link', { name: 'CLI', exact: true })
    .click()
  await visit.page.getByRole('heading', { level: 1 }).waitFor()
  await visit.close()
})

test('on a phone the navigation is a menu, without script too', async () => {
  const visit = await browser.visit(gateway.origin, { phone: true, script: false })
  await visit.page.goto('/docs')
  const menu = visit.page.getByRole('navigation', { name: 'Documentation' })
  const link = menu.getByRole('link', { name: 'Errors', exact: true })
  assert.equal(await link.isVisible(), false)
  await visit.page.getByRole('button', { name: 'Menu' }).click()
  await link.click()
  await visit.page.getByRole('heading', { name: 'Errors', level: 1 }).waitFor()
  await visit.close()
})

test('search finds a section, by keyboard, and requests only its index from the server', async () => {
  const visit = await browser.visit(gateway.origin)
  await visit.page.goto('/docs')
  const asked: string[] = []
  visit.page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await visit.page.keyboard.press('/')
  const dialog = visit.page.getByRole('dialog', { name: 'Search the documentation' })
  await dialog.getByRole('searchbox').fill('key budget exhausted')
  await dialog
    .getByRole('link', { name: /budget/i })
    .first()
    .waitFor()
  await visit.accessible()
  await dialog.getByRole('searchbox').fill('zzqqxxyy')
  await dialog.getByText('No results for “zzqqxxyy”.').waitFor()
  // A variable is found by its own row, whatever else the question has.
  await dialog.getByRole('searchbox').fill('change the port')
  const first = dialog.getByRole('link').first()
  await first.getByText('TOLLGATE_PORT').waitFor()
  const found = (await first.locator('mark').allTextContents()).map((text) => text.toLowerCase())
  assert.ok(found.length > 0 && found.every((text) => text.startsWith('port')), found.join(' '))
  assert.match((await first.getAttribute('href')) ?? '', /^\/docs\/operate\/configuration#[\w-]+$/)
  await dialog.getByRole('searchbox').fill('reverse proxy')
  await dialog
    .getByRole('link', { name: /reverse proxy/i })
    .first()
    .waitFor()
  assert.ok(
    asked.every((path) => path.startsWith('/console/assets/')),
    asked.join(' '),
  )
  assert.ok(asked.length <= 3, asked.join(' '))
  await visit.page.keyboard.press('ArrowDown')
  await visit.page.keyboard.press('Enter')
  await visit.page.waitForURL(/\/docs\/operate\/running#/)
  visit.clean()
  await visit.close()
})

test('code in several languages is in tabs; the choice applies to every page', async () => {
  const visit = await browser.visit(gateway.origin)
  await visit.page.goto('/docs')
  await visit.page.getByRole('tab', { name: 'curl' }).first().focus()
  await visit.page.keyboard.press('ArrowRight')
  const panel = visit.page.getByRole('tabpanel', { name: 'Python' }).first()
  await panel.getByText('from openai import OpenAI').waitFor()
  await panel.getByRole('button', { name: 'Copy code' }).click()
  await panel.getByRole('button', { name: 'Copied' }).waitFor()
  const copied = String(await visit.page.evaluate('navigator.clipboard.readText()'))
  assert.match(copied, /^import os\nfrom openai import OpenAI\n/)
  assert.ok(copied.includes(gateway.origin))
  await visit.page.reload()
  await visit.page.getByRole('tabpanel', { name: 'Python' }).first().waitFor()
  visit.clean()
  await visit.close()
})

test('the theme is selectable, and shared with the console', async () => {
  const visit = await browser.visit(gateway.origin)
  await visit.page.goto('/docs')
  await visit.page.getByLabel('Theme').selectOption('Dark')
  await visit.page.locator('html[data-theme=dark]').waitFor()
  assert.equal(await visit.page.evaluate('localStorage.getItem("tollgate-theme")'), 'dark')
  await visit.page.goto('/docs/errors')
  await visit.page.locator('html[data-theme=dark]').waitFor()
  await visit.close()
})

test('every link of the documentation resolves to a page and a heading', async () => {
  const manifest = JSON.parse(
    readFileSync(new URL('../../console/dist/docs/pages.json', import.meta.url), 'utf8'),
  ) as { readonly pages: Readonly<Record<string, object>> }
  const texts = new Map<string, string>()
  for (const path of Object.keys(manifest.pages)) {
    const answer = await fetch(`${gateway.origin}${path}`)
    assert.equal(answer.status, 200, path)
    texts.set(path, await answer.text())
  }
  for (const [path, text] of texts) {
    for (const [, target = ''] of text.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      const { pathname, hash, origin } = new URL(target, `${gateway.origin}${path}`)
      if (origin !== gateway.origin) continue
      if (pathname.startsWith('/docs')) {
        const page = texts.get(pathname) ?? assert.fail(`${path} → ${target}`)
        if (hash !== '')
          assert.ok(page.includes(`id="${decodeURIComponent(hash.slice(1))}"`), `${path} → ${target}`)
      } else assert.ok((await fetch(`${gateway.origin}${pathname}`)).ok, `${path} → ${target}`)
    }
  }
  assert.ok(texts.size > 80)
})
