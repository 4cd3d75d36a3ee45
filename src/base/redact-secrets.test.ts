/** Secrets that an upstream repeats are hidden in every form; public text stays. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { withoutSecrets } from './redact-secrets.ts'

const random = (name: string, characters: number): string =>
  createHash('shake256', { outputLength: characters }).update(name).digest('base64').slice(0, characters)

const keyBody = random('pem', 300).replace(/(.{64})/g, '$1\n')
const frame = (word: string): string => ['-----', word, ' PRIVATE KEY', '-----'].join('')
const privateKey = `${frame('BEGIN')}\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC${keyBody}\n${frame('END')}\n`
const serviceAccount = JSON.stringify({
  type: 'service_account',
  private_key: privateKey,
  client_email: 'gateway@project-1.iam.gserviceaccount.com',
  token_uri: 'https://oauth2.googleapis.com/token',
})
/** Credentials, their random parts, and what of them may be shown. */
const credentials: readonly (readonly [credential: string, part: string, shown: readonly string[]])[] = [
  ...['sk-proj-', 'sk-ant-api03-', 'sk-or-v1-', 'org-', 'proj_', 'gsk_', 'AIza', ''].map((prefix) => {
    const part = random(`key ${prefix}`, 44)
    return [`${prefix}${part}`, part, prefix === '' ? [] : [`keys begin with ${prefix}`]] as const
  }),
  [
    serviceAccount,
    keyBody.slice(0, 64),
    ['https://oauth2.googleapis.com/token', frame('BEGIN'), 'gateway@project-1.iam.gserviceaccount.com'],
  ],
]
const encodings: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  base64: (text) => Buffer.from(text).toString('base64'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 behind a name': (text) => Buffer.from(`user:${text}`).toString('base64'),
  'a URL': encodeURIComponent,
  'a URL in lower case': (text) => encodeURIComponent(text).replace(/%../g, (code) => code.toLowerCase()),
}

for (const [credential, part, shown] of credentials) {
  const name = credential.slice(0, 14).replaceAll(part.slice(0, 4), '')
  test(`${name}: no 12 characters of its random part are shown, however they are written`, () => {
    for (const [how, encode] of Object.entries(encodings)) {
      for (let at = 0; at + 12 <= part.length; at += 1) {
        for (const run of [part.slice(at), part.slice(at, at + 12)]) {
          const text = withoutSecrets(`Invalid key: ${encode(run)} (org-1)`, credential)
          assert.match(text, /^Invalid key: .{0,13}….{0,13} \(org-1\)$/, `${how} from ${at}`)
          assert.ok(!text.includes(run), how)
        }
      }
    }
  })

  test(`${name}: what is public stays`, () => {
    const words = [...shown, 'The model does not exist: it was retired in 2026.', part.slice(0, 11)].join(' ')
    assert.equal(withoutSecrets(words, credential), words)
    assert.equal(withoutSecrets(`${credential}.`, credential).includes(part.slice(0, 12)), false)
  })
}
