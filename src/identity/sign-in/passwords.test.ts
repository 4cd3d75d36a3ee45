/** Passwords: what is stored of them, how many are hashed at once, and which are too well known. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ann, testPeople } from '../../../test/support/people.ts'
import { systemRandom } from '../../base/ids.ts'
import { isCommonPassword, openPasswords } from './passwords.ts'
import { weakPasswords } from './weak-passwords-table.ts'

const limits = { passwordHashesMax: 2, passwordHashesQueuedMax: 3 }

test('a hash is of this password alone, and another one each time', async () => {
  const passwords = openPasswords(systemRandom, limits)
  const hash = await passwords.hash('correct staple 9')
  assert.equal(await passwords.verify({ hash, password: 'correct staple 9' }), true)
  assert.equal(await passwords.verify({ hash, password: 'correct staple 8' }), false)
  assert.notEqual(await passwords.hash('correct staple 9'), hash)
})

test('the same letters typed in two ways are one password', async () => {
  const passwords = openPasswords(systemRandom, limits)
  const hash = await passwords.hash('caf\u00e9 au lait 1')
  assert.equal(await passwords.verify({ hash, password: 'cafe\u0301 au lait 1' }), true)
})

for (const hash of ['', 'plain', '$argon2id$v=19$m=8,t=1,p=1$$', '$2b$10$abcdefghijklmnopqrstuv']) {
  test(`«${hash}» is no hash of ours and fits nothing`, async () => {
    assert.equal(await openPasswords(systemRandom, limits).verify({ hash, password: hash }), false)
  })
}

test('few are hashed at once, few wait, the rest is asked to come again', async () => {
  const passwords = openPasswords(systemRandom, limits)
  const hashes = Array.from({ length: 8 }, () => passwords.hash('correct staple 9'))
  const outcomes = await Promise.allSettled(hashes)
  const refused = outcomes.filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 8 - limits.passwordHashesMax - limits.passwordHashesQueuedMax)
  assert.match(await passwords.hash('correct staple 9'), /^\$argon2id/)
})

test('whoever takes most of what waits gives way to others', async () => {
  const passwords = openPasswords(systemRandom, limits)
  const from = (place: string) => passwords.runForNetwork(place, () => passwords.hash('correct staple 9'))
  const flood = Promise.allSettled(Array.from({ length: 8 }, () => from('one')))
  const others = await Promise.allSettled([from('two'), from('three'), from('two')])
  assert.deepEqual(
    others.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected'],
  )
  const kept = (await flood).filter(({ status }) => status === 'fulfilled').length
  assert.equal(kept, limits.passwordHashesMax + limits.passwordHashesQueuedMax - 2)
})

test('a flood of sign-ins is overload of this server', async (context) => {
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

test('trouble of the database is nobody else’s fault', async (context) => {
  const people = await testPeople(context)
  await people.shut()
  for (const path of ['/sign-in/email', '/sign-up/email', '/request-password-reset']) {
    const asked = people.browser().post(path, ann)
    if (path !== '/request-password-reset') await assert.rejects(asked, { code: 'store_unavailable' }, path)
    else assert.equal((await asked).body.code, 'RESET_PASSWORD_DISABLED')
  }
})

test('the list of well-known passwords is worth its name', () => {
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
  test(`«${password}» is ${isCommon ? '' : 'not '}among those that are tried first`, () => {
    assert.equal(isCommonPassword(password, ann.email), isCommon)
  })
}
