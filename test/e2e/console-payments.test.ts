/** Payments in the console, in a real browser, with a fake Stripe: paid, failed, confirmed with the bank, abandoned, automatic, printed. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page, Visit } from '../support/browser.ts'
import { type ConsolePerson, consolePerson } from '../support/console-person.ts'
import { type StripeServer, startStripeServer } from '../support/stripe-server.ts'

const secrets = {
  secretKey: ['sk', 'test', 'console'].join('_'),
  webhookSecret: ['whsec', 'console'].join('_'),
}
let stripe: StripeServer
let person: ConsolePerson
let visit: Visit
let page: Page
before(async () => {
  stripe = await startStripeServer(secrets)
  person = await consolePerson({
    environment: {
      STRIPE_SECRET_KEY: secrets.secretKey,
      STRIPE_WEBHOOK_SECRET: secrets.webhookSecret,
      STRIPE_API_URL: stripe.origin,
    },
  })
  stripe.sendTo(`${person.gateway.origin}/api/stripe/webhook`)
  visit = await person.visit()
  page = visit.page
})
after(async () => {
  await person.close()
  await stripe.close()
})

/** To the payment page, and back by one of its buttons. */
async function pay(amount: string, button: string): Promise<void> {
  await page.goto('/console/billing')
  await page.getByLabel('Amount in USD').fill(amount)
  await page.getByRole('button', { name: 'Pay with Stripe' }).click()
  await page.getByRole('heading', { name: 'Pay' }).waitFor()
  await page.getByRole('button', { name: button, exact: true }).click()
}

test('an invalid amount is reported at its field', async () => {
  await page.goto('/console/billing')
  for (const amount of ['', '0.50', '12.345', '99999']) {
    await page.getByLabel('Amount in USD').fill(amount)
    await page.getByRole('button', { name: 'Pay with Stripe' }).click()
    await page.getByText('Enter an amount in whole cents from').waitFor()
  }
  await visit.accessible()
  visit.clean()
})

test('a payment is usable when its page closes, in every window, without a reload', async () => {
  const other = await visit.window()
  await other.goto('/console/billing?tab=top-ups')
  await other.getByText('No top-ups yet.').waitFor()
  await page.goto('/console/billing')
  await page.getByRole('button', { name: '$25', exact: true }).click()
  await page.getByLabel('Save card for automatic top-ups').click()
  await page.getByRole('button', { name: 'Pay with Stripe' }).click()
  await page.getByRole('heading', { name: 'Pay' }).waitFor()
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.getByText("It's in your balance now.").waitFor()
  await page.getByText('$30.00').first().waitFor()
  await other.getByText('Paid', { exact: true }).waitFor()
  await other.getByText('$30.00').first().waitFor()
  await other.close()
  await visit.accessible()
  visit.clean()
})

test('automatic top-ups are turned on with the saved card, and off', async () => {
  await page.goto('/console/billing')
  await page.getByText('ending in').waitFor()
  await page.getByLabel('When balance falls below').fill('2')
  await page.getByLabel('Top up by', { exact: true }).fill('10')
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('Automatic top-ups are on.').waitFor()
  const { autoTopUp } = await person.client.done('billing.show', {})
  assert.deepEqual(autoTopUp, { below: '2.00', amount: '10.00' })
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('Automatic top-ups are off.').waitFor()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove card' }).click()
  await page.getByText('Requires a saved card.').waitFor()
  visit.clean()
})

test('a user who returns without paying sees that nothing was charged, while that is true', async () => {
  await page.goto('/console/billing')
  await page.getByLabel('Amount in USD').fill('7')
  await page.getByRole('button', { name: 'Pay with Stripe' }).click()
  await page.getByRole('heading', { name: 'Pay' }).waitFor()
  const paying = page.url()
  await page.getByRole('link', { name: 'Back' }).click()
  await page.getByText('You were not charged.').waitFor()
  assert.equal(await page.getByText('Waiting for payment').count(), 0)
  await visit.accessible()
  // Paid in another window in the meantime: the same page updates.
  stripe.books.pay(paying.slice(paying.lastIndexOf('/') + 1), 'transfer')
  await stripe.settled()
  await page.getByText('You were not charged.').waitFor({ state: 'detached' })
  visit.clean()
})

test('a payment with a delayed webhook is awaited, and credited on the page without a reload', async (context) => {
  context.after(() => {
    stripe.trouble('none')
    stripe.sendTo(`${person.gateway.origin}/api/stripe/webhook`)
  })
  stripe.sendTo(null)
  await page.goto('/console/billing')
  await page.getByLabel('Amount in USD').fill('8')
  await page.getByRole('button', { name: 'Pay with Stripe' }).click()
  await page.getByRole('heading', { name: 'Pay' }).waitFor()
  stripe.trouble('down')
  await page.getByRole('button', { name: 'Pay', exact: true }).click()
  await page.getByText('Waiting for payment confirmation').waitFor()
  stripe.trouble('none')
  await page.getByText("It's in your balance now.").waitFor()
  visit.clean()
})

test('a user who left the payment page can continue, and pays after confirming with the bank', async () => {
  await page.goto('/console/billing')
  await page.getByLabel('Amount in USD').fill('7')
  await page.getByRole('button', { name: 'Pay with Stripe' }).click()
  await page.getByRole('link', { name: 'Back' }).click()
  await page.getByRole('link', { name: 'Continue to payment' }).first().click()
  await page.getByRole('button', { name: '3-D Secure' }).click()
  await page.getByRole('button', { name: 'Yes, it is me' }).click()
  await page.getByText("It's in your balance now.").waitFor()
  visit.clean()
})

test('a failed payment changes nothing and can be retried', async () => {
  const { posted } = await person.client.done('account.show', {})
  await pay('6', 'Fail')
  await page.getByRole('alert').waitFor()
  await page.getByRole('link', { name: 'Back' }).click()
  await page.getByRole('link', { name: 'Continue to payment' }).first().waitFor()
  assert.equal((await person.client.done('account.show', {})).posted, posted)
})

test('the printed receipt of a payment contains nothing else', async () => {
  await page.goto('/console/billing?tab=top-ups')
  await page.getByRole('link', { name: 'Receipt' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Payment receipt' }).waitFor()
  await page.getByRole('cell', { name: 'Balance top-up' }).waitFor()
  await visit.accessible()
  await page.emulateMedia({ media: 'print' })
  for (const place of [
    page.getByRole('navigation', { name: 'Sections' }),
    page.getByRole('banner'),
    page.getByRole('button', { name: 'Print' }),
  ]) {
    assert.equal(await place.isVisible(), false)
  }
  assert.equal(await page.getByRole('cell', { name: 'Balance top-up' }).isVisible(), true)
  await page.emulateMedia({ media: 'screen' })
  visit.clean()
})

test('a disputed payment explains the suspension on every page, until the bank has decided', async () => {
  const paid = [...stripe.books.intents.values()].find(({ status }) => status === 'succeeded')
  assert.ok(paid !== undefined)
  await page.goto('/console/keys')
  await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor()
  const dispute = stripe.books.dispute(paid.id)
  await stripe.settled()
  await page.getByText('This account is frozen.').waitFor()
  await page.getByText('was disputed').waitFor()
  assert.equal(await page.getByText('This account is suspended.').count(), 0)
  await visit.accessible()
  stripe.books.closeDispute(dispute.id, 'won')
  await stripe.settled()
  await page.getByText('This account is frozen.').waitFor({ state: 'detached' })
  visit.clean()
})
