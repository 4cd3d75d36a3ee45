/** Search terms find the intended entries, and the closest match comes first. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { matchScore } from './match-score.ts'

const found = (texts: readonly string[], search: string): readonly string[] =>
  texts
    .filter((text) => matchScore(text, search) > 0)
    .toSorted((one, other) => matchScore(other, search) - matchScore(one, search))

test('a search without punctuation finds a model, and words match in any order', () => {
  const models = ['claude-sonnet-5 Anthropic', 'gpt-5.5 OpenAI', 'gpt-5.4-mini OpenAI']
  assert.deepEqual(found(models, 'gpt55'), ['gpt-5.5 OpenAI'])
  assert.deepEqual(found(models, 'openai mini'), ['gpt-5.4-mini OpenAI'])
  assert.deepEqual(found(models, 'SONNET'), ['claude-sonnet-5 Anthropic'])
  assert.deepEqual(found(models, 'llama'), [])
  assert.deepEqual(found(models, '  '), models)
})

test('a beginning ranks above the start of a word, and that above its middle', () => {
  assert.deepEqual(found(['rebilling', 'Go to billing', 'Billing'], 'billing'), [
    'Billing',
    'Go to billing',
    'rebilling',
  ])
})
