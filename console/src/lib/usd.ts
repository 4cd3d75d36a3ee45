/**
 * The one place where amounts are formatted, from the API's decimal strings without floating-point numbers. Pure.
 */

const nanoDigits = 9
const decimal = /^(-?)(\d+)(?:\.(\d{1,9}))?$/

/**
 * `"4.998123456"` → `$4.998123`: at least two decimals, up to six below $100, every digit of what is smaller than the
 * sixth. Cut, never rounded up, so that no amount is shown as more than it is. Other text is returned as is.
 */
export function usd(text: string): string {
  if (/^-?\d{3}/.test(text)) return centsUsd(text)
  const short = dollars(text, columnDecimals.cost)
  return isZero(short) ? exactUsd(text) : short
}

/** Every digit: for titles and lines that must add up. */
export function exactUsd(text: string): string {
  return dollars(text, nanoDigits)
}

/** Cut to cents: for payments and large totals. */
export function centsUsd(text: string): string {
  return dollars(text, 2)
}

/**
 * The decimals of a column, by what it shows and never by its rows: whole payments, what was spent or is left, and lines
 * that must add up.
 */
export const columnDecimals = { cents: 2, cost: 6, exact: 9 } as const
export type ColumnKind = keyof typeof columnDecimals

/** With a fixed number of decimals; an amount below the last decimal is shown with `<`. */
export function fixedUsd(text: string, decimals: number): string {
  const short = dollars(text, decimals)
  if (decimal.test(text) && !isZero(text) && isZero(short)) return `<$0.${'1'.padStart(decimals, '0')}`
  return short.replace(/\.\d+$/, (digits) => digits.padEnd(decimals + 1, '0'))
}

const figureSpace = '\u2007'

/**
 * Every digit, with spaces as wide as digits up to so many decimals: aligns the decimal points of price lists, in which
 * zeros would read as a precision that the price does not have.
 */
export function alignedUsd(text: string, decimals: number): string {
  if (!decimal.test(text)) return text
  const shown = exactUsd(text)
  return shown + figureSpace.repeat(Math.max(0, decimals - (shown.split('.')[1]?.length ?? 0)))
}

/** The most decimals of some prices or marks of an axis, which keep every digit. */
export function writtenDecimalsMax(amounts: readonly string[]): number {
  return Math.max(2, ...amounts.map(writtenDecimals))
}

function writtenDecimals(text: string): number {
  return decimal.exec(text)?.[3]?.replace(/0+$/, '').length ?? 0
}

function dollars(text: string, decimals: number): string {
  const parts = decimal.exec(text)
  if (parts === null) return text
  const [, sign = '', whole = '0', digitsGiven = ''] = parts
  const fraction = digitsGiven.padEnd(nanoDigits, '0')
  const unit = 10n ** BigInt(nanoDigits - decimals)
  const units = (BigInt(whole + fraction) + (sign === '-' ? unit - 1n : 0n)) / unit
  const digits = units.toString().padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const written = digits.slice(point).replace(/0+$/, '').padEnd(2, '0')
  const minus = sign === '-' && units > 0n ? '−' : ''
  return `${minus}$${grouped(digits.slice(0, point))}.${written}`
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

/** Cost of tokens at a rate per million, cut to a billionth of a dollar. */
export function tokensUsd(tokens: number, rate: string): string {
  const cost = ((BigInt(tokens) * nano(rate)) / 1_000_000n).toString().padStart(10, '0')
  return `${cost.slice(0, -9)}.${cost.slice(-9)}`
}

function nano(text: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] = decimal.exec(text) ?? []
  const size = BigInt(whole + fraction.padEnd(9, '0'))
  return sign === '-' ? -size : size
}
