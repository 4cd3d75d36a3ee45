/**
 * Emails that an attacker tries to turn against their recipients: headers and text injected by names and addresses, recipients who were not asked for.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type ControlAnswer, ControlClient, sendTo } from '../support/control-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { type MailSink, mailSink, type Received } from '../support/mail-sink.ts'

const password = 'a long enough password'
let gateway: TestGateway
let sink: MailSink
const ends: (() => Promise<void>)[] = []

before(async () => {
  sink = await mailSink({ after: (end) => ends.push(async () => end()) })
  gateway = await testGateway({
    environment: { SMTP_URL: sink.url, MAIL_FROM: 'Tollgate <gate@example.org>' },
    limits: { uniformAnswerMs: 1, emailsPerAddressMax: 100 },
  })
})
after(async () => {
  await gateway.close()
  for (const end of ends) await end()
})

const json = { 'content-type': 'application/json' }

function ask(
  path: string,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<ControlAnswer> {
  const sent = { ...json, origin: gateway.origin, ...headers }
  return sendTo(gateway.origin, {
    method: 'POST',
    path: `/api/auth/${path}`,
    headers: sent,
    body: JSON.stringify(body),
  })
}

async function newcomer(name: string, email: string): Promise<ControlClient> {
  const answer = await ask('sign-up/email', { name, email, password })
  assert.equal(answer.status, 200, answer.text)
  const { text } = await sink.next(email)
  const token = new URL(/http\S+verify\S+/.exec(text)?.[0] ?? '').searchParams.get('token') ?? ''
  assert.equal(
    (await sendTo(gateway.origin, { method: 'GET', path: `/api/auth/verify-email?token=${token}` })).status,
    200,
  )
  const client = new ControlClient(gateway.origin)
  assert.equal((await client.post('/api/auth/sign-in/email', { email, password })).status, 200)
  return client
}

/** Every URL in an email is ours, its headers are the usual ones once, and it has one recipient. */
function assertHarmless({ raw, text, to }: Received, reader: string): void {
  assert.deepEqual(to, [reader])
  for (const [link] of text.matchAll(/\b[a-z][a-z0-9+.-]*:\/\/\S*/gi)) {
    assert.ok(link.startsWith(gateway.origin), link)
  }
  const heads = raw.slice(0, raw.indexOf('\r\n\r\n')).split(/\r\n(?![ \t])/)
  const names = heads.map((line) => line.split(':', 1)[0]?.toLowerCase() ?? '')
  assert.equal(new Set(names).size, names.length, names.join())
  const usual = ['from', 'to', 'subject', 'message-id', 'date', 'mime-version', 'content-type']
  for (const name of names) {
    assert.ok([...usual, 'content-transfer-encoding', 'auto-submitted'].includes(name), name)
  }
  assert.match(heads.find((line) => /^content-type:/i.test(line)) ?? '', /text\/plain/)
}

const wicked: readonly string[] = [
  'Eve, go to https://evil.test/ now',
  '"Eve" <third@example.org>, third@example.org',
  '=?utf-8?q?Eve=0D=0ABcc:_third@example.org?=',
]
/** Rejected as names: control characters, and characters that hide or reorder text. */
const unreadable: readonly string[] = [
  'Eve\r\nBcc: third@example.org\r\nSubject: other',
  'Eve\nContent-Type: text/html\n\n<b>x</b>',
  'Eve \u2028https://evil.test\u2029\u0000',
  '.\r\n.\r\nMAIL FROM:<x@y>',
  'Eve \u202egro.elpmaxe',
]

test('no name of a person or an organization injects a header, a recipient or a link into an email', async () => {
  for (const [index, name] of wicked.entries()) {
    const email = `wicked-${index}@example.org`
    const signedUp = await ask('sign-up/email', { name, email, password })
    assert.equal(signedUp.status, 200, signedUp.text)
    assertHarmless(await sink.next(email), email)
  }
  const client = await newcomer('inviter', 'inviter@example.org')
  for (const [index, name] of unreadable.entries()) {
    const email = `unreadable-${index}@example.org`
    assert.equal((await ask('sign-up/email', { name, email, password })).status, 400, name)
    assert.equal((await client.post('/api/auth/update-user', { name })).status, 400, name)
    const slug = `unreadable-${index}`
    assert.equal((await client.post('/api/auth/organization/create', { name, slug })).status, 400, name)
  }
  for (const [index, name] of wicked.entries()) {
    await client.post('/api/auth/update-user', { name })
    const made = await client.post('/api/auth/organization/create', { name, slug: `wicked-${index}` })
    assert.equal(made.status, 200, made.text)
    const organizationId = (made.body as { readonly id: string }).id
    const email = `invited-${index}@example.org`
    const invited = await client.post('/api/auth/organization/invite-member', {
      email,
      role: 'developer',
      organizationId,
    })
    assert.equal(invited.status, 200, invited.text)
    assertHarmless(await sink.next(email), email)
  }
})

test('input that is not exactly one address gets no email', async () => {
  const before = sink.emails.length
  const addresses = [
    'a@example.org,b@example.org',
    'a@example.org\r\nBcc: b@example.org',
    'a@example.org b@example.org',
    '"a@example.org" <b@example.org>',
    'a@example.org\u0000',
    '<a@example.org>',
    'a@[127.0.0.1]',
    'a@localhost',
    ['a@example.org', 'b@example.org'],
    { address: 'a@example.org' },
  ]
  const client = await newcomer('many', 'many@example.org')
  const made = await client.post('/api/auth/organization/create', { name: 'Many', slug: 'many' })
  const organizationId = (made.body as { readonly id: string }).id
  for (const email of addresses) {
    for (const [path, body] of [
      ['sign-up/email', { name: 'x', email, password }],
      ['request-password-reset', { email }],
      ['send-verification-email', { email }],
      ['sign-in/email', { email, password }],
    ] as const) {
      const { status, text } = await ask(path, body)
      assert.ok(status >= 400 && status < 500, `${path} ${JSON.stringify(email)}: ${status} ${text}`)
    }
    const invited = await client.post('/api/auth/organization/invite-member', {
      email,
      role: 'developer',
      organizationId,
    })
    assert.ok(invited.status >= 400 && invited.status < 500, invited.text)
    const changed = await client.post('/api/auth/change-email', { newEmail: email })
    assert.ok(changed.status >= 400 && changed.status < 500, changed.text)
  }
  assert.equal(sink.emails.length, before + 1)
})
