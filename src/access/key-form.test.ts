/** The form of a key: what it contains, what it hides, and that a typo is detected. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { systemRandom } from '../base/ids.ts'
import { makeKey, readKey } from './key-form.ts'

const ids = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })
const brand = ['sk', 'tg', ''].join('-')

test('a key says its id and its public start', () => {
  fc.assert(
    fc.property(ids, ids, fc.uint8Array({ minLength: 32, maxLength: 32 }), (account, id, drawn) => {
      const { key, label } = makeKey(account, id, () => drawn)
      assert.match(key, /^sk-tg-[0-9A-Za-z]{17}-[0-9A-Za-z]{34}$/)
      assert.ok(key.startsWith(`${label}-`) && label.length === 23)
      assert.deepEqual(readKey(key), { id, label })
    }),
  )
})

test('keys of one account begin alike, those of another do not', () => {
  const start = (account: bigint, id: bigint) => makeKey(account, id, systemRandom).label.slice(0, 12)
  assert.equal(start(5n, 1n), start(5n, 2n))
  assert.notEqual(start(5n, 1n), start(6n, 1n))
})

test('any one character changed, left out or doubled is noticed', () => {
  const { key } = makeKey(1n, 2n, systemRandom)
  const characters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_ é'
  for (let at = 0; at < key.length; at += 1) {
    assert.equal(readKey(key.slice(0, at) + key.slice(at + 1)), undefined)
    assert.equal(readKey(key.slice(0, at) + key[at] + key.slice(at)), undefined)
    for (const other of characters) {
      if (other === key[at]) continue
      assert.equal(readKey(key.slice(0, at) + other + key.slice(at + 1)), undefined, `${at}: ${other}`)
    }
  }
})

test('what is not a key is rejected, however long', () => {
  for (const text of [
    '',
    brand,
    `${brand}${'a'.repeat(53)}`,
    'x'.repeat(1_000_000),
    `${brand}${'é'.repeat(52)}`,
  ]) {
    assert.equal(readKey(text), undefined)
  }
})

test('the secret part uses at least 160 of the bits drawn, and every digit', () => {
  const secrets = Array.from({ length: 2_000 }, () => makeKey(1n, 2n, systemRandom).key.slice(24, -6))
  assert.equal(new Set(secrets).size, secrets.length)
  for (let place = 0; place < 28; place += 1) {
    const digits = new Set(secrets.map((secret) => secret[place]))
    assert.equal(digits.size, 62, `place ${place}`)
  }
})
