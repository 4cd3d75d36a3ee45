/**
 * Usage × price, exactly: meters are summed as integers and rounded up once, at the end. Also the
 * bound of a request that has not run yet, which rounds so that a hold is never below the cost. Pure.
 */
import {
  eachRate,
  type InputMeter,
  inputMeters,
  inputTokens,
  type Meter,
  meterNames,
  meters,
  type OutputClasses,
  outputMeters,
  type RateName,
  type TokenCounts,
} from '../../../contract/meters.ts'
import { assert } from '../../base/assert.ts'
import type { Multiplier, PriceTier, PriceVersion, Rates } from '../../catalog/types.ts'
import { divideUp, most } from './money.ts'

/** The meter of a fee for each request that is answered, whatever it does. */
const requestMeter = 'request'

/** Rates are per million tokens. */
const perRate = 1_000_000n

/** Usage to price; reasoning is part of `output` and costs nothing extra. */
export interface PricedUsage extends TokenCounts {
  readonly fees: Readonly<Record<string, number>>
  readonly servedOptions: readonly string[]
}

export interface Cost {
  /** Nano-USD, rounded up once. */
  readonly cost: bigint
  /** Names that the price row lacks: their tokens are in `cost` at the text rate, uses and options are not. */
  readonly unpriced: readonly string[]
}

/** Adds the one use of the fee for an answered request where the price has such a fee. */
export function withRequestFee<Used extends Pick<PricedUsage, 'fees'>>(
  usage: Used,
  price: Pick<PriceVersion, 'fees'>,
): Used {
  if (!Object.hasOwn(price.fees, requestMeter)) return usage
  return { ...usage, fees: { ...usage.fees, [requestMeter]: 1 } }
}

/** The same usage for a request that was not answered. */
export function withoutRequestFee<Used extends Pick<PricedUsage, 'fees'>>(usage: Used): Used {
  const { [requestMeter]: _answered, ...fees } = usage.fees
  return { ...usage, fees }
}

/** Whose price: what the customer pays, or what the upstream charges us. */
export type PriceSide = 'rates' | 'list'

/** Prices a request with the options that served it. Throws when a count is not a whole number from 0 on. */
export function costOf(usage: PricedUsage, price: PriceVersion, side: PriceSide = 'rates'): Cost {
  const rates = ratesFor(price, side, inputTokens(usage))
  let tokens = 0n
  const unpriced: string[] = []
  for (const name of meterNames) {
    const count = usage[name]
    if (count === 0) continue
    const rate = rateOf(rates, name)
    tokens += toCount(count) * (rate ?? textRate(rates, name))
    if (rate === null) unpriced.push(name)
  }
  // Most requests have neither, and this is computed several times for each.
  if (usage.servedOptions.length === 0 && isEmpty(usage.fees))
    return { cost: divideUp(tokens, perRate), unpriced }
  const servedOptions = [...new Set(usage.servedOptions)]
  const known = servedOptions.flatMap((option) => own(price.options, option) ?? [])
  const { numerator, denominator } = product(known)
  const feeEntries = Object.entries(usage.fees).filter(([, uses]) => uses > 0)
  const fees = feeEntries.reduce(
    (sum, [meter, uses]) => sum + toCount(uses) * (own(price.fees, meter) ?? 0n),
    0n,
  )
  return {
    cost: divideUp(tokens * numerator + fees * perRate * denominator, perRate * denominator),
    unpriced: [
      ...unpriced,
      ...servedOptions.filter((option) => own(price.options, option) === undefined),
      ...feeEntries.map(([meter]) => meter).filter((meter) => own(price.fees, meter) === undefined),
    ],
  }
}

/** The configured cost of an offer, in nano-USD per million tokens. */
export type OfferCost = Pick<Rates, 'input' | 'output'>

/**
 * Nano-USD that the upstream charges for the usage: at the offer's own cost, else at list price. An offer's cost has no tiers and
 * no rates for the cache, whose tokens count as input; options and fees are those of the price.
 */
export function upstreamCostOf(
  usage: PricedUsage,
  price: PriceVersion,
  offerCost: OfferCost | undefined,
): bigint {
  if (offerCost === undefined) return costOf(usage, price, 'list').cost
  const listRates = eachRate((rate) => (outputRates.has(rate) ? offerCost.output : offerCost.input))
  return costOf(usage, { ...price, listRates, listTiers: [] }, 'list').cost
}

const outputRates: ReadonlySet<RateName> = new Set(outputMeters.map((name) => meters[name].rate))

/** The offer's cost as a receipt shows it; null: the list price. */
export function offerCostText(cost: OfferCost | undefined): string | null {
  return cost === undefined ? null : `${cost.input}/${cost.output}`
}

/** The maximum usage of a request that has not run yet. */
export interface RequestBound {
  readonly inputTokens: number
  /** How many of them may be audio; 0 for a request that carries none. */
  readonly inputAudioTokens: number
  /** The classes of output that it can produce. */
  readonly outputs: OutputClasses
  /** Cache lifetimes that the request marks. */
  readonly cacheWrites: readonly ('5m' | '1h')[]
  /** Options that the request names. */
  readonly options: readonly string[]
  /** Uses of server tools at most, by meter. */
  readonly fees: Readonly<Record<string, number>>
  /** Answers that run in parallel. */
  readonly choices: number
}

/** How the input of a hold was bounded; receipts state it. */
export type InputBoundSource = 'bytes' | 'counted' | 'pages' | 'reported'

export interface BoundAmounts {
  /** Maximum cost of all input and the fees. */
  readonly input: bigint
  /** Maximum cost of one token of output limit, for all choices. */
  readonly perOutputToken: bigint
}

/**
 * The maximum cost within the bound: every tier that the input may reach, every named option, and every
 * class of tokens that the request can produce, and no other.
 */
export function boundAmounts(price: PriceVersion, bound: RequestBound): BoundAmounts {
  const { numerator, denominator } = product(
    bound.options.map((option) => highestMultiplier(own(price.options, option))),
  )
  const fees = Object.entries(bound.fees).reduce(
    (sum, [meter, uses]) => sum + toCount(uses) * (own(price.fees, meter) ?? 0n),
    0n,
  )
  const rate = highestInputRate(price, bound)
  const audioRate = most(rate, highestAudioRate(price, bound.inputTokens))
  const audio = toCount(Math.min(bound.inputAudioTokens, bound.inputTokens))
  const input = ((toCount(bound.inputTokens) - audio) * rate + audio * audioRate) * numerator
  const output = highestOutputRate(price, bound) * toCount(bound.choices) * numerator
  return {
    input: divideUp(input + fees * perRate * denominator, perRate * denominator),
    perOutputToken: divideUp(output, perRate * denominator),
  }
}

/** The most expensive rate at which an input token that is not audio can be billed, before options. */
export function highestInputRate(
  price: PriceVersion,
  bound: Pick<RequestBound, 'cacheWrites' | 'inputTokens'>,
): bigint {
  let high = 0n
  for (const rates of reachableRates(price, bound.inputTokens))
    for (const meter of inputMeters) if (billable[meter](bound)) high = most(high, rateOf(rates, meter) ?? 0n)
  return high
}

/** Whether an input token that is not audio can be billed in a class. Audio has a separate bound. */
const billable: Readonly<Record<InputMeter, (bound: Pick<RequestBound, 'cacheWrites'>) => boolean>> = {
  inputUncached: () => true,
  cacheRead: () => true,
  cacheWrite5m: ({ cacheWrites }) => cacheWrites.length > 0,
  cacheWrite1h: ({ cacheWrites }) => cacheWrites.includes('1h'),
  inputAudio: () => false,
}

function highestAudioRate(price: PriceVersion, inputTokens: number): bigint {
  return highest(reachableRates(price, inputTokens).map(({ inputAudio }) => inputAudio ?? 0n))
}

function highestOutputRate(
  price: PriceVersion,
  bound: Pick<RequestBound, 'inputTokens' | 'outputs'>,
): bigint {
  let high = 0n
  for (const rates of reachableRates(price, bound.inputTokens))
    for (const meter of outputMeters) if (bound.outputs[meter]) high = most(high, rateOf(rates, meter) ?? 0n)
  return high
}

/** null: the price does not know the class, nor does one that was written before the class was. */
export function rateOf(rates: Rates, meter: Meter): bigint | null {
  return rates[meters[meter].rate] ?? null
}

/** The rate for a class that has no rate of its own. */
function textRate(rates: Rates, meter: Meter): bigint {
  return rateOf(rates, meters[meter].direction === 'input' ? 'inputUncached' : 'output') ?? 0n
}

/** The rates for the request; all of its input chooses the tier. */
export function ratesFor(price: PriceVersion, side: PriceSide, inputTokens: number): Rates {
  const [base, tiers] = side === 'list' ? [price.listRates, price.listTiers] : [price.rates, price.tiers]
  return tiers.length === 0 ? base : (reached(tiers, inputTokens).at(-1)?.rates ?? base)
}

function reached(tiers: readonly PriceTier[], inputTokens: number): readonly PriceTier[] {
  return tiers.filter((tier) => inputTokens > tier.aboveInputTokens)
}

/** Rates of every tier that a request within the bound may reach; actual input may be smaller than the bound. */
function reachableRates(price: PriceVersion, inputTokens: number): readonly Rates[] {
  const { rates, tiers } = price
  return tiers.length === 0 ? [rates] : [rates, ...reached(tiers, inputTokens).map((tier) => tier.rates)]
}

const one: Multiplier = { numerator: 1n, denominator: 1n }

/** A requested discount may not be given, so only a surcharge counts. */
function highestMultiplier(multiplier: Multiplier | undefined): Multiplier {
  return multiplier !== undefined && multiplier.numerator > multiplier.denominator ? multiplier : one
}

function isEmpty(record: object): boolean {
  for (const _name in record) return false
  return true
}

function product(multipliers: readonly Multiplier[]): Multiplier {
  return multipliers.reduce(
    (so, next) => ({
      numerator: so.numerator * next.numerator,
      denominator: so.denominator * next.denominator,
    }),
    one,
  )
}

const highest = (rates: readonly bigint[]): bigint => rates.reduce((high, rate) => most(high, rate), 0n)

/** Names come from answers and requests: `constructor` must not find anything. */
function own<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}

function toCount(count: number): bigint {
  assert(Number.isSafeInteger(count) && count >= 0, 'a count of tokens or uses is a whole number from 0 on')
  return BigInt(count)
}

/** The share of its cost at list price that a request on an account's own provider key is charged. Null: the operator's price is charged. */
export type OwnKeyFee = Multiplier | null

/** The price that the share is taken of: what the provider charges the account by its list. */
export function listPriced(price: PriceVersion): PriceVersion {
  return { ...price, rates: price.listRates, tiers: price.listTiers }
}

/** The fee as receipts store it: `1/20`. */
export function feeText(fee: OwnKeyFee): string | null {
  return fee === null ? null : `${fee.numerator}/${fee.denominator}`
}

/** The charge for a cost, which is a whole nano-USD already; its share is rounded up once more. */
export function chargeOf(cost: bigint, fee: OwnKeyFee): bigint {
  return fee === null ? cost : divideUp(cost * fee.numerator, fee.denominator)
}

/** The most that is charged within a bound, which is never below the charge for a cost within it. */
export function chargedAmounts({ input, perOutputToken }: BoundAmounts, fee: OwnKeyFee): BoundAmounts {
  return { input: chargeOf(input, fee), perOutputToken: chargeOf(perOutputToken, fee) }
}
