/** The form of an upstream: its list of models, typed or chosen from the host's own list, and when it is complete. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areWhole, isReady, offerAsks, unpricedOffers } from './offer-drafts.ts'
import { hueOf, initials, matchingProviders } from './providers.ts'
import {
  askOf,
  headersOf,
  isWhole,
  listedModels,
  listText,
  missingPart,
  moved,
  nameMistake,
  namesAtHost,
  newDraft,
  publicName,
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
  ...{ tags: '', concurrent: '', requestsPerMinute: '', tokensPerMinute: '' },
  choice: 'list',
  list: 'llama\n gpt-4.1 = openai/gpt-4.1 \n\n',
  formats: [],
  keyHeader: 'authorization',
  headers: '',
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
  assert.equal(
    withModel(draft.list, 'mixtral', { as: 'mixtral' }),
    'llama\n gpt-4.1 = openai/gpt-4.1 \nmixtral',
  )
  assert.equal(withModel(draft.list, 'openai/gpt-4.1', undefined), 'llama')
  assert.ok(namesAtHost(draft.list).has('openai/gpt-4.1'))
})

test('a form that cannot be tested says what is missing', () => {
  const custom = { ...newDraft('custom', []), name: 'acme', url: 'http://127.0.0.1:9/v1' }
  const cases: readonly (readonly [Partial<UpstreamDraft>, string | undefined])[] = [
    [{ url: '' }, 'Enter the base URL first.'],
    [{ name: '' }, 'Enter a name first.'],
    [{ name: 'Acme AI' }, 'Correct the name first.'],
    [{}, 'Select at least one API format first.'],
    [{ formats: ['openai-chat'], headers: 'no colon' }, 'Correct the headers first.'],
    [{ formats: ['openai-chat'] }, undefined],
  ]
  for (const [changes, said] of cases) assert.equal(missingPart({ ...custom, ...changes }, false), said)
  assert.equal(missingPart({ ...draft, credential: '' }, true), 'Enter the API key first.')
  assert.equal(nameMistake('Acme AI'), 'Use letters, digits, dots and dashes, such as acme-ai.')
  for (const fine of ['', 'acme', 'Acme.2_b-c']) assert.equal(nameMistake(fine), undefined)
})

test('a price may be written with a dollar sign and separators', () => {
  const offer = { model: 'acme/large', upstreamModel: 'large', context: '200k', maxOutput: '32,000' }
  const priced = { ...offer, input: '$3', output: '$ 1,500.25' }
  assert.ok(isReady(priced))
  assert.deepEqual(offerAsks('acme', [priced])[0]?.price, { input: '3', output: '1500.25' })
  for (const input of ['', '3,5', '€3', '-3']) assert.equal(isReady({ ...priced, input }), false, input)
})

test('tags and limits are sent as they are entered, and empty ones as none', () => {
  const { tags, limits } = askOf({ ...draft, tags: 'eu, no-training', concurrent: ' 8 ' })
  assert.deepEqual(tags, ['eu', 'no-training'])
  assert.deepEqual(limits, { concurrent: 8, requestsPerMinute: null, tokensPerMinute: null })
  assert.equal(askOf(draft).tags, null)
  for (const wrong of ['0', '1.5', '-3', 'many'])
    assert.equal(isWhole({ ...draft, requestsPerMinute: wrong }, true), false, wrong)
})

test('an upstream with its own URL needs a choice of models', () => {
  assert.equal(isWhole(draft, true), true)
  assert.equal(isWhole({ ...draft, choice: '' }, true), false)
  assert.equal(isWhole({ ...draft, list: 'two words' }, true), false)
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

test('nothing is chosen for a new upstream, and an empty list serves nothing', () => {
  const added = newDraft('groq', ['groq', 'groq-2'])
  assert.equal(added.name, 'groq-3')
  assert.deepEqual(askOf({ ...added, credential: 'a-credential' }).models, [])
})

test('a custom host has formats and headers, and its models below its name', () => {
  const added = { ...newDraft('vllm', []), headers: 'x-team: research\nx-key : a:b' }
  assert.deepEqual(headersOf(added.headers), { 'x-team': 'research', 'x-key': 'a:b' })
  assert.equal(headersOf('no colon'), undefined)
  assert.equal(publicName({ ...added, name: 'my-vllm' }, 'llama'), 'my-vllm/llama')
  assert.equal(publicName({ ...added, provider: 'groq' }, 'llama'), 'groq/llama')
  assert.equal(publicName({ ...added, provider: 'openai' }, 'gpt-4.1'), 'gpt-4.1')
  const ask = askOf(added)
  assert.deepEqual(
    [ask.models, ask.formats, ask.auth, ask.headers],
    [
      undefined,
      ['openai-chat', 'openai-embeddings'],
      { header: 'authorization' },
      { 'x-team': 'research', 'x-key': 'a:b' },
    ],
  )
  assert.equal(isWhole({ ...newDraft('custom', []), name: 'a', url: 'https://a.example' }, false), false)
})

test('a model without a price is offered once its limits and price are entered', () => {
  const chosen = { ...newDraft('vllm', []), name: 'mine', list: 'mine/a = a\nmine/b = b' }
  const drafts = unpricedOffers(chosen, {
    sells: [{ model: 'mine/b', upstreamModel: 'b', isNew: false, input: '1', output: '2' }],
  })
  assert.deepEqual(
    drafts.map(({ model }) => model),
    ['mine/a'],
  )
  assert.deepEqual([areWhole(drafts), offerAsks('mine', drafts)], [true, []])
  const half = drafts.map((offer) => ({ ...offer, input: '0' }))
  assert.equal(areWhole(half), false)
  const whole = half.map((offer) => ({ ...offer, output: '0', context: '8192', maxOutput: '512' }))
  assert.deepEqual(offerAsks('mine', whole), [
    {
      upstream: 'mine',
      model: 'mine/a',
      upstreamModel: 'a',
      contextTokens: 8192,
      outputTokensMax: 512,
      price: { input: '0', output: '0' },
    },
  ])
  assert.equal(areWhole(whole), true)
})

test('popular providers come first, each provider once, in a color of its own', () => {
  const groups = matchingProviders('')
  const ids = groups.flatMap((group) => group.ids)
  assert.equal(new Set(ids).size, ids.length)
  assert.deepEqual(groups[0]?.ids.slice(0, 4), ['openai', 'anthropic', 'google', 'openrouter'])
  const hues = groups[0]?.ids.map(hueOf) ?? []
  assert.equal(new Set(hues).size, hues.length)
})

test('every provider has initials and is found by name', () => {
  for (const [name, letters] of [
    ['OpenAI', 'OA'],
    ['Hugging Face', 'HF'],
    ['vLLM', 'vL'],
    ['Groq', 'Gr'],
    ['Z.AI', 'ZA'],
  ] as const)
    assert.equal(initials(name), letters)
  assert.deepEqual(matchingProviders('ollama'), [{ title: 'Your own servers', ids: ['ollama'] }])
  assert.deepEqual(matchingProviders('nothing like it'), [])
})
