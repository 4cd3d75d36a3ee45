/** Keys in the console, in a real browser: from nothing to a first request, and every change to a key. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page, Visit } from '../support/browser.ts'
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

const shownKey = async () => {
  const text = await page.getByRole('dialog').locator('code').first().textContent()
  assert.match(text ?? '', /^sk-tg-/)
  return text ?? ''
}
const dialog = () => page.getByRole('dialog')
const dialogButton = (name: string) => dialog().getByRole('button', { name, exact: true })

test('a new account is guided to its first request, and sees when it arrived', async () => {
  await page.getByText('Get started').waitFor()
  await visit.accessible()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('from the overview')
  await dialogButton('Create key').click()
  const key = await shownKey()
  await dialog().getByText(`Bearer ${key}`).waitFor()
  await dialog().getByText('Waiting for your first request…').waitFor()
  await visit.accessible()
  assert.equal((await person.ask(key, 'sandbox-echo')).status, 200)
  await dialog().getByText('request received.').waitFor()
  await dialogButton('Done').click()
  await page.getByText('Your first request arrived').waitFor()
  assert.equal(await page.getByText(key).count(), 1, 'the key stands once more, in the request to paste')
  await page.reload()
  await page.getByRole('heading', { name: 'Recent requests' }).waitFor()
  assert.equal(await page.getByText(key).count(), 0, 'a reload forgets the key')
  visit.clean()
})

test('the keyboard alone creates a key with limits', async () => {
  await page.goto('/console/keys')
  await page.getByRole('button', { name: 'Create key' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Name' }).waitFor()
  await page.keyboard.press('Enter')
  await dialog().getByText('Enter a name').waitFor()
  await page.keyboard.type('<b>bold</b> مفتاح')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.type('2.50')
  await page.keyboard.press('Enter')
  const key = await shownKey()
  await page.keyboard.press('Escape')
  assert.equal(await dialog().count(), 1, 'a key that is shown once does not vanish by a slip')
  await dialogButton('Done').click()
  await page.getByText('<b>bold</b>').waitFor()
  const made = (await person.client.done('key.list', {})).find(({ label }) =>
    key.startsWith(label.slice(0, 8)),
  )
  assert.ok(made !== undefined)
  await page.getByText('of $2.50 per month').waitFor()
  await visit.accessible()
  visit.clean()
})

test("a key's fallbacks and required tags are chosen, shown and taken away", async () => {
  const { id } = await person.client.done('key.create', { name: 'routed' })
  await page.goto(`/console/keys/${id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  const fallbacks = dialog().getByRole('group', { name: 'Fallback models' })
  await fallbacks.getByText('As set for each model').waitFor()
  for (const model of ['sandbox-think', 'sandbox-echo']) {
    await fallbacks.getByRole('textbox', { name: 'Search models' }).fill(model)
    await fallbacks.getByRole('checkbox', { name: model, exact: true }).check()
  }
  await dialog().getByLabel('Required tags').fill('eu no')
  await dialogButton('Save').click()
  await dialog().getByText('Enter up to 20 tags').waitFor()
  await dialog().getByLabel('Required tags').fill('eu, no-training')
  await visit.accessible()
  await dialogButton('Save').click()
  await page.getByText('sandbox-think, sandbox-echo').waitFor()
  await page.getByText('eu, no-training').waitFor()
  const shown = (await person.client.done('key.list', {})).find((one) => one.id === id)
  assert.deepEqual(shown?.fallbacks, ['sandbox-think', 'sandbox-echo'])
  assert.deepEqual(shown?.requiredTags, ['eu', 'no-training'])
  visit.clean()
})

test('a key is changed, rejected, disabled, rotated and revoked on its page', async () => {
  const { id, key } = await person.client.done('key.create', { name: 'worked on' })
  await page.goto(`/console/keys/${id}`)
  await page.getByText('No requests yet').waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('worked on here')
  await dialog().getByLabel('Requests per minute').fill('many')
  await dialogButton('Save').click()
  await dialog().getByText('A whole number').waitFor()
  await dialog().getByLabel('Requests per minute').fill('60')
  await dialogButton('Save').click()
  await page.getByRole('heading', { level: 1, name: 'worked on here' }).waitFor()
  await page.getByText('60 requests per minute').waitFor()

  assert.equal((await person.ask(key, '<img src=x onerror=alert(1)>')).status, 404)
  const code = page.getByRole('link', { name: /^model_not_found/ }).first()
  await code.waitFor()
  assert.equal(await code.getAttribute('href'), '/docs/errors/model_not_found')
  await page.getByRole('cell', { name: '<img src=x onerror=alert(1)>', exact: true }).first().waitFor()
  // A rejected request is a use of the key.
  await page.getByText('No requests yet').waitFor({ state: 'detached' })
  await page.getByText('Never', { exact: true }).nth(1).waitFor({ state: 'detached' })
  await visit.accessible()

  await page.getByRole('button', { name: 'Disable' }).click()
  await dialogButton('Disable key').click()
  await page.getByText('Disabled', { exact: true }).waitFor()
  assert.equal((await person.ask(key, 'sandbox-echo')).status, 403)
  await page.getByRole('button', { name: 'Enable' }).click()
  await page.getByText('Active', { exact: true }).waitFor()
  assert.equal((await person.ask(key, 'sandbox-echo')).status, 200)

  await page.getByRole('button', { name: 'Rotate' }).click()
  await dialogButton('Rotate key').click()
  const next = await shownKey()
  assert.notEqual(next, key)
  await dialogButton('Done').click()
  await page.getByText('Rotated, expires soon').waitFor()
  for (const works of [key, next]) assert.equal((await person.ask(works, 'sandbox-echo')).status, 200)

  await page.getByRole('button', { name: 'Revoke' }).click()
  await dialogButton('Revoke key').click()
  await page.getByText('Revoked', { exact: true }).first().waitFor()
  assert.equal((await person.ask(key, 'sandbox-echo')).status, 401)
  visit.clean()
})

test('the keyboard alone edits and revokes a key from the list', async () => {
  const { key } = await person.client.done('key.create', { name: 'from the list' })
  await page.goto('/console/keys')
  const menu = page.getByRole('button', { name: 'Actions for from the list' })
  const choose = async (name: string): Promise<void> => {
    await menu.press('Enter')
    await page.getByRole('menuitem', { name }).press('Enter')
  }
  await choose('Edit')
  await dialog().getByRole('heading', { name: 'Edit key' }).waitFor()
  await page.keyboard.press('Escape')
  await dialog().waitFor({ state: 'detached' })
  // A moment later than the dialog ends.
  await menu.and(page.locator(':focus')).waitFor()
  await choose('Revoke')
  await dialog().getByText('Revoke this key permanently?').waitFor()
  assert.equal((await person.ask(key, 'sandbox-echo')).status, 200, 'not without the confirmation')
  await visit.accessible()
  await dialogButton('Revoke key').press('Enter')
  await page.getByText('Key revoked.').waitFor()
  await menu.waitFor({ state: 'detached' })
  assert.equal((await person.ask(key, 'sandbox-echo')).status, 401)
  assert.equal(new URL(page.url()).pathname, '/console/keys')
  visit.clean()
})

test('a change in one window appears in another', async () => {
  await page.goto('/console/keys')
  const other = await visit.window()
  await other.goto('/console/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('seen elsewhere')
  await dialogButton('Create key').click()
  await other.getByRole('link', { name: 'seen elsewhere' }).waitFor()
  await other.close()
  await dialogButton('Done').click()
})

test('a billing member sees the keys and the reason why they cannot create one', async () => {
  const { person: payer, account } = await organizationWith('billing')
  const paying = await payer.signIn()
  await paying.page.goto(`/console/keys?account=${account}`)
  await paying.page.getByText("Your role can't create keys.").waitFor()
  assert.equal(await paying.page.getByRole('button', { name: 'Create key' }).count(), 0)
  await paying.accessible()
  await paying.close()
})

interface Membership {
  readonly person: Pick<ConsolePerson, 'signIn'>
  readonly account: string
}

/** A user who has joined an organization of the administrator's in a role. */
async function organizationWith(role: string): Promise<Membership> {
  const member = await person.signUp('member')
  const made = await person.client.post('/api/auth/organization/create', { name: 'Works', slug: 'works' })
  assert.equal(made.status, 200, made.text)
  const organizationId = (made.body as { readonly id: string }).id
  const invitation = await person.client.post('/api/auth/organization/invite-member', {
    email: member.email,
    role,
    organizationId,
  })
  assert.equal(invitation.status, 200, invitation.text)
  const { id: invitationId } = invitation.body as { readonly id: string }
  const accepted = await member.client.post('/api/auth/organization/accept-invitation', { invitationId })
  assert.equal(accepted.status, 200, accepted.text)
  const { accounts } = await member.client.done('me.show', {})
  const account = accounts.find(({ kind }) => kind === 'organization')?.account
  assert.ok(account !== undefined)
  return { person: member, account }
}
