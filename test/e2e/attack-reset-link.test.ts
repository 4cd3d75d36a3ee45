/**
 * A password reset link when internal errors occur: only a new password uses it up, and of many concurrent uses one
 * succeeds.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Limits } from '../../src/config/config.ts'
import { type ControlAnswer, ControlClient } from '../support/control-client.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { isOnPostgres, runStored } from '../support/test-database.ts'
import { joined, password } from '../support/two-tenants.ts'

const newPassword = 'another long enough one'
const dataFolder = mkdtempSync(join(tmpdir(), 'tollgate-reset-'))
after(() => rmSync(dataFolder, { recursive: true, force: true }))

/** The same installation, restarted for each. */
async function served<Result>(
  limits: Partial<Limits>,
  run: (gateway: TestGateway) => Promise<Result>,
): Promise<Result> {
  const gateway = await testGateway({ dataFolder, limits: { uniformAnswerMs: 1, ...limits } })
  try {
    return await run(gateway)
  } finally {
    await gateway.close()
  }
}

interface Linked {
  readonly email: string
  readonly token: string
}

const people = new Map<string, Linked>()
before(() =>
  served({}, async ({ gateway, origin }) => {
    for (const name of ['crowded', 'unwritten', 'choosing', 'raced', 'forged']) {
      const { email, person } = await joined(origin, name)
      const { link } = await gateway.services.identity.createResetLink(person)
      people.set(name, { email, token: new URL(link).searchParams.get('token') ?? '' })
    }
  }),
)

function linked(name: string): Linked {
  const person = people.get(name)
  assert.ok(person !== undefined)
  return person
}

const reset = (origin: string, token: string, chosen = newPassword): Promise<ControlAnswer> =>
  new ControlClient(origin).post('/api/auth/reset-password', { token, newPassword: chosen })

const signIn = async (origin: string, email: string, secret: string) =>
  (await new ControlClient(origin).post('/api/auth/sign-in/email', { email, password: secret })).status

/** The link works, once, and the new password is set. */
async function assertGood(origin: string, { email, token }: Linked): Promise<void> {
  assert.equal(await signIn(origin, email, password), 200)
  const answer = await reset(origin, token)
  assert.equal(answer.status, 200, answer.text)
  assert.deepEqual(
    [await signIn(origin, email, password), await signIn(origin, email, newPassword)],
    [401, 200],
  )
  assert.equal((await reset(origin, token)).status, 400)
}

test('a link remains valid when too many passwords are being hashed', async () => {
  const person = linked('crowded')
  await served({ passwordHashesMax: 0, passwordHashesQueuedMax: 0 }, async ({ origin }) => {
    const answer = await reset(origin, person.token)
    assert.equal(answer.status, 503, answer.text)
    assert.ok(Number(answer.headers['retry-after']) > 0)
  })
})

const inDatabase = (statement: string) => runStored(dataFolder, 'identity.db', statement)

/** Until it is mended, a statement of this kind on the table fails. */
async function broken(event: 'UPDATE' | 'DELETE', table: string): Promise<{ mend: () => Promise<unknown> }> {
  const trigger = `CREATE TRIGGER broken BEFORE ${event} ON ${table}`
  if (!isOnPostgres) {
    await inDatabase(`${trigger} BEGIN SELECT RAISE(ABORT, 'broken'); END`)
    return { mend: () => inDatabase('DROP TRIGGER broken') }
  }
  await inDatabase(
    `CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken'; END $$`,
  )
  await inDatabase(`${trigger} FOR EACH ROW EXECUTE FUNCTION broken()`)
  return { mend: () => inDatabase('DROP FUNCTION broken CASCADE') }
}

test('a link remains valid when the new password cannot be written', async () => {
  const person = linked('unwritten')
  for (const table of ['auth_account', 'auth_session'] as const) {
    const event = table === 'auth_account' ? 'UPDATE' : 'DELETE'
    const { mend } = await broken(event, table)
    const status = await served({}, async ({ origin }) => (await reset(origin, person.token)).status)
    await mend()
    assert.ok(status >= 500, `${table}: ${status}`)
  }
  await served({}, async ({ origin }) => {
    for (const name of ['crowded', 'unwritten']) await assertGood(origin, linked(name))
  })
})

test('a link remains valid when the new password is not acceptable', async () => {
  const person = linked('choosing')
  await served({}, async ({ origin }) => {
    for (const [chosen, code] of [
      ['sh0rt*', 'PASSWORD_TOO_SHORT'],
      ['x'.repeat(201), 'invalid_value'],
      ['password123', 'PASSWORD_TOO_COMMON'],
      ['', 'PASSWORD_TOO_COMMON'],
    ] as const) {
      const { status, text } = await reset(origin, person.token, chosen)
      assert.equal(status, 400, text)
      assert.ok(text.includes(code), text)
    }
    await assertGood(origin, person)
  })
})

test('of many concurrent uses of a link one succeeds, and no session remains', async () => {
  const { email, token } = linked('raced')
  await served({}, async ({ origin }) => {
    const before = new ControlClient(origin)
    await before.post('/api/auth/sign-in/email', { email, password })
    const chosen = Array.from({ length: 6 }, (_none, index) => `${newPassword} ${index}`)
    const answers = await Promise.all(chosen.map((one) => reset(origin, token, one)))
    const served = chosen.filter((_one, index) => answers[index]?.status === 200)
    assert.equal(served.length, 1)
    for (const one of chosen) assert.equal(await signIn(origin, email, one), one === served[0] ? 200 : 401)
    assert.equal((await before.ask('me.show')).status, 401)
  })
})

test('an invalid link sets nothing', async () => {
  const { email, token } = linked('forged')
  await served({}, async ({ origin }) => {
    for (const wrong of [
      '',
      'x',
      `${token}x`,
      token.slice(1),
      token.toLowerCase(),
      `reset-password:${token}`,
    ]) {
      const answer = await reset(origin, wrong)
      assert.equal(answer.status, 400, answer.text)
    }
    for (const body of [
      { newPassword },
      { token: [token], newPassword },
      { token },
      { token, newPassword: 7 },
    ]) {
      const answer = await new ControlClient(origin).post('/api/auth/reset-password', body)
      assert.equal(answer.status, 400, `${JSON.stringify(Object.keys(body))} ${answer.text}`)
    }
    const inAddress = await new ControlClient(origin).post(`/api/auth/reset-password?token=${token}`, {
      newPassword,
    })
    assert.equal(inAddress.status, 400, inAddress.text)
    assert.equal(await signIn(origin, email, password), 200)
  })
})
