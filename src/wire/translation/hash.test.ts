/** Fingerprints: constant length, deterministic, and different for texts that differ anywhere. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { shortHash, textHash } from './hash.ts'

test('a fingerprint has 24 letters and digits and never changes', () => {
  // Ids of tools that clients keep are made of it: another value would break their conversations.
  assert.equal(textHash(''), '6s380xqj7s7v64qak3cfkntu')
  assert.equal(textHash('call_1'), 'd85qjvz9rpxae390q0fdpi4w')
  assert.equal(textHash('Ā€😀'), '8ii6cc9c1xh9e86hu763ms8d')
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      assert.match(textHash(text), /^[0-9a-z]{24}$/)
      assert.equal(textHash(text).startsWith(shortHash(text)), true)
      assert.equal(shortHash(text).length, 8)
    }),
  )
})

test('texts that differ have fingerprints that differ', () => {
  const texts = Array.from({ length: 200_000 }, (_, index) => `call_${index}`)
  assert.equal(new Set(texts.map(textHash)).size, texts.length)
  assert.ok(new Set(texts.map(shortHash)).size > texts.length - 3)
  const long = 'x'.repeat(10_000)
  const changed = Array.from({ length: 1_000 }, (_, at) => `${long.slice(0, at)}y${long.slice(at + 1)}`)
  assert.equal(new Set(changed.map(textHash)).size, changed.length)
})
