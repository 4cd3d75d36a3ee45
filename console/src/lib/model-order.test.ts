/** The order of models: working models come before models that fail on purpose. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { behaviors } from '../../../sandbox/scenarios/behaviors-table.ts'
import { answeringModels, inOrder, type Ordered } from './model-order.ts'

const model = (name: string, part: Partial<Ordered> = {}): Ordered => ({
  model: name,
  provider: name.startsWith('sandbox-') ? 'sandbox' : 'openai',
  released: '2026-01-01',
  deprecated: false,
  ...part,
})

test('real models come first, the newest of them at the top, and failing ones of the sandbox last', () => {
  const models = [
    model('sandbox-401'),
    model('old', { released: '2024-05-01' }),
    model('sandbox-stream'),
    model('unknown', { released: null }),
    model('gone', { deprecated: true, released: '2026-09-09' }),
    model('sandbox-echo'),
    model('new', { released: '2026-06-01' }),
  ]
  assert.deepEqual(
    inOrder(models).map(({ model: name }) => name),
    ['new', 'old', 'unknown', 'gone', 'sandbox-echo', 'sandbox-stream', 'sandbox-401'],
  )
})

test('what is called answering is there', () => {
  const names = new Set(behaviors.map(({ name }) => name))
  assert.deepEqual(
    answeringModels.filter((name) => !names.has(name)),
    [],
  )
})
