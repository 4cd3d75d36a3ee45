/** Reading fields of price lists: names of rates, texts, flags. Pure. */
import type { RateName } from '../../../contract/meters.ts'
import { formatUsd, parseUsd } from '../../../contract/usd.ts'
import { countMax, name, priceTiersMax } from '../../../contract/values.ts'
import { type ExactJson, type ExactObject, NumberText, RepeatedName } from './exact-json.ts'
import { listNames } from './list-names-table.ts'
import type { ListedPrice, ListedRates } from './listed-model.ts'

/** The name in the list → the rate that it sets; with several names for a rate, the highest amount counts. */
export type RateFields = readonly (readonly [field: string, rate: RateName])[]

type ReadRates = { readonly kind: 'rates'; readonly rates: ListedRates } | Unclear
export type Unclear = Extract<ListedPrice, { kind: 'unclear' }>

/** Lists write 0 for unknown prices; a model without any price is not sold for nothing. */
const unknownAsZero: readonly RateName[] = [
  'cacheRead',
  'cacheWrite5m',
  'cacheWrite1h',
  'inputAudio',
  'outputAudio',
]

/** The rates of one object; null counts as left out. */
export function readRates(object: ExactObject, fields: RateFields, unit: PriceUnit): ReadRates {
  const highest = new Map<RateName, { readonly usd: string; readonly nano: bigint }>()
  for (const [field, rate] of fields) {
    const value = object.get(field) ?? null
    if (value === null) continue
    const read = readRate(value, unit)
    if (read.kind === 'mistake') return unclear(`${field} ${read.reason}`)
    if (read.nano === 0n && unknownAsZero.includes(rate)) continue
    const known = highest.get(rate)
    if (known === undefined || known.nano < read.nano) highest.set(rate, read)
  }
  return { kind: 'rates', rates: Object.fromEntries([...highest].map(([rate, { usd }]) => [rate, usd])) }
}

export function unclear(reason: string): Unclear {
  return { kind: 'unclear', reason }
}

export function checkedPrice(price: Extract<ListedPrice, { kind: 'price' }>): ListedPrice {
  const { input, output } = price.rates
  if (input === undefined || output === undefined) return unclear('the list has no price of input and output')
  // Embeddings have no price of output, so that 0 is known there.
  if (isZero(input)) return unclear('the list has a price of 0, which means an unknown price')
  const sizes = price.tiers.map(({ aboveInputTokens }) => aboveInputTokens)
  if (new Set(sizes).size !== sizes.length) return unclear('two tiers begin at the same input')
  const unknown = price.tiers.find(
    ({ rates }) => isZero(rates.input) || (isZero(rates.output) && !isZero(output)),
  )
  if (unknown === undefined) return price
  return unclear(`the tier above ${unknown.aboveInputTokens} has a price of 0, which means an unknown price`)
}

const isZero = (usd: string | undefined): boolean => usd !== undefined && parseUsd(usd) === 0n

/** Why a list of tiers is not read; undefined: it is. */
export function tiersProblem(count: number): Unclear | undefined {
  return count > priceTiersMax ? unclear(`it has more than ${priceTiersMax} tiers`) : undefined
}

/** The lower bound of a tier; undefined if no price can have it. */
export function tierStartOf(value: ExactJson | undefined): number | undefined {
  const start = readWhole(value)
  return start === undefined || start > countMax ? undefined : start
}

/** A name as it can be shown; undefined for any other text. */
export function shownNameOf(value: ExactJson | undefined): string | undefined {
  return name.safeParse(value).data
}

export function textOf(value: ExactJson | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

export function flagOf(value: ExactJson | undefined): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

/** A count of tokens; lists write 0 for unknown counts. */
export function tokensOf(value: ExactJson | undefined): number | undefined {
  const whole = readWhole(value)
  return whole === 0 || (whole ?? 0) > countMax ? undefined : whole
}

export function textsOf(value: ExactJson | undefined): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return (value as readonly ExactJson[]).flatMap((item) => textOf(item) ?? [])
}

export function objectOf(value: ExactJson | undefined): ExactObject | undefined {
  return value instanceof Map ? value : undefined
}

/** `2026-07-01` or `2026-07`; undefined for anything else. */
export function dateOf(value: ExactJson | undefined): string | undefined {
  const text = textOf(value) ?? ''
  const day = /^\d{4}-\d{2}$/.test(text) ? `${text}-01` : text
  return /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(Date.parse(day)) ? day : undefined
}

/** The reason why a name is not one model at one price; undefined: none. */
export function nameProblem(provider: string, name: string): string | undefined {
  if (!/^[\x21-\x7e]{1,150}$/.test(name)) return 'the name has characters that no model name has'
  const { hasColonVersions = false, priceDependsOn } = listNames[provider] ?? {}
  const withoutVersion = hasColonVersions ? name.replace(/:\d+$/, '') : name
  if (withoutVersion.includes(':')) return 'the suffix of the name chooses a host or a price'
  if (/^openrouter\//.test(name)) return 'the name is that of a router, which chooses the model'
  return priceDependsOn === undefined ? undefined : `its price depends ${priceDependsOn}`
}

type ExactRate =
  | { readonly kind: 'rate'; readonly usd: string; readonly nano: bigint }
  /** Completes "input …": `is negative`. */
  | { readonly kind: 'mistake'; readonly reason: string }

/** How many tokens an amount of a price list is for, as a power of ten. */
export type PriceUnit = 'perToken' | 'perMillionTokens'

const powers: Readonly<Record<PriceUnit, number>> = { perToken: 6, perMillionTokens: 0 }

/** Decimals of an amount in nano-USD. */
const nanoDecimals = 9
const exponentMax = 400
/** Longer numbers are no prices, and take long to compute with. */
const digitsMax = 100

/** A listed price in USD per million tokens. */
export function readRate(value: ExactJson, unit: PriceUnit): ExactRate {
  if (value instanceof RepeatedName) return mistake('is listed twice')
  if (!(value instanceof NumberText)) return mistake('is not a number')
  const { digits } = value
  const scaled = scaledInteger(digits, powers[unit] + nanoDecimals)
  if (digits.startsWith('-') && scaled !== 0n) return mistake('is negative')
  if (scaled === undefined) return mistake('has more than nine decimals per million tokens')
  const usd = formatUsd(scaled)
  return parseUsd(usd) === undefined ? mistake('is too large') : { kind: 'rate', usd, nano: scaled }
}

/** A whole number such as `200000` or `256000.0`; undefined for anything else. */
export function readWhole(value: ExactJson | undefined): number | undefined {
  if (!(value instanceof NumberText)) return undefined
  const whole = scaledInteger(value.digits, 0)
  return whole === undefined || whole < 0n || whole > BigInt(Number.MAX_SAFE_INTEGER)
    ? undefined
    : Number(whole)
}

/** `digits × 10^places`; undefined where that is not a whole number. */
function scaledInteger(digits: string, places: number): bigint | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(digits)
  if (match === null || digits.length > digitsMax) return undefined
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match
  const exponent = Number(exponentText)
  const significant = BigInt(whole + fraction)
  if (significant === 0n) return 0n
  if (Math.abs(exponent) > exponentMax) return undefined
  const shift = exponent - fraction.length + places
  const size = shift >= 0 ? significant * 10n ** BigInt(shift) : divided(significant, 10n ** BigInt(-shift))
  return size === undefined || sign === '' ? size : -size
}

function divided(value: bigint, divisor: bigint): bigint | undefined {
  return value % divisor === 0n ? value / divisor : undefined
}

function mistake(reason: string): ExactRate {
  return { kind: 'mistake', reason }
}
