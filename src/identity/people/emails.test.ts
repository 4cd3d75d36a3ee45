/** Emails through a real mail server: verification, password resets, address changes and invitations. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type MailSink, mailSink } from '../../../test/support/mail-sink.ts'
import type { Lifetime } from '../../../test/support/open-ledger.ts'
import { ann, type Browser, bob, testPeople } from '../../../test/support/people.ts'

async function withMail(context: Lifetime) {
  const sink = await mailSink(context)
  return { sink, people: await testPeople(context, { smtp: sink.url, address: 'https://gate.example' }) }
}

/** The query of the link in an email. */
async function linkTo(sink: MailSink, to: string): Promise<URL> {
  const { text } = await sink.next(to)
  const link = /https:\/\/gate\.example\/\S+/.exec(text)?.[0]
  assert.ok(link !== undefined, text)
  return new URL(link)
}

async function verify(browser: Browser, link: URL): Promise<number> {
  assert.equal(link.pathname, '/console/verify')
  return (await browser.get(`/verify-email?token=${link.searchParams.get('token')}`)).status
}

test('the link in an email verifies an address and does not sign in', async (context) => {
  const { sink, people } = await withMail(context)
  const heard: string[] = []
  people.onSignUp(async ({ email }) => void heard.push(`joined ${email}`))
  people.onVerified(async ({ email, confirmed }) => void heard.push(`verified ${email} ${confirmed}`))
  const browser = people.browser()
  assert.equal((await browser.post('/sign-up/email', ann)).status, 200)
  assert.equal(browser.cookies.size, 0)
  assert.equal((await browser.post('/sign-in/email', ann)).body.code, 'EMAIL_NOT_VERIFIED')
  const link = await linkTo(sink, ann.email)
  const stranger = people.browser()
  assert.equal(await verify(stranger, link), 200)
  assert.equal(await stranger.signedIn(), null)
  assert.equal((await browser.post('/sign-in/email', ann)).status, 200)
  assert.equal((await browser.signedIn())?.person.verified, true)
  assert.deepEqual(heard, [`joined ${ann.email}`, `verified ${ann.email} true`])
})

test('signing up with an existing address answers the same, and the email says so', async (context) => {
  const { sink, people } = await withMail(context)
  const shape = async (browser: Browser, who: object) => {
    const { status, body, setCookies } = await browser.post('/sign-up/email', who)
    const user = body.user as object
    return { status, setCookies, fields: Object.keys(body), user: Object.keys(user).sort() }
  }
  const fresh = await shape(people.browser(), ann)
  const taken = await shape(people.browser(), { ...ann, name: 'Mallory', password: 'mallory wants in' })
  assert.deepEqual(taken, fresh)
  await linkTo(sink, ann.email)
  assert.match((await sink.next(ann.email)).subject, /already have a Tollgate account/)
  assert.equal((await people.identity.findPersonByEmail(ann.email))?.name, ann.name)
})

test('a forgotten password is reset by email, and the response does not reveal who has an account', async (context) => {
  const { sink, people } = await withMail(context)
  const browser = people.browser()
  await browser.post('/sign-up/email', ann)
  await verify(browser, await linkTo(sink, ann.email))
  await browser.post('/sign-in/email', ann)
  const evil = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }
  const asked = { redirectTo: 'https://evil.example/' }
  const known = await people.browser().post('/request-password-reset', { email: ann.email, ...asked }, evil)
  const unknown = await people.browser().post('/request-password-reset', { email: bob.email, ...asked })
  assert.deepEqual([known.status, known.body], [200, unknown.body])
  const link = await linkTo(sink, ann.email)
  assert.equal(link.pathname, '/console/reset')
  const reset = { token: link.searchParams.get('token'), newPassword: 'another horse 10' }
  assert.equal((await people.browser().post('/reset-password', reset)).status, 200)
  assert.equal(await browser.signedIn(), null)
  assert.ok(sink.emails.every(({ raw }) => !raw.includes('evil.example')))
  assert.ok(!sink.emails.some(({ to }) => to.includes(bob.email)))
})

test('an address changes only when the old address confirms and the new one is verified', async (context) => {
  const { sink, people } = await withMail(context)
  const browser = people.browser()
  await browser.post('/sign-up/email', ann)
  await verify(browser, await linkTo(sink, ann.email))
  await browser.post('/sign-in/email', ann)
  const newEmail = 'ann@example.com'
  assert.equal((await browser.post('/change-email', { newEmail })).status, 200)
  assert.equal(await verify(browser, await linkTo(sink, ann.email)), 200)
  assert.equal((await browser.signedIn())?.person.email, ann.email)
  assert.equal(await verify(browser, await linkTo(sink, newEmail)), 200)
  const { person } = (await browser.signedIn()) ?? {}
  assert.deepEqual([person?.email, person?.verified], [newEmail, true])
})

test('a name is one line in an email and never a link', async (context) => {
  const { sink, people } = await withMail(context)
  const lines = 'Win money\r\nBcc: everybody@example.org\n\nNow'
  assert.equal((await people.browser().post('/sign-up/email', { ...ann, name: lines })).status, 400)
  const name = 'Win money at https://evil.example/ Bcc: everybody@example.org Now'
  await people.browser().post('/sign-up/email', { ...ann, name })
  const { text, raw, to } = await sink.next(ann.email)
  assert.deepEqual(to, [ann.email])
  assert.ok(!text.includes('https://evil') && !/^Bcc/m.test(raw) && !/^Now/m.test(text))
})

test('an email is retried, and no address is logged', async (context) => {
  const sink = await mailSink(context)
  const lines: string[] = []
  const people = await testPeople(context, {
    smtp: sink.url,
    limits: { mailRetryMs: 1 },
    logged: (line) => lines.push(line),
    address: 'https://gate.example',
  })
  sink.refuse(2, 451)
  await people.browser().post('/sign-up/email', ann)
  await linkTo(sink, ann.email)
  sink.refuse(1, 550)
  await people.browser().post('/sign-up/email', bob)
  await people.shut()
  assert.equal(lines.filter((line) => line.includes('retrying later')).length, 2)
  assert.equal(lines.filter((line) => line.includes('an email could not be sent"')).length, 1)
  assert.ok(lines.every((line) => !line.includes('@')))
})

test('an invitation is sent when mail is configured', async (context) => {
  const { sink, people } = await withMail(context)
  const { sent } = await people.identity.invite('Carol@Example.org')
  const link = await linkTo(sink, 'carol@example.org')
  assert.equal(sent, true)
  assert.equal(link.pathname, '/console/sign-up')
  assert.equal(link.searchParams.get('email'), 'carol@example.org')
})
