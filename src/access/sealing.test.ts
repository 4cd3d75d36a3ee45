/** Encrypted secrets: decrypted only with their key, for their purpose, unchanged. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { systemRandom } from '../base/ids.ts'
import { createSealer } from './sealing.ts'

const key = systemRandom(32)
const sealer = createSealer(key, systemRandom)

test('what was sealed opens for the same words, and is never the same twice', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.array(fc.string()), (secret, words) => {
      const [one, other] = [sealer.seal(secret, words), sealer.seal(secret, words)]
      assert.equal(createSealer(key, systemRandom).open(one, words), secret)
      assert.notDeepEqual(one, other)
    }),
  )
})

test('it opens for no other words, with no other key, and not when a bit was changed', () => {
  const words = ['upstream', 'a', 'openai', 'https://a.example']
  const sealed = sealer.seal('hidden', words)
  for (const others of [
    [],
    ['upstream', 'a', 'openai', 'https://b.example'],
    ['upstream', 'ao', 'penai', words[3] ?? ''],
  ]) {
    assert.equal(sealer.open(sealed, others), undefined)
  }
  assert.equal(createSealer(systemRandom(32), systemRandom).open(sealed, words), undefined)
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Uint8Array.from(sealed)
    changed[index] = (changed[index] ?? 0) ^ 1
    assert.equal(sealer.open(changed, words), undefined, `byte ${index}`)
    assert.equal(sealer.open(sealed.subarray(0, index), words), undefined, `${index} bytes`)
  }
})
