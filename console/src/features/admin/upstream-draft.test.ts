/** The form of an upstream: its list of models, typed or chosen from the host's own list, and when it is complete. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  askOf,
  isWhole,
  listedModels,
  listText,
  moved,
  namesAtHost,
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
  for (const wrong of ['two words', 'gpt-4.1 =', 'gpt-4.1=', '= there'])
    assert.equal(listedModels(wrong), undefined, wrong)
  assert.deepEqual(askOf(draft).models, models)
})

test('a model of the host is added and taken away by its name at the host', () => {
  assert.equal(withModel(draft.list, 'mixtral', true), 'llama\n gpt-4.1 = openai/gpt-4.1 \nmixtral')
  assert.equal(withModel(draft.list, 'openai/gpt-4.1', false), 'llama')
  assert.ok(namesAtHost(draft.list).has('openai/gpt-4.1'))
})

test('an upstream with its own URL needs a choice of models', () => {
  assert.equal(isWhole(draft, true), true)
  assert.equal(isWhole({ ...draft, choice: '' }, true), false)
  assert.equal(isWhole({ ...draft, list: ' \n' }, true), false)
  assert.equal(isWhole({ ...draft, choice: 'all' }, true), true)
  assert.equal(isWhole({ ...draft, choice: '', url: '' }, true), true)
  assert.equal(isWhole({ ...draft, credential: '' }, true), false)
})

test('all models of a provider are never chosen for an address by a choice made for another', () => {
  const own: UpstreamDraft = { ...draft, url: '', choice: 'all' }
  const url = 'https://mirror.example.org'
  assert.deepEqual(moved(own, { url }), { url, choice: '' })
  assert.deepEqual(moved(own, { provider: 'google' }), { provider: 'google' })
  const host: UpstreamDraft = { ...own, url }
  assert.deepEqual(moved(host, { provider: 'google' }), { provider: 'google', choice: '' })
  assert.deepEqual(moved(host, { url: `${url}/v1` }), { url: `${url}/v1` })
  assert.deepEqual(moved(host, { url: '' }), { url: '' })
  assert.deepEqual(moved({ ...own, choice: 'list' }, { url }), { url })
})
