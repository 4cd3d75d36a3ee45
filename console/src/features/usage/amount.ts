/**
 * Amounts as the control plane writes them (decimal USD strings), counted exactly: sums, differences, order. Only a
 * drawing may turn one into a Number, through `heightOf`; nothing that a person reads passes through it.
 */
const nanoDigits = 9
const nanoPerUsd = 10n ** BigInt(nanoDigits)

/** `-0.054399` → `-54399000n`. Throws for what is no amount of the contract. */
export function nanoOf(text: string): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,9}))?$/.exec(text)
  if (match === null) throw new Error(`not an amount: ${text}`)
  const [, sign = '', whole = '', fraction = ''] = match
  const size = BigInt(whole) * nanoPerUsd + BigInt(fraction.padEnd(nanoDigits, '0'))
  return sign === '-' ? -size : size
}

/** The inverse: at least two decimals, at most nine, no zeros to spare. */
export function amountOf(nano: bigint): string {
  const size = nano < 0n ? -nano : nano
  const fraction = (size % nanoPerUsd)
    .toString()
    .padStart(nanoDigits, '0')
    .replace(/0{1,7}$/, '')
  return `${nano < 0n ? '-' : ''}${size / nanoPerUsd}.${fraction}`
}

/** How much of `whole` the part is, in thousandths from 0 to 1000; for bars. */
export function permilleOf(part: string, whole: string): number {
  const [size, all] = [nanoOf(part), nanoOf(whole)]
  if (all <= 0n) return size > 0n ? 1_000 : 0
  const share = (size * 1_000n) / all
  return Number(share < 0n ? 0n : share > 1_000n ? 1_000n : share)
}

/** USD as a Number: for the height of something drawn, never for something read or sent. */
export function heightOf(amount: string): number {
  return Number(nanoOf(amount)) / Number(nanoPerUsd)
}

/** What somebody typed, as an amount that the control plane takes; undefined when it is none. */
export function typedAmount(text: string): string | undefined {
  const plain = text.trim().replace(/^\$\s*/, '')
  return /^\d{1,7}(?:\.\d{1,9})?$/.test(plain) ? plain : undefined
}

/** The same for what is paid: whole cents. */
export function typedPayment(text: string): string | undefined {
  const amount = typedAmount(text)
  return amount === undefined || /\.\d{2}\d*[1-9]/.test(amount) ? undefined : amount
}
