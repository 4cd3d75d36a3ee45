/**
 * Amounts as JSON and text (decimal USD strings) and as the program counts them
 * (bigint nano-USD). Exact both ways: nothing is rounded, no Number is involved.
 */

const nanoDigits = 9
const nanoPerUsd = 10n ** BigInt(nanoDigits)

/** What an amount may look like: up to ten million dollars, to the nano-dollar. No sign, no exponent, no separators. */
export const usdPattern = /^\d{1,7}(?:\.\d{1,9})?$/

/** `5000000000n` → `5.00`, `-54399000n` → `-0.054399`: at least two decimals, at most nine, no zeros to spare. */
export function formatUsd(nano: bigint): string {
  const size = nano < 0n ? -nano : nano
  const fraction = (size % nanoPerUsd)
    .toString()
    .padStart(nanoDigits, '0')
    .replace(/0{1,7}$/, '')
  return `${nano < 0n ? '-' : ''}${size / nanoPerUsd}.${fraction}`
}

/** The inverse for amounts that `usdPattern` allows; undefined for everything else. */
export function parseUsd(text: string): bigint | undefined {
  if (!usdPattern.test(text)) return undefined
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole) * nanoPerUsd + BigInt(fraction.padEnd(nanoDigits, '0'))
}
