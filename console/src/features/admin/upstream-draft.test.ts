/** The list of models in the form of an upstream: what is typed, and what is chosen from the host's own list. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  askOf,
  isWhole,
  listedModels,
  listText,
  namesThere,
  type UpstreamDraft,
  withModel,
} from './upstream-draft.ts'

const draft: UpstreamDraft = {
  name: 'groq',
  provider: 'openai',
  url: 'https://api.groq.com/openai/v1',
  credential: 'a-credential',
  weight: '1',
  disabled: false,
  choice: 'list',
  list: 'llama\n gpt-4.1 = openai/gpt-4.1 \n\n',
}

test('a line is a name, or a name and the name there', () => {
  const models = [{ model: 'llama' }, { model: 'gpt-4.1', upstreamModel: 'openai/gpt-4.1' }]
  assert.deepEqual(listedModels(draft.list), models)
  assert.equal(listText(models), 'llama\ngpt-4.1 = openai/gpt-4.1')
  assert.equal(listedModels('two words'), undefined)
  assert.deepEqual(askOf(draft).models, models)
})

test('a model of the host is added and taken away by its name there', () => {
  assert.equal(withModel(draft.list, 'mixtral', true), 'llama\n gpt-4.1 = openai/gpt-4.1 \nmixtral')
  assert.equal(withModel(draft.list, 'openai/gpt-4.1', false), 'llama')
  assert.ok(namesThere(draft.list).has('openai/gpt-4.1'))
})

test('at an address of its own an upstream needs a choice of models', () => {
  assert.equal(isWhole(draft, true), true)
  assert.equal(isWhole({ ...draft, choice: '' }, true), false)
  assert.equal(isWhole({ ...draft, list: ' \n' }, true), false)
  assert.equal(isWhole({ ...draft, choice: 'all' }, true), true)
  assert.equal(isWhole({ ...draft, choice: '', url: '' }, true), true)
  assert.equal(isWhole({ ...draft, credential: '' }, true), false)
})
