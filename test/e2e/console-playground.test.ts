/**
 * The playground in a real browser: conversations that stream, stop and continue, tools and images, costs to
 * the nano-dollar, and that model output stays text.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { exactUsd } from '../../console/src/lib/usd.ts'
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

const log = () => page.getByRole('log', { name: 'Conversation' })
const answers = () => log().getByRole('article')
const message = () => page.getByRole('textbox', { name: 'Message' })
const button = (name: string) => page.getByRole('button', { name, exact: true })

/** The page before the first message. */
async function fresh(model: string): Promise<void> {
  await page.goto(`/console/playground?model=${model}`)
  await page.getByText('Start a conversation').waitFor()
}

async function say(text: string): Promise<void> {
  await message().fill(text)
  await page.keyboard.press('Enter')
}

const receiptOf = (at: number) => answers().nth(at).getByRole('link', { name: 'Receipt' })

test('a conversation of several turns is streamed, and each response shows its cost and receipt', async () => {
  await fresh('sandbox-echo')
  await visit.accessible()
  const before_ = await person.client.done('account.show', {})
  await say('first words')
  await answers().nth(0).getByText('first words').waitFor()
  await receiptOf(0).waitFor()
  await say('second words')
  await receiptOf(1).waitFor()
  const receipts = await person.client.done('requests.list', {})
  assert.equal(receipts.length, 2)
  const [second, first] = receipts
  assert.ok(first !== undefined && second !== undefined)
  assert.ok(second.usage.inputUncached > first.usage.inputUncached, 'the whole conversation is sent')
  for (const [at, receipt] of [first, second].entries()) {
    await answers().nth(at).getByText(exactUsd(receipt.charged), { exact: true }).waitFor()
    assert.ok((await receiptOf(at).getAttribute('href'))?.includes(receipt.id))
    assert.equal(receipt.endReason, 'complete')
    assert.equal(receipt.streamed, true)
  }
  const after_ = await person.client.done('account.show', {})
  assert.notEqual(after_.posted, before_.posted)
  await visit.accessible()
  await receiptOf(0).click()
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.goBack()
  await answers().nth(1).getByText('second words').waitFor()
  visit.clean()
})

test('model output stays text, and code blocks can be copied', async () => {
  await fresh('sandbox-echo')
  const hostile =
    '<img src=x onerror="window.hit=1"><script>window.hit=2</script> [a](javascript:window.hit=3) ![b](https://evil.example/x.png)'
  await message().fill(`${hostile}\n\`\`\`html\n<b>code</b>\n\`\`\`\nend`)
  await button('Send').click()
  await answers().nth(0).getByText(hostile).waitFor()
  await receiptOf(0).waitFor()
  const inside = log().locator('img, script, iframe, a[href^="javascript"], b')
  assert.equal(await inside.count(), 0)
  assert.equal(await page.evaluate('window.hit'), undefined)
  await answers().nth(0).getByRole('button', { name: 'Copy the code' }).click()
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), '<b>code</b>')
  visit.clean()
})

test('a tool is declared, called by the model, answered, and the conversation continues', async () => {
  await fresh('sandbox-tool')
  await button('Add function').click()
  await page.getByLabel('Name', { exact: true }).fill('two words')
  await page.getByText('Use letters, digits, underscores and dashes, at most 64.').waitFor()
  await say('go')
  await page.getByText('Fix the highlighted setting first').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('weather')
  await message().press('Enter')
  await answers().nth(0).getByText('"city"').waitFor()
  await answers().nth(0).getByLabel('Result of weather').fill('sunny in <b>Paris</b>')
  await visit.accessible()
  await button('Send result').click()
  await answers().nth(1).getByText('sunny in <b>Paris</b>').waitFor()
  await receiptOf(1).waitFor()
  visit.clean()
})

test('an image is attached, sent as data, and can be removed', async () => {
  await fresh('sandbox-echo')
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const chooser = page.locator('input[type=file]')
  await chooser.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('x') })
  await page.getByText('notes.txt is not a PNG, JPEG, WebP or GIF image.').waitFor()
  await chooser.setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: png })
  await button('Remove dot.png').click()
  await chooser.setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: png })
  await page.getByRole('img', { name: 'dot.png' }).waitFor()
  const asked = page.waitForRequest('**/api/play/**')
  await say('what is this?')
  const sent = JSON.parse((await asked).postData() ?? '') as {
    readonly messages: readonly { readonly content: readonly { readonly type: string }[] }[]
  }
  assert.deepEqual(sent.messages[0]?.content[0], {
    type: 'image_url',
    image_url: { url: `data:image/png;base64,${png.toString('base64')}` },
  })
  await receiptOf(0).waitFor()
  visit.clean()
})

test('a running response is stopped, charged for what arrived, and can be requested again', async () => {
  await fresh('sandbox-stream')
  await message().fill('tokens=5000 rate=50')
  await button('Send').click()
  await button('Stop').waitFor()
  await answers()
    .nth(0)
    .locator('p:not([role=status])', { hasText: /\w+ \w+ \w+/ })
    .first()
    .waitFor()
  await button('Stop').click()
  await answers().nth(0).getByText('Stopped').waitFor()
  await receiptOf(0).waitFor()
  const [receipt] = await person.client.done('requests.list', { limit: 1 })
  assert.equal(receipt?.endReason, 'client_abort')
  await button('Try again').click()
  await button('Stop').click()
  await button('New conversation').click()
  await page.getByText('Start a conversation').waitFor()
  visit.clean()
})

test('settings are sent with the request, and the exported code makes the same one', async () => {
  await fresh('sandbox-echo')
  await page.getByLabel('System prompt').fill("Be 'brief'.")
  await page.getByLabel('Temperature').fill('3')
  await page.getByText('From 0 to 2.').waitFor()
  await page.getByLabel('Temperature').fill('0.5')
  await page.getByLabel('Output limit').fill('64')
  await message().fill('Hello')
  await button('Code').click()
  const dialog = page.getByRole('dialog')
  const shell = (await dialog.locator('pre').textContent()) ?? ''
  assert.ok(shell.includes(`${person.gateway.origin}/v1/chat/completions`))
  assert.ok(!/sk-tg-/.test(await page.content()), 'no key is on the page')
  await visit.accessible()
  await dialog.getByRole('tab', { name: 'Python' }).click()
  assert.match(
    (await dialog.locator('pre').textContent()) ?? '',
    /temperature=0\.5,\n {4}max_completion_tokens=64,/,
  )
  await page.keyboard.press('Escape')
  // The focus returns to the button after the dialog closed; a key that is pressed before then is lost.
  await page.locator('button:focus', { hasText: 'Code' }).waitFor()
  const asked = page.waitForRequest('**/api/play/**')
  await message().press('Enter')
  const { stream: _stream, stream_options: _options, ...sent } = JSON.parse((await asked).postData() ?? '')
  assert.deepEqual(sent, {
    model: 'sandbox-echo',
    messages: [
      { role: 'system', content: "Be 'brief'." },
      { role: 'user', content: 'Hello' },
    ],
    temperature: 0.5,
    max_completion_tokens: 64,
  })
  const written = JSON.parse(shell.split("-d '")[1]?.replaceAll(`'\\''`, "'").slice(0, -1) ?? '')
  assert.deepEqual(written, sent)
  await page.getByRole('link', { name: 'Receipt' }).waitFor()
  await button('Code').click()
  assert.equal(await dialog.locator('pre').textContent(), shell, 'the response is not part of the request')
  await page.keyboard.press('Escape')
  visit.clean()
})

for (const [model, words] of [
  ['sandbox-500', /upstream_error|upstream_unavailable/],
  ['sandbox-error-after', /upstream_(error|overloaded)/],
  ['sandbox-cut-after', /upstream_truncated/],
] as const) {
  test(`a response of ${model} that fails shows the error, and the page continues to work`, async () => {
    await fresh(model)
    await say('Hello')
    await answers().nth(0).getByRole('alert').getByText(words).waitFor()
    await button('Try again').waitFor()
    await visit.accessible()
    await chooseModel(page, 'sandbox-echo')
    await say('and now')
    await answers().nth(1).getByText('and now').waitFor()
    await receiptOf(1).waitFor()
  })
}

test('without a balance the page says what is needed and where to add credit, and nothing else is charged', async () => {
  const poor = await person.signUp('poor')
  const theirs = await poor.signIn()
  await theirs.page.goto('/console/playground?model=sandbox-echo')
  await theirs.page.getByRole('textbox', { name: 'Message' }).fill('Hello')
  await theirs.page.keyboard.press('Enter')
  const alert = theirs.page.getByRole('article').getByRole('alert')
  await alert.getByText('insufficient_balance').waitFor()
  await theirs.page.getByText('Not charged.').waitFor()
  await theirs.accessible()
  await alert.getByRole('link', { name: 'Add credit' }).click()
  await theirs.page.getByRole('heading', { level: 1, name: 'Billing' }).waitFor()
  theirs.clean()
  await theirs.close()
})

test('a user whose session has ended is sent to sign in and returns', async () => {
  const leaving = await person.signUp('leaving')
  const theirs = await leaving.signIn()
  await theirs.page.goto('/console/playground')
  await theirs.page.getByRole('textbox', { name: 'Message' }).fill('Hello')
  await theirs.context.clearCookies()
  await theirs.page.keyboard.press('Enter')
  await theirs.page.waitForURL(/\/console\/sign-in\?next=/)
  await theirs.close()
})
