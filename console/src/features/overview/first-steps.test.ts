/** A first step is checked off only by the user's own action. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type StepFacts, type StepsDone, stepsDone } from './first-steps.ts'

const nothing: StepFacts = { posted: '0', people: 1, upstreams: [], keys: [], requests: [] }
const sandbox = { provider: 'sandbox', disabled: false, serves: ['sandbox-echo'] }
const openai = { provider: 'openai', disabled: false, serves: ['gpt-4.1'] }
const own = { builtIn: false, createdBy: 'ada', lastUsed: null, works: true }
const printed = { ...own, createdBy: null }
const playground = { ...own, builtIn: true, lastUsed: '2026-01-01T00:00:00Z' }

const cases: readonly (readonly [what: string, facts: Partial<StepFacts>, done: Partial<StepsDone>])[] = [
  ['a new server', { upstreams: [sandbox], keys: [printed] }, {}],
  ['a provider with models', { upstreams: [sandbox, openai] }, { provider: true }],
  ['a provider that is disabled', { upstreams: [{ ...openai, disabled: true }] }, {}],
  ['a provider without models', { upstreams: [{ ...openai, serves: [] }] }, {}],
  ['credit', { posted: '0.01' }, { credit: true }],
  ['a debt', { posted: '-0.01' }, {}],
  ['a balance that is not known yet', { posted: undefined }, {}],
  ['an invitation', { people: 2 }, { team: true }],
  ['a key of their own', { keys: [own] }, { key: true }],
  ['the key of the first start, used', { keys: [{ ...printed, lastUsed: '2026-01-01' }] }, { key: true }],
  ['a revoked key', { keys: [{ ...own, works: false }] }, {}],
  ['the key of the playground', { keys: [playground] }, {}],
  ['a request of the playground', { requests: [{ member: { id: 'ada' } }] }, {}],
  ['a request of a client', { requests: [{ member: null }] }, { client: true }],
  ['a person who cannot add providers', { upstreams: undefined }, {}],
]

for (const [what, facts, done] of cases) {
  test(what, () => {
    const expected = { provider: false, credit: false, key: false, client: false, team: false, ...done }
    assert.deepEqual(stepsDone({ ...nothing, ...facts }), expected)
  })
}
