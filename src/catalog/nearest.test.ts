/** Model names with typical typos. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { builtinModels } from './builtin.ts'
import { nearestNames } from './nearest.ts'

const names = builtinModels.map(({ id }) => id)

const cases: readonly [wanted: string, first: string | undefined][] = [
  ['claude-opus-4.6', 'claude-opus-4-6'],
  ['anthropic/claude-opus-5.5', 'claude-opus-5-5'],
  ['openai/gpt-5.4', 'gpt-5.4'],
  ['claude-sonnet-4-6[1m]', 'claude-sonnet-4-6'],
  ['GPT-4o', 'gpt-4o'],
  ['claude-sonet-5', 'claude-sonnet-5'],
  ['gpt-4.1-mni', 'gpt-4.1-mini'],
  ['claude-opus', 'claude-opus-5'],
  ['llama-3', undefined],
  ['', undefined],
]

for (const [wanted, first] of cases) {
  test(`${JSON.stringify(wanted)} means ${first ?? 'nothing here'}`, () => {
    const found = nearestNames(wanted, names)
    assert.equal(found[0], first)
    assert.ok(found.length <= 3)
  })
}
