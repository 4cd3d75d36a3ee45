/** A published price list in a real browser: compared from a file, rows chosen and applied; light, dark and on a phone. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Visit } from '../support/browser.ts'
import { type ConsolePerson, consolePerson } from '../support/console-person.ts'

let person: ConsolePerson

before(async () => {
  person = await consolePerson({
    upstreams: [
      { name: 'groq', provider: 'groq', url: null, credential: 'any-key', weight: 1, models: 'all' },
    ],
  })
})
after(() => person.close())

const model = (cost: object) => ({
  limit: { context: 131_072, output: 8_192 },
  modalities: { input: ['text'], output: ['text'] },
  cost,
})
const list = {
  name: 'api.json',
  mimeType: 'application/json',
  buffer: Buffer.from(
    JSON.stringify({
      groq: {
        models: {
          'llama-3.1-8b-instant': model({ input: 0.06, output: 0.08 }),
          'llama-3.3-70b-versatile': model({ input: 59, output: 0.79 }),
          'llama-next': model({ input: 0.1, output: 0.2 }),
          'qwen/qwen3-32b': model({ input: -1, output: 1 }),
        },
      },
    }),
  ),
}

/** The rows of the list, in the open dialog. */
async function compared({ page }: Visit) {
  await page.goto('/console/admin/models')
  await page.getByRole('button', { name: 'Compare prices', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Price list').setInputFiles(list)
  await dialog.getByRole('list', { name: 'Changed prices' }).waitFor()
  return dialog
}

const pricesOf = async (name: string) =>
  (await person.gateway.gateway.services.catalog.prices(name)).map(({ rates }) => rates.input)

test('rows of a file are shown, chosen and applied; marked ones are not chosen', async () => {
  const visit = await person.visit()
  const { page } = visit
  const dialog = await compared(visit)
  await dialog.getByText('Input: $0.05 → $0.06 (+20.0%)').first().waitFor()
  await dialog.getByText('A price changes by more than a factor of 10.').waitFor()
  assert.equal(await dialog.getByRole('checkbox', { name: 'groq/llama-3.1-8b-instant' }).isChecked(), true)
  assert.equal(
    await dialog.getByRole('checkbox', { name: 'groq/llama-3.3-70b-versatile' }).isChecked(),
    false,
  )
  await visit.accessible()
  await dialog.getByLabel('Rows to show').selectOption('unclear')
  await dialog.getByText('Input is negative.').waitFor()
  await dialog.getByLabel('Rows to show').selectOption('new')
  await dialog.getByRole('checkbox', { name: 'groq/llama-next' }).click()
  await dialog.getByRole('button', { name: 'Apply 2', exact: true }).click()
  await page.getByRole('region', { name: 'Messages' }).getByText('2 rows applied.').waitFor()
  assert.deepEqual(await pricesOf('groq/llama-3.1-8b-instant'), [50_000_000n, 60_000_000n])
  assert.deepEqual(await pricesOf('groq/llama-3.3-70b-versatile'), [590_000_000n])
  assert.deepEqual(await pricesOf('groq/llama-next'), [100_000_000n])
  await page.getByRole('row').filter({ hasText: 'groq/llama-next' }).waitFor()
  visit.clean()
  await visit.close()
})

test('a file that is not a list is rejected in the dialog, with the reason', async () => {
  const visit = await person.signIn()
  const { page } = visit
  await page.goto('/console/admin/models')
  await page.getByRole('button', { name: 'Compare prices', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Price list').setInputFiles({ ...list, buffer: Buffer.from('<html></html>') })
  await dialog.getByText('The list is not valid JSON').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await visit.close()
})
