/** A response that was truncated on its way is shown as an error, with a button to try again. */
import { test } from 'node:test'
import { consolePerson } from '../support/console-person.ts'

test('a truncated response shows an error, and can be requested again', async (context) => {
  const person = await consolePerson()
  context.after(() => person.close())
  const { page } = await person.signIn()
  await page.route('**/api/keys?*', (route) =>
    route.fulfill({ status: 200, contentType: 'application/json', body: '[{"id":"key_' }),
  )
  await page.goto('/console/keys')
  await page.getByText('The server sent an invalid response.').waitFor()
  await page.unroute('**/api/keys?*')
  await page.getByRole('button', { name: /again/i }).click()
  await page.getByRole('link', { name: 'First key' }).waitFor()
})
