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
  const rejected = outcomes.filter(({ status }) => status === 'rejected')
  assert.equal(rejected.length, 8 - limits.passwordHashesMax - limits.passwordHashesQueuedMax)
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
