/** Models are grouped by their vendors, however hosts write them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { byMaker } from './makers.ts'

test('a model of a host is listed under its maker, and test models come last', () => {
  const models = [
    { model: 'sandbox-echo', provider: 'sandbox' },
    { model: 'meta-llama/Llama-4', provider: 'together' },
    { model: 'gpt-5.5', provider: 'openai' },
    { model: 'openai/gpt-oss-120b', provider: 'groq' },
    { model: 'unheard-of/model', provider: 'groq' },
    { model: 'command-a', provider: 'cohere' },
  ]
  assert.deepEqual(
    byMaker(models).map(([maker, made]) => [maker, made.map(({ model }) => model)]),
    [
      ['Cohere', ['command-a']],
      ['Meta', ['meta-llama/Llama-4']],
      ['OpenAI', ['gpt-5.5', 'openai/gpt-oss-120b']],
      ['unheard-of', ['unheard-of/model']],
      ['Test models', ['sandbox-echo']],
    ],
  )
})
