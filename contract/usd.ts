/**
 * Amounts as JSON and text (decimal USD strings) and as the program counts them
 * (bigint nano-USD). Exact both ways: nothing is rounded, and a Number is involved only where it is exact.
 */

const nanoDigits = 9
const nanoPerUsd = 10n ** BigInt(nanoDigits)

/** Form of an amount: up to ten million dollars, to the nano-dollar. No sign, no exponent, no separators. */
export const usdPattern = /^\d{1,7}(?:\.\d{1,9})?$/

/** Why a text is not such an amount; `otherwise`: for a text that is not a number. */
export function usdProblem(text: unknown, otherwise = 'enter an amount in USD, such as 12.50'): string {
  if (typeof text !== 'string' || !/^\d+(?:\.\d+)?$/.test(text)) return otherwise
  return /^\d{8}/.test(text)
    ? 'must be less than 10000000.00 USD'
    : 'can have at most 9 decimal places, a nano-dollar'
}

/** `5000000000n` → `5.00`, `-54399000n` → `-0.054399`: at least two decimals, at most nine, no zeros to spare. */
export function formatUsd(nano: bigint): string {
  if (nano >= 0n && nano <= BigInt(Number.MAX_SAFE_INTEGER)) return formatSafe(Number(nano))
  const size = nano < 0n ? -nano : nano
  const fraction = (size % nanoPerUsd)
    .toString()
    .padStart(nanoDigits, '0')
    .replace(/0{1,7}$/, '')
  return `${nano < 0n ? '-' : ''}${size / nanoPerUsd}.${fraction}`
}

/** The same of an amount that a Number holds exactly, which each response does several times. */
function formatSafe(nano: number): string {
  const [unit, decimalsMin] = [1e9, 2]
  let rest = nano % unit
  let digits = nanoDigits
  for (; digits > decimalsMin && rest % 10 === 0; digits -= 1) rest /= 10
  return `${(nano - (nano % unit)) / unit}.${String(rest).padStart(digits, '0')}`
}

/** The inverse for amounts that `usdPattern` allows; undefined for everything else. */
export function parseUsd(text: string): bigint | undefined {
  if (!usdPattern.test(text)) return undefined
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole) * nanoPerUsd + BigInt(fraction.padEnd(nanoDigits, '0'))
}
