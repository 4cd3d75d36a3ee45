/**
 * The whole path of a user, from sign-up to paying and continuing, in a real browser with a real server process,
 * real email, a real shell with curl, and a payment page that is clicked through.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { operations } from '../../contract/operations.ts'
import { openBrowser, type Page, type TestBrowser } from '../support/browser.ts'
import { type Installation, makeInstallation } from '../support/gateway-process.ts'
import { type MailSink, mailSink } from '../support/mail-sink.ts'
import { type StripeServer, startStripeServer } from '../support/stripe-server.ts'

const password = 'a long enough password'
const secrets = {
  secretKey: ['sk', 'test', 'story'].join('_'),
  webhookSecret: ['whsec', 'story'].join('_'),
}
/** One cent of starting credit, so that it is spent quickly. */
const settings = 'limits:\n  signupNano: 10000000\n'

let browser: TestBrowser
let installation: Installation
let stripe: StripeServer
let mail: MailSink
let origin: string

before(async () => {
  browser = await openBrowser()
  stripe = await startStripeServer(secrets)
  mail = await mailSink({ after: () => undefined })
  installation = makeInstallation(settings)
  const server = await installation.start({
    environment: {
      SMTP_URL: mail.url,
      MAIL_FROM: 'gate@example.org',
      STRIPE_SECRET_KEY: secrets.secretKey,
      STRIPE_WEBHOOK_SECRET: secrets.webhookSecret,
      STRIPE_API_URL: stripe.origin,
    },
  })
  origin = server.origin
  stripe.sendTo(`${origin}/api/stripe/webhook`)
})
after(async () => {
  await browser.close()
  await installation.remove()
  await stripe.close()
  await mail.close()
})

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const section = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name })
/** The content of the clipboard once the page says that something was copied. */
async function copied(page: Page, what: string): Promise<string> {
  await button(page, `Copied ${what}`).waitFor()
  return page.evaluate<string>('navigator.clipboard.readText()')
}
const keyLine = 'the text of “Set your API key”'
const askLine = 'the text of “Send a Chat Completions request”'

async function linkTo(email: string): Promise<string> {
  const { text } = await mail.next(email)
  const link = /https?:\S+/.exec(text)?.[0]
  assert.ok(link !== undefined, text)
  return link
}

/** The output of a shell for these lines, as a user would paste them. */
async function inShell(...lines: readonly string[]): Promise<string> {
  const shell = spawn('sh', ['-s'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const pieces: Buffer[] = []
  shell.stdout.on('data', (piece: Buffer) => pieces.push(piece))
  shell.stdin.end(`${lines.join('\n')}\n`)
  await once(shell, 'close')
  return Buffer.concat(pieces).toString()
}

interface ChatAnswer {
  readonly choices?: readonly { readonly message: { readonly content: string } }[]
  readonly error?: { readonly code: string; readonly message: string }
}

const quiet = (line: string) => line.replace(/^curl /, 'curl -s ')

test('a user signs up, connects, spends, tops up and continues', async () => {
  const visit = await browser.visit(origin)
  const { page } = visit
  const email = 'ada@example.org'

  await page.goto('/console/sign-up')
  await page.getByLabel('Your name', { exact: true }).fill('Ada')
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await button(page, 'Create account').click()
  await heading(page, 'Verify your email')
  await page.goto(await linkTo(email))
  await page.getByText('Email verified').waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
  await heading(page, 'Sign in')
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await button(page, 'Sign in').click()
  await heading(page, 'Overview')
  await page.getByText('$0.01').first().waitFor()
  await page.evaluate('window.isTheSame = true')

  await section(page, 'API keys').click()
  await heading(page, 'API keys')
  await button(page, 'Create key').first().click()
  await page.getByRole('textbox', { name: 'Name' }).fill('laptop')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  const shown = page.getByRole('dialog').locator('code').first()
  await shown.filter({ hasText: 'sk-tg-' }).waitFor()
  const key = (await shown.textContent()) ?? ''
  await button(page, 'Done').click()

  const other = await visit.window()
  await other.goto('/console')
  await heading(other, 'Overview')

  await section(page, 'Connect').click()
  await heading(page, 'Connect')
  await page.getByText('Waiting for your first request…').waitFor()
  await button(page, `Copy ${keyLine}`).click()
  const exported = await copied(page, keyLine)
  assert.equal(exported, `export TOLLGATE_KEY=${key}`)
  await button(page, `Copy ${askLine}`).click()
  const line = await copied(page, askLine)
  assert.ok(line.startsWith(`curl ${origin}/v1/chat/completions`), line)
  const ask = async (command = line): Promise<ChatAnswer> =>
    JSON.parse(await inShell(exported, quiet(command))) as ChatAnswer

  const first = await ask()
  assert.equal(first.choices?.[0]?.message.content, 'Say hello in one sentence.')
  await page.getByText('request received.').waitFor()
  await page.getByRole('link', { name: 'View receipt' }).waitFor()
  await other.getByText("You're all set").waitFor()
  await other
    .getByRole('region', { name: 'Recent requests' })
    .getByRole('link', { name: 'sandbox-echo' })
    .waitFor()

  // Each request reserves half of the balance, so a few of them leave too little for another.
  const dear = line
    .replace('sandbox-echo', 'sandbox-stream')
    .replace('Say hello in one sentence.', 'tokens=200000')
  let rejected: ChatAnswer = {}
  for (let turn = 0; turn < 20 && rejected.error === undefined; turn += 1) rejected = await ask(dear)
  assert.equal(rejected.error?.code, 'insufficient_balance', JSON.stringify(rejected))
  assert.ok(rejected.error?.message.includes(`${origin}/console/billing`), rejected.error?.message)
  await page.getByText('Your request was rejected (402).').waitFor()
  for (const window of [page, other])
    await window.getByText('Requests are being rejected: not enough credit.').waitFor()

  await page.getByRole('main').getByRole('link', { name: 'Add credit' }).click()
  await heading(page, 'Billing')
  assert.equal(await page.evaluate('window.isTheSame'), true, 'no page was loaded anew')
  await button(page, '$10').click()
  await button(page, 'Pay with Stripe').click()
  await heading(page, 'Pay')
  await button(page, 'Pay').click()
  await heading(page, 'Billing')
  await page.getByText("It's in your balance now.").waitFor()
  for (const window of [page, other]) {
    await window.getByText('Requests are being rejected: not enough credit.').waitFor({ state: 'hidden' })
  }
  await other
    .getByText(/^\$10\.0/)
    .first()
    .waitFor()
  const again = await ask()
  assert.equal(again.choices?.[0]?.message.content, 'Say hello in one sentence.')

  await section(page, 'Requests').click()
  await heading(page, 'Requests')
  await page
    .getByRole('region', { name: 'Requests, latest first' })
    .getByRole('link', { name: 'sandbox-echo' })
    .first()
    .click()
  await page.getByRole('button', { name: 'Copy request ID' }).waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const lookup = await visit.context.request.get(`/api/requests/${id}`)
  const receipt = operations['request.show'].output.parse(await lookup.json())
  const facts = (await page.getByRole('main').textContent()) ?? ''
  const tokens = [receipt.usage.inputUncached, receipt.usage.output]
  for (const fact of [
    ...tokens,
    `Reservedmaximum input for the request size, output up to ${receipt.outputLimit.toLocaleString('en-US')} tokens$${receipt.held}`,
    `Charged$${receipt.charged}`,
    receipt.price,
    'laptop',
  ]) {
    assert.ok(facts.includes(String(fact)), `${fact} is not in ${facts}`)
  }
  await visit.accessible()

  await section(page, 'API keys').click()
  await other.goto('/console/keys')
  await button(page, 'Create key').first().click()
  await page.getByRole('textbox', { name: 'Name' }).fill('seen in the other window')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await other.getByRole('link', { name: 'seen in the other window' }).waitFor()
  visit.clean()
  await visit.close()
})
