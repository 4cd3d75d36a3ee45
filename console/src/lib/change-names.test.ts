/** Every recorded operation has a display name. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from '../../../contract/operations.ts'
import { changeName } from './change-names.ts'

test('every operation that changes something has a name for people', () => {
  const recorded = Object.entries(operations).filter(([, { effect }]) => effect === 'changes')
  assert.ok(recorded.length > 30)
  assert.deepEqual(
    recorded.map(([name]) => name).filter((name) => changeName(name) === name),
    [],
  )
})

test('an operation of another version is shown by its name in the API', () => {
  assert.equal(changeName('key.polish'), 'key.polish')
})
