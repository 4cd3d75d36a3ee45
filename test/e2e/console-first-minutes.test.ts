/**
 * The first minutes in a real browser with a real server process: the user who started it follows the
 * setup link, creates a key and runs the program that the page shows, unchanged; a second user signs up, waits,
 * is approved in another browser, and their first request is charged. No page is reloaded.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import OpenAI from 'openai'
import { openBrowser, type Page, type TestBrowser, type Visit } from '../support/browser.ts'
import { type Installation, makeInstallation } from '../support/gateway-process.ts'

const password = 'a long enough password'
const root = fileURLToPath(new URL('../..', import.meta.url))

let browser: TestBrowser
let installation: Installation
let origin: string
let operator: Visit
before(async () => {
  browser = await openBrowser()
  installation = makeInstallation()
  origin = (await installation.start()).origin
})
after(async () => {
  await browser.close()
  await installation.remove()
})

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const clipboard = (page: Page) => page.evaluate('navigator.clipboard.readText()') as Promise<string>

async function enter(page: Page, name: string, action: string): Promise<void> {
  await page.getByLabel('Your name', { exact: true }).fill(name)
  await page.getByLabel('Email', { exact: true }).fill(`${name.toLowerCase()}@example.org`)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await button(page, action).click()
  await heading(page, 'Overview')
  await page.evaluate('window.isTheSame = true')
}

/** The accessible names of the first steps. */
async function stepsOf(page: Page): Promise<readonly string[]> {
  await page.getByRole('heading', { level: 3, name: 'Connect a client' }).waitFor()
  return page.getByRole('main').locator('ol h3').allTextContents()
}

/** Leaves the dialog with the key open. */
async function makeKey(page: Page): Promise<string> {
  await page
    .getByRole('main')
    .getByRole('button', { name: /^Create (another )?key$/ })
    .first()
    .click()
  await page.getByRole('textbox', { name: 'Name' }).fill('laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await page.getByText('Copy it now.').waitFor()
  await button(page, 'Copy the key').click()
  const key = await clipboard(page)
  assert.match(key, /^sk-tg-/)
  return key
}

/** Nothing of it is clipped by its dialog, at the dialog's initial size. */
async function isInSight(page: Page, name: string): Promise<boolean> {
  const [frame, box] = await Promise.all([
    page.getByRole('dialog').boundingBox(),
    button(page, name).boundingBox(),
  ])
  return frame !== null && box !== null && box.y + box.height <= frame.y + frame.height
}

/** The output of a pasted program, run unchanged; packages resolve as in the checkout. */
async function runProgram(text: string): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '-'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const pieces: Buffer[] = []
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece))
  child.stdin.end(text)
  const [code] = (await once(child, 'close')) as [number | null]
  assert.equal(code, 0, text)
  return Buffer.concat(pieces).toString().trim()
}

/** The file that the first start wrote for users without a terminal. */
const firstRun = () => readFileSync(join(installation.dataFolder, 'first-run.txt'), 'utf8')

test('the user who started the server gets from the setup link to a paid request of an official library', async () => {
  const setupLink = /http:\S+\/console\/setup\?token=\S+/.exec(firstRun())?.[0]
  assert.ok(setupLink !== undefined, firstRun())
  operator = await browser.visit(origin)
  const { page } = operator
  await page.goto('/console/sign-up')
  await page.getByText('Did you start this server?').waitFor()
  await page.goto(setupLink)
  await enter(page, 'Olive', 'Become administrator')
  await page.getByText('$5.00').first().waitFor()

  // The key that the server printed does not complete their step.
  assert.deepEqual(await stepsOf(page), ['Add a provider key', 'Create an API key', 'Connect a client'])
  await button(page, 'Try the sandbox first').click()
  await page.getByText('You are trying the sandbox').waitFor()
  await operator.accessible()
  const key = await makeKey(page)
  assert.ok(await isInSight(page, 'Done'))
  const dialog = page.getByRole('dialog')
  for (const client of ['JavaScript', 'Anthropic JavaScript']) {
    await dialog.getByRole('tab', { name: client, exact: true }).click()
    // For a moment it shows that it copied, and then the button returns to its label.
    await dialog.getByRole('button', { name: 'Copy the code' }).click()
    await dialog.getByRole('button', { name: 'Copied the code' }).waitFor()
    const program = await clipboard(page)
    assert.ok(program.includes(key) && program.includes(`${origin}/v1`), program)
    assert.equal(await runProgram(program), 'Say hello.')
    await dialog.getByText('request received.').waitFor()
  }
  await operator.accessible()
  await button(page, 'Done').click()
  await page.getByText('Your first request arrived').waitFor()
  assert.deepEqual(await stepsOf(page), [
    'Add a provider key',
    'Create an API key (done)',
    'Connect a client (done)',
  ])
  await page.getByRole('main').getByRole('link', { name: 'View receipt' }).click()
  await page.getByRole('button', { name: 'Copy request ID' }).waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''

  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Requests' }).click()
  await page.getByRole('textbox', { name: 'Request ID' }).fill(id)
  await button(page, 'Find').click()
  await page.getByRole('button', { name: 'Copy request ID' }).waitFor()
  assert.equal(await page.evaluate('window.isTheSame'), true)

  await page.goto('/console')
  await page.getByText('Only test models are available').waitFor()
  await page.getByRole('link', { name: 'Add provider key' }).waitFor()
  await operator.accessible()
  operator.clean()
})

test('a second user waits, is approved elsewhere, and continues without a reload', async () => {
  const visit = await browser.visit(origin)
  const { page } = visit
  await page.goto('/console/sign-up')
  await page.getByText('once an administrator approves you').waitFor()
  await enter(page, 'Grace', 'Create account')
  const waiting = page.getByText('Waiting for approval.')
  await waiting.waitFor()
  assert.deepEqual(await stepsOf(page), ['Create an API key', 'Connect a client'])
  const apiKey = await makeKey(page)
  const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey, maxRetries: 0 })
  const ask = () =>
    client.chat.completions.create({
      model: 'sandbox-echo',
      messages: [{ role: 'user', content: 'Good morning.' }],
    })
  await assert.rejects(ask(), { status: 402, code: 'insufficient_balance' })
  await page.getByRole('dialog').getByText('A request was rejected.').waitFor()
  await visit.accessible()
  await button(page, 'Done').click()

  const theirs = operator.page
  await theirs.goto('/console')
  await theirs.getByText('1 person is waiting for approval.').waitFor()
  await operator.accessible()
  await theirs.getByRole('link', { name: 'Review' }).click()
  await button(theirs, 'Approve Grace').click()
  await theirs.getByText('Grace approved.').waitFor()
  operator.clean()

  await waiting.waitFor({ state: 'detached' })
  await page.getByText('$5.00').first().waitFor()
  await page.getByText('A request was rejected.').waitFor({ state: 'detached' })
  assert.equal((await ask()).choices[0]?.message.content, 'Good morning.')
  await page.getByText('request received.').waitFor()
  assert.equal(await page.evaluate('window.isTheSame'), true)
  visit.clean()
  await visit.close()
})

test('a new organization is led to credit and members, and a user who accepts an invitation joins immediately', async () => {
  const { page } = operator
  await page.goto('/console/settings?tab=organizations')
  await button(page, 'Create organization').click()
  await page.getByRole('dialog').getByLabel('Name').fill('Acme')
  await button(page, 'Create').click()
  await page.getByText('Your balance is empty.').waitFor()
  const steps = ['Add credit', 'Create an API key', 'Connect a client']
  assert.deepEqual(await stepsOf(page), ['Add a provider key', ...steps, 'Invite members'])
  await operator.accessible()
  await button(page, 'Invite member').click()
  await page.getByLabel('Email', { exact: true }).fill('carol@example.org')
  await page.getByRole('dialog').getByLabel('Role').selectOption('developer')
  await button(page, 'Invite').click()
  const link = await page.getByRole('dialog').locator('code').first().textContent()
  await button(page, 'Done').click()
  await page.getByRole('heading', { level: 3, name: 'Invite members (done)' }).waitFor()

  const visit = await browser.visit(origin)
  await visit.page.goto(link ?? '')
  await visit.page.getByRole('link', { name: 'Create account' }).click()
  await visit.page.getByLabel('Your name', { exact: true }).fill('Carol')
  await visit.page.getByLabel('Email', { exact: true }).fill('carol@example.org')
  await visit.page.getByLabel('Password', { exact: true }).fill(password)
  await button(visit.page, 'Create account').click()
  await button(visit.page, 'Accept').click()
  await heading(visit.page, 'Overview')
  await visit.page.getByRole('main').getByText('Acme').waitFor()
  await visit.page.getByText('Owners, admins and billing members of this organization can do that.').waitFor()
  assert.equal(await visit.page.getByText('Waiting for approval.').count(), 0)
  // A developer sees who pays, and that it was done.
  assert.deepEqual(await stepsOf(visit.page), steps)
  await visit.page.getByText('Only owners, admins and billing members').waitFor()
  await visit.accessible()
  await page.getByRole('main').locator('ol').getByRole('button', { name: 'Add credit' }).click()
  await page.getByRole('dialog').getByLabel('Amount in USD').fill('2.50')
  await page.getByRole('dialog').getByRole('button', { name: 'Add credit' }).click()
  for (const { page } of [operator, visit])
    await page.getByRole('heading', { level: 3, name: 'Add credit (done)' }).waitFor()
  visit.clean()
  await visit.close()
  operator.clean()
})
