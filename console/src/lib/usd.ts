/**
 * Amounts as people read them, made from the decimal strings of the API without ever becoming a floating number.
 * Pure.
 */

const decimal = /^(-?)(\d+)(?:\.(\d{1,9}))?$/

/**
 * `"4.998123456"` → `$4.9981`; two decimals or four, so that amounts do not change their width with every digit. What
 * is smaller than a cent keeps two digits that count: `"0.000054399"` → `$0.000054`; what is five digits before the
 * point, two after it. A text that is no amount stays as it is.
 */
export function usd(text: string): string {
  return /^-?\d{5}/.test(text) ? roundUsd(text) : fineUsd(text)
}

function fineUsd(text: string, rounding: Rounding = 'nearest'): string {
  const places = (fraction: string, isSmall: boolean) => (isSmall ? firstDigit(fraction) + 2 : 4)
  const short = dollars(text, places, rounding)
  return short.replace(/\.\d{3}$/, '$&0')
}

/** What there is to spend: as `usd`, but never more than there is, so that the first charge is seen and the last cent is not promised. */
export function balanceUsd(text: string): string {
  return /^-?\d{5}/.test(text) ? dollars(text, () => 2, 'down') : fineUsd(text, 'down')
}

/** The whole amount, no digit rounded away: for titles and lines that must add up. */
export function exactUsd(text: string): string {
  return dollars(text, () => 9)
}

/** As `usd`, with four decimals at least, so that amounts of a column stand below each other; nothing is `$0`. */
export function columnUsd(text: string): string {
  return decimal.test(text) && isZero(text)
    ? '$0'
    : fineUsd(text).replace(/\.\d+$/, (decimals) => decimals.padEnd(5, '0'))
}

/** Rounded to cents, for what is large: totals on cards and axes. */
export function roundUsd(text: string): string {
  return dollars(text, () => 2)
}

type Rounding = 'nearest' | 'down'

function dollars(
  text: string,
  places: (fraction: string, isSmall: boolean) => number,
  rounding: Rounding = 'nearest',
): string {
  const parts = decimal.exec(text)
  if (parts === null) return text
  const [, sign = '', whole = '0', written = ''] = parts
  const fraction = written.padEnd(9, '0')
  const isSmall = /^0+$/.test(whole) && fraction.startsWith('00') && /[1-9]/.test(fraction)
  const shown = Math.min(9, Math.max(2, places(fraction, isSmall)))
  const unit = 10n ** BigInt(9 - shown)
  const added = rounding === 'nearest' ? unit / 2n : sign === '-' ? unit - 1n : 0n
  const rounded = (BigInt(whole + fraction) + added) / unit
  const digits = rounded.toString().padStart(shown + 1, '0')
  const cut = digits.length - shown
  const decimals = digits.slice(cut).replace(/0+$/, '').padEnd(2, '0')
  const minus = sign === '-' && rounded > 0n ? '−' : ''
  return `${minus}$${grouped(digits.slice(0, cut))}.${decimals}`
}

function firstDigit(fraction: string): number {
  return Math.max(0, fraction.search(/[1-9]/))
}

function grouped(whole: string): string {
  return whole.replace(/^0+(?=\d)/, '').replace(/\B(?=(\d{3})+$)/g, ',')
}

/** Whether an amount is below zero. */
export function isNegative(text: string): boolean {
  return text.startsWith('-') && /[1-9]/.test(text)
}

/** Whether an amount is nothing at all. */
export function isZero(text: string): boolean {
  return !/[1-9]/.test(text)
}

/** −1, 0 or 1: which of two amounts is larger. */
export function compareUsd(left: string, right: string): number {
  const [a, b] = [nano(left), nano(right)]
  return a < b ? -1 : a > b ? 1 : 0
}

/** The sum of amounts, exactly. */
export function sumUsd(amounts: readonly string[]): string {
  const total = amounts.reduce((sum, amount) => sum + nano(amount), 0n)
  const size = (total < 0n ? -total : total).toString().padStart(10, '0')
  return `${total < 0n ? '-' : ''}${size.slice(0, -9)}.${size.slice(-9)}`
}

function nano(text: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] = decimal.exec(text) ?? []
  const size = BigInt(whole + fraction.padEnd(9, '0'))
  return sign === '-' ? -size : size
}
