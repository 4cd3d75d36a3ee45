/** Password hashes, the limit of concurrent hashing, and common passwords. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ann, testPeople } from '../../../test/support/people.ts'
import { systemRandom } from '../../base/ids.ts'
import { isCommonPassword, openPasswords } from './passwords.ts'
import { weakPasswords } from './weak-passwords-table.ts'

const limits = { passwordHashesMax: 2, passwordHashesQueuedMax: 3 }

test('a hash matches one password, and differs each time', async () => {
  const passwords = openPasswords(systemRandom, limits)
  const hash = await passwords.hash('correct staple 9')
  assert.equal(await passwords.verify({ hash, password: 'correct staple 9' }), true)
  assert.equal(await passwords.verify({ hash, password: 'correct staple 8' }), false)
  assert.notEqual(await passwords.hash('correct staple 9'), hash)
})

test('two encodings of the same characters are one password', async () => {
  const passwords = openPasswords(systemRandom, limits)
  const hash = await passwords.hash('caf\u00e9 au lait 1')
  assert.equal(await passwords.verify({ hash, password: 'cafe\u0301 au lait 1' }), true)
})

for (const hash of ['', 'plain', '$argon2id$v=19$m=8,t=1,p=1$$', '$2b$10$abcdefghijklmnopqrstuv']) {
  test(`${JSON.stringify(hash)} is not a valid hash and matches nothing`, async () => {
    assert.equal(await openPasswords(systemRandom, limits).verify({ hash, password: hash }), false)
  })
}

test('concurrent and queued hashes are limited, and the rest is rejected with a retry time', async () => {
  const passwords = openPasswords(systemRandom, limits)
  const hashes = Array.from({ length: 8 }, () => passwords.hash('correct staple 9'))
  const outcomes = await Promise.allSettled(hashes)
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 8 - limits.passwordHashesMax - limits.passwordHashesQueuedMax)
  assert.match(await passwords.hash('correct staple 9'), /^\$argon2id/)
})

test('the network with the most queued hashes gives way to others', async () => {
  const passwords = openPasswords(systemRandom, limits)
  const from = (place: string) =>
    passwords.runForClient({ network: place, isKnown: false }, () => passwords.hash('correct staple 9'))
  const flood = Promise.allSettled(Array.from({ length: 8 }, () => from('one')))
  const others = await Promise.allSettled([from('two'), from('three'), from('two')])
  assert.deepEqual(
    others.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected'],
  )
  const fulfilled = (await flood).filter(({ status }) => status === 'fulfilled').length
  assert.equal(fulfilled, limits.passwordHashesMax + limits.passwordHashesQueuedMax - 2)
})

test('a flood of sign-ins is reported as overload', async (context) => {
  const people = await testPeople(context, { limits: { passwordHashesMax: 1, passwordHashesQueuedMax: 1 } })
  const replies = await Promise.allSettled(
    Array.from({ length: 6 }, (_, number) =>
      people.browser(`192.0.2.${number + 1}`).post('/sign-in/email', ann),
    ),
  )
  const busy = replies.filter((reply) => reply.status === 'rejected')
  assert.ok(busy.length > 0)
  for (const { reason } of busy) assert.equal((reason as { code: string }).code, 'overloaded')
})

test('while 70 networks guess, a browser in which the person signed in before still signs in', async (context) => {
  const people = await testPeople(context, { limits: { passwordHashesMax: 1, passwordHashesQueuedMax: 4 } })
  const home = people.browser('198.51.100.1')
  assert.equal((await home.post('/sign-up/email', { ...ann, name: 'Ann' })).status, 200)
  await home.post('/sign-out')
  const guesses = Promise.allSettled(
    Array.from({ length: 70 }, (_, number) => {
      const guess = { email: `p${number}@example.org`, password: `guess ${number} of them` }
      return people.browser(`192.0.2.${number + 1}`).post('/sign-in/email', guess)
    }),
  )
  const [known, changed] = await Promise.all([
    home.post('/sign-in/email', ann),
    people
      .browser('198.51.100.2')
      .post('/sign-in/email', ann)
      .catch((error: unknown) => error),
  ])
  assert.equal(known.status, 200)
  assert.equal((changed as { code?: string }).code, 'overloaded', 'in a new browser it has to be tried again')
  assert.ok((await guesses).some(({ status }) => status === 'rejected'))
})

test('right passwords are limited too, per person and per network, and wrong ones of others do not count', async (context) => {
  const limits = { guessesPerPersonMax: 1, guessesPerNetworkMax: 2, guessesFromStrangersMax: 1_000 }
  const people = await testPeople(context, { limits })
  const ben = { email: 'ben@example.org', password: ann.password }
  await people.browser('198.51.100.1').post('/sign-up/email', { ...ann, name: 'Ann' })
  await people.browser('198.51.100.2').post('/sign-up/email', { ...ben, name: 'Ben' })
  for (let number = 1; number <= 20; number += 1) {
    const guess = { ...ann, password: `guess ${number} of them` }
    assert.equal((await people.browser(`192.0.2.${number}`).post('/sign-in/email', guess)).status, 401)
  }
  const statuses = async (from: string, who: object, count: number) => {
    const seen: number[] = []
    for (let times = 0; times < count; times += 1)
      seen.push((await people.browser(from).post('/sign-in/email', who)).status)
    return seen
  }
  const right = Array.from({ length: 10 }, () => 200)
  assert.deepEqual(await statuses('203.0.113.1', ann, 12), [...right, 429, 429])
  assert.deepEqual(await statuses('203.0.113.2', ann, 1), [429], 'of all networks together')
  assert.deepEqual(await statuses('203.0.113.1', ben, 11), [...right, 429])
  const cid = { email: 'cid@example.org', password: ann.password, name: 'Cid' }
  await people.browser('198.51.100.3').post('/sign-up/email', cid)
  assert.deepEqual(await statuses('203.0.113.1', cid, 1), [429], 'of one network together')
})

test("a database failure is a server error, not the client's", async (context) => {
  const people = await testPeople(context)
  await people.shut()
  for (const path of ['/sign-in/email', '/sign-up/email', '/request-password-reset']) {
    const asked = people.browser().post(path, ann)
    if (path !== '/request-password-reset') await assert.rejects(asked, { code: 'store_unavailable' }, path)
    else assert.equal((await asked).body.code, 'RESET_PASSWORD_DISABLED')
  }
})

test('the list of common passwords is long enough', () => {
  assert.ok(weakPasswords.size > 500)
  for (const word of weakPasswords) assert.ok(word.length >= 10 && word === word.toLowerCase(), word)
})

const judged: readonly [password: string, isCommon: boolean][] = [
  ['Password123', true],
  ['1234567890', true],
  ['ANN@example.org', true],
  ['ababababababab', true],
  ['correct staple 9', false],
  ['ann@example.org and more', false],
]
for (const [password, isCommon] of judged) {
  test(`${JSON.stringify(password)} is ${isCommon ? '' : 'not '}common`, () => {
    assert.equal(isCommonPassword(password, ann.email), isCommon)
  })
}
