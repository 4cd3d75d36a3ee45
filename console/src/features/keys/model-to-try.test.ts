/** Which model the first request of a key goes to. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AvailableModel } from './available-models.ts'
import { modelToTry } from './model-to-try.ts'

const model = (name: string, testModel: AvailableModel['testModel']): AvailableModel => ({
  model: name,
  displayName: name,
  provider: testModel === null ? 'acme' : 'sandbox',
  dialects: ['openai-chat'],
  testModel,
})
const [real, echo, fails] = [
  model('acme/large', null),
  model('sandbox-echo', 'basic'),
  model('sandbox-401', 'special'),
]

test('the first request goes to a model of a provider that was added', () => {
  assert.equal(modelToTry([fails, echo, real], null), 'acme/large')
})

test('without one, or where the key may not use it, it goes to the test model that repeats the message', () => {
  assert.equal(modelToTry([fails, echo], null), 'sandbox-echo')
  assert.equal(modelToTry([real, fails, echo], ['sandbox-401', 'sandbox-echo']), 'sandbox-echo')
})

test('a key for models that are not enabled yet keeps their name', () => {
  assert.equal(modelToTry([echo], ['later']), 'later')
  assert.equal(modelToTry([], null), undefined)
})
