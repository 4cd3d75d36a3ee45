/**
 * Each code works once: codes of an authenticator app and backup codes, reused immediately, later, concurrently, or for
 * another purpose.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { type ControlAnswer, ControlClient } from '../support/control-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { totpCode } from '../support/totp.ts'
import { joined, type Member, password } from '../support/two-tenants.ts'

let gateway: TestGateway
before(async () => {
  gateway = await testGateway({ limits: { uniformAnswerMs: 1 } })
})
after(() => gateway.close())

const stepMs = 30_000
const codeOf = ({ body }: ControlAnswer) => (body as { readonly code?: string } | undefined)?.code

interface Guarded extends Member {
  readonly codes: readonly string[]
  /** The code of this step, counted from the one in which the factor was set up. */
  code(step: number): string
  verify(client: ControlClient, code: string): Promise<ControlAnswer>
}

/** A person with a second factor; the code of step 0 was used to set it up. */
async function guarded(name: string): Promise<Guarded> {
  const member = await joined(gateway.origin, name)
  const enabled = await member.client.post('/api/auth/two-factor/enable', { password })
  const { totpURI, backupCodes } = enabled.body as { totpURI: string; backupCodes: string[] }
  const secret = new URL(totpURI).searchParams.get('secret') ?? ''
  const begunMs = systemClock.wallMs()
  const person: Guarded = {
    ...member,
    codes: backupCodes,
    code: (step) => totpCode(secret, begunMs + step * stepMs),
    verify: (client, code) => client.post('/api/auth/two-factor/verify-totp', { code }),
  }
  assert.equal((await person.verify(member.client, person.code(0))).status, 200)
  return person
}

/** A browser that has sent the password and must now send the code. */
async function half({ email }: Member): Promise<ControlClient> {
  const client = new ControlClient(gateway.origin)
  const asked = await client.post('/api/auth/sign-in/email', { email, password })
  assert.equal((asked.body as { twoFactorRedirect?: boolean }).twoFactorRedirect, true, asked.text)
  return client
}

const isIn = async (client: ControlClient) => (await client.ask('me.show')).status === 200

test('a code that was accepted once is not accepted again', async () => {
  const person = await guarded('again')
  const [thief, owner, later] = [await half(person), await half(person), await half(person)]
  const setUp = await person.verify(thief, person.code(0))
  assert.deepEqual([setUp.status, codeOf(setUp), await isIn(thief)], [401, 'INVALID_CODE', false], setUp.text)
  assert.deepEqual(
    setUp.setCookies.filter((cookie) => /session_token=[^;]/.test(cookie)),
    [],
  )
  assert.equal((await person.verify(owner, person.code(1))).status, 200)
  const replayed = await person.verify(later, person.code(1))
  assert.deepEqual([replayed.status, await isIn(later)], [401, false], replayed.text)
  assert.ok(await isIn(owner))
})

test('of many concurrent uses of a code one succeeds', async () => {
  const person = await guarded('together')
  const halves = await Promise.all(Array.from({ length: 6 }, () => half(person)))
  const answers = await Promise.all(halves.map((client) => person.verify(client, person.code(1))))
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  const inside = await Promise.all(halves.map(isIn))
  assert.equal(inside.filter(Boolean).length, 1)
  const { body } = await person.client.send({ method: 'GET', path: '/api/auth/list-sessions' })
  assert.equal((body as readonly object[]).length, 2, 'whoever lost has no session')
})

test('a code that was used to sign in does not confirm the identity again', async () => {
  const person = await guarded('confirming')
  const client = await half(person)
  assert.equal((await person.verify(client, person.code(1))).status, 200)
  const confirmed = await client.post('/api/auth/confirm-login', { code: person.code(1) })
  assert.equal(confirmed.status, 401, confirmed.text)
  assert.ok(await isIn(client))
})

test('a code works only for its own person', async () => {
  const [one, other] = [await guarded('one'), await guarded('other')]
  const client = await half(other)
  assert.equal((await other.verify(client, one.code(1))).status, 401)
  assert.equal((await other.verify(client, other.code(1))).status, 200)
})

test('a backup code is used up, here and everywhere', async () => {
  const person = await guarded('backup')
  const [code = '', next = ''] = person.codes
  const use = (client: ControlClient, used: string) =>
    client.post('/api/auth/two-factor/verify-backup-code', { code: used })
  const [first, second] = [await half(person), await half(person)]
  assert.equal((await use(first, code)).status, 200)
  const again = await use(second, code)
  assert.deepEqual([again.status, await isIn(second)], [401, false], again.text)
  assert.equal((await use(second, next)).status, 200)
})
