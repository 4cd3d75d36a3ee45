/**
 * Prices as written (decimal USD) → prices as counted (bigint nano-USD per million tokens), exactly; rates that a
 * price list omits get their defaults only here. Pure. Accepts only valid definitions.
 */
import {
  eachRate,
  type RateName,
  type UnsoldRate,
  unsoldRates,
  type WrittenRatesOf,
} from '../../../contract/meters.ts'
import { formatUsd, parseUsd } from '../../../contract/usd.ts'
import { assert } from '../../base/assert.ts'
import type { PriceDefinition, RatesDefinition, TierDefinition } from '../definition.ts'
import type { Multiplier, PriceTier, PriceVersion, Rates } from '../types.ts'
import { type PriceWindow, parseWindow } from './price-schedule.ts'

/** A price without its ID, to compare versions. */
export type PriceBody = Omit<PriceVersion, 'id' | 'model' | 'effectiveFromMs' | 'source'>

const one: Multiplier = { numerator: 1n, denominator: 1n }

interface CacheWriteRule {
  readonly fiveMinutes: Multiplier
  readonly oneHour: Multiplier
}

/** Default cache-write rates of providers, as factors on input. */
const cacheWriteRules: Readonly<Record<string, CacheWriteRule>> = {
  anthropic: {
    fiveMinutes: { numerator: 5n, denominator: 4n },
    oneHour: { numerator: 2n, denominator: 1n },
  },
}

/** `0.5`, `2` or `5/3`; undefined for anything else, and for zero. */
export function parseFactor(text: string): Multiplier | undefined {
  const match = /^(\d{1,6})(?:\.(\d{1,9}))?(?:\/([1-9]\d{0,5}))?$/.exec(text)
  if (match === null) return undefined
  const [, whole = '', decimals = '', divisor = '1'] = match
  const numerator = BigInt(whole + decimals)
  return numerator === 0n
    ? undefined
    : reduced({ numerator, denominator: 10n ** BigInt(decimals.length) * BigInt(divisor) })
}

/** `5%` is a factor of 1.05; undefined for anything else. */
export function parseMarkup(text: string): Multiplier | undefined {
  const match = /^(\d{1,4})(?:\.(\d{1,6}))?%$/.exec(text)
  if (match === null) return undefined
  const [, whole = '', decimals = ''] = match
  const denominator = 100n * 10n ** BigInt(decimals.length)
  return reduced({ numerator: denominator + BigInt(whole + decimals), denominator })
}

/** `rate × factor`, rounded up to a whole nano-USD per million tokens. */
export function scaled(rate: bigint, factor: Multiplier): bigint {
  return (rate * factor.numerator + factor.denominator - 1n) / factor.denominator
}

/**
 * The complete price: `markup` raises rates and tiers for the customer, never fees. `providers` are
 * all that may bill a request for the model; missing cache-write rates cover the most expensive of them.
 */
export function priceBody(
  definition: PriceDefinition,
  providers: readonly string[],
  markup: Multiplier | null,
): PriceBody {
  const listRates = filledRates(definition, definition.output, providers)
  const listTiers = [...(definition.tiers ?? [])]
    .sort((lower, higher) => lower.aboveInputTokens - higher.aboveInputTokens)
    .map((tier) => filledTier(tier, listRates))
  const raised = markup ?? one
  return {
    rates: raisedRates(listRates, raised),
    listRates,
    tiers: listTiers.map((tier) => ({ ...tier, rates: raisedRates(tier.rates, raised) })),
    listTiers,
    options: mapped(definition.options ?? {}, (text) => parseFactor(text)),
    fees: mapped(definition.fees ?? {}, (text) => parseUsd(text)),
  }
}

/** The price itself, then its scheduled prices. */
export function priceBodies(
  definition: PriceDefinition,
  providers: readonly string[],
  markup: Multiplier | null,
): readonly PriceBody[] {
  const { schedule = [], options, fees } = definition
  return [
    priceBody(definition, providers, markup),
    ...schedule.map(({ times, ...rates }) => ({
      ...priceBody({ ...rates, options, fees }, providers, markup),
      schedule: times.map(windowOf),
    })),
  ]
}

function windowOf(text: string): PriceWindow {
  const window = parseWindow(text)
  assert(window !== undefined, `${text} is a time of the week`)
  return window
}

/** Rates of a definition in USD; omitted ones follow from the others by the rules of the providers. */
export type WrittenRates = WrittenRatesOf<string>

/** Every rate of a definition. */
export function wholeRates(
  rates: Rates,
): Required<Omit<WrittenRates, UnsoldRate>> & Pick<WrittenRates, UnsoldRate> {
  const written = Object.entries(mapRates(rates, formatUsd)).filter(([, text]) => text !== null)
  return Object.fromEntries(written) as ReturnType<typeof wholeRates>
}

/** Every rate, changed or written; null if the class is not sold. */
export function mapRates<Value>(
  rates: Rates,
  change: (rate: bigint) => Value,
): { readonly [Name in RateName]: Name extends UnsoldRate ? Value | null : Value } {
  const changed = eachRate((name) => {
    const rate = rates[name] ?? null
    return rate === null ? null : change(rate)
  })
  return changed as ReturnType<typeof mapRates<Value>>
}

/** Rates of classes that may be unsold: as written, else the default. */
function unsold(
  definition: RatesDefinition,
  otherwise: (name: UnsoldRate) => bigint | null,
): Pick<Rates, UnsoldRate> {
  const rates = unsoldRates.map((name) => {
    const text = definition[name]
    return [name, text === undefined ? otherwise(name) : rateOf(text)] as const
  })
  return Object.fromEntries(rates) as Pick<Rates, UnsoldRate>
}

/** The inverse of filling in defaults: the definition that results in these rates. */
export function writtenRates(rates: Rates, providers: readonly string[]): WrittenRates {
  const { cacheRead, cacheWrite5m, cacheWrite1h, ...rest } = wholeRates(rates)
  const { input, output } = rest
  const follows = filledRates({ input }, output, providers)
  const fiveMinutes = rates.cacheWrite5m === follows.cacheWrite5m ? {} : { cacheWrite5m }
  const hourFollows = filledRates({ input, ...fiveMinutes }, output, providers).cacheWrite1h
  return {
    ...rest,
    ...(rates.cacheRead === rates.input ? {} : { cacheRead }),
    ...fiveMinutes,
    ...(rates.cacheWrite1h === hourFollows ? {} : { cacheWrite1h }),
  }
}

/** Canonical text of a price, independent of the order of its parts. */
export function priceText(body: PriceBody): string {
  return JSON.stringify(body, (_key, value: unknown) => {
    if (typeof value === 'bigint') return value.toString()
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** Parses the canonical text of a price, in which every text is a whole number. */
export function priceOfText(text: string): PriceBody {
  return JSON.parse(text, (_key, value: unknown) =>
    typeof value === 'string' ? BigInt(value) : value,
  ) as PriceBody
}

function filledRates(definition: RatesDefinition, output: string, providers: readonly string[]): Rates {
  const input = rateOf(definition.input)
  const rules = providers.length === 0 ? [undefined] : providers.map((provider) => cacheWriteRules[provider])
  const cacheWrite5m =
    definition.cacheWrite5m === undefined
      ? highest(rules.map((rule) => scaled(input, rule?.fiveMinutes ?? one)))
      : rateOf(definition.cacheWrite5m)
  // Where no rule is known, an hour in the cache costs no less than five minutes.
  const hours = rules.map((rule) => (rule === undefined ? cacheWrite5m : scaled(input, rule.oneHour)))
  return {
    input,
    cacheRead: definition.cacheRead === undefined ? input : rateOf(definition.cacheRead),
    cacheWrite5m,
    cacheWrite1h: definition.cacheWrite1h === undefined ? highest(hours) : rateOf(definition.cacheWrite1h),
    output: rateOf(output),
    ...unsold(definition, () => null),
  }
}

const highest = (rates: readonly bigint[]): bigint =>
  rates.reduce((high: bigint, rate: bigint) => (rate > high ? rate : high), 0n)

/** Fills omitted rates of a tier from the base; cache rates grow with its input rate. */
function filledTier(tier: TierDefinition, base: Rates): PriceTier {
  const input = rateOf(tier.input)
  const grown = (rate: bigint) =>
    base.input === 0n ? input : scaled(rate, { numerator: input, denominator: base.input })
  const or = (text: string | undefined, otherwise: bigint) => (text === undefined ? otherwise : rateOf(text))
  return {
    aboveInputTokens: tier.aboveInputTokens,
    rates: {
      input,
      cacheRead: or(tier.cacheRead, grown(base.cacheRead)),
      cacheWrite5m: or(tier.cacheWrite5m, grown(base.cacheWrite5m)),
      cacheWrite1h: or(tier.cacheWrite1h, grown(base.cacheWrite1h)),
      output: or(tier.output, base.output),
      ...unsold(tier, (name) => base[name]),
    },
  }
}

function raisedRates(rates: Rates, markup: Multiplier): Rates {
  return mapRates(rates, (rate) => scaled(rate, markup))
}

/** USD per million tokens is the same number as nano-USD per million tokens, nine places further on. */
function rateOf(text: string): bigint {
  const rate = parseUsd(text)
  assert(rate !== undefined, `${text} is an amount in USD`)
  return rate
}

function mapped<Value>(
  texts: Readonly<Record<string, string>>,
  parse: (text: string) => Value | undefined,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      const value = parse(text)
      assert(value !== undefined, `${name}: ${text} can be read`)
      return [name, value]
    }),
  )
}

function reduced({ numerator, denominator }: Multiplier): Multiplier {
  let [larger, smaller] = [numerator, denominator]
  while (smaller > 0n) [larger, smaller] = [smaller, larger % smaller]
  return { numerator: numerator / larger, denominator: denominator / larger }
}
