/** Connect in a real browser: recipes with the user's base URL, model and new key, and the request that arrives. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recipes } from '../../console/src/features/connect/recipes.ts'
import type { Page, Visit } from '../support/browser.ts'
import { chooseModel } from '../support/choose-model.ts'
import { type ConsolePerson, consolePerson } from '../support/console-person.ts'

let person: ConsolePerson
let visit: Visit
let page: Page
before(async () => {
  person = await consolePerson()
  visit = await person.visit()
  page = visit.page
})
after(() => person.close())

const codes = () => page.getByRole('main').locator('pre').allTextContents()
const everything = async () => (await codes()).join('\n')
const client = (name: string) =>
  page.getByRole('navigation', { name: 'Clients' }).getByRole('button', { name, exact: true })

test('every client has a recipe with the base URL and the chosen model, under its own URL', async () => {
  await page.goto('/console/connect')
  const judged = new Set<string>()
  for (const { id, name, group } of recipes) {
    await client(name).click()
    await page.getByRole('heading', { level: 2, name, exact: true }).waitFor()
    assert.equal(new URL(page.url()).searchParams.get('client'), id)
    const text = (await page.getByRole('main').textContent()) ?? ''
    assert.ok(text.includes(person.gateway.origin), `${id} names the address`)
    assert.ok(text.includes('sandbox-echo'), `${id} names the model`)
    assert.ok(!/sk-tg-\w{10}/.test(text), `${id} shows no key`)
    // Recipes of a group have the same layout.
    if (!judged.has(group)) await visit.accessible()
    judged.add(group)
  }
  visit.clean()
})

test('the chosen client is in view in a list that is longer than the window', async () => {
  await page.goto('/console/connect?client=genkit')
  await page.getByRole('heading', { level: 2, name: 'Genkit' }).waitFor()
  const bottom = async () => {
    const box = await client('Genkit').boundingBox()
    return box === null ? Number.POSITIVE_INFINITY : box.y + box.height
  }
  const height = page.viewportSize()?.height ?? 0
  assert.ok((await bottom()) <= height, `${await bottom()} of ${height} pixels`)
  assert.equal(await page.evaluate('scrollY'), 0, 'the page itself stays where it was')
  visit.clean()
})

test('the list of clients is searched by name', async () => {
  await page.goto('/console/connect')
  const search = page.getByRole('searchbox', { name: 'Search clients' })
  const listed = () => page.getByRole('navigation', { name: 'Clients' }).getByRole('button').allTextContents()
  await client('curl').waitFor()
  assert.equal((await listed())[0], 'curl')
  await search.fill('claude c')
  await client('curl').waitFor({ state: 'detached' })
  assert.deepEqual(await listed(), ['Claude Code'])
  await search.fill('no such client')
  await page.getByText('No client of this name.').waitFor()
  await visit.accessible()
  await search.fill('')
  await client('curl').waitFor()
  assert.equal((await listed()).length, recipes.length)
  visit.clean()
})

test('variants are tabs, and code is highlighted', async () => {
  await page.goto('/console/connect?client=curl')
  await page.getByRole('tab', { name: 'Chat Completions', selected: true }).waitFor()
  await page.locator('pre span.text-good', { hasText: 'Authorization: Bearer' }).first().waitFor()
  assert.ok(!(await everything()).includes('/v1/alt/v1/messages'))
  await page.getByRole('tab', { name: 'Messages' }).click()
  await page.getByRole('heading', { name: 'Send a Messages request' }).waitFor()
  assert.match(await everything(), /v1\/alt\/v1\/messages/)
  await page.keyboard.press('ArrowRight')
  await page.getByRole('heading', { name: 'Send a Responses request' }).waitFor()
  await visit.accessible()
  visit.clean()
})

test('a link leads to a client with a model, and Cursor gets the settings that it needs', async () => {
  await page.goto('/console/connect?client=codex&model=sandbox-responses-echo')
  await page.getByRole('heading', { level: 2, name: 'Codex CLI' }).waitFor()
  assert.match(await everything(), /model = "sandbox-responses-echo"/)
  await chooseModel(page, 'sandbox-stream')
  await page.getByText('model = "sandbox-stream"').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('model'), 'sandbox-stream')
  await page.goto('/console/connect?client=cursor')
  await page.getByText(/its own servers, which cannot reach/).waitFor()
  await page.goto('/console/connect?client=nonsense&model=nonsense')
  await page.getByRole('heading', { level: 2, name: 'curl' }).waitFor()
  assert.match(await everything(), /sandbox-echo/)
  visit.clean()
})

test('a step that lacks the key offers to create one, and then has it', async () => {
  await page.goto('/console/connect?client=codex')
  await page.getByText('export TOLLGATE_KEY=YOUR_API_KEY').waitFor()
  await page.getByRole('button', { name: 'Create a key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('from a step')
  await dialog.getByRole('button', { name: 'Create key' }).click()
  await dialog.getByRole('link', { name: 'Open its instructions with this key' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByText('export TOLLGATE_KEY=sk-tg-').waitFor()
  await page.getByRole('heading', { level: 2, name: 'Codex CLI' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Create a key' }).count(), 0)
  await page.reload()
  await page.getByText('export TOLLGATE_KEY=YOUR_API_KEY').waitFor()
  visit.clean()
})

test('a new key appears in the recipes, in memory only', async () => {
  await page.goto('/console/keys?create=yes')
  await page.getByRole('textbox', { name: 'Name' }).fill('for the recipes')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  const key = (await page.getByRole('dialog').locator('code').first().textContent()) ?? ''
  assert.match(key, /^sk-tg-/)
  await page.getByRole('dialog').getByRole('link', { name: 'Open its instructions with this key' }).click()
  await page.getByText(`export TOLLGATE_KEY=${key}`).waitFor()
  assert.ok(!page.url().includes(key))
  const stored = await page.evaluate(
    'JSON.stringify([history.state, { ...localStorage }, { ...sessionStorage }, document.cookie])',
  )
  assert.ok(!String(stored).includes(key), 'nowhere but in memory')
  const inCode = (await codes()).filter((code) => code.includes(key))
  assert.deepEqual(inCode, [`export TOLLGATE_KEY=${key}`])
  await page.getByRole('button', { name: /^Copy the text of “Set your API key/ }).click()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), `export TOLLGATE_KEY=${key}`)
  await client('Continue').click()
  await page.getByText(`apiKey: "${key}"`).waitFor()
  await page.reload()
  await page.getByText('apiKey: "YOUR_API_KEY"').waitFor()
  assert.ok(!(await page.content()).includes(key), 'a reload forgets it')
  visit.clean()
})

test('a request appears on the page without a reload, with its cost and receipt; a rejected one shows the reason', async () => {
  const newcomer = await person.signUp('newcomer')
  const theirs = await newcomer.signIn()
  const { page: own } = theirs
  await own.goto('/console/connect')
  await own.getByText('You need an API key first.').waitFor()
  await own.getByText('Waiting for your first request…').waitFor()
  const { key } = await newcomer.client.done('key.create', { name: 'one' })
  await own.getByText('You need an API key first.').waitFor({ state: 'hidden' })
  assert.equal((await person.ask(key, 'sandbox-echo')).status, 402)
  await own.getByText('Your request was rejected (402).').waitFor()
  await theirs.accessible()
  const people = await person.client.done('people.list', { state: 'to_confirm' })
  for (const { id } of people) await person.client.done('people.confirm', { person: id })
  const answer = await person.ask(key, 'sandbox-echo')
  assert.equal(answer.status, 200)
  await own.getByText('request received.').waitFor()
  await own.getByRole('link', { name: 'View receipt' }).click()
  await own.getByRole('heading', { level: 1 }).waitFor()
  assert.ok(own.url().includes(String(answer.headers['x-request-id'])))
  theirs.clean()
  await theirs.close()
})
