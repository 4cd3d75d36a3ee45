/** Expired and surplus sessions are deleted, use does not extend a session, and an ended session is not cached. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { ann, bob, type TestPeople, testPeople } from '../../../test/support/people.ts'
import { systemClock } from '../../base/clock.ts'

interface Row {
  readonly id: string
  readonly userId: string
  readonly expiresAt: string
}

function inDatabase<Result>({ dataFolder }: TestPeople, run: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(join(dataFolder, 'identity.db'))
  try {
    return run(database)
  } finally {
    database.close()
  }
}

const rowsOf = (people: TestPeople) =>
  inDatabase(people, (database) =>
    database.prepare('SELECT id, "userId", "expiresAt" FROM auth_session ORDER BY "createdAt"').all(),
  ) as unknown as Row[]

const dayMs = 24 * 3_600_000
const fromNow = (days: number) => new Date(systemClock.wallMs() + days * dayMs).toISOString()

const endAll = (people: TestPeople, at: string) =>
  inDatabase(people, (database) => database.prepare('UPDATE auth_session SET "expiresAt" = ?').run(at))

test('an expired session is deleted at the next sign-in', async (context) => {
  const people = await testPeople(context)
  assert.equal((await people.browser().post('/sign-up/email', ann)).status, 200)
  const [old] = rowsOf(people)
  endAll(people, fromNow(-1))
  assert.equal((await people.browser().post('/sign-up/email', bob)).status, 200)
  const rows = rowsOf(people)
  assert.equal(rows.length, 1)
  assert.notEqual(rows[0]?.id, old?.id)
})

test("the oldest sessions beyond a person's limit are deleted", async (context) => {
  const people = await testPeople(context, { limits: { sessionsPerPersonMax: 3 } })
  assert.equal((await people.browser().post('/sign-up/email', bob)).status, 200)
  const browsers = [people.browser()]
  assert.equal((await browsers[0]?.post('/sign-up/email', ann))?.status, 200)
  for (let more = 0; more < 3; more += 1) {
    const browser = people.browser()
    assert.equal((await browser.post('/sign-in/email', ann)).status, 200)
    browsers.push(browser)
  }
  const known = await Promise.all(browsers.map(async (browser) => (await browser.signedIn()) !== null))
  assert.deepEqual(known, [false, true, true, true])
  // Another person's sessions stay.
  assert.equal(rowsOf(people).length, 4)
})

test('a session expires on time however often it is used', async (context) => {
  const people = await testPeople(context)
  const browser = people.browser()
  assert.equal((await browser.post('/sign-up/email', ann)).status, 200)
  const soon = fromNow(3)
  endAll(people, soon)
  const { setCookies } = await browser.get('/get-session')
  assert.deepEqual([rowsOf(people)[0]?.expiresAt, setCookies], [soon, []])
})

test('a change that fails halfway leaves no stale session in the cache', async (context) => {
  const people = await testPeople(context)
  const [own, others] = [people.browser(), people.browser()]
  assert.equal((await own.post('/sign-up/email', ann)).status, 200)
  assert.equal((await others.post('/sign-in/email', ann)).status, 200)
  assert.notEqual(await others.signedIn(), null)
  inDatabase(people, (database) =>
    database.exec(
      `CREATE TRIGGER no_more BEFORE INSERT ON auth_session BEGIN SELECT RAISE(ABORT, 'no more'); END`,
    ),
  )
  // The others are signed out before this one gets a new session.
  await assert.rejects(
    own.post('/change-password', { currentPassword: ann.password, newPassword: 'another long enough one' }),
  )
  assert.equal(rowsOf(people).length, 0)
  assert.equal(await others.signedIn(), null)
})
