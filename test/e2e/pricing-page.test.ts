/** The public price list in a real browser: it shows the prices that requests are charged, and its URL preserves the view. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openBrowser, type TestBrowser, type Visit } from '../support/browser.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'

let gateway: TestGateway
let browser: TestBrowser
before(async () => {
  gateway = await testGateway({ openai: 'http://127.0.0.1:9', anthropic: 'http://127.0.0.1:9' })
  browser = await openBrowser()
})
after(async () => {
  await browser.close()
  await gateway.close()
})

interface Row {
  readonly model: string
  readonly price: { readonly input: string; readonly output: string }
}

async function listed(): Promise<readonly Row[]> {
  const answer = await fetch(`${gateway.origin}/api/pricing`)
  return ((await answer.json()) as { readonly data: readonly Row[] }).data
}

async function opened(path: string, phone = false): Promise<Visit> {
  const visit = await browser.visit(gateway.origin, { phone })
  await visit.page.goto(path)
  await visit.page.getByText(/^(\d+ of )?\d+ models$/).waitFor()
  return visit
}

const namesOf = (visit: Visit) =>
  visit.page
    .getByRole('button', { name: /^Copy the name / })
    .evaluateAll((buttons) =>
      buttons.map((button) => String(button.ariaLabel).slice('Copy the name '.length)),
    )

test('it is public, and has every real model that /v1/models has', async () => {
  const visit = await opened('/pricing')
  const { key } = await gateway.account('1.00')
  const answer = await fetch(`${gateway.origin}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  const { data } = (await answer.json()) as { readonly data: readonly { readonly id: string }[] }
  const [names, ids] = [
    await namesOf(visit),
    data.map(({ id }) => id).filter((id) => !id.startsWith('sandbox-')),
  ]
  assert.deepEqual([...names].sort(), [...ids].sort())
  assert.equal(await visit.page.title(), 'Pricing · Tollgate')
  // All rows have the same layout; checking a few of them is faster.
  await visit.page.goto('/pricing?q=claude-opus')
  await visit.page.getByText(/^\d+ of \d+ models$/).waitFor()
  await visit.accessible()
  visit.clean()
  await visit.close()
})

test('the URL preserves search, filters and sorting', async () => {
  const visit = await opened('/pricing')
  const { page } = visit
  await page.getByRole('searchbox', { name: 'Search models' }).pressSequentially('claude')
  await page.getByLabel('Provider').selectOption('anthropic')
  await page.getByRole('button', { name: 'Reasoning', pressed: false }).click()
  for (const order of ['ascending', 'descending']) {
    await page.getByRole('button', { name: 'Input', exact: true }).click()
    await page.locator(`th[aria-sort=${order}]`, { hasText: 'Input' }).waitFor()
  }
  await page.waitForURL(/[?&]q=claude/)
  await page.getByRole('cell', { name: 'openai' }).first().waitFor({ state: 'hidden' })
  const names = await namesOf(visit)
  assert.ok(names.length > 1)
  const prices = new Map((await listed()).map(({ model, price }) => [model, Number(price.input)]))
  const inputs = names.map((name) => prices.get(name) ?? Number.NaN)
  assert.deepEqual(
    inputs,
    [...inputs].sort((one, other) => other - one),
    'the dearest first',
  )
  const address = new URL(page.url())
  assert.deepEqual(Object.fromEntries(address.searchParams), {
    q: 'claude',
    provider: 'anthropic',
    can: 'reasoning',
    sort: 'input',
    order: 'reversed',
  })
  const again = await opened(address.pathname + address.search)
  assert.deepEqual(await namesOf(again), names)
  assert.equal(await again.page.getByRole('searchbox').inputValue(), 'claude')
  await again.page.getByRole('searchbox').fill('no such thing')
  await again.page.getByRole('button', { name: 'Show all models' }).click()
  await again.page.getByText(`${prices.size} models`, { exact: true }).waitFor()
  assert.equal((await namesOf(again)).length, prices.size)
  visit.clean()
  again.clean()
  await visit.close()
  await again.close()
})

test('a row opens to all of its prices, and the copied name is what requests use', async () => {
  const visit = await opened('/pricing?q=gpt-4.1&sort=name')
  const { page } = visit
  const opener = page.getByRole('button', { name: 'Details for gpt-4.1', exact: true })
  await opener.focus()
  await page.keyboard.press('Enter')
  assert.equal(await opener.getAttribute('aria-expanded'), 'true')
  await page.getByRole('region', { name: 'Prices by token type' }).getByText('Cached input').waitFor()
  await page.getByText('web_search').waitFor()
  await visit.accessible()
  await page.getByRole('button', { name: 'Copy the name gpt-4.1', exact: true }).click()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'gpt-4.1')
  visit.clean()
  await visit.close()
})
