/** Usage and requests in the console, in a real browser: sums that match the ledger, deep links, receipts, stopping requests. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { parseUsd } from '../../contract/usd.ts'
import type { Page, Visit } from '../support/browser.ts'
import { chooseModel, modelChooser } from '../support/choose-model.ts'
import { type ConsolePerson, consolePerson } from '../support/console-person.ts'

const requestCount = 60
let person: ConsolePerson
let visit: Visit
let page: Page
let key: string
before(async () => {
  person = await consolePerson()
  const [one, other] = await Promise.all(
    ['one', '"><script>alert(1)</script>'].map((name) => person.client.done('key.create', { name })),
  )
  assert.ok(one !== undefined && other !== undefined)
  key = one.key
  await inTurn(requestCount, (index) =>
    person.ask(index % 3 === 0 ? other.key : one.key, index % 2 === 0 ? 'sandbox-echo' : 'sandbox-chat-echo'),
  )
  await person.ask(one.key, 'no-such-model')
  visit = await person.visit()
  page = visit.page
})
after(() => person.close())

/** Ten concurrently, so that they do not wait for one another. */
async function inTurn(
  count: number,
  ask: (index: number) => Promise<{ readonly status: number }>,
): Promise<void> {
  for (let from = 0; from < count; from += 10) {
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => ask(from + index)))
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  }
}

/** `−$0.0012` and `$1,204.99` as nano-USD. */
function nanoOf(title: string | null): bigint {
  const amount = parseUsd((title ?? '').replace(/[−$,]/g, ''))
  assert.ok(amount !== undefined, `no amount: ${title}`)
  return amount
}

test('filters are in the URL and survive a reload', async () => {
  await page.goto('/console/usage')
  await page.getByRole('button', { name: 'Key', exact: true }).click()
  await page.getByRole('button', { name: '7 days' }).click()
  await chooseModel(page, 'sandbox-echo')
  await page.waitForURL(/group=key/)
  await modelChooser(page).press('Enter')
  await page.getByRole('group', { name: 'Test models' }).getByRole('option').first().waitFor()
  await visit.accessible()
  await page.keyboard.press('Escape')
  await page.locator('[role=combobox][aria-label=Model]:focus').waitFor()
  await page.reload()
  for (const name of ['Key', '7 days']) {
    const button = page.getByRole('button', { name, exact: true })
    assert.equal(await button.getAttribute('aria-pressed'), 'true')
  }
  assert.equal(await modelChooser(page).textContent(), 'sandbox-echo')
  await page.getByRole('button', { name: '"><script>alert(1)</script>' }).click()
  await page.waitForURL((url) => url.searchParams.has('key') && !url.searchParams.has('group'))
  assert.equal(await modelChooser(page).textContent(), 'sandbox-echo')
  visit.clean()
})

test('older requests are one page away, and newer ones again', async () => {
  await page.goto('/console/requests')
  const rows = page.getByRole('region', { name: 'Requests, latest first' }).locator('tbody tr')
  await page.getByRole('button', { name: 'Older' }).click()
  await page.waitForURL(/before=req_/)
  await page.getByRole('button', { name: 'Older', disabled: true }).waitFor()
  // The last one was rejected, and is listed with the others.
  assert.equal(await rows.count(), requestCount + 1 - 50)
  await page.getByRole('button', { name: 'Newer' }).click()
  await page.waitForURL((url) => !url.searchParams.has('before'))
  await page.getByRole('button', { name: 'Newer', disabled: true }).waitFor()
  assert.equal(await rows.count(), 50)
  // Below the header that stays, targets are hidden.
  await page.evaluate('scrollTo(0, 0)')
  await visit.accessible()
})

test('a row opens by a click anywhere in it and by Enter; its amounts have one precision', async () => {
  await page.goto('/console/requests')
  const rows = page.getByRole('region', { name: 'Requests, latest first' }).locator('tbody tr')
  // Placeholder rows have no links.
  await rows.first().getByRole('link').waitFor()
  const costs = await rows.locator('td:last-child').allTextContents()
  assert.equal(new Set(costs.map((cost) => cost.split('.')[1]?.length)).size, 1, costs.join(' '))
  await rows.first().locator('td').last().click()
  await page.waitForURL(/\/requests\/req_/)
  await page.goBack()
  await rows.nth(1).getByRole('link').focus()
  await page.keyboard.press('ArrowDown')
  const outline = 'getComputedStyle(document.activeElement).outlineStyle'
  assert.equal(await page.evaluate<string>(outline), 'solid')
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/requests\/req_/)
})

test('a receipt shows what was used, reserved and charged', async () => {
  await page.goto('/console/requests')
  await page
    .getByRole('link', { name: /^sandbox-/ })
    .first()
    .click()
  await page.getByRole('heading', { name: 'Cost' }).waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const receipt = await person.client.done('request.show', { request: id })
  const money = page.locator('section', { has: page.getByRole('heading', { name: 'Cost' }) })
  const amount = (name: string) =>
    money.locator('dl > div', { hasText: new RegExp(`^${name}`) }).locator('dd')
  assert.equal(nanoOf(await amount('Charged').textContent()), parseUsd(receipt.charged))
  assert.equal(nanoOf(await amount('Reserved').textContent()), parseUsd(receipt.held))
  assert.equal(receipt.inputBound, 'bytes')
  await money.getByText('maximum input for the request size').waitFor()
  await page.getByText(receipt.price).waitFor()
  await page.getByRole('button', { name: 'Copy request ID' }).waitFor()
  await visit.accessible()
  visit.clean()
})

test('a running request is shown, stopped, and becomes a receipt without a reload', async () => {
  await page.goto('/console/requests')
  await page.getByRole('region', { name: 'Requests, latest first' }).waitFor()
  assert.equal(await page.getByText('Running now').count(), 0, 'nothing runs, so nothing is said of it')
  const ended = streamed('sandbox-stream', 'tokens=20000 rate=20')
  await page.getByRole('button', { name: /^Stop request/ }).waitFor()
  await page
    .getByRole('region', { name: 'Running requests' })
    .getByRole('link', { name: /sandbox-stream/ })
    .click()
  await page.getByText('The receipt appears here').waitFor()
  await visit.accessible()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Stop request' }).click()
  await page.getByRole('heading', { name: 'Cost' }).waitFor()
  await ended
  visit.clean()
})

/** Resolves when the connection has closed, for whatever reason. */
function streamed(model: string, content: string): Promise<void> {
  const body = JSON.stringify({ model, stream: true, messages: [{ role: 'user', content }] })
  return new Promise((resolve) => {
    const asking = request(
      `${person.gateway.origin}/v1/chat/completions`,
      {
        method: 'POST',
        agent: false,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      },
      (answer) => {
        answer.resume()
        answer.once('close', resolve)
      },
    )
    asking.once('error', () => resolve())
    asking.end(body)
  })
}

test('rejected requests of all keys are a status of the requests page', async () => {
  await page.goto('/console/requests')
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Rejected')
  const rejected = page.getByRole('region', { name: 'Recent rejected requests' })
  const row = rejected.getByRole('row', { name: /model_not_found.*404 no-such-model/ })
  await row.getByRole('cell', { name: 'one', exact: true }).waitFor()
  await page.getByRole('list', { name: 'By error code' }).getByText('model_not_found').waitFor()
  await visit.accessible()
  await visit.picture('requests-rejected')
  // The tile counts today: another one, should the first have been yesterday.
  await person.ask(key, 'no-such-model')
  await page.goto('/console')
  await page.getByRole('link', { name: /^\d+ rejected$/ }).click()
  await row.first().waitFor()
  visit.clean()
})

test('a rejected request is a row among the others, is filtered like them, and has a page with all that is known', async () => {
  await page.goto('/console/requests')
  const rows = page.getByRole('region', { name: 'Requests, latest first' }).locator('tbody tr')
  const row = rows.filter({ hasText: 'no-such-model' }).first()
  await row.getByText('Rejected', { exact: true }).waitFor()
  const { latest } = await person.client.done('rejections.list', { model: 'no-such-model' })
  const [rejection] = latest
  assert.ok(rejection !== undefined)
  await row.getByText(rejection.request).waitFor()
  await row.locator('td').last().click()
  await page.getByRole('heading', { level: 1, name: 'no-such-model' }).waitFor()
  await page.getByText(rejection.message).waitFor()
  await page.getByText(rejection.request).waitFor()
  await page.getByRole('link', { name: /^model_not_found/ }).waitFor()
  await page.getByRole('link', { name: 'one', exact: true }).waitFor()
  await visit.accessible()
  await page.goto('/console/requests?outcome=rejected&model=sandbox-echo')
  await page.getByText('No requests in this period').waitFor()
  visit.clean()
})

test('the tiles count rejected requests too, as the chart does', async () => {
  await page.goto('/console/usage?range=7d')
  const tile = page.getByText('Requests', { exact: true }).locator('..')
  const rows = await person.client.done('usage.show', { by: 'month' })
  const sum = (name: 'requests' | 'errors' | 'rejected') => rows.reduce((total, row) => total + row[name], 0)
  assert.ok(sum('rejected') > 0)
  await tile.getByText(`${sum('errors')} failed, ${sum('rejected')} rejected`).waitFor()
  await tile.getByText(String(sum('requests') + sum('rejected')), { exact: true }).waitFor()
})

test('the row under the pointer stays while requests arrive, with updated numbers', async () => {
  await page.goto('/console')
  const chart = page.getByRole('img', { name: 'Requests by hour' })
  const { width, height } = (await chart.boundingBox()) ?? { width: 0, height: 0 }
  // The current hour is the last one.
  await chart.hover({ position: { x: width - 12, y: height / 2 } })
  const hint = chart.getByText(/^Succeeded: /)
  const before = (await hint.textContent()) ?? ''
  await person.ask(key, 'sandbox-echo')
  await hint.and(chart.getByText(before, { exact: true })).waitFor({ state: 'detached' })
  await hint.waitFor()
  visit.clean()
})

test('a browser whose language is none that Intl knows draws charts', async () => {
  const window = await visit.window()
  await window.addInitScript({
    content:
      "Object.defineProperty(Navigator.prototype, 'language', { configurable: true, get: () => 'en-US@posix' })",
  })
  await window.goto('/console')
  await window.locator('canvas').first().waitFor()
  await window.close()
  visit.clean()
})

test('a browser that cannot load charts keeps the page, and the table has the numbers', async () => {
  const window = await visit.window()
  await window.route('**/plot-*.js', (route) => route.abort())
  await window.goto('/console')
  await window.getByText("The chart can't be shown.").first().waitFor()
  await window.getByRole('button', { name: 'Table' }).first().click()
  await window.getByRole('columnheader', { name: 'Time (UTC)' }).first().waitFor()
  await window.getByRole('heading', { name: 'Recent requests' }).waitFor()
  await window.close()
  assert.throws(() => visit.clean(), /plot-/)
})
