/** Changes from a published list, and which of them apply only when chosen by name. Values only. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runSteps } from '../../base/steps.ts'
import type { PriceDefinition } from '../definition.ts'
import { type CatalogRow, compareSteps } from './compare.ts'
import { priceListSteps } from './price-list.ts'

const provider = 'google'
const name = 'gemini-one'

/** The only row that a list with this cost gives; undefined: the price is the same. */
function rowOf(cost: object, price: PriceDefinition | null): CatalogRow | undefined {
  const row = { name, cost, limit: { context: 1_000_000, output: 65_536 } }
  const text = JSON.stringify({ [provider]: { models: { [name]: row } } })
  const list = runSteps(priceListSteps(text, { modelsMax: 10, depthMax: 16, valuesMax: 100 }))
  assert.ok(list.kind === 'list')
  const present =
    price === null
      ? []
      : [
          {
            name,
            provider,
            upstreamModel: name,
            billingProviders: [provider],
            isSold: true,
            price,
            isOperators: false,
          },
        ]
  const comparison = runSteps(
    compareSteps({ listed: list.models, present, providers: [{ provider }], rowsMax: 10 }),
  )
  return comparison?.rows[0]
}

const flat: PriceDefinition = { input: '1.25', output: '10' }
const tiered: PriceDefinition = {
  ...flat,
  tiers: [{ aboveInputTokens: 200_000, input: '2.5', output: '15' }],
}
const over200k = (input: number, output: number) => ({ context_over_200k: { input, output } })
const tier = (size: number, input: number) => ({ input, tier: { type: 'context', size } })

const jump = 'a price changes by more than a factor of 10'
const zeroTier = 'the tier above 200000 has a price of 0, which means an unknown price'
const zero = 'the list has a price of 0, which means an unknown price'
const lower = 'above 200000 input tokens, a price is lower than below'

const cases: readonly (readonly [
  what: string,
  before: PriceDefinition | null,
  cost: object,
  change: CatalogRow['change'] | undefined,
  reason: string | null,
])[] = [
  ['the same price', tiered, { input: 1.25, output: 10, ...over200k(2.5, 15) }, undefined, null],
  ['a higher price', flat, { input: 1.5, output: 12 }, 'changed', null],
  ['ten times the price', flat, { input: 12.5, output: 10 }, 'changed', null],
  ['more than ten times the price', flat, { input: 12.6, output: 10 }, 'changed', jump],
  ['less than a tenth of the price', flat, { input: 1.25, output: 0.9 }, 'changed', jump],
  ['output for free', flat, { input: 1.25, output: 0 }, 'changed', jump],
  [
    'more than 1,000 USD',
    null,
    { input: 1_001, output: 10 },
    'new',
    'it costs more than 1,000 USD per million tokens',
  ],
  ['a tier with a higher price', tiered, { input: 1.25, output: 10, ...over200k(3, 16) }, 'changed', null],
  [
    'a tier of more than ten times the price',
    tiered,
    { input: 1.25, output: 10, ...over200k(26, 15) },
    'changed',
    jump,
  ],
  [
    'a new tier of more than ten times what long prompts cost',
    flat,
    { input: 1.25, output: 10, ...over200k(13, 15) },
    'changed',
    jump,
  ],
  [
    'another size of tier at more than ten times what it cost there',
    tiered,
    { input: 1.25, output: 10, tiers: [tier(100_000, 13), tier(200_000, 13)] },
    'changed',
    jump,
  ],
  ['a tier for free', tiered, { input: 1.25, output: 10, ...over200k(0, 0) }, 'unclear', zeroTier],
  ['a tier with free input', tiered, { input: 1.25, output: 10, ...over200k(0, 15) }, 'unclear', zeroTier],
  ['a tier with free output', tiered, { input: 1.25, output: 10, ...over200k(2.5, 0) }, 'unclear', zeroTier],
  ['a new model with a free tier', null, { input: 1.25, output: 10, ...over200k(0, 0) }, 'unclear', zeroTier],
  ['a tier below the base', tiered, { input: 1.25, output: 10, ...over200k(1, 15) }, 'changed', lower],
  [
    'a tier below the tier under it',
    flat,
    { input: 1.25, output: 10, tiers: [tier(100_000, 3), tier(200_000, 2)] },
    'changed',
    lower,
  ],
  [
    'a tier whose cached input is below the base',
    flat,
    { input: 1.25, output: 10, cache_read: 1, context_over_200k: { input: 2, output: 12, cache_read: 0.5 } },
    'changed',
    lower,
  ],
  ['a tier that is not listed, above the new base', tiered, { input: 2, output: 12 }, 'changed', null],
  ['a tier that is not listed, below the new base', tiered, { input: 5, output: 40 }, 'changed', lower],
  ['a new model', null, { input: 1.25, output: 10 }, 'new', null],
  ['a new model with free input', null, { input: 0, output: 10 }, 'unclear', zero],
  ['a known model with free input', flat, { input: 0, output: 10 }, 'unclear', zero],
  ['a new model for free', null, { input: 0, output: 0 }, 'unclear', zero],
  ['a new model with free output', null, { input: 1.25, output: 0 }, 'new', 'its output costs nothing'],
]

for (const [what, before, cost, change, reason] of cases) {
  test(`compared with a list: ${what}`, () => {
    const row = rowOf(cost, before)
    assert.deepEqual([row?.change, row?.reason ?? null], [change, reason])
    if (change === 'unclear') assert.equal(row?.price, null)
  })
}
