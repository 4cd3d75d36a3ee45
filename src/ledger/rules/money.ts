/**
 * The ledger's unit: bigint nano-USD, stored as int64. Parsing and formatting of amounts is the
 * contract's; here are the bounds, and division that never loses a nano-dollar.
 */
import { assert } from '../../base/assert.ts'

export { formatUsd, parseUsd } from '../../../contract/usd.ts'

/** The most that a column can hold: 9.2 thousand million dollars. */
export const nanoMax = (1n << 63n) - 1n

export interface Fraction {
  readonly numerator: bigint
  readonly denominator: bigint
}

/** The smallest whole number not below the quotient; both parts non-negative. */
export function divideUp(numerator: bigint, denominator: bigint): bigint {
  assert(numerator >= 0n && denominator > 0n, 'a share of something is taken of a positive whole')
  return (numerator + denominator - 1n) / denominator
}

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
export const most = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** Throws unless the amount is a non-negative int64: values from outside the ledger are checked before they are moved. */
export function assertAmount(amount: bigint, what: string): void {
  assert(amount >= 0n && amount <= nanoMax, `${what} is an amount`)
}
