/** Throttling of guesses: the counters, and what does not count. test/e2e/attack-guessing.test.ts has the limits. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../../test/support/manual-clock.ts'
import { ann, type Reply, testPeople } from '../../../test/support/people.ts'
import { openAttempts } from './attempts.ts'

const limits = { attemptsWindowMs: 1_000, attemptsKeptMax: 3 }

test('attempts count within a window, against all keys or none', () => {
  const clock = manualClock()
  const attempts = openAttempts(clock, limits)
  const both = [
    { key: 'a', max: 2 },
    { key: 'b', max: 1 },
  ]
  assert.equal(attempts.take(both).kind, 'allowed')
  clock.advance(400)
  assert.deepEqual(attempts.take(both), { kind: 'rejected', retryAfterMs: 600 })
  assert.equal(attempts.take([{ key: 'a', max: 2 }]).kind, 'allowed')
  assert.equal(attempts.take([{ key: 'a', max: 2 }]).kind, 'rejected')
  clock.advance(600)
  assert.equal(attempts.take(both).kind, 'allowed')
})

test('a refunded attempt does not count', () => {
  const attempts = openAttempts(manualClock(), limits)
  for (let times = 0; times < 5; times += 1) {
    const taken = attempts.take([{ key: 'a', max: 1 }])
    assert.ok(taken.kind === 'allowed')
    taken.refund()
    taken.refund()
  }
  assert.equal(attempts.take([{ key: 'a', max: 1 }]).kind, 'allowed')
})

test('the number of remembered keys is bounded, and the oldest is evicted', () => {
  const attempts = openAttempts(manualClock(), limits)
  for (const key of ['a', 'b', 'c', 'd']) attempts.take([{ key, max: 1 }])
  assert.equal(attempts.take([{ key: 'd', max: 1 }]).kind, 'rejected')
  assert.equal(attempts.take([{ key: 'a', max: 1 }]).kind, 'allowed')
})

const isThrottled = ({ status, headers, body }: Reply): boolean => {
  if (status !== 429) return false
  assert.equal((body.error as { code: string }).code, 'too_many_attempts')
  assert.ok(Number(headers['retry-after']) > 0)
  return true
}

const fewGuesses = { guessesPerPersonMax: 3, guessesPerNetworkMax: 6 }

test('correct passwords do not count as guesses', async (context) => {
  const people = await testPeople(context, { limits: fewGuesses })
  const browser = people.browser()
  await browser.post('/sign-up/email', ann)
  for (let times = 0; times < 8; times += 1) {
    assert.equal((await browser.post('/sign-in/email', ann)).status, 200)
  }
})

test("a signed-in person's password cannot be guessed either", async (context) => {
  const people = await testPeople(context, { limits: fewGuesses })
  const browser = people.browser()
  await browser.post('/sign-up/email', ann)
  const wrong = {
    password: 'not the right one',
    currentPassword: 'nor this one',
    newPassword: 'whatever it is',
  }
  const paths = ['/confirm-login', '/change-password', '/two-factor/enable']
  for (const path of paths) assert.ok((await browser.post(path, wrong)).status < 429)
  for (const path of paths) assert.ok(isThrottled(await browser.post(path, wrong)), path)
})

const spellings = [
  '/sign-in/./email',
  '/x/../sign-in/email',
  '/sign-in/email#x',
  '/sign-in\t/email',
  '/sign-in/email/',
  '//sign-in/email',
  '/sign-in%2Femail',
  '/%73ign-in/email',
  '/sign-in/%2e/email',
  '\\sign-in\\email',
  '/SIGN-IN/email',
]

test('another spelling of a path does not bypass its rules', async (context) => {
  const people = await testPeople(context)
  await people.browser().post('/sign-up/email', ann)
  for (const path of spellings) assert.equal((await people.browser().post(path, ann)).status, 404, path)
})
