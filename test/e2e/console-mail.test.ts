/** The pages that emails lead to, in a real browser: an address is verified, a password reset, an address changed. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openBrowser, type Page, type TestBrowser } from '../support/browser.ts'
import { ControlClient } from '../support/control-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { type MailSink, mailSink } from '../support/mail-sink.ts'

const password = 'a long enough password'
let sink: MailSink
let gateway: TestGateway
let browser: TestBrowser

before(async () => {
  browser = await openBrowser()
  sink = await mailSink({ after: () => undefined })
  gateway = await testGateway({ environment: { SMTP_URL: sink.url, MAIL_FROM: 'gate@example.org' } })
})
after(async () => {
  await browser.close()
  await gateway.close()
  await sink.close()
})

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const field = (page: Page, name: string) => page.getByLabel(name, { exact: true })

async function linkIn(email: string): Promise<string> {
  const { text } = await sink.next(email)
  const link = /https?:\S+/.exec(text)?.[0]
  assert.ok(link !== undefined, text)
  return link
}

async function fillSignUp(page: Page, name: string, email: string): Promise<void> {
  await field(page, 'Your name').fill(name)
  await field(page, 'Email').fill(email)
  await field(page, 'Password').fill(password)
  await button(page, 'Create account').click()
}

async function signIn(page: Page, email: string, secret: string): Promise<void> {
  await page.goto('/console/sign-in')
  await field(page, 'Email').fill(email)
  await field(page, 'Password').fill(secret)
  await button(page, 'Sign in').click()
}

test('an address is verified by its email, and the starting credit is granted', async () => {
  const visit = await browser.visit(gateway.origin)
  const { page } = visit
  const email = 'ada@example.org'
  await page.goto('/console/sign-up')
  await page.getByText('once your email is verified').waitFor()
  await fillSignUp(page, 'Ada', email)
  await heading(page, 'Verify your email')
  await page.getByText(`We sent a link to ${email}`).waitFor()
  await visit.accessible()
  const link = await linkIn(email)
  await page.goto(link)
  await page.getByText('Email verified').waitFor()
  await visit.accessible()
  await signIn(page, email, password)
  await heading(page, 'Overview')
  await page.getByText('$5.00').first().waitFor()
  assert.equal(await page.getByText('Verify your email.').count(), 0)
  visit.clean()
  await visit.close()
})

test('a damaged link says so and sends another', async () => {
  const visit = await browser.visit(gateway.origin)
  const { page } = visit
  const email = 'late@example.org'
  await page.goto('/console/sign-up')
  await fillSignUp(page, 'Late', email)
  await heading(page, 'Verify your email')
  const link = new URL(await linkIn(email))
  link.searchParams.set('token', 'damaged')
  await page.goto(link.href)
  await page.getByText('This link does not work').waitFor()
  await visit.accessible()
  await field(page, 'Email').fill(email)
  await button(page, 'Resend link').click()
  await page.goto(await linkIn(email))
  await page.getByText('Email verified').waitFor()
  visit.clean()
  await visit.close()
})

test('a forgotten password is reset by its email, which works once', async () => {
  const visit = await browser.visit(gateway.origin)
  const { page } = visit
  const email = 'ada@example.org'
  await page.goto('/console/sign-in')
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  await heading(page, 'Reset password')
  await field(page, 'Email').fill('nobody@example.org')
  await button(page, 'Send link').click()
  await page.getByText('Check your email').waitFor()
  await button(page, 'Use another email').click()
  await field(page, 'Email').fill(email)
  await button(page, 'Send link').click()
  await page.getByText(`If an account exists for ${email}`).waitFor()
  await visit.accessible()
  const link = await linkIn(email)
  await page.goto(link)
  await field(page, 'New password').fill('another long password')
  await visit.accessible()
  await button(page, 'Set password').click()
  await heading(page, 'Sign in')
  await signIn(page, email, 'another long password')
  await heading(page, 'Overview')
  await page.goto(link)
  await field(page, 'New password').fill('a third long password')
  await button(page, 'Set password').click()
  await page.getByRole('alert').waitFor()
  assert.equal(sink.emails.filter(({ to }) => to.includes('nobody@example.org')).length, 0)
  visit.clean()
  await visit.close()
})

test('an address changes once it is confirmed from the current one and the new one', async () => {
  const visit = await browser.visit(gateway.origin)
  const { page } = visit
  const [present, next] = ['ada@example.org', 'ada.byron@example.org']
  await signIn(page, present, 'another long password')
  await heading(page, 'Overview')
  await page.goto('/console/settings')
  await field(page, 'New email').fill(next)
  await button(page, 'Change email').click()
  await page.getByText('The change takes effect once you confirm it there').waitFor()
  await page.goto(await linkIn(present))
  await page.getByText(`We sent a link to ${next}.`).waitFor()
  await visit.accessible()
  await page.goto(await linkIn(next))
  await page.getByText('Email verified').waitFor()
  await page.goto('/console/settings')
  await page.getByText(next).first().waitFor()
  visit.clean()
  await visit.close()
})

async function firstOperator({ gateway: { start }, origin }: TestGateway): Promise<ControlClient> {
  assert.ok(start.kind === 'first')
  const token = new URL(start.setupLink).searchParams.get('token') ?? ''
  const client = new ControlClient(origin)
  const login = { email: 'operator@example.org', password }
  await client.done('setup.claim', { token, name: 'Operator', ...login })
  assert.equal((await client.post('/api/auth/sign-in/email', login)).status, 200)
  return client
}

test('the link of an invitation verifies the address: no second email has to be opened', async () => {
  const operator = await firstOperator(gateway)
  const email = 'invited@example.org'
  await operator.done('people.invite', { email })
  const visit = await browser.visit(gateway.origin)
  const { page } = visit
  await page.goto(await linkIn(email))
  await fillSignUp(page, 'Ida', email)
  await heading(page, 'Overview')
  await page.getByText('$5.00').first().waitFor()
  assert.equal(await page.getByText('Verify your email.').count(), 0)
  assert.deepEqual(
    sink.emails.filter(({ to }) => to.includes(email)).map(({ subject }) => /confirm/i.test(subject)),
    [false],
  )
  visit.clean()
  await visit.close()
})

test('an invitation verifies no other address, and nothing without its token', async () => {
  const operator = new ControlClient(gateway.origin)
  const login = { email: 'operator@example.org', password }
  assert.equal((await operator.post('/api/auth/sign-in/email', login)).status, 200)
  const { link } = await operator.done('people.invite', { email: 'proven@example.org' })
  const invitation = new URL(link).searchParams.get('invitation') ?? ''
  for (const [email, token] of [
    ['another@example.org', invitation],
    ['proven@example.org', `${invitation}x`],
  ] as const) {
    const anyone = new ControlClient(gateway.origin)
    const joined = await anyone.post('/api/auth/sign-up/email', {
      name: 'Mallory',
      email,
      password,
      invitation: token,
    })
    assert.equal(joined.status, 200)
    const entered = await anyone.post('/api/auth/sign-in/email', { email, password })
    assert.equal(entered.status, 403, `${email} is not verified`)
  }
})

test('where sign-up is by invitation, the page says so, and an invitation link opens it', async () => {
  const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-test-'))
  writeFileSync(join(dataFolder, 'tollgate.yaml'), 'signup: invite\n')
  const invited = await testGateway({ dataFolder })
  const operator = await firstOperator(invited)
  const visit = await browser.visit(invited.origin)
  const { page } = visit
  await page.goto('/console/sign-up')
  await page.getByText('Sign-up is by invitation only').waitFor()
  await visit.accessible()
  await page.goto('/console/forgot')
  await page.getByText("This server can't send email").waitFor()
  await visit.accessible()
  const { link } = await operator.done('people.invite', { email: 'guest@example.org' })
  await page.goto(link)
  assert.equal(await field(page, 'Email').inputValue(), 'guest@example.org')
  await fillSignUp(page, 'Guest', 'guest@example.org')
  await heading(page, 'Overview')
  await page.getByText('$5.00').first().waitFor()
  visit.clean()
  await visit.close()
  await invited.close()
  rmSync(dataFolder, { recursive: true, force: true })
})
