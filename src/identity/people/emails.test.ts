/** Emails through a real mail server: retries, and nothing private in the text. */
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

test('an email is retried, and no address is logged', async (context) => {
  const sink = await mailSink(context)
  const lines: string[] = []
  const people = await testPeople(context, {
    smtp: sink.url,
    limits: { mailRetryMs: 1 },
    logged: (line) => lines.push(line),
    address: 'https://gate.example',
  })
  sink.reject(2, 451)
  await people.browser().post('/sign-up/email', ann)
  await linkTo(sink, ann.email)
  sink.reject(1, 550)
  await people.browser().post('/sign-up/email', bob)
  await people.shut()
  assert.equal(lines.filter((line) => line.includes('retrying later')).length, 2)
  assert.equal(lines.filter((line) => line.includes('an email could not be sent"')).length, 1)
  assert.ok(lines.every((line) => !line.includes('@')))
})
