/** Test models that choosers offer. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { behaviors } from '../../../sandbox/scenarios/behaviors-table.ts'
import { type Choosable, hasSpecialModels, modelsToOffer } from './special-models.ts'

const real: Choosable = { model: 'gpt-4.1', testModel: null }
const all: readonly Choosable[] = [
  real,
  ...behaviors.map(({ name, testModel }) => ({ model: name, testModel })),
]
const names = (models: readonly Choosable[]): readonly string[] => models.map(({ model }) => model)

test('a chooser offers real models and five test models', () => {
  assert.deepEqual(names(modelsToOffer(all, false)), [
    'gpt-4.1',
    'sandbox-echo',
    'sandbox-stream',
    'sandbox-tool',
    'sandbox-tools',
    'sandbox-think',
  ])
})

test('with the switch on it offers every model', () => {
  assert.deepEqual(modelsToOffer(all, true), all)
})

test('a selected model stays visible', () => {
  assert.ok(names(modelsToOffer(all, false, ['sandbox-429'])).includes('sandbox-429'))
})

test('without test models there is nothing to switch', () => {
  assert.equal(hasSpecialModels([real]), false)
  assert.equal(hasSpecialModels(all), true)
})
