/** Prices: exact conversion, defaults for missing rates, tiers, markups, and the text that distinguishes versions. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatUsd } from '../../../contract/usd.ts'
import type { PriceDefinition } from '../definition.ts'
import type { Rates } from '../types.ts'
import {
  type PriceBody,
  parseFactor,
  parseMarkup,
  priceBody,
  priceText,
  scaled,
  wholeRates,
  writtenRates,
} from './prices.ts'

const usd = 1_000_000_000n

function body(
  definition: Partial<PriceDefinition>,
  provider: string | readonly string[] = 'openai',
  markup: string | null = null,
): PriceBody {
  const factor = markup === null ? null : (parseMarkup(markup) ?? null)
  return priceBody({ input: '3', output: '15', ...definition }, [provider].flat(), factor)
}

test('3 / 3.75 / 15 are the golden rates, to the nano-dollar', () => {
  const { rates } = body({ cacheWrite5m: '3.75' }, 'anthropic')
  assert.deepEqual([rates.input, rates.cacheWrite5m, rates.output], [3n * usd, 3_750_000_000n, 15n * usd])
})

const filled: readonly [
  what: string,
  provider: string | readonly string[],
  given: Partial<PriceDefinition>,
  found: Partial<Rates>,
][] = [
  [
    'Anthropic: 1.25 and 2 times input to write, input to read',
    'anthropic',
    {},
    { cacheRead: 3n * usd, cacheWrite5m: 3_750_000_000n, cacheWrite1h: 6n * usd },
  ],
  [
    'elsewhere: input for all of it',
    'openai',
    {},
    { cacheRead: 3n * usd, cacheWrite5m: 3n * usd, cacheWrite1h: 3n * usd },
  ],
  [
    'the highest of all providers',
    ['openai', 'anthropic'],
    {},
    { cacheWrite5m: 3_750_000_000n, cacheWrite1h: 6n * usd },
  ],
  [
    'the highest of all providers, above five minutes that cost more',
    ['anthropic', 'openai'],
    { cacheWrite5m: '7' },
    { cacheWrite5m: 7n * usd, cacheWrite1h: 7n * usd },
  ],
  ['an hour costs no less than five minutes', 'openai', { cacheWrite5m: '4' }, { cacheWrite1h: 4n * usd }],
  [
    'what is listed stands',
    'anthropic',
    { cacheRead: '0.3', cacheWrite1h: '5' },
    { cacheRead: 300_000_000n, cacheWrite1h: 5n * usd },
  ],
  ['audio without a price has none', 'openai', {}, { inputAudio: null, outputAudio: null }],
  [
    'audio with a price',
    'openai',
    { inputAudio: '40', outputAudio: '80.5' },
    { inputAudio: 40n * usd, outputAudio: 80_500_000_000n },
  ],
  [
    'a quarter of the smallest amount is rounded up',
    'anthropic',
    { input: '0.000000001' },
    { cacheWrite5m: 2n, cacheWrite1h: 2n },
  ],
]

for (const [what, provider, given, found] of filled) {
  test(`filled in: ${what}`, () => {
    const { rates } = body(given, provider)
    for (const [name, rate] of Object.entries(found)) assert.equal(rates[name as keyof Rates], rate, name)
  })
}

test('rates that are written and filled in again are the same, and what follows is not written', () => {
  assert.deepEqual(writtenRates(body({}, 'anthropic').listRates, ['anthropic']), {
    input: '3.00',
    output: '15.00',
  })
  assert.deepEqual(writtenRates(body({ cacheWrite5m: '4' }).listRates, ['openai']), {
    input: '3.00',
    output: '15.00',
    cacheWrite5m: '4.00',
  })
  const usdText = fc.bigInt({ min: 0n, max: 50n * usd }).map(formatUsd)
  const mayBe = fc.option(usdText, { nil: undefined })
  const definitions = fc.record({
    input: usdText,
    output: usdText,
    cacheRead: mayBe,
    cacheWrite5m: mayBe,
    cacheWrite1h: mayBe,
    inputAudio: mayBe,
    outputAudio: mayBe,
  })
  const providerLists = fc.subarray(['openai', 'anthropic', 'other'], { minLength: 1 })
  fc.assert(
    fc.property(definitions, providerLists, (definition, provider) => {
      const { listRates } = body(definition, provider)
      assert.deepEqual(body(writtenRates(listRates, provider), provider).listRates, listRates)
      assert.deepEqual(body(wholeRates(listRates), provider).listRates, listRates)
    }),
  )
})

test('a tier keeps what it does not name; cache rates grow as its input does', () => {
  const { tiers } = body({
    cacheRead: '0.3',
    cacheWrite5m: '3.75',
    inputAudio: '7',
    tiers: [
      { aboveInputTokens: 400_000, input: '12', output: '30', cacheRead: '1' },
      { aboveInputTokens: 200_000, input: '6' },
    ],
  })
  assert.deepEqual(
    tiers.map(({ aboveInputTokens }) => aboveInputTokens),
    [200_000, 400_000],
  )
  assert.deepEqual(tiers[0]?.rates, {
    input: 6n * usd,
    cacheRead: 600_000_000n,
    cacheWrite5m: 7_500_000_000n,
    cacheWrite1h: 7_500_000_000n,
    output: 15n * usd,
    inputAudio: 7n * usd,
    outputAudio: null,
  })
  assert.deepEqual([tiers[1]?.rates.output, tiers[1]?.rates.cacheRead], [30n * usd, usd])
})

test('a markup raises rates and tiers exactly, and neither fees nor what the upstream charges', () => {
  const price = body(
    { cacheRead: '0.3', tiers: [{ aboveInputTokens: 1, input: '6' }], fees: { web_search: '0.01' } },
    'openai',
    '2.5%',
  )
  assert.equal(price.rates.input, 3_075_000_000n)
  assert.equal(price.rates.cacheRead, 307_500_000n)
  assert.equal(price.tiers[0]?.rates.input, 6_150_000_000n)
  assert.equal(price.listRates.input, 3n * usd)
  assert.equal(price.listTiers[0]?.rates.input, 6n * usd)
  assert.equal(price.fees.web_search, 10_000_000n)
})

const factors: readonly [text: string, numerator: bigint, denominator: bigint][] = [
  ['0.5', 1n, 2n],
  ['1.1', 11n, 10n],
  ['2', 2n, 1n],
  ['5/3', 5n, 3n],
  ['20/11', 20n, 11n],
  ['2.50', 5n, 2n],
]
for (const [text, numerator, denominator] of factors) {
  test(`factor ${text}`, () => assert.deepEqual(parseFactor(text), { numerator, denominator }))
}
for (const text of ['0', '0.0', '-1', '1/0', '1.', '.5', '1e3', '', '5/3/2']) {
  test(`no factor: ${JSON.stringify(text)}`, () => assert.equal(parseFactor(text), undefined))
}

/** Any amount that can be written, as its units and its nine decimals. */
const amounts = fc.tuple(fc.bigInt({ min: 0n, max: 9_999_999n }), fc.bigInt({ min: 0n, max: usd - 1n }))

test('every amount is converted without losing or gaining anything', () => {
  fc.assert(
    fc.property(amounts, ([units, nano]) => {
      const text = `${units}.${nano.toString().padStart(9, '0')}`
      assert.equal(body({ input: text }).rates.input, units * usd + nano)
    }),
  )
})

test('scaling is exact, or one nano-dollar up at most', () => {
  const parts = fc.bigInt({ min: 1n, max: 1_000_000n })
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 16n }), parts, parts, (rate, numerator, denominator) => {
      const result = scaled(rate, { numerator, denominator })
      const over = result * denominator - rate * numerator
      assert.ok(over >= 0n && over < denominator)
    }),
  )
})

test('no default rate is below zero, and no tier with more expensive input has a cheaper cache', () => {
  fc.assert(
    fc.property(
      amounts,
      amounts,
      fc.constantFrom('anthropic', 'openai', 'elsewhere'),
      (one, other, provider) => {
        const [low, high] = [one, other]
          .map(([units, nano]) => units * usd + nano)
          .sort((a, b) => (a < b ? -1 : 1)) as [bigint, bigint]
        const text = (amount: bigint) => `${amount / usd}.${(amount % usd).toString().padStart(9, '0')}`
        const { rates, tiers } = body(
          { input: text(low), tiers: [{ aboveInputTokens: 1, input: text(high) }] },
          provider,
        )
        const tier = tiers[0]!.rates
        for (const name of ['cacheRead', 'cacheWrite5m', 'cacheWrite1h'] as const) {
          assert.ok(rates[name] >= 0n && tier[name] >= rates[name], name)
        }
      },
    ),
  )
})

test('the same price has the same text in whatever order it was written', () => {
  const one = body({ options: { 'speed:fast': '2', 'service_tier:flex': '0.5' }, fees: { a: '1', b: '2' } })
  const other = body({
    fees: { b: '2.0', a: '1.00' },
    options: { 'service_tier:flex': '1/2', 'speed:fast': '2.0' },
  })
  assert.equal(priceText(one), priceText(other))
  assert.notEqual(priceText(one), priceText(body({ fees: { a: '1', b: '2.000000001' } })))
})
