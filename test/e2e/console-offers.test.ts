/**
 * The offers of a model in a real browser: seen with cost and margin, moved by drag and by keys, weighed, priced, disabled with a
 * click, reviewed before they are saved, and returned to the configuration.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page, Visit } from '../support/browser.ts'
import { type ConsolePerson, consolePerson } from '../support/console-person.ts'
import { type RecordingHost, recordingHost } from '../support/recording-hosts.ts'

let person: ConsolePerson
let visit: Visit
let page: Page
let host: RecordingHost
const upstream = (name: string, provider: string) => ({
  ...{ name, provider, url: `${host.origin}/v1`, credential: `credential-of-${name}`, weight: 1, models: [] },
})
before(async () => {
  host = await recordingHost()
  person = await consolePerson({
    offers: 'as configured',
    models: [
      {
        ...{
          id: 'team/llama',
          provider: 'openai',
          formats: ['openai-chat'],
          context: 100_000,
          maxOutput: 1_000,
        },
        prices: [{ input: '1', output: '4' }],
        offers: [
          { upstream: 'own', model: 'gpt-4.1', cost: { input: '0.8', output: '3' } },
          { upstream: 'groq-1', model: 'llama-3.1-8b-instant', priority: 2 },
        ],
      },
    ],
    upstreams: [upstream('own', 'openai'), upstream('groq-1', 'groq'), upstream('spare', 'openai')],
    environment: {},
  })
  visit = await person.visit()
  page = visit.page
})
after(async () => {
  await person.close()
  await host.close()
})

const dialog = () => page.getByRole('dialog')
const button = (name: string) => page.getByRole('main').getByRole('button', { name, exact: true })
const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true })
const group = (at: number) => page.getByRole('region', { name: `Group ${at}`, exact: true })
const handle = (name: string) => page.getByRole('button', { name: new RegExp(`^Move ${name},`) })
const toast = (text: string) => page.getByRole('region', { name: 'Messages' }).getByText(text)
const said = (text: string) => page.getByRole('status').filter({ hasText: text })
const shown = () => person.client.done('offers.show', { model: 'team/llama' })

/** `own | groq-1`: the groups of the page. */
async function groupsShown(): Promise<string> {
  const regions = await page.getByRole('region', { name: /^Group \d$/ }).all()
  const names = await Promise.all(
    regions.map((region) =>
      region
        .getByRole('textbox')
        .evaluateAll((fields) => fields.map((field) => field.getAttribute('aria-label')?.slice(10))),
    ),
  )
  return names.map((one) => one.join()).join(' | ')
}

test('a model of the list leads to its page, with its offers, costs and margins', async () => {
  await page.goto('/console/admin/models?q=team')
  await page.getByRole('link', { name: 'team/llama' }).click()
  await page.waitForURL(/\/console\/admin\/models\/team%2Fllama\?q=team$/)
  await group(1).getByText('$0.80 / $3.00').waitFor()
  await group(1).getByText('20.0% / 25.0%').waitFor()
  assert.equal(await groupsShown(), 'own | groq-1')
  await page.getByText('From the configuration.').waitFor()
  await visit.accessible()
  await visit.picture('offers-light')
  visit.clean()
})

test('an offer is moved by the keys on its handle, which keeps the focus, and its place is announced', async () => {
  await handle('groq-1').focus()
  await page.keyboard.press('ArrowUp')
  await said('groq-1 is in group 1 of 1.').waitFor()
  assert.equal(await groupsShown(), 'own,groq-1')
  await page.keyboard.press('ArrowUp')
  await said('groq-1 is in group 1 of 2.').waitFor()
  assert.equal(await groupsShown(), 'groq-1 | own')
  await page.keyboard.press('ArrowUp')
  await said('It is in the first group.').waitFor()
  await page.keyboard.press('ArrowDown')
  await said('groq-1 is in group 1 of 1.').waitFor()
  await page.keyboard.press('ArrowDown')
  await said('groq-1 is in group 2 of 2.').waitFor()
  assert.equal(await groupsShown(), 'own | groq-1')
  await page.getByText('Unsaved changes').waitFor({ state: 'detached' })
  visit.clean()
})

async function dragged(name: string, to: () => ReturnType<typeof group>): Promise<void> {
  await handle(name).hover()
  const from = await handle(name).boundingBox()
  assert.ok(from !== null)
  await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
  await page.mouse.down()
  await page.mouse.move(from.x + 20, from.y + 30, { steps: 3 })
  // Places for new groups appear, and move the others.
  await page.getByText('New group', { exact: true }).first().waitFor()
  const place = await to().boundingBox()
  assert.ok(place !== null)
  await page.mouse.move(place.x + place.width / 2, place.y + place.height / 2, { steps: 5 })
}

test('an offer is dragged into another group and into a new one, and Escape cancels', async () => {
  // The mouse does not scroll the page by itself.
  await page.setViewportSize({ width: 1_280, height: 1_600 })
  await dragged('groq-1', () => group(1))
  await page.keyboard.press('Escape')
  await page.mouse.up()
  assert.equal(await groupsShown(), 'own | groq-1')
  await dragged('groq-1', () => group(1))
  await page.mouse.up()
  await said('groq-1 is in group 1 of 1.').waitFor()
  await dragged(
    'groq-1',
    () => page.getByText('New group', { exact: true }).first() as ReturnType<typeof group>,
  )
  await visit.picture('offers-dragging')
  await page.mouse.up()
  await said('groq-1 is in group 1 of 2.').waitFor()
  assert.equal(await groupsShown(), 'groq-1 | own')
  visit.clean()
})

test('what changes is reviewed before it is saved, and applies to the next request', async () => {
  const before = await shown()
  await page.getByLabel('Weight of own').fill('x')
  await page.getByText('Enter a weight from 0 to 1000.').waitFor()
  assert.equal(await button('Review').isEnabled(), false)
  await page.getByLabel('Weight of own').fill('3')
  await page.getByRole('button', { name: 'Actions for own, gpt-4.1' }).click()
  await page.getByRole('menuitem', { name: 'Edit name and cost' }).click()
  await dialog().getByLabel('Cost, input, USD per 1M').fill('2')
  await visit.accessible()
  await inDialog('Apply').click()
  await button('Review').click()
  await dialog().getByText('$1.00, costs $2.00').waitFor()
  for (const words of ['2 → 1', '1 → 2', '1 → 3', '0.80 / 3.00 → 2.00 / 3.00'])
    assert.ok((await dialog().textContent())?.includes(words) ?? false, words)
  await visit.accessible()
  await visit.picture('offers-review')
  assert.equal((await shown()).revision, before.revision, 'nothing is saved yet')
  await inDialog('Save').click()
  await toast('The offers of team/llama are saved.').waitFor()
  assert.deepEqual(
    (await shown()).offers.map((one) => [one.upstream, one.priority, one.weight, one.cost?.input ?? null]),
    [
      ['groq-1', 1, 1, null],
      ['own', 2, 3, '2.00'],
    ],
  )
  const { key } = await person.gateway.account('5')
  assert.equal((await person.ask(key, 'team/llama')).headers['x-tollgate-upstream'], 'groq-1')
  await page.getByText('Below cost: customers pay less').first().waitFor()
  await group(2).getByText('−100.0%').waitFor()
  await visit.accessible()
  await visit.picture('offers-below-cost')
  visit.clean()
})

test('an offer is added by a name that its host lists; one that exists is rejected immediately', async () => {
  await button('Add offer').click()
  await dialog().getByLabel('Upstream').selectOption('spare')
  await dialog().getByLabel('Name there').fill('host')
  await inDialog("List the provider's models").click()
  await dialog().getByText('The provider does not list this name. Choose one of these:').waitFor()
  await visit.accessible()
  await inDialog('host-b').click()
  await dialog().getByText('The provider lists this name.').waitFor()
  await inDialog('Add').click()
  await page.getByText('Not saved').waitFor()
  await button('Add offer').click()
  await dialog().getByLabel('Upstream').selectOption('own')
  await dialog().getByLabel('Name there').fill('gpt-4.1')
  await inDialog('Add').click()
  await page.getByText('This offer is listed twice.').waitFor()
  assert.equal(await button('Review').isEnabled(), false)
  await button('Discard').click()
  await page.getByText('Not saved').waitFor({ state: 'detached' })
  visit.clean()
})

test('an offer is disabled with a click, while another change is not saved yet', async () => {
  await page.getByLabel('Weight of own').fill('5')
  await button('Disable llama-3.1-8b-instant at groq-1').click()
  await toast('llama-3.1-8b-instant at groq-1 was disabled.').waitFor()
  await group(1).getByText('Disabled').waitFor()
  assert.equal(await page.getByLabel('Weight of own').inputValue(), '5')
  assert.equal(await page.getByText('These offers changed while you edited them.').count(), 0)
  await button('Review').click()
  await dialog().getByText('3 → 5').waitFor()
  await inDialog('Save').click()
  await toast('The offers of team/llama are saved.').last().waitFor()
  await dialog().waitFor({ state: 'detached' })
  assert.deepEqual(
    (await shown()).offers.map(({ enabled, weight }) => [enabled, weight]),
    [
      [false, 1],
      [true, 5],
    ],
  )
  await button('Enable llama-3.1-8b-instant at groq-1').click()
  await group(1).getByText('Serving').waitFor()
  visit.clean()
})

test('a change that another administrator made first is reported, and not overwritten', async () => {
  await page.getByLabel('Weight of own').fill('7')
  await person.client.done('offers.set', { model: 'team/llama', offers: [{ upstream: 'own', priority: 1 }] })
  await page.getByText('These offers changed while you edited them.').waitFor()
  await button('Review').click()
  await inDialog('Save').click()
  await dialog().getByText('changed after they were read').waitFor()
  await inDialog('Cancel').click()
  await button('Discard').click()
  assert.equal(await groupsShown(), 'own')
  await visit.picture('offers-conflict')
  visit.clean()
})

test("the configuration's offers come back", async () => {
  await button("Use the configuration's offers").click()
  await dialog().getByText('Added: group 2, weight 1').waitFor()
  await inDialog('Save').click()
  await page.getByText('From the configuration.').waitFor()
  assert.equal(await groupsShown(), 'own | groq-1')
  assert.equal((await shown()).from, 'configuration')
  visit.clean()
})
