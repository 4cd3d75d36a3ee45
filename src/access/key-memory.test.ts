/** The cache of keys while other processes change them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyMemory } from './key-memory.ts'

const hash = Buffer.alloc(32, 1)
const limits = { keysCachedMax: 10, unknownKeysCachedMax: 10 }

test('what was read before a change of another process is not cached', async () => {
  const reads = [Promise.withResolvers<string>(), Promise.withResolvers<string>()]
  let count = 0
  const memory = keyMemory<string>(() => reads[count++]!.promise, limits)
  const before = memory.find(hash)
  memory.outdateReads()
  const after = memory.find(hash)
  reads[1]!.resolve('revoked')
  assert.equal(await after, 'revoked')
  reads[0]!.resolve('active')
  await before
  assert.equal(memory.newest(hash), 'revoked')
})

test('an outdated read alone leaves the key to the next lookup', async () => {
  const read = Promise.withResolvers<string>()
  const memory = keyMemory<string>(() => read.promise, limits)
  const found = memory.find(hash)
  memory.outdateReads()
  read.resolve('active')
  await found
  assert.equal(memory.newest(hash), undefined)
})
