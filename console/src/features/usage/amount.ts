/**
 * Exact arithmetic on the API's decimal USD strings: sums, differences, order. Only chart heights become a Number,
 * through `heightOf`.
 */
import { fixedUsd, isZero, writtenDecimalsMax } from '../../lib/usd.ts'

const nanoDigits = 9
const nanoPerUsd = 10n ** BigInt(nanoDigits)

/** `-0.054399` → `-54399000n`. Throws for an invalid amount. */
export function nanoOf(text: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(text)
  if (match === null) throw new Error(`not an amount: ${text}`)
  const [, sign = '', whole = '', fraction = ''] = match
  const size = BigInt(whole) * nanoPerUsd + BigInt(fraction.padEnd(nanoDigits, '0'))
  return sign === '-' ? -size : size
}

/** The inverse: at least two decimals, at most nine, no trailing zeros. */
export function amountOf(nano: bigint): string {
  const size = nano < 0n ? -nano : nano
  const fraction = (size % nanoPerUsd)
    .toString()
    .padStart(nanoDigits, '0')
    .replace(/0{1,7}$/, '')
  return `${nano < 0n ? '-' : ''}${size / nanoPerUsd}.${fraction}`
}

/** A round number of an axis as an amount: `0.05` → `0.05`, without what floating-point numbers add. */
export function amountAt(value: number): string {
  return amountOf(BigInt(Math.round(value * 10 ** nanoDigits)))
}

/** The ticks of an axis in one precision: `$0.000010`, `$0.000015`. */
export function axisAmounts(values: readonly number[]): readonly string[] {
  const amounts = values.map(amountAt)
  const decimals = writtenDecimalsMax(amounts)
  return amounts.map((amount) => (isZero(amount) ? '$0.00' : fixedUsd(amount, decimals)))
}

/** The share of `whole` in thousandths, from 0 to 1000; for bars. */
export function permilleOf(part: string, whole: string): number {
  const [size, all] = [nanoOf(part), nanoOf(whole)]
  if (all <= 0n) return size > 0n ? 1_000 : 0
  const share = (size * 1_000n) / all
  return Number(share < 0n ? 0n : share > 1_000n ? 1_000n : share)
}

/** USD as a Number: for the height of a drawing only. */
export function heightOf(amount: string): number {
  return Number(nanoOf(amount)) / Number(nanoPerUsd)
}

/** Typed text as an amount for the control plane; undefined when invalid. */
export function typedAmount(text: string): string | undefined {
  const plain = text.trim().replace(/^\$\s*/, '')
  return /^\d{1,7}(?:\.\d{1,9})?$/.test(plain) ? plain : undefined
}

/** The same for payments: whole cents. */
export function typedPayment(text: string): string | undefined {
  const amount = typedAmount(text)
  return amount === undefined || /\.\d{2}\d*[1-9]/.test(amount) ? undefined : amount
}
