/** An answer that was cut on its way is told like any other trouble: in words for people, with a way to ask again. */
import { test } from 'node:test'
import { consolePerson } from '../support/console-person.ts'

test('a cut answer is told in words, and asked for again', async (context) => {
  const person = await consolePerson()
  context.after(() => person.close())
  const { page } = await person.visit()
  await page.route('**/api/keys?*', (route) =>
    route.fulfill({ status: 200, contentType: 'application/json', body: '[{"id":"key_' }),
  )
  await page.goto('/console/keys')
  await page.getByText('The server sent an invalid response.').waitFor()
  await page.unroute('**/api/keys?*')
  await page.getByRole('button', { name: /again/i }).click()
  await page.getByRole('link', { name: 'first key' }).waitFor()
})
