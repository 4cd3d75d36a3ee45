/** Settings of users and mail: sources, defaults, and every mistake by its name. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type ConfigResult, type Environment, readConfig } from './config.ts'

function read(context: TestContext, yaml: string, environment: Environment = {}): ConfigResult {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-'))
  context.after(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'tollgate.yaml'), yaml)
  return readConfig(environment, folder)
}

const mail = { SMTP_URL: 'smtp://127.0.0.1:25', MAIL_FROM: 'Tollgate <gate@example.org>' }

const signUps: readonly [about: string, yaml: string, environment: Environment, signup: string][] = [
  ['this machine alone', '', {}, 'open'],
  ['any address without mail', '', { TOLLGATE_HOST: '0.0.0.0' }, 'invite'],
  ['any address with mail', '', { TOLLGATE_HOST: '0.0.0.0', ...mail }, 'open'],
  ['a public address in front of loopback', '', { TOLLGATE_PUBLIC_URL: 'https://gate.example' }, 'invite'],
  ['a public address with mail', '', { TOLLGATE_PUBLIC_URL: 'https://gate.example', ...mail }, 'open'],
  ['loopback as the public address', '', { TOLLGATE_PUBLIC_URL: 'http://localhost:9000' }, 'open'],
  ['what was chosen', 'signup: closed', mail, 'closed'],
]
for (const [about, yaml, environment, signup] of signUps) {
  test(`sign-up on ${about} is ${signup}`, (context) => {
    const result = read(context, yaml, environment)
    assert.equal(result.kind === 'config' && result.config.signup, signup)
  })
}

test('mail and providers are read as they are written', (context) => {
  const yaml = `signIn:
  - { kind: github, clientId: a, clientSecret: "\${GITHUB_SECRET}" }
  - { kind: oidc, id: staff, name: Staff, issuer: https://login.example/realm, clientId: b, clientSecret: c }
`
  const result = read(context, yaml, { ...mail, GITHUB_SECRET: 'shh' })
  assert.ok(result.kind === 'config')
  assert.deepEqual(result.config.mail, { url: mail.SMTP_URL, from: mail.MAIL_FROM })
  assert.deepEqual(result.config.signIn, [
    { kind: 'github', id: 'github', name: 'GitHub', issuer: null, clientId: 'a', clientSecret: 'shh' },
    {
      kind: 'oidc',
      id: 'staff',
      name: 'Staff',
      issuer: 'https://login.example/realm',
      clientId: 'b',
      clientSecret: 'c',
    },
  ])
})

const mistakes: readonly [yaml: string, environment: Environment, message: RegExp][] = [
  ['', { SMTP_URL: 'smtp://a' }, /^MAIL_FROM: is not set, but SMTP_URL is/],
  ['', { MAIL_FROM: 'a@b.c' }, /^SMTP_URL: is not set, but MAIL_FROM is/],
  ['', { ...mail, SMTP_URL: 'http://a' }, /^SMTP_URL: must be smtp/],
  ['', { ...mail, MAIL_FROM: 'nobody' }, /^MAIL_FROM: must be an address/],
  ['', { ...mail, MAIL_FROM: 'A\r\nBcc: x <a@b.c>' }, /^MAIL_FROM: must be an address/],
  ['signup: maybe', {}, /signup: must be open, invite or closed/],
  ['signIn: [{ kind: oidc, clientId: a, clientSecret: b }]', {}, /signIn\[0\]\.issuer: is missing/],
  [
    'signIn: [{ kind: oidc, issuer: "http://login.example", clientId: a, clientSecret: b }]',
    {},
    /signIn\[0\]\.issuer: must be an HTTPS URL/,
  ],
  [
    'signIn: [{ kind: google, issuer: "https://a.example", clientId: a, clientSecret: b }]',
    {},
    /signIn\[0\]\.issuer: is only for oidc/,
  ],
  [
    'signIn: [{ kind: oidc, id: github, issuer: "https://a.example", clientId: a, clientSecret: b }]',
    {},
    /signIn\[0\]\.id: github is reserved for that provider/,
  ],
  [
    'signIn: [{ kind: github, clientId: a, clientSecret: b }, { kind: github, clientId: a, clientSecret: b }]',
    {},
    /signIn\[1\]\.id: duplicate provider ID github/,
  ],
]
for (const [yaml, environment, message] of mistakes) {
  test(`a mistake is reported: ${message.source}`, (context) => {
    const result = read(context, yaml, environment)
    assert.ok(result.kind === 'mistakes')
    assert.match(result.mistakes.join('\n').replace(/^.*yaml: /, ''), message)
  })
}
