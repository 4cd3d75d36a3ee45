/** Billing in the console, in a real browser, without a payment provider: codes, the ledger, the alert, invoice details. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page, Visit } from '../support/browser.ts'
import { type ConsolePerson, consolePerson } from '../support/console-person.ts'

let person: ConsolePerson
let visit: Visit
let page: Page
before(async () => {
  person = await consolePerson()
  const { key } = await person.client.done('key.create', { name: 'pays' })
  assert.equal((await person.ask(key, 'sandbox-echo')).status, 200)
  visit = await person.visit()
  page = visit.page
})
after(() => person.close())

test('without a payment provider the page explains how top-ups work here', async () => {
  await page.goto('/console/billing')
  await page.getByText('No payment provider is set up on this server.').waitFor()
  await page.getByText('As an administrator you can add credit to this account').waitFor()
  await visit.accessible()
  await page.getByRole('button', { name: 'Add credit' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Amount in USD').fill('-2.50')
  await dialog.getByText('The amount must be positive.').waitFor()
  await dialog.getByLabel('Amount in USD').fill('2.50')
  await dialog.getByRole('button', { name: 'Add credit' }).click()
  await page.getByText(/^Credited \$2\.50\./).waitFor()
  await page
    .getByText(/manual-/)
    .first()
    .waitFor()
  visit.clean()

  const guest = await person.signUp('guest')
  const theirs = await guest.signIn()
  await theirs.page.goto('/console/billing')
  const { account } = await guest.client.done('account.show', {})
  await theirs.page.getByText(account).waitFor()
  await theirs.accessible()
  theirs.clean()
  await theirs.close()
})

test('a code is redeemed once, and every window shows the balance without a reload', async () => {
  await page.goto('/console/billing')
  const other = await visit.window()
  await other.goto('/console/billing')
  await other.getByRole('region', { name: /^Ledger entries/ }).waitFor()
  const { code } = await person.client.done('code.create', { amount: '12.50' })
  const field = page.getByRole('textbox', { name: 'Code' })
  await field.fill('no such code')
  await page.getByRole('button', { name: 'Redeem' }).click()
  await page.getByRole('alert').waitFor()
  await field.fill(code)
  await page.getByRole('button', { name: 'Redeem' }).click()
  await page.getByText('$12.50 added.').waitFor()
  for (const window of [page, other]) {
    await window.getByRole('cell', { name: 'Redeemed code' }).waitFor()
    await window.getByRole('cell', { name: '+$12.50' }).waitFor()
  }
  await other.close()
  await field.fill(code)
  await page.getByRole('button', { name: 'Redeem' }).click()
  await page.getByRole('alert').waitFor()
  visit.clean()
})

test('the ledger is filtered by kind, and its file has the same entries', async () => {
  await page.goto('/console/billing')
  await page.getByLabel('Type').selectOption('usage')
  await page.waitForURL(/kind=usage/)
  const rows = page.getByRole('region', { name: /^Ledger entries/ }).locator('tbody tr')
  await page.getByRole('cell', { name: 'Redeemed code' }).waitFor({ state: 'detached' })
  // The placeholder rows disappear first.
  await rows.nth(1).waitFor({ state: 'detached' })
  assert.equal(await rows.count(), 1)
  const href = await page.getByRole('link', { name: 'CSV' }).getAttribute('href')
  const file = await visit.context.request.get(href ?? '')
  assert.equal((await file.text()).trim().split(/\r?\n/).length, 2)
})

test('a phone shows the time and the whole amount of each entry', async () => {
  const phone = await person.signIn({ phone: true })
  await phone.page.goto('/console/billing')
  const row = phone.page.getByRole('row').filter({ hasText: 'Redeemed code' })
  await row
    .getByText(/\d\d:\d\d:\d\d UTC$/)
    .last()
    .waitFor()
  const box = await row.getByText(/^\+\$/).boundingBox()
  assert.ok(box !== null && box.x + box.width <= 390, JSON.stringify(box))
  await phone.close()
})

test('the alert is set in days and saved', async () => {
  await page.goto('/console/billing')
  await page.getByLabel('Warn when runway is below').selectOption('14')
  await page.getByText('Saved.').waitFor()
  await page.reload()
  const choice = page.getByLabel('Warn when runway is below')
  await choice.waitFor()
  assert.equal(await choice.inputValue(), '14')
  await choice.selectOption('Never')
  await page.getByText('Low-balance warning turned off.').waitFor()
  await page.reload()
  await page.getByText('You are not warned.').waitFor()
  await choice.selectOption('14')
  await page.getByText('Saved.').waitFor()
})

test('invoice details are saved as they were written', async () => {
  await page.goto('/console/billing?tab=invoices')
  await page.getByRole('link', { name: 'Credit receipt' }).first().click()
  await page.getByText(/^Credit added \(manual-/).waitFor()
  await page.goBack()
  await page.getByLabel('Name and address').fill('Works <b>Ltd</b>\n1 Road')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved.').waitFor()
  await page.reload()
  await page.getByText('Works <b>Ltd</b>').waitFor()
  await visit.accessible()
  visit.clean()
})

test('a missing statement says so', async () => {
  await page.goto('/console/billing/invoices/2020-01')
  await page.getByText('Statement or receipt not found').waitFor()
  await visit.accessible()
})
