/** Prices: golden numbers, one rounding, and a bound that is never below what it bounds. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { eachMeter, eachOutput, meterNames, meters, noTokens } from '../../../contract/meters.ts'
import type { Multiplier, PriceVersion, Rates } from '../../catalog/types.ts'
import { formatUsd, parseUsd } from './money.ts'
import {
  boundAmounts,
  chargedAmounts,
  chargeOf,
  costOf,
  highestInputRate,
  type PricedUsage,
} from './price.ts'

function usd(text: string): bigint {
  const nano = parseUsd(text)
  assert.ok(nano !== undefined, text)
  return nano
}

function rates(given: Partial<Record<keyof Rates, string>>): Rates {
  const input = usd(given.input ?? '0')
  const rate = (text: string | undefined): bigint => (text === undefined ? input : usd(text))
  return {
    input,
    cacheRead: rate(given.cacheRead),
    cacheWrite5m: rate(given.cacheWrite5m),
    cacheWrite1h: rate(given.cacheWrite1h),
    output: usd(given.output ?? '0'),
    inputAudio: given.inputAudio === undefined ? null : usd(given.inputAudio ?? '0'),
    outputAudio: given.outputAudio === undefined ? null : usd(given.outputAudio ?? '0'),
  }
}

function price(base: Rates, more: Partial<PriceVersion> = {}): PriceVersion {
  return {
    id: 1n,
    model: 'a-model',
    effectiveFromMs: 0,
    rates: base,
    listRates: base,
    tiers: [],
    listTiers: [],
    options: {},
    fees: {},
    source: 'a list',
    ...more,
  }
}

const nothing: PricedUsage = { ...noTokens, fees: {}, servedOptions: [] }

const sonnet = rates({ input: '3', cacheRead: '0.30', cacheWrite5m: '3.75', cacheWrite1h: '6', output: '15' })
const small = rates({ input: '1.75', cacheRead: '0.175', cacheWrite5m: '2.1875', output: '8.75' })
const long = price(rates({ input: '1.25', output: '10' }), {
  tiers: [{ aboveInputTokens: 200_000, rates: rates({ input: '2.50', output: '15' }) }],
})
const flex = { 'service_tier:flex': { numerator: 1n, denominator: 2n } }
const fast = { 'speed:fast': { numerator: 6n, denominator: 1n } }

const golden: readonly [text: string, price: PriceVersion, usage: Partial<PricedUsage>, usd: string][] = [
  ['a cache write', price(sonnet), { inputUncached: 3, cacheWrite5m: 12_304, output: 550 }, '0.054399'],
  [
    'reads and writes beside input',
    price(small),
    { inputUncached: 24_951, output: 854, cacheRead: 64_126, cacheWrite5m: 2_805 },
    '0.068494738',
  ],
  ['an hour of cache', price(sonnet), { cacheWrite1h: 1_000_000 }, '6'],
  ['nothing', price(sonnet), {}, '0'],
  ['one token of the cheapest', price(rates({ input: '0.000001' })), { inputUncached: 1 }, '0.000000001'],
  ['at the edge of a tier', long, { inputUncached: 200_000, output: 10 }, '0.2501'],
  [
    'above it the whole request is dearer',
    long,
    { inputUncached: 199_000, cacheRead: 1_001, output: 10 },
    '0.5001525',
  ],
  [
    'half the price',
    price(sonnet, { options: flex }),
    { inputUncached: 1_000, output: 1_000, servedOptions: ['service_tier:flex', 'service_tier:flex'] },
    '0.009',
  ],
  [
    'two options at once',
    price(sonnet, { options: { ...flex, ...fast } }),
    { output: 1_000, servedOptions: ['service_tier:flex', 'speed:fast'] },
    '0.045',
  ],
  [
    'fees are not multiplied',
    price(sonnet, { options: flex, fees: { web_search: usd('0.01') } }),
    { inputUncached: 1_000, fees: { web_search: 3 }, servedOptions: ['service_tier:flex'] },
    '0.0315',
  ],
  [
    'audio has its own rates',
    price(rates({ input: '1', output: '2', inputAudio: '32', outputAudio: '64' })),
    { inputUncached: 100, inputAudio: 50, output: 10, outputAudio: 20 },
    '0.003',
  ],
]
for (const [text, version, usage, expected] of golden) {
  test(`${text} costs ${expected} USD`, () => {
    assert.deepEqual(costOf({ ...nothing, ...usage }, version), { cost: usd(expected), unpriced: [] })
  })
}

test('the list price is what the upstream charges', () => {
  const marked = price(rates({ input: '3.30', output: '16.50' }), {
    listRates: rates({ input: '3', output: '15' }),
  })
  const usage = { ...nothing, inputUncached: 1_000_000 }
  assert.equal(costOf(usage, marked).cost, usd('3.30'))
  assert.equal(costOf(usage, marked, 'list').cost, usd('3'))
})

test('what has no price is named, its tokens are charged like text, and so is the rest', () => {
  const usage = {
    ...nothing,
    inputUncached: 1_000,
    inputAudio: 7,
    fees: { web_search: 1, constructor: 1, unused: 0 },
    servedOptions: ['service_tier:priority'],
  }
  assert.deepEqual(costOf(usage, price(sonnet)), {
    cost: usd('0.003021'),
    unpriced: ['inputAudio', 'service_tier:priority', 'web_search', 'constructor'],
  })
})

for (const count of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
  test(`a count of ${count} is rejected`, () => {
    assert.throws(() => costOf({ ...nothing, output: count }, price(sonnet)), /whole number/)
  })
}

const counts = fc.integer({ min: 0, max: 2_000_000 })
const rate = fc.bigInt(0n, 100_000_000_000n)
const anyRates = fc.record({
  input: rate,
  cacheRead: rate,
  cacheWrite5m: rate,
  cacheWrite1h: rate,
  output: rate,
  inputAudio: fc.option(rate),
  outputAudio: fc.option(rate),
})
const anyMultiplier: fc.Arbitrary<Multiplier> = fc.record({
  numerator: fc.bigInt(1n, 20n),
  denominator: fc.bigInt(1n, 20n),
})
const anyPrice = fc
  .record({
    base: anyRates,
    tier: anyRates,
    above: counts,
    flex: anyMultiplier,
    fast: anyMultiplier,
    fee: rate,
  })
  .map(({ base, tier, above, flex, fast, fee }) =>
    price(base, {
      tiers: [{ aboveInputTokens: above, rates: tier }],
      options: { flex, fast },
      fees: { web_search: fee },
    }),
  )
const anyUsage: fc.Arbitrary<PricedUsage> = fc.record({
  ...eachMeter(() => counts),
  fees: fc.record({ web_search: fc.integer({ min: 0, max: 20 }) }),
  servedOptions: fc.subarray(['flex', 'fast']),
})

test('a cost is the exact sum, less than one nano-dollar rounded up', () => {
  fc.assert(
    fc.property(anyPrice, anyUsage, (version, usage) => {
      const input =
        usage.inputUncached + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h + usage.inputAudio
      const tier = version.tiers[0]!
      const now = input > tier.aboveInputTokens ? tier.rates : version.rates
      const millionths =
        BigInt(usage.inputUncached) * now.input +
        BigInt(usage.cacheRead) * now.cacheRead +
        BigInt(usage.cacheWrite5m) * now.cacheWrite5m +
        BigInt(usage.cacheWrite1h) * now.cacheWrite1h +
        BigInt(usage.inputAudio) * (now.inputAudio ?? now.input) +
        BigInt(usage.output) * now.output +
        BigInt(usage.outputAudio) * (now.outputAudio ?? now.output)
      const options = usage.servedOptions.map((name) => version.options[name]!)
      const above = options.reduce((so, option) => so * option.numerator, 1n)
      const below = options.reduce((so, option) => so * option.denominator, 1n) * 1_000_000n
      const whole = millionths * above + BigInt(usage.fees.web_search ?? 0) * version.fees.web_search! * below
      const { cost } = costOf(usage, version)
      assert.ok(cost * below >= whole && (cost - 1n) * below < whole)
    }),
  )
})

test('a million requests of one token cost exactly a million times one', () => {
  const { cost } = costOf({ ...nothing, inputUncached: 1 }, price(rates({ input: '0.15' })))
  let sum = 0n
  for (let request = 0; request < 1_000_000; request += 1) sum += cost
  assert.equal(sum, usd('0.15'))
})

const textOnly = eachOutput((name) => name === 'output')
const textAndSpeech = eachOutput((name) => name === 'output' || name === 'outputAudio')
const silent = { inputAudioTokens: 0, outputs: textOnly, cacheWrites: [], options: [], fees: {}, choices: 1 }

test('a class of tokens is in the bound only when the request can produce it', () => {
  const audio = price(
    rates({ input: '0.3', cacheWrite5m: '0.4', inputAudio: '1', output: '2.5', outputAudio: '20' }),
  )
  const bound = (more: object) => {
    const { input, perOutputToken } = boundAmounts(audio, { ...silent, inputTokens: 1_000_000, ...more })
    return [formatUsd(input), formatUsd(perOutputToken * 1_000_000n)]
  }
  assert.deepEqual(bound({}), ['0.30', '2.50'])
  assert.deepEqual(bound({ inputAudioTokens: 200_000 }), ['0.44', '2.50'], 'only what may be audio is dear')
  assert.deepEqual(bound({ inputAudioTokens: 9_000_000 }), ['1.00', '2.50'], 'and never more than there is')
  assert.deepEqual(bound({ outputs: textAndSpeech }), ['0.30', '20.00'])
  assert.deepEqual(bound({ cacheWrites: ['5m'] }), ['0.40', '2.50'])
})

test('what is held is never below what it costs in the end', () => {
  fc.assert(
    fc.property(anyPrice, anyUsage, fc.integer({ min: 1, max: 4 }), (version, usage, choices) => {
      const input =
        usage.inputUncached + usage.cacheRead + usage.cacheWrite5m + usage.cacheWrite1h + usage.inputAudio
      const output = usage.output + usage.outputAudio
      const amounts = boundAmounts(version, {
        inputTokens: input,
        inputAudioTokens: usage.inputAudio,
        outputs: usage.outputAudio > 0 ? textAndSpeech : textOnly,
        cacheWrites: ['5m', '1h'],
        options: ['flex', 'fast'],
        fees: usage.fees,
        choices,
      })
      const limit = BigInt(Math.ceil(output / choices))
      assert.ok(amounts.input + limit * amounts.perOutputToken >= costOf(usage, version).cost)
    }),
  )
})

test('the most expensive rate is that of the marked lifetimes and the reachable tiers', () => {
  const marked = (cacheWrites: readonly ('5m' | '1h')[]) =>
    highestInputRate(price(sonnet), { cacheWrites, inputTokens: 10 })
  assert.equal(marked([]), usd('3'))
  assert.equal(marked(['5m']), usd('3.75'))
  assert.equal(marked(['1h']), usd('6'))
  assert.equal(highestInputRate(long, { cacheWrites: [], inputTokens: 200_000 }), usd('1.25'))
  assert.equal(highestInputRate(long, { cacheWrites: [], inputTokens: 200_001 }), usd('2.50'))
})

test('a discount that is asked for is not relied on; a surcharge is', () => {
  const bound = { ...silent, inputTokens: 1_000_000, fees: { web_search: 5 }, choices: 2 }
  const version = price(sonnet, { options: { ...flex, ...fast }, fees: { web_search: usd('0.01') } })
  assert.deepEqual(boundAmounts(version, { ...bound, options: ['service_tier:flex'] }), {
    input: usd('3.05'),
    perOutputToken: usd('0.00003'),
  })
  assert.deepEqual(boundAmounts(version, { ...bound, options: ['speed:fast'] }), {
    input: usd('18.05'),
    perOutputToken: usd('0.00018'),
  })
})

test('a class that is reported without a price is named, and charged like text', () => {
  const whole = rates({ input: '1', output: '2', inputAudio: '3', outputAudio: '4' })
  for (const name of meterNames) {
    const field = meters[name].rate
    assert.ok(costOf({ ...nothing, [name]: 7 }, price(whole)).cost > 0n, name)
    // A price of before the class was known has no such field.
    const { [field]: _gone, ...older } = whole
    for (const known of [older as Rates, { ...whole, [field]: null } as Rates]) {
      const { cost, unpriced } = costOf({ ...nothing, [name]: 7 }, price(known))
      const text = { input: 7_000n, output: 14_000n }[meters[name].direction]
      assert.deepEqual([cost, unpriced], [field === meters[name].direction ? 0n : text, [name]], name)
    }
  }
})

test('a share is rounded up to a whole nano-USD, and no share is nothing', () => {
  const tenth = { numerator: 1n, denominator: 40n }
  assert.deepEqual(
    [0n, 1n, 39n, 40n, 41n, 1_000n].map((cost) => chargeOf(cost, tenth)),
    [0n, 1n, 1n, 1n, 2n, 25n],
  )
  assert.equal(chargeOf(123_456_789n, { numerator: 0n, denominator: 100n }), 0n)
  assert.equal(chargeOf(123_456_789n, null), 123_456_789n)
})

test('the charge for a cost within a bound is within the charged bound', () => {
  const amount = fc.bigInt(0n, 10n ** 12n)
  const fee = fc.record({ numerator: fc.bigInt(0n, 10n ** 8n), denominator: fc.bigInt(1n, 10n ** 8n) })
  const tokens = fc.bigInt(0n, 100_000n)
  fc.assert(
    fc.property(amount, amount, tokens, fee, (input, perOutputToken, output, share) => {
      const bound = chargedAmounts({ input, perOutputToken }, share)
      const held = bound.input + output * bound.perOutputToken
      assert.ok(chargeOf(input + output * perOutputToken, share) <= held)
    }),
  )
})
