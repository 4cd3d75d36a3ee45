/** Long lists of models are made in steps, between which requests run. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { draftModels } from '../catalog/drafts.ts'
import { buildSnapshot } from '../catalog/snapshot.ts'
import type { CatalogSources } from '../catalog/sources.ts'
import { modelOutputSteps } from './models.ts'

const modelsTotal = 40

const sources: CatalogSources = {
  builtin: Array.from({ length: modelsTotal }, (_, index) => ({
    id: `house-${index}`,
    context: 1_000,
    maxOutput: 100,
    prices: [{ input: '1', output: '2' }],
  })),
  ...{ configured: [], overrides: [], aliases: {}, disabled: [], markup: null },
  upstreams: [{ name: 'house', provider: 'house', url: null, credential: 'none', weight: 1 }],
  providers: [
    {
      ...{ provider: 'house', displayName: 'House', families: ['house-'] },
      defaultOrigin: 'http://127.0.0.1:1',
      formats: ['openai-chat'],
    },
  ],
}

test('each model is a step', () => {
  const snapshot = buildSnapshot(draftModels(sources), sources, () => 1n)
  const steps = modelOutputSteps(snapshot, [...snapshot.models.keys(), 'absent'], 0)
  for (let made = 0; made <= modelsTotal; made += 1) assert.equal(steps.next().done, false)
  const last = steps.next()
  assert.ok(last.done === true)
  assert.deepEqual([last.value.length, last.value.at(-1)?.sold], [modelsTotal + 1, false])
})
