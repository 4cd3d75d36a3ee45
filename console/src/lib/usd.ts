/**
 * The one place where amounts are formatted, from the API's decimal strings without floating-point numbers. Pure.
 */

const decimal = /^(-?)(\d+)(?:\.(\d{1,9}))?$/

/**
 * `"4.998123456"` → `$4.9981`: two decimals or four, four significant digits below a cent, two decimals from five digits
 * before the point. Cut, never rounded up, so that no amount is shown as more than it is. Other text is returned as is.
 */
export function usd(text: string): string {
  if (/^-?\d{5}/.test(text)) return centsUsd(text)
  const short = dollars(text, (fraction, isSmall) => (isSmall ? firstDigit(fraction) + 4 : 4))
  return short.replace(/\.\d{3}$/, '$&0')
}

/** Every digit: for titles and lines that must add up. */
export function exactUsd(text: string): string {
  return dollars(text, () => 9)
}

/** Cut to cents: for payments and large totals. */
export function centsUsd(text: string): string {
  return dollars(text, () => 2)
}

/** With exactly so many decimals: for columns, whose precision is that of `columnDecimals`. */
export function fixedUsd(text: string, decimals: number): string {
  const short = dollars(text, () => decimals)
  if (decimal.test(text) && !isZero(text) && !/[1-9]/.test(short)) return `<$0.${'1'.padStart(decimals, '0')}`
  return short.replace(/\.\d+$/, (digits) => digits.padEnd(decimals + 1, '0'))
}

/** The decimals of a column by its largest amount, in nano-USD: a smaller amount is shown as less than the last digit. */
const columnSteps: readonly (readonly [fromNano: bigint, decimals: number])[] = [
  [10_000_000_000_000n, 2],
  [10_000_000n, 4],
  [100_000n, 6],
]
const allDecimals = 9
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

const centNano = 10_000_000n

/** The one precision of the visible rows of a column; `exact` loses no digit. */
export function columnDecimals(amounts: readonly string[], exact = false): number {
  if (exact) return Math.max(2, ...amounts.map(writtenDecimals))
  const sizes = amounts.map((amount) => nano(amount)).map((amount) => (amount < 0n ? -amount : amount))
  if (sizes.every((size) => size % centNano === 0n)) return 2
  const step = columnSteps.find(([from]) => sizes.some((size) => size >= from))?.[1]
  // Tiny amounts keep their digits, and get no zeros that none of them has.
  return step ?? Math.min(allDecimals, 2 * Math.ceil(Math.max(...amounts.map(writtenDecimals)) / 2))
}

function writtenDecimals(text: string): number {
  return decimal.exec(text)?.[3]?.replace(/0+$/, '').length ?? 0
}

function dollars(text: string, places: (fraction: string, isSmall: boolean) => number): string {
  const parts = decimal.exec(text)
  if (parts === null) return text
  const [, sign = '', whole = '0', written = ''] = parts
  const fraction = written.padEnd(9, '0')
  const isSmall = /^0+$/.test(whole) && fraction.startsWith('00') && /[1-9]/.test(fraction)
  const shown = Math.min(9, Math.max(2, places(fraction, isSmall)))
  const unit = 10n ** BigInt(9 - shown)
  const units = (BigInt(whole + fraction) + (sign === '-' ? unit - 1n : 0n)) / unit
  const digits = units.toString().padStart(shown + 1, '0')
  const point = digits.length - shown
  const decimals = digits.slice(point).replace(/0+$/, '').padEnd(2, '0')
  const minus = sign === '-' && units > 0n ? '−' : ''
  return `${minus}$${grouped(digits.slice(0, point))}.${decimals}`
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

/** What so many tokens cost at a rate per million, cut to a billionth of a dollar. */
export function tokensUsd(tokens: number, rate: string): string {
  const cost = ((BigInt(tokens) * nano(rate)) / 1_000_000n).toString().padStart(10, '0')
  return `${cost.slice(0, -9)}.${cost.slice(-9)}`
}

function nano(text: string): bigint {
  const [, sign = '', whole = '0', fraction = ''] = decimal.exec(text) ?? []
  const size = BigInt(whole + fraction.padEnd(9, '0'))
  return sign === '-' ? -size : size
}
