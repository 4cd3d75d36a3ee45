/** Converts JSON numbers to amounts exactly, without rounding or floats. Pure. */
import { formatUsd, parseUsd } from '../../../contract/usd.ts'
import type { ExactJson } from './exact-json.ts'
import { NumberText, RepeatedName } from './exact-json.ts'

export type ExactRate =
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
