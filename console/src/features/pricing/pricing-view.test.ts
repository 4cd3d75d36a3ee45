/** The price list: search, filters and sorting, and that invalid URLs show the default list. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type UnsoldRate, unsoldRates } from '../../../../contract/meters.ts'
import type { PricedModel } from './price-list.ts'
import { shown, viewOf } from './pricing-view.ts'

const noUnsold = Object.fromEntries(unsoldRates.map((rate) => [rate, null])) as Record<UnsoldRate, null>
const price = {
  id: 'p',
  effectiveFrom: '',
  cacheRead: '1',
  cacheWrite5m: '1',
  cacheWrite1h: '1',
  ...noUnsold,
  tiers: [],
  options: {},
  fees: {},
  schedule: null,
  source: '',
}

function model(
  name: string,
  part: Partial<PricedModel> & { input?: string; output?: string } = {},
): PricedModel {
  const { input = '1.00', output = '2.00', ...rest } = part
  return {
    model: name,
    displayName: name.toUpperCase(),
    provider: 'one',
    formats: ['openai-chat'],
    contextTokens: 1_000,
    inputTokensMax: 1_000,
    outputTokensMax: 100,
    inputs: ['text'],
    outputs: ['text'],
    reasons: false,
    takesTools: false,
    released: null,
    deprecated: false,
    testModel: null,
    price: { ...price, input, output },
    otherTimes: [],
    next: [],
    ...rest,
  }
}

const models = [
  model('alpha', { released: '2026-01-01', input: '10.00', takesTools: true, inputs: ['text', 'image'] }),
  model('beta', { released: '2026-05-01', input: '9.000000001', provider: 'two', contextTokens: 9_000 }),
  model('gamma', {
    released: null,
    input: '0.10',
    reasons: true,
    takesTools: true,
    formats: ['openai-embeddings'],
  }),
]

for (const [search, names] of [
  [{}, ['beta', 'alpha', 'gamma']],
  [{ sort: 'newest', order: 'reversed' }, ['gamma', 'alpha', 'beta']],
  [{ sort: 'name' }, ['alpha', 'beta', 'gamma']],
  [{ sort: 'name', order: 'reversed' }, ['gamma', 'beta', 'alpha']],
  [{ sort: 'input' }, ['gamma', 'beta', 'alpha']],
  [{ sort: 'input', order: 'reversed' }, ['alpha', 'beta', 'gamma']],
  [{ sort: 'context' }, ['beta', 'alpha', 'gamma']],
  [{ q: 'BET' }, ['beta']],
  [{ q: 'two  eta' }, ['beta']],
  [{ provider: 'one' }, ['alpha', 'gamma']],
  [{ can: 'tools' }, ['alpha', 'gamma']],
  [{ can: 'tools,images' }, ['alpha']],
  [{ can: 'embeddings' }, ['gamma']],
  [{ q: 'nothing' }, []],
  [{ sort: 'constructor', can: 'toString,tools', order: 'x' }, ['alpha', 'gamma']],
] as const) {
  test(`${JSON.stringify(search)} shows ${names.join(', ') || 'nothing'}`, () => {
    assert.deepEqual(
      shown(models, viewOf(search)).map(({ model: name }) => name),
      names,
    )
  })
}
