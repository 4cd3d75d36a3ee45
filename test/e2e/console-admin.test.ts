/**
 * The admin pages in a real browser: users approved, credit granted, accounts suspended, models enabled, upstreams
 * with write-only credentials, codes, the audit, the check of the ledger; and that names that users choose stay
 * text.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import type { Page, Visit } from '../support/browser.ts'
import { type ConsolePerson, consolePerson } from '../support/console-person.ts'
import { type RecordingHost, recordingHost } from '../support/recording-hosts.ts'

/** A settable wall clock. */
let aheadMs = 0
const clock: Clock = { ...systemClock, wallMs: () => systemClock.wallMs() + aheadMs }
const hostile = '<img src=x onerror="window.hit=1">'

let person: ConsolePerson
let visit: Visit
let page: Page
let host: RecordingHost
before(async () => {
  host = await recordingHost()
  person = await consolePerson({ clock })
  visit = await person.visit()
  page = visit.page
  // On a lower page messages cover what is clicked next, and a click waits until they are gone.
  await page.setViewportSize({ width: 1_280, height: 1_600 })
})
after(async () => {
  await person.close()
  await host.close()
})

const dialog = () => page.getByRole('dialog')
const button = (name: string) => page.getByRole('main').getByRole('button', { name, exact: true })
const inDialog = (name: string) => dialog().getByRole('button', { name, exact: true })
const row = (text: string) => page.getByRole('row').filter({ hasText: text })
const upstreamRow = (name: string) =>
  page.getByRole('table', { name: 'Upstreams' }).getByRole('row').filter({ hasText: name })
const toast = (text: string | RegExp) => page.getByRole('region', { name: 'Messages' }).getByText(text)

/** The public price list. */
async function soldNow() {
  const { data } = (await (await fetch(`${person.gateway.origin}/api/pricing`)).json()) as {
    readonly data: readonly { readonly model: string; readonly price: Record<string, unknown> }[]
  }
  return data
}

/** Searches a list, and waits until it shows what was searched for. */
async function search(text: string): Promise<void> {
  await page.getByRole('searchbox').fill(text)
  await page.waitForURL((url) => url.searchParams.get('q') === text)
}

async function section(name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Admin sections' }).getByRole('link', { name }).click()
  await page.waitForURL(new RegExp(`/console/admin/${name.toLowerCase().replace('audit log', 'audit')}`))
}

test('a user who is not an administrator sees only that', async () => {
  const guest = await person.signUp('guest')
  const theirs = await guest.visit()
  assert.equal(await theirs.page.getByRole('link', { name: 'Admin' }).count(), 0)
  await theirs.page.goto('/console/admin/accounts')
  await theirs.page.getByText('Administrators only').waitFor()
  await theirs.accessible()
  theirs.clean()
  await theirs.close()
})

test('waiting users are approved on an installation without email, and get their credit', async () => {
  const strange = await person.client.post('/api/auth/sign-up/email', {
    name: hostile,
    email: 'strange@example.org',
    password: 'a long enough password',
  })
  assert.equal(strange.status, 200, strange.text)
  await page.goto('/console/admin/people?state=to_confirm')
  await page.getByText("This server can't send email.").waitFor()
  await row('strange@example.org').getByText(hostile, { exact: true }).waitFor()
  await visit.accessible()
  await row('strange@example.org')
    .getByRole('button', { name: /^Approve / })
    .click()
  await toast(`${hostile} approved.`).waitFor()
  await row('strange@example.org').waitFor({ state: 'hidden' })
  await page.getByLabel('Filter people').selectOption('all')
  await row('strange@example.org').getByText('Approved').waitFor()
  await row('strange@example.org').getByRole('link', { name: 'View account' }).click()
  await page.getByRole('heading', { level: 2, name: hostile }).waitFor()
  await page.getByText('$5.00').first().waitFor()
  assert.equal(await page.evaluate('window.hit'), undefined)
  await visit.accessible()
  visit.clean()
})

test('a user is invited, gets a password reset link, and is made an administrator and demoted', async () => {
  await page.goto('/console/admin/people')
  await button('Invite').click()
  await dialog().getByLabel('Email').fill('invited@example.org')
  await inDialog('Invite').click()
  await dialog().getByText('invited@example.org invited').waitFor()
  const link = (await dialog().locator('code').textContent()) ?? ''
  assert.match(link, /^http.*\/console\/sign-up/)
  await inDialog('Done').click()
  await page.getByRole('table', { name: 'Open invitations' }).getByText('invited@example.org').waitFor()
  const invited = await person.visitAsNobody()
  await invited.page.goto(link)
  await invited.page.getByText("You've been invited. You'll start with").waitFor()
  await invited.page.getByText('The invitation is for this email.').waitFor()
  assert.equal(await invited.page.getByLabel('Email').inputValue(), 'invited@example.org')
  invited.clean()
  await button('Withdraw invitation for invited@example.org').click()
  await toast('Invitation withdrawn. Its link no longer works.').waitFor()
  await page.getByRole('table', { name: 'Open invitations' }).waitFor({ state: 'hidden' })
  await invited.close()
  const actions = row('guest@example.org').getByRole('button', { name: 'Actions for guest' })
  await actions.click()
  await page.getByRole('menuitem', { name: 'Create password reset link' }).click()
  assert.match((await dialog().locator('code').textContent()) ?? '', /^http.*\/console\/reset/)
  await inDialog('Done').click()
  await actions.click()
  await page.getByRole('menuitem', { name: 'Make admin' }).click()
  await inDialog('Make admin').click()
  await row('guest@example.org').getByText('Admin').waitFor()
  await actions.click()
  await page.getByRole('menuitem', { name: 'Remove admin role' }).click()
  await inDialog('Remove role').click()
  await row('guest@example.org').getByText('Admin').waitFor({ state: 'hidden' })
  await row('operator@example.org')
    .getByRole('button', { name: /^Actions for/ })
    .click()
  await page.getByRole('menuitem', { name: 'Remove admin role' }).click()
  await inDialog('Remove role').click()
  await toast('At least one administrator must remain.').waitFor()
  await inDialog('Cancel').click()
  visit.clean()
})

test('an account is found, gets credit once per reference, and is suspended with a reason and resumed', async () => {
  await page.goto('/console/admin')
  await search('guest')
  await row('operator@example.org').waitFor({ state: 'hidden' })
  await page.getByRole('link', { name: 'guest', exact: true }).click()
  await page.getByRole('heading', { level: 2, name: 'guest' }).waitFor()
  for (const [amount, said] of [
    ['2.5x', /^Enter an amount in USD, such as 12\.50/],
    ['2.50', undefined],
    ['2.50', undefined],
    ['9.99', /was used for another account or amount/],
  ] as const) {
    await button('Add credit').click()
    await dialog().getByLabel('Amount in USD').fill(amount)
    await dialog().getByLabel('Reference').fill('INV-7')
    await dialog().getByLabel('Reason').fill(`for ${hostile}`)
    await inDialog('Add credit').click()
    if (said === undefined) continue
    await dialog().getByRole('alert').getByText(said).waitFor()
    await visit.accessible()
    await inDialog('Cancel').click()
  }
  await toast('Credited $2.50. New balance: $2.50.').waitFor()
  await toast('This reference was already credited. Nothing changed.').waitFor()
  await page.getByRole('region', { name: 'Entries' }).getByText(`for ${hostile}`).waitFor()
  await button('Suspend').click()
  await dialog().getByLabel('Reason').fill('a test')
  await inDialog('Suspend account').click()
  await page.getByText('Suspended', { exact: true }).waitFor()
  await button('Resume').click()
  await page.getByText('Suspended', { exact: true }).waitFor({ state: 'hidden' })
  assert.equal(await page.evaluate('window.hit'), undefined)
  visit.clean()
})

test('an old session must confirm the password, and the operation then completes', async () => {
  const proof = page.getByRole('dialog', { name: "Confirm it's you" })
  await button('Suspend').click()
  aheadMs = 3_600_000
  try {
    await inDialog('Suspend account').click()
    await proof.waitFor()
  } finally {
    aheadMs = 0
  }
  await proof.getByLabel('Password', { exact: true }).fill('a long enough password')
  await proof.getByRole('button', { name: 'Confirm', exact: true }).click()
  await toast('guest is suspended.').waitFor()
  await button('Resume').click()
  await toast('guest can make requests again.').waitFor()
  visit.clean()
})

test('an account is created with a key that is shown once', async () => {
  await page.goto('/console/admin/accounts')
  await button('Create account').click()
  await dialog().getByLabel('Email').fill('keys-only@example.org')
  await dialog().getByLabel('Credit in USD').fill('1')
  await inDialog('Create account').click()
  const key = (await dialog().locator('code').textContent()) ?? ''
  assert.match(key, /^sk-tg-/)
  await page.keyboard.press('Escape')
  assert.equal(await dialog().count(), 1, 'it does not vanish by a slip')
  await inDialog('Done').click()
  assert.ok(!(await page.content()).includes(key))
  assert.equal((await person.ask(key, 'sandbox-echo')).status, 200)
  await row('keys-only@example.org').waitFor()
  visit.clean()
})

test('a model is disabled and enabled, gets a price, and a new one is added', async () => {
  const { key } = await person.client.done('key.create', { name: 'asks' })
  await page.goto('/console/admin/models?q=sandbox-echo')
  const actions = page.getByRole('button', { name: 'Actions for sandbox-echo', exact: true })
  await actions.click()
  await page.getByRole('menuitem', { name: 'Disable' }).click()
  await dialog().getByText('Requests for it fail with 404 immediately').waitFor()
  await inDialog('Disable').click()
  await toast('sandbox-echo is disabled.').waitFor()
  assert.equal((await person.ask(key, 'sandbox-echo')).status, 404)
  await actions.click()
  await page.getByRole('menuitem', { name: 'Enable' }).click()
  await toast('sandbox-echo is enabled.').waitFor()
  await actions.click()
  await page.getByRole('menuitem', { name: 'Set price' }).click()
  await dialog().getByLabel('Input', { exact: true }).fill('nothing')
  await inDialog('Set price').click()
  await dialog().getByRole('alert').first().waitFor()
  await visit.accessible()
  await dialog().getByLabel('Input', { exact: true }).fill('1.25')
  await dialog().getByLabel('Source').fill('a test')
  await inDialog('Set price').click()
  await toast('Price of sandbox-echo updated.').waitFor()
  await row('sandbox-echo').getByText('$1.25').waitFor()
  const price = (await soldNow()).find(({ model }) => model === 'sandbox-echo')?.price
  assert.equal(price?.input, '1.25')
  const options = price?.options as Record<string, string> | undefined
  assert.equal(options?.['service_tier:flex'], '0.5', 'options stay')
  await actions.click()
  await page.getByRole('menuitem', { name: 'Price history' }).click()
  await dialog().getByText('a test').waitFor()
  await dialog().getByText('→ $1.25').waitFor()
  await dialog().getByText('service_tier:flex').waitFor()
  await visit.accessible()
  await inDialog('Close').first().click()
  await button('Add model').click()
  await dialog().getByLabel('Name', { exact: true }).fill('sandbox-new')
  await dialog().getByLabel('Provider', { exact: true }).selectOption('sandbox')
  await dialog().getByLabel('Context window').fill('1000')
  await dialog().getByLabel('Max output tokens').fill('100')
  await visit.accessible()
  await inDialog('Add model').click()
  await toast(/^sandbox-new was added but is disabled/).waitFor()
  await search('sandbox-new')
  await row('sandbox-new').getByText('Disabled').waitFor()
  visit.clean()
})

test('the markup is changed and removed', async () => {
  await page.goto('/console/admin/models')
  for (const [text, shown] of [
    ['7.5', '7.5%'],
    ['', 'None'],
  ] as const) {
    await button('Edit markup').click()
    await dialog().getByLabel('Percent').fill(text)
    await inDialog('Save').click()
    await page.getByRole('main').getByText(shown, { exact: true }).waitFor()
    await setsPriceAsItIs()
  }
  visit.clean()
})

/** The form saves what it shows: the markup is not added twice. */
async function setsPriceAsItIs(): Promise<void> {
  const price = async () => (await soldNow()).find(({ model }) => model === 'sandbox-echo')?.price.input
  const before = await price()
  assert.ok(before !== undefined)
  await search('sandbox-echo')
  await row('sandbox-echo')
    .getByRole('button', { name: /^Actions for/ })
    .click()
  await page.getByRole('menuitem', { name: 'Set price' }).click()
  await inDialog('Set price').click()
  await dialog().waitFor({ state: 'detached' })
  assert.equal(await price(), before)
}

test('a key that its provider rejects is saved only by a second choice', async () => {
  const credential = ['a', 'wrong', 'credential', '987654'].join('-')
  host.answers = () => 401
  await page.goto('/console/admin/models')
  await picked('OpenAI')
  await dialog().getByLabel('Name', { exact: true }).fill('wrong')
  await dialog().getByLabel('Base URL').fill(host.origin)
  await dialog().getByLabel('API key').fill(credential)
  await dialog().getByLabel('Models', { exact: true }).selectOption('all')
  await inDialog('Review').click()
  await dialog().getByText('The provider rejects this API key.').waitFor()
  await dialog().getByText('“it failed”').waitFor()
  assert.equal(await inDialog('Add upstream').isEnabled(), false)
  await visit.accessible()
  await dialog().getByLabel('Save it anyway').click()
  assert.equal(await inDialog('Add upstream').isEnabled(), true)
  await inDialog('Cancel').click()
  host.answers = () => 200
  assert.ok(!(await page.content()).includes(credential))
})

test('an upstream is added after a preview of its models; its credential does not go to another URL', async () => {
  const credential = ['upstream', 'credential', 'abcdef123456'].join('-')
  await page.goto('/console/admin/models')
  await picked('OpenAI')
  await dialog().getByLabel('Name', { exact: true }).fill('second')
  await dialog().getByLabel('Base URL').fill(`${host.origin}/openai/v1/`)
  await dialog().getByLabel('API key').fill(credential)
  await dialog().getByLabel('Model names').fill('gpt-4.1 = openai/gpt-4.1')
  await inDialog('Test and list models').click()
  await dialog().getByRole('checkbox', { name: 'host-a' }).click()
  await visit.accessible()
  await inDialog('Review').click()
  await dialog().getByText('Serves 1 model, 1 newly available').waitFor()
  await dialog().getByText('The API key could not be tested.').waitFor()
  await dialog().getByText(`${host.origin}/openai/v1/chat/completions`).waitFor()
  await dialog().getByText('$2.00 input, $8.00 output per 1M tokens').waitFor()
  await dialog().getByText('Listed, but disabled: 1 model').waitFor()
  await visit.accessible()
  assert.deepEqual(
    (await soldNow()).filter(({ model }) => model.startsWith('gpt-')),
    [],
    'nothing is saved yet',
  )
  await inDialog('Add upstream').click()
  await toast(/^second was added/).waitFor()
  const tryIt = page.getByRole('region', { name: 'Messages' }).getByRole('link')
  assert.equal(await tryIt.textContent(), 'Try gpt-4.1 in the playground')
  assert.match((await tryIt.getAttribute('href')) ?? '', /^\/console\/playground\?model=gpt-4\.1/)
  const sold = (await soldNow()).map(({ model }) => model).filter((name) => name.startsWith('gpt-'))
  assert.deepEqual(sold, ['gpt-4.1'], 'nothing is put on sale that was not chosen')
  await upstreamRow('second').getByText('…3456').waitFor()
  assert.ok(!(await page.content()).includes(credential))
  await opened('second', 'Edit')
  assert.equal(await dialog().getByLabel('API key').inputValue(), '')
  await dialog().getByLabel('Weight').fill('3')
  await dialog().getByLabel('Requests per minute').fill('none')
  await dialog().getByText('Enter a whole number above zero').waitFor()
  assert.equal(await inDialog('Review').isEnabled(), false)
  await dialog().getByLabel('Requests per minute').fill('600')
  await dialog().getByLabel('Tags').fill('eu, no-training')
  assert.equal(await inDialog('Review').isEnabled(), true)
  await dialog().getByLabel('Base URL').fill(`${host.origin}/elsewhere`)
  await dialog().getByText('Enter the API key again').waitFor()
  assert.equal(await inDialog('Review').isEnabled(), false)
  await dialog().getByLabel('Base URL').fill(`${host.origin}/openai/v1`)
  await inDialog('Review').click()
  await inDialog('Save changes').click()
  await toast('second was saved.').waitFor()
  await opened('second', 'Edit')
  assert.equal(await dialog().getByLabel('Tags').inputValue(), 'eu, no-training')
  assert.equal(await dialog().getByLabel('Requests per minute').inputValue(), '600')
  assert.equal(await dialog().getByLabel('Concurrent requests').inputValue(), '')
  await visit.accessible()
  await inDialog('Cancel').click()
  await picked('OpenAI')
  await dialog().getByLabel('Name', { exact: true }).fill('second')
  await dialog().getByLabel('API key').fill(credential)
  await dialog().getByText('An upstream with this name exists.').waitFor()
  assert.equal(await inDialog('Review').isEnabled(), false, 'adding one never replaces another')
  await inDialog('Cancel').click()
  const audit = await person.client.ask('audit.list', {})
  assert.ok(!audit.text.includes(credential), 'nor does the audit keep it')
  visit.clean()
})

test('the strategy and the fallbacks of a model are set', async () => {
  await page.goto('/console/admin/models?q=gpt-4.1')
  await opened('gpt-4.1', 'Routing')
  await dialog().getByLabel('Strategy').selectOption('Lowest price first')
  await dialog().getByRole('textbox', { name: 'Search models' }).fill('sandbox-echo')
  await dialog().getByRole('checkbox', { name: 'sandbox-echo', exact: true }).check()
  await visit.accessible()
  await inDialog('Save').click()
  await toast('The routing of gpt-4.1 is saved.').waitFor()
  await opened('gpt-4.1', 'Routing')
  await dialog().getByText('1 selected').waitFor()
  assert.equal(await dialog().getByLabel('Strategy').inputValue(), 'price')
  await dialog().getByRole('button', { name: 'Remove sandbox-echo' }).click()
  await inDialog('Save').click()
  await dialog().waitFor({ state: 'detached' })
  await opened('gpt-4.1', 'Routing')
  await inDialog("Use the configuration's routing").click()
  await dialog().waitFor({ state: 'detached' })
  await opened('gpt-4.1', 'Routing')
  assert.equal(await dialog().getByLabel('Strategy').inputValue(), 'weight')
  await inDialog('Cancel').click()
  visit.clean()
})

test('an upstream without models leads to their choice, before and after it is added', async () => {
  await page.goto('/console/admin/models')
  await picked('OpenAI')
  await dialog().getByLabel('Name', { exact: true }).fill('empty')
  await dialog().getByLabel('Base URL').fill(`${host.origin}/openai/v1`)
  await dialog().getByLabel('API key').fill(['empty', 'upstream', 'abcdef123456'].join('-'))
  await inDialog('Review').click()
  await dialog().getByText('No models enabled yet.').waitFor()
  await visit.accessible()
  await inDialog('Select models').click()
  await dialog().getByLabel('Model names').waitFor()
  await inDialog('Review').click()
  await inDialog('Add upstream').click()
  await toast('empty was added. It serves no models yet: add some.').waitFor()
  await button('Add models to empty').click()
  await dialog().getByRole('heading', { name: 'Edit empty' }).waitFor()
  await inDialog('Cancel').click()
  await opened('empty', 'Remove')
  await inDialog('Remove').click()
  await toast('empty and its API key were removed.').waitFor()
  visit.clean()
})

test('the overview names the model whose requests fail, and not the whole upstream', async () => {
  const { key } = await person.client.done('key.create', { name: 'of a missing model' })
  host.answers = () => 404
  assert.equal((await person.ask(key, 'gpt-4.1')).status, 503)
  host.answers = () => 200
  await page.goto('/console')
  await page.getByText('Requests for the model openai/gpt-4.1 at the upstream second fail.').waitFor()
  await page.getByText('The upstream does not have this path or model.').waitFor()
  await visit.accessible()
  await page.getByRole('main').getByRole('link', { name: 'Review' }).last().click()
  await upstreamRow('second').waitFor()
  await page.getByRole('table', { name: 'Models at second' }).getByText('gpt-4.1').first().waitFor()
  visit.clean()
})

test('an upstream is removed, at the address that the page had before', async () => {
  await page.goto('/console/admin/upstreams')
  await page.waitForURL(/\/console\/admin\/models$/)
  await opened('second', 'Remove')
  await inDialog('Remove').click()
  await toast('second and its API key were removed.').waitFor()
  visit.clean()
})

test('a server of the operator is added with its models, each at the price that is entered, and disabled with one choice', async () => {
  await page.goto('/console/admin/models')
  await button('Add upstream').click()
  await visit.accessible()
  await dialog().getByRole('searchbox').fill('vll')
  await dialog().getByRole('button', { name: 'vLLM' }).click()
  await dialog().getByLabel('Name', { exact: true }).fill('my-vllm')
  await dialog().getByLabel('Base URL').fill(host.origin)
  await dialog().getByLabel('Name', { exact: true }).fill('My vLLM')
  await dialog().getByText('Use letters, digits, dots and dashes, such as my-vllm.').waitFor()
  await dialog().getByText('Correct the name first.').waitFor()
  await dialog().getByLabel('Name', { exact: true }).fill('my-vllm')
  await inDialog('Test and list models').click()
  await dialog().getByRole('checkbox', { name: 'host-a' }).click()
  assert.equal(await dialog().getByLabel('Models to enable').inputValue(), 'my-vllm/host-a = host-a')
  await visit.accessible()
  await inDialog('Review').click()
  await dialog().getByText('0 of 1 model will be enabled.').waitFor()
  await dialog().getByLabel('Context, tokens').fill('8 thousand')
  await dialog().getByText('Enter a number of tokens, like 128000, 128k or 1M.').waitFor()
  await dialog().getByLabel('Context, tokens').fill('8k')
  await inDialog('Add upstream').click()
  // What is missing is said where it is missing.
  await dialog().getByText('Enter an amount in USD, like 0.25, or 0.').first().waitFor()
  await dialog().getByLabel('Max output, tokens').fill('512')
  await dialog().getByLabel('Input, USD per 1M').fill('0')
  await dialog().getByLabel('Output, USD per 1M').fill('$0')
  await dialog().getByText('1 of 1 model will be enabled.').waitFor()
  await visit.accessible()
  await inDialog('Add upstream').click()
  await toast(/^my-vllm was added/).waitFor()
  const sold = (await soldNow()).find(({ model }) => model === 'my-vllm/host-a')
  assert.equal(sold?.price.input, '0.00')
  await upstreamRow('my-vllm').getByRole('link', { name: 'my-vllm' }).click()
  const status = page.getByRole('table', { name: 'Models at my-vllm' })
  await status.getByText('Serving').waitFor()
  await visit.accessible()
  await status.getByRole('button', { name: 'Disable host-a at my-vllm' }).click()
  await dialog().getByText('No other upstream serves my-vllm/host-a.').waitFor()
  await visit.accessible()
  await inDialog('Disable').click()
  await toast('host-a at my-vllm was disabled.').waitFor()
  await status.getByText('Disabled').waitFor()
  assert.ok(!(await soldNow()).some(({ model }) => model === 'my-vllm/host-a'))
  await status.getByRole('button', { name: 'Enable host-a at my-vllm' }).click()
  await toast('host-a at my-vllm was enabled.').waitFor()
  assert.ok((await soldNow()).some(({ model }) => model === 'my-vllm/host-a'))
  await opened('my-vllm', 'Disable')
  await inDialog('Disable').click()
  await toast(/^my-vllm was disabled\.$/).waitFor()
  assert.ok(!(await soldNow()).some(({ model }) => model === 'my-vllm/host-a'))
  await opened('my-vllm', 'Enable')
  await toast(/^my-vllm was enabled\.$/).waitFor()
  await opened('my-vllm', 'Remove')
  await inDialog('Remove').click()
  await toast('my-vllm and its API key were removed.').waitFor()
  visit.clean()
})

async function picked(provider: string): Promise<void> {
  await button('Add upstream').click()
  await dialog().getByRole('button', { name: provider, exact: true }).click()
}

async function opened(name: string, item: string): Promise<void> {
  await button(`Actions for ${name}`).click()
  await page.getByRole('menuitem', { name: item }).click()
}

test('a code is shown once, counted, and ended', async () => {
  await page.goto('/console/admin/codes')
  await page.getByText('No codes yet').waitFor()
  await button('Create code').click()
  await dialog().getByLabel('Amount in USD').fill('3')
  await dialog().getByLabel('Max uses').fill('2')
  await dialog().getByLabel('Note').fill('for a test')
  await inDialog('Create code').click()
  const code = (await dialog().locator('code').textContent()) ?? ''
  assert.ok(code.length >= 10)
  await inDialog('Done').click()
  await person.client.done('code.redeem', { code })
  await page.reload()
  await row('for a test').getByText('1 of 2').waitFor()
  assert.ok(!(await page.content()).includes(code))
  await visit.accessible()
  await page.getByRole('button', { name: /^Revoke code/ }).click()
  await inDialog('Revoke').click()
  await row('for a test').getByText('Ended').waitFor()
  visit.clean()
})

test('the audit shows changes, by operation and account, and details without secrets', async () => {
  await page.goto('/console/admin/audit')
  await row('Revoked credit code').first().waitFor()
  await visit.accessible()
  await page.getByLabel('Operation').click()
  const operations = page.getByRole('dialog', { name: 'Search operations' })
  await operations.getByRole('combobox').fill('added credit')
  await operations.getByText('Added credit', { exact: true }).click()
  await row('Revoked credit code').first().waitFor({ state: 'hidden' })
  await row('credit').first().getByRole('button', { name: 'Details' }).click()
  await dialog().getByText('INV-7').waitFor()
  await visit.accessible()
  await page.keyboard.press('Escape')
  // By its name, with the ID in the title.
  const credited = row('credit').first().locator('[title^=acct_]')
  const account = (await credited.getAttribute('title')) ?? ''
  const name = (await credited.textContent()) ?? ''
  assert.ok(!name.startsWith('acct_'), name)
  await search(account)
  await row(name).first().waitFor()
  visit.clean()
})

test('the state of the installation is shown, and the ledger is checked', async () => {
  await page.goto('/console/admin')
  await section('System')
  await page.getByText('Running requests').waitFor()
  await button('Run full check').click()
  await page.getByText('All balances are correct.').waitFor()
  await page.getByText('Usage revenue').waitFor()
  await visit.accessible()
  await section('Payments')
  await page.getByText('No payments yet').waitFor()
  await visit.accessible()
  await section('Write-offs')
  await page.getByText('No write-offs').waitFor()
  await page.getByLabel('Period').selectOption('all')
  await page.getByText('No write-offs').waitFor()
  await visit.accessible()
  visit.clean()
})
